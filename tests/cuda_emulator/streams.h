// The streams of emulated GPUs: their own work, executed when a thread or a stream waits for it, and operations of the mock of
// NCCL.
#pragma once

#include "kernels/include/activity.h"
#include "kernels/include/stream.h"
#include "tests/cuda_emulator/activity.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

namespace stagelens::kernels::gpu::host {

/// How early the streams of this process execute their work. 0: as late as on a busy GPU, when a thread or another stream waits
/// for it. Other numbers seed random choices: a stream executes what it has at some of its submissions, as on an idle GPU.
inline std::atomic<std::uint64_t> streamSeed = 0;

/// Returns a random choice of the seed; never true without one.
[[nodiscard]] inline bool executesNow()
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

/// Work executes late, so code that reads, frees or sends without waiting uses the old content; or at once (streamSeed), so
/// code that enqueues without waiting for another stream does. One thread uses the streams of a device with their kernels,
/// copies and events; any thread may count operations of the mock.
class Queue {
public:
    std::atomic<std::int64_t> queued = 0; ///< operations of the mock so far
    std::atomic<std::int64_t> over = 0;   ///< completed ones

    void end()
    {
        ++over;
        over.notify_all();
    }

    /// Returns the streams of this process with pending work.
    static inline std::atomic<int> busy = 0;

    ~Queue()
    {
        if (hasWork())
            --busy;
    }
    [[nodiscard]] bool hasWork() const { return !m_work.empty(); }
    void add(std::function<Status()> work)
    {
        if (m_work.empty())
            ++busy;
        m_work.push_back({ownerOfThread(), std::move(work)});
        if (executesNow())
            executeUntil(added());
    }
    /// Returns the number of pieces of work that were ever added.
    [[nodiscard]] std::int64_t added() const { return m_executed + static_cast<std::int64_t>(m_work.size()); }
    /// Executes the work in order until that many pieces were executed. A piece that waits for another stream executes that
    /// one.
    void executeUntil(std::int64_t end)
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
    /// Executes all work and waits for the mock. Returns the first fault.
    [[nodiscard]] Status finish()
    {
        executeUntil(added());
        waitForMock(queued);
        return std::exchange(m_fault, {});
    }
    /// Blocks until that many operations of the mock have completed.
    void waitForMock(std::int64_t entries) const
    {
        for (std::int64_t seen = over; seen < entries; seen = over)
            over.wait(seen);
    }

private:
    struct Entry {
        std::uint64_t owner; ///< the pass that enqueued it
        std::function<Status()> work;
    };
    std::deque<Entry> m_work;
    std::int64_t m_executed = 0; ///< pieces of work
    Status m_fault;              ///< the first since finish()
};

/// Null for the default stream.
[[nodiscard]] inline Queue *queueOf(Stream stream)
{
    return static_cast<Queue *>(stream.handle);
}

/// Enqueues the work; the default stream executes it at once.
template <class Work>
Status submit(Stream stream, Work work)
{
    Queue *queue = queueOf(stream);
    if (queue == nullptr)
        return work();
    queue->add(std::move(work));
    return {};
}

} // namespace stagelens::kernels::gpu::host
