#include "kernels/cuda/free_memory.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <dlfcn.h>

namespace stagelens::kernels::gpu {
namespace {

/// Declarations of NVML, whose header is not always installed with CUDA; 0 is success.
struct MemoryInfo {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};
using Init = int();
using HandleByPciBusId = int(const char *, void **);
using GetMemoryInfo = int(void *, MemoryInfo *);

struct Nvml {
    HandleByPciBusId *handleByPciBusId = nullptr;
    GetMemoryInfo *memoryInfo = nullptr;

    Nvml()
    {
        void *library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
        if (library == nullptr)
            return;
        auto *init = reinterpret_cast<Init *>(::dlsym(library, "nvmlInit_v2"));
        if (init == nullptr || init() != 0)
            return;
        handleByPciBusId = reinterpret_cast<HandleByPciBusId *>(::dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
        memoryInfo = reinterpret_cast<GetMemoryInfo *>(::dlsym(library, "nvmlDeviceGetMemoryInfo"));
    }
    [[nodiscard]] bool isThere() const { return handleByPciBusId != nullptr && memoryInfo != nullptr; }
};

/// Memory that NVML counts but the driver reserves.
constexpr double kMostKept = 0.05;

} // namespace

bool hasContext(int device)
{
#if CUDART_VERSION >= 12050
    constexpr unsigned kSince = 7000;
    void *address = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    if (cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &address, kSince, cudaEnableDefault, &found) !=
            cudaSuccess ||
        found != cudaDriverEntryPointSuccess) {
        (void)cudaGetLastError();
        return true;
    }
    unsigned flags = 0;
    int isActive = 1;
    const auto state = reinterpret_cast<decltype(&cuDevicePrimaryCtxGetState)>(address);
    return state(device, &flags, &isActive) != CUDA_SUCCESS || isActive != 0;
#else
    (void)device;
    return true;
#endif
}

std::optional<std::size_t> freeBytesByNvml(int device, std::size_t totalBytes)
{
    static const Nvml nvml;
    char busId[32] = {};
    if (!nvml.isThere() || cudaDeviceGetPCIBusId(busId, sizeof(busId), device) != cudaSuccess) {
        (void)cudaGetLastError();
        return std::nullopt;
    }
    void *handle = nullptr;
    MemoryInfo memory{};
    if (nvml.handleByPciBusId(busId, &handle) != 0 || nvml.memoryInfo(handle, &memory) != 0)
        return std::nullopt;
    const auto total = static_cast<double>(totalBytes);
    if (static_cast<double>(memory.total) > total * (1 + kMostKept) || static_cast<double>(memory.total) < total)
        return std::nullopt;
    return std::min(static_cast<std::size_t>(memory.free), totalBytes);
}

} // namespace stagelens::kernels::gpu
