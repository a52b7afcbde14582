// The benchmark of a GPU: kernels and steps, compared with the ceilings that the same run measured.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/timeline/timeline.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::service {

/// A figure and its targets.
struct KernelResult {
    backend::KernelFigure figure;
    double seconds = 0; ///< median of the samples
    double spread = 0;  ///< difference of the quartiles over the median
    /// FLOP/s where arithmetic bounds it, else bytes/s.
    double rate = 0;
    std::optional<double> share;         ///< of the ceiling of its kind
    std::optional<double> wantedShare;   ///< at least
    std::optional<double> wantedSeconds; ///< at most
};

/// All figures of a kind, weighted with their FLOPs or bytes: the share of the ceiling that one after the other reaches.
struct GroupResult {
    std::string_view name;
    double share = 0;
    double wanted = 0;
};

/// A cut of the output layer compared with the whole layer on one device.
struct ScalingResult {
    std::string method;
    int shards = 0;
    double share = 0;  ///< time of the whole / (shards * time of one): 1 is linear
    double wanted = 0; ///< what arXiv 2411.05288 reached, for comparison
};

/// A training step as `run` does it.
struct StepResult {
    std::string name;
    model::Experiment experiment; ///< as it was run
    /// Live if one device has the GPU: the bubble is then the time between its passes.
    timeline::Provenance kind = timeline::Provenance::MeasuredVirtualClock;
    std::string remark = {};   ///< what was changed to make it fit; empty if nothing was
    std::string fault = {};    ///< why there are no figures
    base::Nanos iteration = 0; ///< typical step
    double bubble = 0;
    double mfu = 0; ///< model FLOPs over the largest product's FLOP/s of the type that the run computes in, on every device
    double tokensPerSecond = 0;
    base::Bytes peakMemory = 0; ///< of the fullest device
    std::optional<double> wantedMfu = {};
};

struct GpuBench {
    bool isWhole = true; ///< false: it was stopped before its end
    std::string gpu;
    std::vector<KernelResult> kernels;
    std::vector<GroupResult> groups;
    std::vector<ScalingResult> scaling;
    std::vector<StepResult> steps;
};

/// What benchGpu() measures: kernels, steps with the ceilings that they are compared with, or both.
enum class BenchParts : unsigned char { All, Kernels, Steps };

/// Returns the measured shares of the peak and the targets.
[[nodiscard]] GpuBench judged(std::vector<backend::KernelFigure> figures);

/// Measures the first GPU that can train: with real shapes half a minute for kernels, two for steps. `say` is called with the
/// progress. The runs are not stored. On a stop request returns what has been measured so far. Fails without a GPU.
[[nodiscard]] base::Result<GpuBench> benchGpu(backend::BenchShapes shapes, BenchParts parts, std::stop_token stop,
                                              const std::function<void(const std::string &)> &say);

} // namespace stagelens::service
