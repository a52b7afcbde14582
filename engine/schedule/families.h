// The registry of schedule families: one generator file each.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <span>
#include <string_view>

namespace stagelens::schedule {

/// A way to order passes.
struct Family {
    std::string_view name;        ///< word of the command line
    std::string_view description; ///< one line
    std::string_view source;      ///< paper or project
    std::string_view conditions;  ///< what a plan must fulfil, in words; empty if nothing
    bool synchronous = true;      ///< all gradients of a step come from the same weights
    int replicas = 1;
    bool splitsBackward = false; ///< uses I and W in place of B
    /// Passes of each device without further checks; the experiment is valid and its method allowed.
    base::Result<Schedule> (*generate)(const model::Experiment &experiment);
};

/// All families, in the order of the command line's help.
[[nodiscard]] std::span<const Family> families();
/// The family of that name, or null.
[[nodiscard]] const Family *findFamily(std::string_view name);
/// The schedule that an experiment means. InvalidInput with field "schedule.family" and the like where a condition is unmet.
[[nodiscard]] base::Result<Schedule> makeSchedule(const model::Experiment &experiment);

} // namespace stagelens::schedule
