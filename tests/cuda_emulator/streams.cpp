#include "tests/cuda_emulator/streams.h"

#include "kernels/include/activity.h"
#include "tests/cuda_emulator/activity.h"

namespace stagelens::kernels::gpu::host {
namespace {

/// Returns a random choice of streamSeed; never true without one.
bool executesNow()
{
    static std::atomic<std::uint64_t> choices = 0;
    const std::uint64_t seed = streamSeed;
    if (seed == 0)
        return false;
    std::uint64_t x = seed * 0x9e3779b97f4a7c15ULL + ++choices; // SplitMix64 (Steele et al., 2014)
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
    return ((x ^ (x >> 31U)) & 1U) != 0;
}

} // namespace

Queue::~Queue()
{
    if (hasWork())
        --busy;
}

void Queue::add(std::function<Status()> work)
{
    if (m_work.empty())
        ++busy;
    m_work.push_back({ownerOfThread(), std::move(work)});
    if (executesNow())
        executeUntil(added());
}

void Queue::executeUntil(std::int64_t end)
{
    const std::uint64_t own = ownerOfThread();
    while (m_executed < end && hasWork()) {
        const Entry entry = std::move(m_work.front());
        m_work.pop_front();
        ++m_executed;
        if (!hasWork())
            --busy;
        beginOwner(entry.owner);
        if (const Status status = entry.work(); !m_fault.failed())
            m_fault = status;
    }
    beginOwner(own);
}

Status Queue::finish()
{
    executeUntil(added());
    waitForMock(queued);
    return std::exchange(m_fault, {});
}

void Queue::waitForMock(std::int64_t entries) const
{
    for (std::int64_t seen = over; seen < entries; seen = over)
        over.wait(seen);
}

} // namespace stagelens::kernels::gpu::host
