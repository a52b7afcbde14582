// The file of a preset that was measured on this machine.
#pragma once

#include "engine/model/presets.h"

#include <optional>
#include <string>

namespace stagelens::model {

/// The preset cpu-local as it was measured here.
struct Calibration {
    Hardware hardware;
    double spread = 0; ///< of the times that its figures were fitted to, as a share
};

/// The text of dataFolder()/cpu-local.json: the preset's own members, and "spread".
[[nodiscard]] std::string calibrationToJson(const Calibration &calibration);
/// The spread in that file; nothing if this machine was never measured, or by a version that stored none.
[[nodiscard]] std::optional<double> calibrationSpread();

} // namespace stagelens::model
