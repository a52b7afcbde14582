// The GPU memory that a run needs and takes.
#pragma once

#include "engine/backend/gpus.h"
#include "engine/base/result.h"
#include "engine/runtime/memory/memory_check.h"

#include <map>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// Returns what CUDA and its libraries take of a GPU beside the devices: code that is loaded on first use, and NCCL's buffers.
[[nodiscard]] base::Bytes gpuLibraryBytes(bool isOverNccl);
/// Returns the numbers of the greatest two operands of a product in 8 bits; 0 without any.
[[nodiscard]] std::int64_t roundedNumbers(const Shape &shape);
/// Returns the bytes that attention and operands rounded to 8 bits take on a GPU beside the slab of a device.
[[nodiscard]] base::Bytes gpuWorkspaces(const Shape &shape);
/// Returns the planned GPU memory of a device.
[[nodiscard]] base::Bytes gpuBytesOf(base::Bytes slab, base::Bytes tokens, base::Bytes workspaces);
/// Fails if the devices on a GPU need more memory than it has free. `places` is the GPU of each device, as from gpuOfRank();
/// negative if it is on another machine or belongs to another process.
[[nodiscard]] base::Result<> checkGpuMemory(const std::vector<backend::Gpu> &gpus, const MemoryNeed &need,
                                            const std::vector<int> &places);

/// Fails if what those devices offload needs more pinned memory than this machine has free, `available` bytes (0: unknown).
[[nodiscard]] base::Result<> checkPinnedMemory(const MemoryNeed &need, const std::vector<int> &places, base::Bytes available,
                                               const model::ScheduleChoice &schedule);

/// Compares the free memory of the GPUs before, during and after allocation with the plan. Allocations of other programs at the
/// same time are counted too.
class GpuMemoryWatch {
public:
    /// `places` is the GPU of each device, `planned` the bytes that it will allocate (gpuBytesOf()), and `slabs` the
    /// part of them in slabs. Call before the first allocation.
    GpuMemoryWatch(const std::vector<int> &places, const std::vector<base::Bytes> &planned,
                   const std::vector<base::Bytes> &slabs);

    /// Measures again. Call after the devices have allocated streams, workspaces and slabs.
    void measureAllocated();
    /// Returns, after a step, "GPU 0: planned 3.20 GiB, measured 3.25 GiB (slabs 3.10 GiB, ...)" for the GPUs of the run.
    [[nodiscard]] std::string text() const;

private:
    struct Use {
        base::Bytes planned = 0;
        base::Bytes slabs = 0;
        base::Bytes free = 0;      ///< before allocation
        base::Bytes freeAfter = 0; ///< after allocation
    };
    std::map<int, Use> m_gpus;
};

} // namespace stagelens::runtime
