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
    std::string_view conditions;  ///< requirements on the plan, in words; empty if none
    bool synchronous = true;      ///< all gradients of a step come from the same weights
    int directions = 1;
    bool splitsBackward = false;   ///< uses I and W in place of B
    bool looksAtDurations = false; ///< its order depends on the durations of passes
    /// Builds the schedule, for these durations if the family depends on them. Fails with InvalidInput if a condition is not
    /// met. The number of chunks must be valid (model::shapeProblems).
    base::Result<Schedule> (*generate)(const model::Experiment &experiment, const Durations &durations);
};

/// All families, in the order of the command line's help.
[[nodiscard]] std::span<const Family> families();
/// Returns the family of that name, or null.
[[nodiscard]] const Family *findFamily(std::string_view name);
/// Returns the schedule of an experiment: the order alone, of one step unless the family is asynchronous. Callers that also
/// have costs want simulate::plannedSchedule(). Fails with InvalidInput and a field such as "schedule.family" if a condition is
/// not met. Orders that depend on durations are built for `costsAtHand`, or for nominal ones if it is null.
[[nodiscard]] base::Result<Schedule> makeSchedule(const model::Experiment &experiment, const Durations *costsAtHand = nullptr);
/// Returns whether the experiment's order depends on durations, so that makeSchedule() should be given its costs.
[[nodiscard]] bool looksAtDurations(const model::Experiment &experiment);
/// Returns whether the schedule has vocabulary passes that must be placed for the given durations.
[[nodiscard]] bool hasBestOrder(const model::ScheduleChoice &choice);

} // namespace stagelens::schedule
