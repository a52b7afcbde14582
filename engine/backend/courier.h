// Carries the messages of one rank in their order. Internal to the ordered transport.
#pragma once

#include "engine/backend/doorstep.h"
#include "engine/backend/ordered_transport.h"

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

/// Notices that nothing moves in a whole run. Thread-safe.
class Watch {
public:
    using Clock = std::chrono::steady_clock;

    Watch(std::function<std::int64_t()> progress, std::chrono::milliseconds patience)
        : m_progress(std::move(progress)), m_patience(patience)
    {}
    /// A message has moved here, or there are new ones to move.
    void moved();
    /// Asked by whoever has a message that is due; how long nothing has moved, where that is too long, else 0.
    [[nodiscard]] Clock::duration stalledFor();

private:
    void see(std::int64_t passes, Clock::time_point now);

    std::function<std::int64_t()> m_progress;
    Clock::duration m_patience;
    std::mutex m_mutex;
    std::int64_t m_passes = m_progress(); ///< as last seen
    bool m_isWarm = false;                ///< a pass has ended
    Clock::time_point m_changed = Clock::now();
    Clock::duration m_longest{0}; ///< between two changes
};

/// Public calls are thread-safe; the messages are moved by a thread of its own.
class Courier {
public:
    /// `watch` must live longer. `fail` is called at most once, on the courier's thread, with the reason; it asks `end`, as a
    /// stop does, and the courier then gives up.
    Courier(OrderedRank rank, Watch &watch, std::stop_token end, std::function<void(const std::string &)> fail);
    ~Courier();
    Courier(const Courier &) = delete;
    Courier &operator=(const Courier &) = delete;

    /// Messages of this rank that follow.
    void announce(std::span<const Message> order);
    void send(const Message &message, Tensor tensor);
    /// Ends once all is done; the destructor waits for that. What has not been posted by then nobody gives or wants any more.
    void leave();
    /// Leaves and waits; false where what was under way could not be given up.
    [[nodiscard]] bool end();
    [[nodiscard]] Doorstep &door() { return m_door; }
    /// Where it stands: "device 0 has carried 12 of its 40 messages, under way is ..., and next it receives ...".
    [[nodiscard]] std::string position(const std::function<std::string(const Message &)> &describe);

private:
    using Clock = Watch::Clock;
    struct Carried {
        Message message;
        Tensor tensor;
    };
    /// Messages that were posted together.
    using Batch = std::vector<Carried>;

    void run();
    void carry();
    /// Waits until the communicator can be asked; false where the end came first.
    bool awaitReady();
    bool deliver();
    bool issue();
    /// The messages that come next and can be posted now.
    [[nodiscard]] Batch nextBatch();
    [[nodiscard]] bool canGo(const Message &message) const;
    [[nodiscard]] Carried pickUp(const Message &message);
    void rest(Clock::duration idle);
    void lookForStall();
    void giveUp();

    OrderedRank m_rank;
    Watch &m_watch;
    std::stop_token m_end;
    std::function<void(const std::string &)> m_fail;
    Doorstep m_door;

    std::mutex m_mutex;
    std::condition_variable_any m_called;
    std::deque<Message> m_due;                                    ///< not posted yet
    std::deque<Message> m_posted;                                 ///< not over yet
    std::multimap<std::pair<MessageKey, int>, Tensor> m_outgoing; ///< given to be sent, by key and receiver
    std::size_t m_announced = 0;                                  ///< messages of the last announcements
    std::size_t m_over = 0;                                       ///< of them
    bool m_isLeaving = false;

    // of the courier's thread
    Clock::time_point m_looked; ///< for a stall
    std::shared_ptr<Communicator> m_communicator;
    std::deque<Batch> m_onTheWay;
    std::int64_t m_delivered = 0; ///< batches
    bool m_hangs = false;         ///< in giving up

    std::jthread m_thread; ///< the last: it uses the others
};

} // namespace stagelens::backend
