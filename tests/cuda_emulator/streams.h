// What waits in a stream of the GPUs that are this machine: work of their own, which is done when somebody waits for it, and
// what the mock of NCCL puts there.
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

/// Work is as late as a busy GPU's may be: who reads, frees or gives away without a wait has what was there before. Kernels,
/// copies and events belong to the thread that uses the stream; entries of the mock are counted by any.
class Queue {
public:
    std::atomic<std::int64_t> queued = 0; ///< entries of the mock, so far
    std::atomic<std::int64_t> over = 0;   ///< of them

    void end()
    {
        ++over;
        over.notify_all();
    }

    /// Queues of this process that have work to do.
    static inline std::atomic<int> busy = 0;

    [[nodiscard]] bool hasWork() const { return !m_work.empty(); }
    void add(std::function<Status()> work)
    {
        if (m_work.empty())
            ++busy;
        m_work.push_back({ownerOfThread(), std::move(work)});
    }
    /// Does the work in its order and waits for the mock; answers the first fault.
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
        std::uint64_t owner; ///< the pass that asked for it
        std::function<Status()> work;
    };
    std::vector<Entry> m_work;
};

/// Null for the default stream.
[[nodiscard]] inline Queue *queueOf(Stream stream)
{
    return static_cast<Queue *>(stream.handle);
}

/// Queues the work; on the default stream it is done at once.
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
