// On fibres a kernel runs when it is asked for: what is recorded are the launches, with the thread's owner.
#include "kernels/include/activity.h"

#include "kernels/cuda/host/activity.h"
#include "kernels/cuda/host/devices.h"

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
std::string ranges; ///< heard so far, a line each
thread_local std::uint64_t ownerOfThread = 0;

} // namespace

namespace host {

std::int64_t now()
{
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

void note(const std::string &kernel, std::int64_t begin)
{
    if (!isOn || ownerOfThread == 0)
        return;
    const std::scoped_lock lock(mutex);
    records.push_back({ownerOfThread, kernel, begin, now()});
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

void beginOwner(std::uint64_t owner) noexcept
{
    ownerOfThread = owner;
}

void endOwner() noexcept
{
    ownerOfThread = 0;
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
