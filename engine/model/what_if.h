// The texts of the what-ifs.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <string>
#include <vector>

namespace stagelens::model {

/// What a factor slows: a device in every replica, one rank, the ranks of a node, or all devices of a replica.
enum class SlowTarget : unsigned char { Device, Rank, Node, Replica };

/// An entry of WhatIf::slow. Its passes take `factor` times as long.
struct SlowPart {
    SlowTarget target = SlowTarget::Device;
    int index = 0;
    double factor = 1;
    friend bool operator==(const SlowPart &, const SlowPart &) = default;
};
/// An entry of WhatIf::slowLink: messages between the two devices, in both directions.
struct SlowLink {
    int from = 0;
    int to = 0;
    double factor = 1;
    friend bool operator==(const SlowLink &, const SlowLink &) = default;
};

/// Returns the entries of a text, or every problem under the field "what_if.slow" or "what_if.slow_link".
[[nodiscard]] base::Result<std::vector<SlowPart>> parseSlowParts(const std::string &text);
[[nodiscard]] base::Result<std::vector<SlowLink>> parseSlowLinks(const std::string &text);
/// Returns the text of entries, in the form that the functions above read.
[[nodiscard]] std::string slowText(const std::vector<SlowPart> &parts);
[[nodiscard]] std::string slowLinkText(const std::vector<SlowLink> &links);
/// "device 3", "rank 7", "node 0", "replica 1".
[[nodiscard]] std::string targetText(const SlowPart &part);

/// Returns whether a what-if changes the times of a step.
[[nodiscard]] bool changesTimes(const WhatIf &whatIf);
[[nodiscard]] inline int drawsOf(const WhatIf &whatIf)
{
    return whatIf.draws.value_or(kDefaultDraws);
}

} // namespace stagelens::model
