// A person's own schedule from a file: Stagelens' text form or PyTorch's CSV, told apart by content.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/torch_csv.h"
#include "engine/schedule/schedule.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::exchange {

/// A schedule with the places that its passes have in its file.
struct ScheduleFile {
    schedule::Schedule schedule;
    std::optional<TorchCsv> csv;  ///< where the file is a CSV
    std::vector<int> deviceLines; ///< where it is text: the line of each device, from 1
    std::string source;           ///< of readScheduleFile(): what was read

    /// Row and column (CSV), or line and word (text), both from 1, of a device's `position`-th pass; one behind the last where
    /// there is no such pass.
    [[nodiscard]] TorchCell placeOf(int device, std::size_t position) const;
    /// "row 2, column 5" or "line 3, word 6".
    [[nodiscard]] std::string placeText(int device, std::size_t position) const;
};

/// Reads a schedule of either form; every problem has the field "schedule.file" and begins with the place.
/// Cancelled where `stop` asks for it.
[[nodiscard]] base::Result<ScheduleFile> readSchedule(std::string_view text, const std::stop_token &stop = {});
/// As above from a file of at most 256 MiB; each problem begins with the file's name.
[[nodiscard]] base::Result<ScheduleFile> readScheduleFile(const std::filesystem::path &file, const std::stop_token &stop = {});

} // namespace stagelens::exchange
