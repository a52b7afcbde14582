// A custom schedule from a file: Stagelens' text form or PyTorch's CSV, recognised by content.
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

/// A schedule with the places of its passes in the file.
struct ScheduleFile {
    schedule::Schedule schedule;
    std::optional<TorchCsv> csv;  ///< if the file is a CSV
    std::vector<int> deviceLines; ///< if it is text: the line of each device, from 1
    std::string source;           ///< set by readScheduleFile(): the text of the file

    /// Returns row and column (CSV), or line and word (text), both from 1, of a device's `position`-th pass; one after the last
    /// if there is no such pass.
    [[nodiscard]] TorchCell placeOf(int device, std::size_t position) const;
    /// Returns "row 2, column 5" or "line 3, word 6".
    [[nodiscard]] std::string placeText(int device, std::size_t position) const;
};

/// Reads a schedule in either format; every problem has the field "schedule.file" and begins with the place. Fails with
/// Cancelled if `stop` is requested.
[[nodiscard]] base::Result<ScheduleFile> readSchedule(std::string_view text, const std::stop_token &stop = {});
/// As above from a file of at most 256 MiB; each problem begins with the file's name.
[[nodiscard]] base::Result<ScheduleFile> readScheduleFile(const std::filesystem::path &file, const std::stop_token &stop = {});

} // namespace stagelens::exchange
