// From what a person edits to a plan with its schedule, whether a family makes it or a file holds it.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/schedule_file.h"
#include "engine/model/experiment.h"
#include "engine/model/json_reader.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/schedule.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::service {

/// A plan that can be predicted and trained.
struct SchedulePlan {
    model::Experiment experiment; ///< resolved, and completed by its schedule's file
    schedule::Schedule schedule;
    std::string source; ///< what the schedule's file has, where it comes from one
};

/// Follows the schedule's file, validates, resolves and makes the schedule. InvalidInput with every problem; those of a custom
/// schedule name the cell. Cancelled where `stop` asks for it.
[[nodiscard]] base::Result<SchedulePlan> planOf(const model::Experiment &experiment, int cores,
                                                const std::stop_token &stop = {});

/// Of the text of a custom schedule that a run stores. Its document has two bytes for a line's end.
inline constexpr base::Bytes kLongestKeptSchedule = model::kLargestDocument / 2;
/// Puts the text of the schedule's file in the place of its name, for the file may change or vanish while a run stays. Bytes
/// that are not UTF-8, which only remarks can have, become `?`. InvalidInput if the text is longer than a document can have;
/// does nothing where there is no file.
[[nodiscard]] base::Result<> keepScheduleText(model::Experiment &experiment, std::string text);

/// The passes of a plan's schedule for PyTorch; of a custom schedule from a CSV all that its file has.
[[nodiscard]] base::Result<exchange::TorchCsv> torchCsvOf(const model::Experiment &experiment,
                                                          const schedule::Schedule &schedule);

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
