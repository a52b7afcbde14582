// What the devices of a run compute with: this machine's processors, or its GPUs.
#pragma once

#include "engine/backend/gpus.h"
#include "engine/base/result.h"
#include "engine/runtime/memory/memory_check.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

struct GpuList {
    std::vector<backend::Gpu> gpus; ///< in CUDA's order
    std::string problem;            ///< why there is none that can train; empty where there is one
};
/// As they are now: free memory changes.
[[nodiscard]] GpuList gpus();

/// "0 NVIDIA H200 (sm_90, 130 GiB of 139 GiB free), 1 ..."
[[nodiscard]] std::string gpusText(const std::vector<backend::Gpu> &gpus);

/// Why a backend cannot train here; empty where it can. "cpu" always can.
[[nodiscard]] std::string backendProblem(const std::string &backend);

/// Which GPU (of gpus(), those that can train) each of `devices` works on: neighbours share one where there are fewer.
[[nodiscard]] std::vector<int> gpuOfDevice(const std::vector<backend::Gpu> &gpus, int devices);
/// What a device is planned to take of its GPU.
[[nodiscard]] base::Bytes gpuBytesOf(base::Bytes slab, base::Bytes tokens);
/// "8 devices on 1 x NVIDIA H200"; where devices share a GPU and run at once, with what that means for their times.
[[nodiscard]] std::string mappingText(const std::vector<backend::Gpu> &gpus, int devices, bool isLive);
/// Fails where the slabs of the devices on a GPU are more than it has free. `places`: the GPU of each device, as gpuOfDevice()
/// answers; negative: on another machine, or another process's.
[[nodiscard]] base::Result<> checkGpuMemory(const std::vector<backend::Gpu> &gpus, const MemoryNeed &need,
                                            const std::vector<int> &places);

/// Every kernel on the first GPU that can train, compared with the processor's: small shapes, or also `large` ones.
[[nodiscard]] base::Result<std::vector<backend::KernelCheck>> checkKernels(bool large);

/// Every kernel's time on the first GPU that can train; those measured so far where the token asks to stop.
[[nodiscard]] base::Result<std::vector<backend::KernelFigure>> benchKernels(backend::BenchShapes shapes, std::stop_token stop);

/// Before anything is asked of the GPUs that the devices `ranks` of a run are on; `places` is as for checkGpuMemory(). They
/// read each other's memory unless a network carries their tensors. Fails where a GPU does.
[[nodiscard]] base::Result<> openGpus(const std::vector<int> &ranks, const std::vector<int> &places, bool hasNetwork);

/// For the devices `ranks` of a run; on GPUs, those of `places`, after openGpus(). Fails where a GPU does.
[[nodiscard]] base::Result<std::vector<std::unique_ptr<backend::Compute>>> makeComputes(const model::Experiment &experiment,
                                                                                        const std::vector<int> &ranks,
                                                                                        const std::vector<int> &places,
                                                                                        const kernels::Interrupt &interrupt);

} // namespace stagelens::runtime
