// Turns an experiment into a plan with its schedule, from a family or from a file.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/schedule_file.h"
#include "engine/model/experiment.h"
#include "engine/model/json_reader.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/schedule.h"

#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::service {

/// A plan that can be predicted and trained.
struct SchedulePlan {
    model::Experiment experiment; ///< resolved, and completed from its schedule's file
    schedule::Schedule schedule;
    std::string source; ///< the content of the schedule's file, if any
};

/// Reads the schedule's file, validates and resolves the experiment, and builds the schedule. Fails with InvalidInput and every
/// problem; those of a custom schedule name the cell. Fails with Cancelled if `stop` is requested.
[[nodiscard]] base::Result<SchedulePlan> planOf(const model::Experiment &experiment, int cores,
                                                const std::stop_token &stop = {});

/// Returns what a run trains: one step of a schedule that drains after each, else the plan itself.
[[nodiscard]] SchedulePlan trained(SchedulePlan plan);

/// Returns the experiment completed from its schedule's file (devices, microbatches, chunks, vocabulary); unchanged without
/// one. Fails with InvalidInput if the file cannot be read or contradicts the experiment.
[[nodiscard]] base::Result<model::Experiment> followed(model::Experiment experiment);

/// Returns the schedule of a resolved experiment. An order that depends on durations (`best`, zb-auto) is built for the
/// experiment's costs. A schedule from a file is valid; otherwise its faults are the problems.
[[nodiscard]] base::Result<schedule::Schedule> scheduleOf(const model::Experiment &experiment);

/// Maximum text of a custom schedule that a run stores. Its document needs two bytes for the end of a line.
inline constexpr base::Bytes kLongestKeptSchedule = model::kLargestDocument / 2;
/// Replaces the name of the schedule's file by its text, because the file can change or vanish while the run remains. Bytes
/// that are not UTF-8, which only comments can contain, become `?`. Fails with InvalidInput if the text is too long for a
/// document. Does nothing without a file.
[[nodiscard]] base::Result<> keepScheduleText(model::Experiment &experiment, std::string text);

/// Returns the passes of a plan's schedule for PyTorch; for a custom schedule from a CSV, the whole content of the file.
[[nodiscard]] base::Result<exchange::TorchCsv> torchCsvOf(const model::Experiment &experiment,
                                                          const schedule::Schedule &schedule);

/// The faults of a resolved experiment's schedule under its memory limit, each with its place in the file. Functions fail with
/// InvalidInput if there is no schedule.
struct CheckedSchedule {
    exchange::ScheduleFile file; ///< of a family: the schedule alone
    bool isFromFile = false;
    std::vector<schedule::Violation> violations;
};
[[nodiscard]] base::Result<CheckedSchedule> checkedSchedule(const model::Experiment &experiment, schedule::Sends sends);
/// As above, for a schedule file without a plan.
[[nodiscard]] base::Result<CheckedSchedule> checkedFile(const std::string &file, schedule::Sends sends);

} // namespace stagelens::service
