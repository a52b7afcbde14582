// The presets of models and hardware in resources/models and resources/hardware.
#pragma once

#include "engine/base/result.h"
#include "engine/model/hardware.h"
#include "engine/model/model_config.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::model {

struct Experiment;
struct HardwarePreset;

struct ModelPreset {
    std::string description; ///< one line
    ModelConfig model;       ///< its `preset` is the name
};

/// A quantity of a plan outside the measured range of its hardware.
struct Extrapolation {
    std::string_view field; ///< "model.hidden", "parallel.microbatch_size" (its value counts tokens) or "parallel.devices"
    std::int64_t value = 0;
    MeasuredRuns::Range measured;
};
/// Returns nothing for hardware without measured runs.
[[nodiscard]] std::vector<Extrapolation> extrapolations(const Hardware &hardware, const Experiment &experiment);
/// Returns whether predictions for the hardware are based on measurements: published runs, or the calibration of this machine.
[[nodiscard]] bool isMeasured(const Hardware &hardware);

/// Returns all presets, sorted by name. A file that cannot be read is a problem in the error.
[[nodiscard]] base::Result<std::vector<ModelPreset>> modelPresets();
[[nodiscard]] base::Result<std::vector<Hardware>> hardwarePresets();
/// Returns the preset of that name; the error lists the existing names.
[[nodiscard]] base::Result<ModelConfig> modelPreset(std::string_view name);
/// As above. `cpu-local` is this machine: measured once (about a second) and stored in dataFolder()/cpu-local.json; before
/// that, the values of resources/hardware/cpu-local.json are used. `gpu-local` is the first GPU of this machine, and exists
/// after it was measured (model/calibration.h).
[[nodiscard]] base::Result<Hardware> hardwarePreset(std::string_view name);
/// Returns the hardware that an experiment's costs are for: its cluster, or the preset of that name.
[[nodiscard]] base::Result<Hardware> hardwareOf(const HardwarePreset &choice);
/// Returns the default inner width of the MLP: 4h for gpt, 8h/3 rounded up to a multiple of 64 for llama.
[[nodiscard]] int defaultFfn(ModelFamily family, int hidden);
/// Hardware from and to the text of a preset file.
[[nodiscard]] base::Result<Hardware> hardwareFromJson(std::string_view text, const std::string &source);
[[nodiscard]] std::string hardwareToJson(const Hardware &hardware);

} // namespace stagelens::model
