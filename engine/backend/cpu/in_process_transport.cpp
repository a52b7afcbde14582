#include "engine/backend/receive_queue.h"
#include "engine/backend/transport.h"

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace stagelens::backend {
namespace {

/// About the cost of a sleep and a wake-up.
constexpr std::chrono::microseconds kQueueSpinTime{50};

class InProcessTransport final : public Transport {
public:
    InProcessTransport(int ranks, std::stop_token stop)
        : Transport(ranks), m_link(std::move(stop), [end = m_end]() mutable { end.request_stop(); }), m_activity(m_end),
          m_queues(static_cast<std::size_t>(ranks))
    {
        const bool haveCores = ranks <= static_cast<int>(std::thread::hardware_concurrency());
        for (ReceiveQueue &queue : m_queues) {
            queue.countWaits(m_activity);
            if (haveCores)
                queue.spinFor(kQueueSpinTime);
        }
    }

    void send(int from, int to, const MessageKey &key, Tensor tensor) override { queue(to).put(from, key, std::move(tensor)); }
    Tensor receive(int from, int to, const MessageKey &key) override { return queue(to).take(from, key, m_end.get_token()); }
    void join(int /*rank*/) override { m_activity.join(); }
    void leave(int /*rank*/) override { m_activity.leave(); }
    [[nodiscard]] bool isDeadlocked() const override { return m_activity.isDeadlocked(); }

private:
    ReceiveQueue &queue(int rank) { return m_queues[static_cast<std::size_t>(rank)]; }

    std::stop_source m_end; ///< ends all waits; requested when the run stops or deadlocks
    std::stop_callback<std::function<void()>> m_link;
    Activity m_activity;
    std::vector<ReceiveQueue> m_queues;
};

} // namespace

std::unique_ptr<Transport> makeInProcessTransport(int ranks, std::stop_token stop)
{
    return std::make_unique<InProcessTransport>(ranks, std::move(stop));
}

} // namespace stagelens::backend
