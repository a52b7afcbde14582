// Records launches when they execute, with the owner of the thread that enqueued them.
#include "kernels/include/activity.h"

#include "tests/cuda_emulator/activity.h"
#include "tests/cuda_emulator/devices.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

namespace stagelens::kernels::gpu {
namespace {

std::atomic<bool> isOn = false;
std::atomic<bool> isListening = false;
std::mutex mutex;
std::vector<ActivityRecord> records;
std::string ranges;                   ///< recorded ranges, one per line
thread_local std::uint64_t owner = 0; ///< of the thread

} // namespace

namespace host {

std::int64_t now()
{
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

std::uint64_t ownerOfThread()
{
    return owner;
}

void note(const std::string &kernel, std::int64_t begin)
{
    if (!isOn || owner == 0)
        return;
    const std::scoped_lock lock(mutex);
    records.push_back({owner, kernel, begin, now()});
}

} // namespace host

bool isWatched() noexcept
{
    return isListening;
}

void beginRange(const char *name) noexcept
{
    const std::scoped_lock lock(mutex);
    ranges += name;
    ranges += '\n';
}

void endRange() noexcept {}

std::string startRecording()
{
    const std::scoped_lock lock(mutex);
    records.clear();
    isOn = true;
    return {};
}

void beginOwner(std::uint64_t of) noexcept
{
    owner = of;
}

void endOwner() noexcept
{
    owner = 0;
}

std::vector<ActivityRecord> stopRecording()
{
    const std::scoped_lock lock(mutex);
    isOn = false;
    return std::exchange(records, {});
}

} // namespace stagelens::kernels::gpu

void stagelensListenToFibres(bool listens)
{
    stagelens::kernels::gpu::isListening = listens;
}

const char *stagelensRangesOfFibres()
{
    return stagelens::kernels::gpu::ranges.c_str();
}
