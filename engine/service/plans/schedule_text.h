// Editing a schedule: its text with faults, moving a pass, and recognising the order of a family.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::service {

/// A fault of a schedule's text for which a prediction would reject it.
struct TextFault {
    int line = 1;        ///< from 1
    int word = 0;        ///< from 1; of a CSV the column. 0: the whole line
    std::string message; ///< cause and remedy, without the place
};
/// Returns every fault of a custom schedule in either format (at most 100), in the order of the text; empty if valid.
[[nodiscard]] std::vector<TextFault> faultsOfText(std::string_view text);

/// Returns the text of a custom schedule from its document or file, valid or not; at most 1 MiB. Bytes that are not UTF-8
/// become
/// `?`.
[[nodiscard]] base::Result<std::string> editableText(const model::ScheduleChoice &choice);

/// Returns the text form of a schedule, under the name "custom".
[[nodiscard]] std::string customText(const schedule::Schedule &schedule);

/// Replaces the schedule of an experiment by a custom one. Devices, microbatches, chunks, vocabulary and stage layers are taken
/// from it if it can be read. Otherwise they keep their values, so that only the fault of the text is reported.
[[nodiscard]] model::Experiment withScheduleText(model::Experiment experiment, std::string text);
[[nodiscard]] model::Experiment withScheduleFile(model::Experiment experiment, std::string file);

/// Returns the experiment with the order of its family as a custom schedule, for manual editing. If the order cannot be built,
/// the custom schedule has no file yet. An experiment with a custom schedule is returned unchanged.
[[nodiscard]] model::Experiment withOwnOrder(model::Experiment experiment);

/// Returns the name of the family that builds exactly this order with its default settings, and with nominal durations if it
/// depends on them; empty if none does, and above kMostRecognisedPasses.
[[nodiscard]] std::string_view recognisedFamily(const schedule::Schedule &schedule);
inline constexpr std::size_t kMostRecognisedPasses = 20'000;

/// Moves a pass of a device before the one at position `to` (the number of passes: to the end).
struct PassMove {
    int device = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    friend bool operator==(const PassMove &, const PassMove &) = default;
};
/// Returns the schedule after a move; the passes of an overlapped pair move together and stay adjacent. Fails with InvalidInput
/// and the cause if the order would be invalid or the pass does not exist.
[[nodiscard]] base::Result<schedule::Schedule> withMovedPass(const schedule::Schedule &schedule, const PassMove &move);

/// Exports a plan's schedule. Returns a warning about what the format cannot express, or an empty text.
enum class ScheduleFormat : unsigned char {
    Text,
    TorchCsv,
    TorchCsvWithMessages,     ///< for PyTorch 2.15 and later
    TorchCsvWithMessages2_14, ///< for PyTorch 2.14 and earlier
};
[[nodiscard]] base::Result<std::string> writeSchedule(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                      ScheduleFormat format, const std::filesystem::path &file);

} // namespace stagelens::service
