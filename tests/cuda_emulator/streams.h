// The streams of emulated GPUs: their own work, executed when a thread or a stream waits for it, and operations of the mock of
// NCCL.
#pragma once

#include "kernels/include/stream.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

namespace stagelens::kernels::gpu::host {

/// How early the streams of this process execute their work. 0: as late as on a busy GPU, when a thread or another stream waits
/// for it. Other numbers seed random choices: a stream executes what it has at some of its submissions, as on an idle GPU.
inline std::atomic<std::uint64_t> streamSeed = 0;

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

    Queue() = default;
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;
    ~Queue();

    [[nodiscard]] bool hasWork() const { return !m_work.empty(); }
    void add(std::function<Status()> work);
    /// Returns the number of pieces of work that were ever added.
    [[nodiscard]] std::int64_t added() const { return m_executed + static_cast<std::int64_t>(m_work.size()); }
    /// Executes the work in order until that many pieces were executed. A piece that waits for another stream executes that
    /// one.
    void executeUntil(std::int64_t end);
    /// Executes all work and waits for the mock. Returns the first fault.
    [[nodiscard]] Status finish();
    /// Blocks until that many operations of the mock have completed.
    void waitForMock(std::int64_t entries) const;

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
