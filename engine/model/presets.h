// The presets of models and hardware in resources/models and resources/hardware.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/model_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::model {

struct Experiment;

struct ModelPreset {
    std::string description; ///< one line
    ModelConfig model;       ///< its `preset` is the name
};

/// Time of a message of n bytes: latency + n / bandwidth.
struct LinkClass {
    std::string name; ///< "nvlink", "pcie", "roce", "host", ...
    base::Nanos latency = 0;
    double bytesPerSecond = 1;
};

/// The measured runs that a preset was fitted to or compared with: the least and the greatest value of each quantity.
struct MeasuredRuns {
    struct Range {
        std::int64_t least = 1;
        std::int64_t most = 1;
    };
    Range hidden;
    Range tokens; ///< of a microbatch
    Range devices;
};

/// A measured collective: its bus rate (nccl-tests, doc/PERFORMANCE.md) for a tensor of that size.
struct CollectivePoint {
    double bytes = 0;
    double busRate = 1; ///< bytes a second
};

/// A device and its links, for the analytic cost model.
struct Hardware {
    std::string name;
    std::string description;
    double peakFlops = 1;           ///< dense matrix products in the training dtype, FLOP/s; the denominator of MFU
    double matrixEfficiency = 1;    ///< fraction of the peak that large matrix products reach
    double attentionEfficiency = 1; ///< the same for attention, its FLOPs counted in full
    /// A product whose smallest dimension is n reaches n / (n + halfSpeedDimension) of matrixEfficiency.
    double halfSpeedDimension = 0;
    double memoryBytesPerSecond = 1; ///< of memory-bound work
    base::Nanos passOverhead = 0;    ///< fixed time of a pass
    /// Minimum time between the begins of two kernels: the time in which the host launches one.
    base::Nanos launchInterval = 0;
    base::Bytes memoryCapacity = 0; ///< of a device; 0: unknown
    int devicesPerNode = 8;
    LinkClass insideNode;
    LinkClass betweenNodes;
    /// All-reduces inside a node, by size; empty: none measured.
    std::vector<CollectivePoint> collectivesInside;
    /// All-reduces between nodes by the part of the tensor that crosses each network adapter, with the rate of an adapter.
    std::vector<CollectivePoint> collectivesBetween;
    double ringBusRate = 0; ///< limit of all-gathers and reduce-scatters inside a node; 0: that of all-reduces
    std::optional<MeasuredRuns> measured;
};

/// A quantity of a plan beyond the measured runs of its hardware.
struct Extrapolation {
    std::string_view field; ///< "model.hidden", "parallel.microbatch_size" (its value counts tokens) or "parallel.devices"
    std::int64_t value = 0;
    MeasuredRuns::Range measured;
};
/// Returns nothing for hardware without measured runs.
[[nodiscard]] std::vector<Extrapolation> extrapolations(const Hardware &hardware, const Experiment &experiment);
/// Returns whether predictions for the hardware rest on measurements: published runs, or the calibration of this machine.
[[nodiscard]] bool isMeasured(const Hardware &hardware);

/// Returns all presets, sorted by name. A file that cannot be read is a problem in the error.
[[nodiscard]] base::Result<std::vector<ModelPreset>> modelPresets();
[[nodiscard]] base::Result<std::vector<Hardware>> hardwarePresets();
/// Returns the preset of that name; the error lists the existing names.
[[nodiscard]] base::Result<ModelConfig> modelPreset(std::string_view name);
/// As above. `cpu-local` is this machine: measured once (about a second) and stored in dataFolder()/cpu-local.json; before
/// that, the values of resources/hardware/cpu-local.json are used.
[[nodiscard]] base::Result<Hardware> hardwarePreset(std::string_view name);
/// Returns the default inner width of the MLP: 4h for gpt, 8h/3 rounded up to a multiple of 64 for llama.
[[nodiscard]] int defaultFfn(ModelFamily family, int hidden);
/// Hardware from and to the text of a preset file.
[[nodiscard]] base::Result<Hardware> hardwareFromJson(std::string_view text, const std::string &source);
[[nodiscard]] std::string hardwareToJson(const Hardware &hardware);

} // namespace stagelens::model
