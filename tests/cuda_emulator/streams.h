// The streams of emulated GPUs: their own work, executed when a thread waits for it, and operations of the mock of NCCL.
#pragma once

#include "kernels/include/activity.h"
#include "kernels/include/stream.h"
#include "tests/cuda_emulator/activity.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace stagelens::kernels::gpu::host {

/// Work executes as late as on a busy GPU: code that reads, frees or sends without waiting uses the old content. One thread
/// uses a stream with its kernels, copies and events; any thread may count operations of the mock.
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

    [[nodiscard]] bool hasWork() const { return !m_work.empty(); }
    void add(std::function<Status()> work)
    {
        if (m_work.empty())
            ++busy;
        m_work.push_back({ownerOfThread(), std::move(work)});
    }
    /// Executes the work in order and waits for the mock. Returns the first fault.
    [[nodiscard]] Status finish()
    {
        Status fault;
        const std::uint64_t own = ownerOfThread();
        if (hasWork())
            --busy;
        for (const Entry &entry : std::exchange(m_work, {})) {
            beginOwner(entry.owner);
            if (const Status status = entry.work(); !fault.failed())
                fault = status;
        }
        beginOwner(own);
        const std::int64_t entries = queued;
        for (std::int64_t seen = over; seen < entries; seen = over)
            over.wait(seen);
        return fault;
    }

private:
    struct Entry {
        std::uint64_t owner; ///< the pass that enqueued it
        std::function<Status()> work;
    };
    std::vector<Entry> m_work;
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
