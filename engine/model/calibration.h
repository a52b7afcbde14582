// The files of the hardware presets measured on this machine.
#pragma once

#include "engine/model/presets.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stagelens::model {

/// The processor of this machine, which has general values before it is measured, and its GPU, which has none.
inline constexpr std::string_view kLocalProcessor = "cpu-local";
inline constexpr std::string_view kLocalGpu = "gpu-local";

/// One of them, as measured on this machine.
struct Calibration {
    Hardware hardware;
    double spread = 0; ///< relative spread of the measured times
};

/// Returns dataFolder()/PRESET.json.
[[nodiscard]] std::filesystem::path calibrationFile(std::string_view preset);
/// Returns the text of that file: the members of a preset, and "spread".
[[nodiscard]] std::string calibrationToJson(const Calibration &calibration);
/// Returns the spread in that file; nothing if there is no file, or if an older version wrote it without a spread.
[[nodiscard]] std::optional<double> calibrationSpread(std::string_view preset = kLocalProcessor);

} // namespace stagelens::model
