// The file of the hardware preset measured on this machine.
#pragma once

#include "engine/model/presets.h"

#include <optional>
#include <string>

namespace stagelens::model {

/// The preset cpu-local as measured on this machine.
struct Calibration {
    Hardware hardware;
    double spread = 0; ///< relative spread of the measured times
};

/// Returns the text of dataFolder()/cpu-local.json: the members of a preset, and "spread".
[[nodiscard]] std::string calibrationToJson(const Calibration &calibration);
/// Returns the spread in that file; nothing if there is no file, or if an older version wrote it without a spread.
[[nodiscard]] std::optional<double> calibrationSpread();

} // namespace stagelens::model
