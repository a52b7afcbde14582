// How long predictions take, and which may run on the GUI thread.
#pragma once

#include "engine/model/experiment.h"

#include <cstddef>
#include <filesystem>

namespace stagelens::ui {

/// Returns about how many passes a prediction simulates, without building the schedule.
[[nodiscard]] double simulatedPasses(const model::Experiment &experiment);
/// Returns whether a plan is predicted within 10 ms, so that the answer to a keystroke need not be a job. The order of the
/// costliest family takes about 1.2 us a pass, that of 1F1B a tenth.
[[nodiscard]] bool isQuick(const model::Experiment &experiment);

/// Bytes up to which an order is read and checked in a few milliseconds.
inline constexpr std::size_t kScheduleBytesAtOnce = 64 * 1024;
/// Up to here an order is repaired in a few milliseconds.
inline constexpr qsizetype kLettersRepairedAtOnce = 4 * 1024;
/// Returns whether a schedule's file is that short, or cannot be read.
[[nodiscard]] bool isShortSchedule(const std::filesystem::path &file);
/// Returns whether a choice has no order of its own, or a short one.
[[nodiscard]] bool isShortOrder(const model::ScheduleChoice &choice);

} // namespace stagelens::ui
