// From what a person edits to a plan with its schedule, whether a family makes it or a file holds it.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/schedule_file.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/validator.h"

#include <string>
#include <vector>

namespace stagelens::service {

/// A plan that can be predicted and trained.
struct SchedulePlan {
    model::Experiment experiment; ///< resolved, and completed by its schedule's file
    schedule::Schedule schedule;
};

/// Follows the schedule's file, validates, resolves and makes the schedule. InvalidInput with every problem; those of a custom
/// schedule name the cell.
[[nodiscard]] base::Result<SchedulePlan> planOf(const model::Experiment &experiment, int cores);

/// Faults of a resolved experiment's schedule under its memory limit, each with the place in the file it comes from.
/// InvalidInput where there is no schedule to look at.
struct CheckedSchedule {
    exchange::ScheduleFile file; ///< of a family: the schedule alone
    bool isFromFile = false;
    std::vector<schedule::Violation> violations;
};
[[nodiscard]] base::Result<CheckedSchedule> checkedSchedule(const model::Experiment &experiment, schedule::Sends sends);
/// As above for a schedule file as it stands, without a plan.
[[nodiscard]] base::Result<CheckedSchedule> checkedFile(const std::string &file, schedule::Sends sends);

} // namespace stagelens::service
