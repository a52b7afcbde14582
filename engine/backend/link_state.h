// What the thread of a ProcessLink shares with the threads that use the link.
#pragma once

#include "engine/backend/memory.h"
#include "engine/backend/process_frames.h"
#include "engine/backend/process_group.h"
#include "engine/backend/process_peers.h"
#include "engine/backend/receive_queue.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::backend {

struct LinkState {
    struct Outgoing {
        int to;
        WireHeader header;
        WirePayload payload;
    };
    /// While an instance exists a thread waits for a message, so the wire is polled often.
    class Waiting {
    public:
        explicit Waiting(LinkState &state) : m_state(state)
        {
            ++m_state.waiting;
            m_state.wake.notify_one();
        }
        Waiting(const Waiting &) = delete;
        Waiting &operator=(const Waiting &) = delete;
        ~Waiting() { --m_state.waiting; }

    private:
        LinkState &m_state;
    };

    explicit LinkState(std::chrono::milliseconds silence) : peers(silence) {}
    /// Enqueues a message, or drops it after the end. Call with the mutex held.
    void queue(int to, WireHeader header, WirePayload payload);
    void queueToOthers(const WireHeader &header, const Bytes &payload);
    /// Ends the link because a process or the wire is lost, and reports it to the others. Call without the mutex.
    void lose(base::Error why);

    std::string description; ///< of the wire
    Pool pool;               ///< of received tensors; outlives every run
    ReceiveQueue received;

    std::mutex mutex; ///< guards the members up to the atomic ones
    std::condition_variable_any changed;
    std::condition_variable wake; ///< wakes the link's thread
    std::vector<Outgoing> outgoing;
    ProcessPeers peers;
    std::map<std::pair<std::int64_t, int>, Bytes> blobs; ///< by call and sender
    std::vector<ClockSample> samples;
    std::optional<base::Error> failure;
    std::optional<int> exitStatus; ///< the exit status of rank 0
    std::size_t unsent = 0;
    bool isLost = false; ///< a process or the wire is lost
    bool isLeaving = false;
    bool hasEnded = false;
    bool gaveUp = false;

    std::atomic<int> waiting = 0;
    std::atomic<std::int64_t> step = 0;
    std::atomic<std::int64_t> passesDone = 0;
    std::stop_source broken; ///< requested without the mutex held, because callbacks are foreign code
};

} // namespace stagelens::backend
