// A schedule while a person edits it: as text with its faults, one pass put elsewhere, and whether a family makes it.
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

/// A fault of a schedule's text, as a prediction would refuse it.
struct TextFault {
    int line = 1;        ///< from 1
    int word = 0;        ///< from 1; of a CSV the column. 0: the whole line
    std::string message; ///< cause and remedy, without the place
};
/// Every fault of a custom schedule in either form (at most 100), in the order of the text; empty if it is sound.
[[nodiscard]] std::vector<TextFault> faultsOfText(std::string_view text);

/// A custom schedule as its document or its file has it, sound or not; at most 1 MiB. Bytes that are not UTF-8 become `?`.
[[nodiscard]] base::Result<std::string> editableText(const model::ScheduleChoice &choice);

/// The text form of a schedule, under the name "custom".
[[nodiscard]] std::string customText(const schedule::Schedule &schedule);

/// The experiment with a custom schedule in the place of its own. Devices, microbatches, chunks, vocabulary and cuts follow
/// from the new one where it can be read; else they stay, so that the fault is all that is wrong.
[[nodiscard]] model::Experiment withScheduleText(model::Experiment experiment, std::string text);
[[nodiscard]] model::Experiment withScheduleFile(model::Experiment experiment, std::string file);

/// The experiment with the order of its family as a custom one, to be changed by hand. Where no order can be made of it, a
/// custom schedule that still lacks its file. One that is custom already stays as it is.
[[nodiscard]] model::Experiment withOwnOrder(model::Experiment experiment);

/// The name of the family that makes exactly this order, with its usual settings and nominal durations where its order depends
/// on them; empty where none does, and above kMostRecognisedPasses.
[[nodiscard]] std::string_view recognisedFamily(const schedule::Schedule &schedule);
inline constexpr std::size_t kMostRecognisedPasses = 20'000;

/// A pass of a device that should stand in front of the one that is at `to` now (their number: at the end).
struct PassMove {
    int device = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    friend bool operator==(const PassMove &, const PassMove &) = default;
};
/// The schedule with that pass elsewhere; the two of an overlapped pair move together and nothing comes between them.
/// InvalidInput with the cause where the order would not be sound, or where there is no such pass.
[[nodiscard]] base::Result<schedule::Schedule> withMovedPass(const schedule::Schedule &schedule, const PassMove &move);

/// Writes a plan's schedule for another program or another day. The answer is what the format leaves out, as a warning, or
/// empty.
enum class ScheduleFormat : unsigned char {
    Text,
    TorchCsv,
    TorchCsvWithMessages,     ///< for PyTorch 2.15 and later
    TorchCsvWithMessages2_14, ///< for PyTorch 2.14 and earlier
};
[[nodiscard]] base::Result<std::string> writeSchedule(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                      ScheduleFormat format, const std::filesystem::path &file);

} // namespace stagelens::service
