// The plug-in for NVIDIA's GPUs.
#include "engine/backend/cuda/gpu_compute.h"
#include "engine/backend/cuda/gpu_memory.h"
#include "engine/backend/gpus.h"
#include "engine/base/text.h"
#include "kernels/include/device.h"

#include <stdexcept>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;

std::string versionText(int version)
{
    return base::concat(version / 1000, '.', version % 1000 / 10);
}

/// Why there is no GPU, with what CUDA says about driver and library.
std::string problemOf(gpu::Status status)
{
    int driver = 0;
    int runtime = 0;
    if (!gpu::versions(driver, runtime).failed()) {
        if (driver == 0)
            return "no NVIDIA driver is loaded; install one for CUDA " + versionText(runtime) + " or newer";
        if (driver / 1000 < runtime / 1000)
            return base::concat("the NVIDIA driver is for CUDA ", versionText(driver), ", but ", versionText(runtime),
                                " is needed; install a newer driver");
    }
    return gpu::explain(status);
}

Gpu described(int device)
{
    gpu::DeviceInfo info;
    Gpu found;
    if (const gpu::Status status = gpu::describe(device, info); status.failed()) {
        found.problem = gpu::explain(status);
        return found;
    }
    found.name = info.name;
    found.architecture = base::concat("sm_", info.major, info.minor);
    found.multiprocessors = info.multiprocessors;
    found.totalBytes = static_cast<base::Bytes>(info.totalBytes);
    found.freeBytes = static_cast<base::Bytes>(info.freeBytes);
    if (info.major < gpu::kLeastMajor)
        found.problem =
            base::concat("it is ", found.architecture, ", and the kernels need sm_", gpu::kLeastMajor, "0 or newer");
    return found;
}

class CudaGpus final : public Gpus {
public:
    std::vector<Gpu> list(std::string &problem) override
    {
        int count = 0;
        if (const gpu::Status status = gpu::countDevices(count); status.failed()) {
            problem = problemOf(status);
            return {};
        }
        std::vector<Gpu> found;
        for (int device = 0; device < count; ++device)
            found.push_back(described(device));
        return found;
    }
    std::unique_ptr<Compute> makeCompute(int gpu, const kernels::Interrupt &interrupt) override
    {
        return makeGpuCompute(gpu, interrupt);
    }
    void connect(const std::vector<int> &gpus) override
    {
        for (const int from : gpus) {
            useGpu(from);
            for (const int to : gpus)
                if (to != from && gpu::reach(to).failed())
                    throw std::runtime_error(base::concat("GPU ", from, " cannot read the memory of GPU ", to,
                                                          "; train on one of them alone with CUDA_VISIBLE_DEVICES=", from));
        }
    }
};

} // namespace

extern "C" __attribute__((visibility("default"))) Gpus *stagelensGpus(std::uint32_t version, std::string *problem)
{
    static CudaGpus all;
    if (version == kGpusVersion)
        return &all;
    *problem =
        base::concat("it is of version ", kGpusVersion, ", but ", version, " is needed; build program and plug-in together");
    return nullptr;
}

} // namespace stagelens::backend
