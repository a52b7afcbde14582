// What waits in a stream of the GPUs that are this machine: nothing of their own, but what the mock of NCCL puts there.
#pragma once

#include "kernels/include/stream.h"

#include <atomic>
#include <cstdint>

namespace stagelens::kernels::gpu::host {

/// Entries of a stream, in order.
struct Queue {
    std::atomic<std::int64_t> queued = 0; ///< so far
    std::atomic<std::int64_t> over = 0;   ///< of them

    void end()
    {
        ++over;
        over.notify_all();
    }
    void await(std::int64_t entries) const
    {
        for (std::int64_t seen = over; seen < entries; seen = over)
            over.wait(seen);
    }
};

/// Null for the default stream.
[[nodiscard]] inline Queue *queueOf(Stream stream)
{
    return static_cast<Queue *>(stream.handle);
}

} // namespace stagelens::kernels::gpu::host
