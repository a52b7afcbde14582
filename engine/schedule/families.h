// The registry of schedule families: one generator file each.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
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
    int directions = 1;
    bool splitsBackward = false;   ///< uses I and W in place of B
    bool looksAtDurations = false; ///< its order depends on how long passes take
    /// Makes the schedule, for passes of those durations where they matter; InvalidInput where a condition is unmet. The number
    /// of chunks is allowed (model::shapeProblems).
    base::Result<Schedule> (*generate)(const model::Experiment &experiment, const Durations &durations);
};

/// All families, in the order of the command line's help.
[[nodiscard]] std::span<const Family> families();
/// The family of that name, or null.
[[nodiscard]] const Family *findFamily(std::string_view name);
/// The schedule that an experiment means. InvalidInput with field "schedule.family" and the like where a condition is unmet.
/// Orders that look at durations are made for `costsAtHand`, or for nominal ones.
[[nodiscard]] base::Result<Schedule> makeSchedule(const model::Experiment &experiment, const Durations *costsAtHand = nullptr);
/// Whether that experiment's order depends on the durations, so that the costs at hand should be given.
[[nodiscard]] bool looksAtDurations(const model::Experiment &experiment);

} // namespace stagelens::schedule
