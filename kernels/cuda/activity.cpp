// Ranges for profilers through NVTX, and kernel recording through CUPTI, which is loaded on first use; without it only
// recording is unavailable.
//
// CUPTI timestamps with the steady clock of the host, to which it maps the clocks of the GPUs. It reports which API call
// launched each kernel, and which calls a thread made while it had an owner.
#include "kernels/include/activity.h"

#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <time.h>

namespace stagelens::kernels::gpu {
namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
#else
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
#endif

constexpr std::size_t kBufferBytes = std::size_t{4} << 20U;
constexpr std::size_t kBufferAlignment = 8;

#define STAGELENS_TEXT_OF(word) #word
#define STAGELENS_TEXT(word) STAGELENS_TEXT_OF(word)
constexpr const char *kVersionedName = "libcupti.so." STAGELENS_TEXT(STAGELENS_CUDA_MAJOR);

constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY,
                                         CUPTI_ACTIVITY_KIND_MEMCPY2,
                                         CUPTI_ACTIVITY_KIND_MEMSET,
                                         CUPTI_ACTIVITY_KIND_RUNTIME,
                                         CUPTI_ACTIVITY_KIND_DRIVER,
                                         CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};

nvtxDomainHandle_t domain()
{
    static const nvtxDomainHandle_t made = nvtxDomainCreateA("Stagelens"); // null if no profiler is attached
    return made;
}

/// The functions of CUPTI in use, with the types of its header.
struct Library {
    decltype(&cuptiActivityRegisterCallbacks) registerCallbacks = nullptr;
    decltype(&cuptiActivityRegisterTimestampCallback) registerTimestamp = nullptr;
    decltype(&cuptiActivityEnable) enable = nullptr;
    decltype(&cuptiActivityDisable) disable = nullptr;
    decltype(&cuptiActivityFlushAll) flushAll = nullptr;
    decltype(&cuptiActivityGetNextRecord) next = nullptr;
    decltype(&cuptiActivityPushExternalCorrelationId) push = nullptr;
    decltype(&cuptiActivityPopExternalCorrelationId) pop = nullptr;
    decltype(&cuptiGetResultString) text = nullptr;
    std::string problem;

    Library()
    {
        void *handle = nullptr;
        for (const char *name : {kVersionedName, "libcupti.so"})
            if (handle == nullptr)
                handle = ::dlopen(name, RTLD_NOW);
        if (handle == nullptr) {
            problem = "libcupti cannot be loaded; install CUDA's CUPTI, or name its folder in LD_LIBRARY_PATH";
            return;
        }
        find(handle, registerCallbacks, "cuptiActivityRegisterCallbacks");
        find(handle, registerTimestamp, "cuptiActivityRegisterTimestampCallback");
        find(handle, enable, "cuptiActivityEnable");
        find(handle, disable, "cuptiActivityDisable");
        find(handle, flushAll, "cuptiActivityFlushAll");
        find(handle, next, "cuptiActivityGetNextRecord");
        find(handle, push, "cuptiActivityPushExternalCorrelationId");
        find(handle, pop, "cuptiActivityPopExternalCorrelationId");
        find(handle, text, "cuptiGetResultString");
    }

private:
    template <class Function>
    void find(void *handle, Function &function, const char *name)
    {
        function = reinterpret_cast<Function>(::dlsym(handle, name));
        if (function == nullptr && problem.empty())
            problem = std::string("libcupti has no ") + name + "; install that of the CUDA that Stagelens was built with";
    }
};

/// Maps kernels to owners through the correlation ids of API calls. CUPTI calls it on its own threads.
struct Records {
    std::mutex mutex;
    std::map<std::uint32_t, std::uint64_t> owners; ///< by correlation
    std::multimap<std::uint32_t, ActivityRecord> work;
    bool isOn = false;
    bool isRegistered = false;
};

Library &library()
{
    static Library one;
    return one;
}
Records &records()
{
    static Records all;
    return all;
}

std::string readable(const char *name)
{
    if (name == nullptr)
        return "kernel";
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    return status == 0 ? text.get() : name;
}

