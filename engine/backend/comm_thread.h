// The communication thread of one rank. Internal to the ordered transport.
#pragma once

#include "engine/backend/ordered_transport.h"
#include "engine/backend/receive_queue.h"
#include "engine/backend/stall_detector.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stagelens::backend {

/// Sends and receives the messages of one rank, in the announced order, on a thread of its own. Public calls are thread-safe.
class CommThread {
public:
    /// `stalls` must outlive this object. `fail` is called at most once, on this thread, with the reason; it must request the
    /// stop of `end`. When `end` is stopped the thread cancels its communicator.
    CommThread(OrderedRank rank, StallDetector &stalls, std::stop_token end, std::function<void(const std::string &)> fail);
    ~CommThread();
    CommThread(const CommThread &) = delete;
    CommThread &operator=(const CommThread &) = delete;

    /// Appends this rank's part of `order` to the pending messages.
    void announce(std::span<const Message> order);
    void send(const Message &message, Tensor tensor);
    /// Asks the thread to end after the messages in flight and those that were sent, as long as some move. Others that were
    /// announced are cancelled. Does not block.
    void leave();
    /// Leaves and joins the thread. Returns false if the communicator could not be cancelled.
    [[nodiscard]] bool end();
    [[nodiscard]] ReceiveQueue &received() { return m_received; }
    /// Describes the progress: "device 0 has completed 12 of 40 announced messages, in flight is ..., and next it receives
    /// ...".
    [[nodiscard]] std::string position(const std::function<std::string(const Message &)> &describe);

private:
    using Clock = StallDetector::Clock;
    struct InFlight {
        Message message;
        Tensor tensor;
    };
    /// Messages that are posted in one call.
    using Batch = std::vector<InFlight>;

    void run();
    void moveMessages();
    /// Blocks until the communicator accepts calls. Returns false if `end` was stopped first.
    bool waitUntilReady();
    /// Hands over received tensors of completed batches. Returns true if a batch completed.
    bool complete();
    /// Posts the next batch. Returns false if there is none, or too many are in flight.
    bool post();
    /// Removes the pending messages that come next and can be posted now.
    [[nodiscard]] Batch nextBatch();
    [[nodiscard]] bool canPost(const Message &message) const;
    /// Adds to `message` the tensor to send, or a buffer to receive into.
    [[nodiscard]] InFlight withTensor(const Message &message);
    void sleep(Clock::duration idle);
    void checkForStall();
    void cancel();

    OrderedRank m_rank;
    StallDetector &m_stalls;
    std::stop_token m_end;
    std::function<void(const std::string &)> m_fail;
    ReceiveQueue m_received;

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Message> m_pending;                                ///< announced, not posted yet
    std::deque<Message> m_inFlight;                               ///< posted, not completed yet
    std::multimap<std::pair<MessageKey, int>, Tensor> m_outgoing; ///< passed to send(), by key and receiver
    std::size_t m_announced = 0;                                  ///< messages of the last announcements
    std::size_t m_completed = 0;                                  ///< of them
    bool m_isLeaving = false;

    // used by m_thread only
    Clock::time_point m_checked; ///< for a stall
    std::shared_ptr<Communicator> m_communicator;
    std::deque<Batch> m_batches; ///< in flight
    std::int64_t m_completedBatches = 0;
    bool m_hangs = false; ///< the communicator could not be cancelled

    std::jthread m_thread; ///< last member: it uses the others
};

} // namespace stagelens::backend
