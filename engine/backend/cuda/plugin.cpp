// The plug-in for NVIDIA GPUs.
#include "engine/backend/cuda/gpu_bench.h"
#include "engine/backend/cuda/gpu_communicator.h"
#include "engine/backend/cuda/gpu_compute.h"
#include "engine/backend/cuda/gpu_memory.h"
#include "engine/backend/gpus.h"
#include "kernels/cuda/selftest/selftest.h"
#include "kernels/include/activity.h"
#include "kernels/include/cudnn_attention.h"
#include "kernels/include/device.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;

std::string versionText(int version)
{
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// Explains why there is no GPU, from the versions of driver and library.
std::string problemOf(gpu::Status status)
{
    int driver = 0;
    int runtime = 0;
    if (!gpu::versions(driver, runtime).failed()) {
        if (driver == 0)
            return "no NVIDIA driver is loaded; install one for CUDA " + versionText(runtime) + " or newer";
        if (driver / 1000 < runtime / 1000)
            return fmt::format("the NVIDIA driver is for CUDA {}, but {} is needed; install a newer driver",
                               versionText(driver), versionText(runtime));
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
    found.address = info.address;
    found.architecture = fmt::format("sm_{}{}", info.major, info.minor);
    found.multiprocessors = info.multiprocessors;
    found.totalBytes = static_cast<base::Bytes>(info.totalBytes);
    found.freeBytes = static_cast<base::Bytes>(info.freeBytes);
    if (info.major < gpu::kLeastMajor)
        found.problem = fmt::format("it is {}, and the kernels need sm_{}0 or newer", found.architecture, gpu::kLeastMajor);
    return found;
}

/// Returns whether CUDA_LAUNCH_BLOCKING is set. Then each launch waits for its end, that of a message also for the other rank,
/// whose thread may not have posted it yet.
bool launchesBlock()
{
    const char *value = std::getenv("CUDA_LAUNCH_BLOCKING");
    return value != nullptr && std::string_view(value) != "0" && *value != '\0';
}

/// The arrays of the self-test on a GPU.
class TestMemory final : public gpu::selftest::Memory {
public:
    TestMemory(int device, gpu::Stream stream) : m_memory(device), m_stream(stream) {}
    void *allocate(std::int64_t bytes) override
    {
        try {
            return m_memory.allocate(static_cast<std::size_t>(bytes) / sizeof(float) + 1);
        } catch (const std::bad_alloc &) {
            return nullptr;
        }
    }
    void release(void *array) override { m_memory.release(static_cast<float *>(array)); }
    gpu::Status upload(void *to, const void *from, std::int64_t bytes) override { return move(to, from, bytes); }
    gpu::Status download(void *to, const void *from, std::int64_t bytes) override { return move(to, from, bytes); }

private:
    gpu::Status move(void *to, const void *from, std::int64_t bytes)
    {
        const gpu::Status status = gpu::copy(m_stream, to, from, static_cast<std::size_t>(bytes));
        return status.failed() ? status : gpu::finish(m_stream);
    }
    GpuMemory m_memory;
    gpu::Stream m_stream;
};

class CudaGpus final : public Gpus {
public:
    std::vector<gpu::Library> libraries() override
    {
        std::vector<gpu::Library> all = gpu::libraries();
        gpu::Library nccl{"NCCL", "transport nccl", {}, {}, {}};
        nccl.version = ncclVersion(nccl.problem);
        nccl.file = gpu::fileOf("libnccl.so.2", "ncclGetVersion");
        all.push_back(std::move(nccl));
        return all;
    }
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
    std::unique_ptr<Compute> makeCompute(int gpu, base::Precision precision, const kernels::Interrupt &interrupt) override
    {
        return makeGpuCompute(gpu, precision, interrupt);
    }
    base::Bytes attentionWorkspace(const kernels::AttentionShape &shape, base::Precision precision) override
    {
        const bool isCudnns = precision != base::Precision::Fp32 && shape.keys == 0;
        return isCudnns ? gpu::CudnnAttention::workspace(shape) : 0;
    }
    std::vector<KernelCheck> checkKernels(int device, bool large) override
    {
        const GpuStream stream(device);
        TestMemory memory(device, stream.get());
        std::vector<KernelCheck> checks;
        using gpu::selftest::Shapes;
        for (const Shapes shapes : {Shapes::Small, Shapes::Large}) {
            if (shapes == Shapes::Large && !large)
                break;
            for (gpu::selftest::Result &each : gpu::selftest::run(memory, stream.get(), shapes))
                checks.push_back({std::move(each.kernel), std::move(each.type), std::move(each.shape), each.error, each.bound,
                                  std::move(each.fault)});
        }
        return checks;
    }
    std::vector<KernelFigure> benchKernels(int gpu, BenchShapes shapes, BenchKernels kernels,
                                           const kernels::Interrupt &interrupt) override
    {
        return measureKernels(gpu, shapes, kernels, interrupt);
    }
    std::string startRecording() override { return gpu::startRecording(); }
    std::vector<KernelRun> stopRecording() override
    {
        std::vector<KernelRun> runs;
        for (gpu::ActivityRecord &record : gpu::stopRecording())
            runs.push_back({record.owner, std::move(record.name), record.begin, record.end});
        return runs;
    }
    void open(const std::vector<int> &gpus, bool readEachOther) override
    {
        for (const int from : gpus) {
            useGpu(from);
            require(gpu::finish({}), "taking the GPU");
            for (const int to : gpus)
                if (readEachOther && to != from && gpu::reach(to).failed())
                    throw std::runtime_error(fmt::format(
                        "GPU {} cannot read the memory of GPU {}; train on one of them alone with CUDA_VISIBLE_DEVICES={}",
                        from, to, from));
        }
    }

    std::string ncclVersion(std::string &problem) override
    {
        Nccl *found = nccl(problem);
        if (found == nullptr)
            return {};
        if (launchesBlock()) {
            problem = "CUDA_LAUNCH_BLOCKING is set, with which NCCL waits for ever; unset it";
            return {};
        }
        return found->version();
    }
    std::vector<std::byte> newNcclId() override
    {
        std::string problem;
        Nccl &found = *nccl(problem);
        NcclId id{};
        if (const int result = found.getUniqueId(id); result != Nccl::kSuccess)
            throw std::runtime_error("NCCL makes no id: " + found.explain(result, nullptr));
        return {id.begin(), id.end()};
    }
    std::unique_ptr<Communicator> joinNccl(std::span<const std::byte> id, int ranks, int rank, int gpu) override
    {
        std::string problem;
        NcclId same{};
        std::copy_n(id.begin(), std::min(id.size(), same.size()), same.begin());
        return makeGpuCommunicator(*nccl(problem), same, ranks, rank, gpu);
    }
};

} // namespace

extern "C" __attribute__((visibility("default"))) Gpus *stagelensGpus(std::uint32_t version, std::string *problem)
{
    static CudaGpus all;
    if (version == kGpusVersion)
        return &all;
    *problem = fmt::format("it is of version {}, but {} is needed; build program and plug-in together", kGpusVersion, version);
    return nullptr;
}

} // namespace stagelens::backend