void keep(const CUpti_Activity &record)
{
    const auto keepWork = [](std::uint32_t correlation, std::string name, std::uint64_t begin, std::uint64_t end) {
        records().work.insert(
            {correlation, {0, std::move(name), static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)}});
    };
    switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto &kernel = reinterpret_cast<const KernelRecord &>(record);
        keepWork(kernel.correlationId, readable(kernel.name), kernel.start, kernel.end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto &copy = reinterpret_cast<const CopyRecord &>(record);
        keepWork(copy.correlationId, "copy", copy.start, copy.end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: { // between GPUs
        const auto &copy = reinterpret_cast<const CUpti_ActivityMemcpyPtoP4 &>(record);
        keepWork(copy.correlationId, "copy", copy.start, copy.end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
        const auto &set = reinterpret_cast<const CUpti_ActivityMemset4 &>(record);
        keepWork(set.correlationId, "set", set.start, set.end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const auto &owner = reinterpret_cast<const CUpti_ActivityExternalCorrelation &>(record);
        records().owners[owner.correlationId] = owner.externalId;
        break;
    }
    default: break;
    }
}

void CUPTIAPI giveBuffer(std::uint8_t **buffer, std::size_t *size, std::size_t *most)
{
    *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
    *size = *buffer != nullptr ? kBufferBytes : 0;
    *most = 0;
}

void CUPTIAPI takeBuffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t *buffer, std::size_t /*size*/,
                         std::size_t valid)
{
    const std::scoped_lock lock(records().mutex);
    CUpti_Activity *record = nullptr;
    while (valid > 0 && library().next(buffer, valid, &record) == CUPTI_SUCCESS)
        keep(*record);
    std::free(buffer);
}

std::uint64_t CUPTIAPI steadyTime()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

std::string explained(CUptiResult result)
{
    const char *text = nullptr;
    (void)library().text(result, &text);
    return text != nullptr ? text : "error " + std::to_string(static_cast<int>(result));
}

} // namespace

bool isWatched() noexcept
{
    return domain() != nullptr;
}

void beginRange(const char *name) noexcept
{
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    (void)nvtxDomainRangePushEx(domain(), &attributes);
}

void endRange() noexcept
{
    (void)nvtxDomainRangePop(domain());
}

std::string startRecording()
{
    Library &cupti = library();
    if (!cupti.problem.empty())
        return cupti.problem;
    CUptiResult result = CUPTI_SUCCESS;
    const auto then = [&result](CUptiResult next) { result = result == CUPTI_SUCCESS ? next : result; };
    if (!records().isRegistered) {
        then(cupti.registerTimestamp(steadyTime));
        then(cupti.registerCallbacks(giveBuffer, takeBuffer));
    }
    records().isRegistered = result == CUPTI_SUCCESS;
    for (const CUpti_ActivityKind kind : kKinds)
        if (result == CUPTI_SUCCESS)
            then(cupti.enable(kind));
    records().isOn = result == CUPTI_SUCCESS;
    if (records().isOn)
        return {};
    for (const CUpti_ActivityKind kind : kKinds)
        (void)cupti.disable(kind);
    return "CUPTI answers: " + explained(result) + "; end other tools that watch the GPU, such as nsys or ncu";
}

void beginOwner(std::uint64_t owner) noexcept
{
    if (records().isOn)
        (void)library().push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, owner);
}

void endOwner() noexcept
{
    std::uint64_t last = 0;
    if (records().isOn)
        (void)library().pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}

std::vector<ActivityRecord> stopRecording()
{
    if (!records().isOn)
        return {};
    (void)library().flushAll(0);
    records().isOn = false;
    for (const CUpti_ActivityKind kind : kKinds)
        (void)library().disable(kind);
    (void)library().flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::scoped_lock lock(records().mutex);
    std::vector<ActivityRecord> found;
    for (auto &[correlation, work] : records().work) {
        const auto owner = records().owners.find(correlation);
        if (owner == records().owners.end())
            continue;
        work.owner = owner->second;
        found.push_back(std::move(work));
    }
    records().work.clear();
    records().owners.clear();
    std::ranges::sort(found, {}, &ActivityRecord::begin);
    return found;
}

} // namespace stagelens::kernels::gpu
