// How long the operators inside the passes of a run took.
#pragma once

#include "engine/timeline/kernel_trace.h"
#include "engine/timeline/timeline.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stagelens::timeline {

struct OperatorTime {
    /// "layer 3 qkv", with " input", " weight" or " again" in a backward; "output logits", "embedding look-up".
    std::string name;
    base::Nanos duration = 0; ///< median over the passes
    bool isVocabulary = false;
    friend bool operator==(const OperatorTime &, const OperatorTime &) = default;
};

/// The operators of the passes of a kind and stage on a device, in the order in which they run. Exchanges among ranks are not
/// included.
struct PassOperators {
    int device = 0;
    schedule::PassKind kind = schedule::PassKind::F;
    int stage = 0;
    std::vector<OperatorTime> operators;
    friend bool operator==(const PassOperators &, const PassOperators &) = default;
};

/// Of a step or a run, sorted by device, kind and stage.
using OperatorTimes = std::vector<PassOperators>;
using OperatorTimesPtr = std::shared_ptr<const OperatorTimes>;

/// Returns the kernels of a step as operators. Of passes of a kind and stage that ran different kernels, those count that ran
/// what the last one did.
[[nodiscard]] OperatorTimes operatorsOf(const KernelTrace &kernels, const Timeline &timeline);

/// Returns the operators of a pass of that kind and stage, or null if none were recorded.
[[nodiscard]] const PassOperators *find(const OperatorTimes &times, int device, schedule::PassKind kind, int stage);

/// Returns each duration's median over the steps. Steps whose operators differ from those of the last step are left out; null
/// if there are no steps.
[[nodiscard]] OperatorTimesPtr medianOf(const std::vector<OperatorTimesPtr> &steps);

} // namespace stagelens::timeline
