// The processors or GPUs that the devices of a run use.
#pragma once

#include "engine/backend/gpus.h"
#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

struct GpuList {
    std::vector<backend::Gpu> gpus; ///< in CUDA's order
    std::string problem;            ///< why no GPU can train; empty if one can
};
/// Returns the bytes that attention takes on a GPU in addition to its arrays.
[[nodiscard]] base::Bytes attentionWorkspace(const kernels::AttentionShape &shape, base::Precision precision);
/// Returns the GPUs with their present free memory.
[[nodiscard]] GpuList gpus();
/// Returns the libraries of the GPU kernels, whether there is a GPU or not; none without the plug-in.
[[nodiscard]] std::vector<kernels::gpu::Library> gpuLibraries();

/// Returns, for example, "0 NVIDIA H200 (sm_90, 130 GiB of 139 GiB free), 1 ...".
[[nodiscard]] std::string gpusText(const std::vector<backend::Gpu> &gpus);

/// Returns why a backend cannot train on this machine, or an empty string. "cpu" always can.
[[nodiscard]] std::string backendProblem(const std::string &backend);

/// Returns the GPU of each rank, among those of gpus() that can train. With fewer GPUs, adjacent ranks share one.
[[nodiscard]] std::vector<int> gpuOfRank(const std::vector<backend::Gpu> &gpus, int ranks);
/// Returns which GPU each process of a machine takes, by its place in the process's own list: the first that no process before
/// it takes, or nothing. `visible` has the addresses of the GPUs that each process can train on; launchers may show each
/// process a single one.
[[nodiscard]] std::vector<std::optional<int>> gpuOfProcess(const std::vector<std::vector<std::string>> &visible);
/// Returns, for example, "8 ranks on 1 x NVIDIA H200". If ranks share a GPU and run concurrently, adds what that means for
/// their times.
[[nodiscard]] std::string mappingText(const std::vector<backend::Gpu> &gpus, int ranks, bool isLive);
/// Compares every kernel on the first GPU that can train with the processor, with small and, if requested, `large` shapes.
[[nodiscard]] base::Result<std::vector<backend::KernelCheck>> checkKernels(bool large);

/// Times the kernels on the first GPU that can train. Returns the figures measured so far after a stop of `stop`.
[[nodiscard]] base::Result<std::vector<backend::KernelFigure>>
benchKernels(backend::BenchShapes shapes, backend::BenchKernels kernels, std::stop_token stop);

/// Opens the GPUs of the devices `ranks`; `places` as for checkGpuMemory(). Enables access to each other's memory unless a
/// network carries the tensors. Call before any other use of the GPUs.
[[nodiscard]] base::Result<> openGpus(const std::vector<int> &ranks, const std::vector<int> &places, bool hasNetwork);

/// Creates the Compute of each of the devices `ranks`; on GPUs, after openGpus(), on those of `places`. Fails if a GPU does.
[[nodiscard]] base::Result<std::vector<std::unique_ptr<backend::Compute>>> makeComputes(const model::Experiment &experiment,
                                                                                        const std::vector<int> &ranks,
                                                                                        const std::vector<int> &places,
                                                                                        const kernels::Interrupt &interrupt);

} // namespace stagelens::runtime
