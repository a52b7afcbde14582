#include "engine/backend/doorstep.h"
#include "engine/backend/transport.h"

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace stagelens::backend {
namespace {

/// About what a sleep and a wake-up cost.
constexpr std::chrono::microseconds kLooking{50};

class InProcessTransport final : public Transport {
public:
    InProcessTransport(int ranks, std::stop_token stop)
        : Transport(ranks), m_link(std::move(stop), [end = m_end]() mutable { end.request_stop(); }), m_activity(m_end),
          m_doors(static_cast<std::size_t>(ranks))
    {
        const bool haveCores = ranks <= static_cast<int>(std::thread::hardware_concurrency());
        for (Doorstep &door : m_doors) {
            door.tell(m_activity);
            if (haveCores)
                door.lookAgainFor(kLooking);
        }
    }

    void send(int from, int to, const MessageKey &key, Tensor tensor) override { door(to).put(from, key, std::move(tensor)); }
    Tensor receive(int from, int to, const MessageKey &key) override { return door(to).take(from, key, m_end.get_token()); }
    void join(int /*rank*/) override { m_activity.join(); }
    void leave(int /*rank*/) override { m_activity.leave(); }
    [[nodiscard]] bool isDeadlocked() const override { return m_activity.isDeadlocked(); }

private:
    Doorstep &door(int rank) { return m_doors[static_cast<std::size_t>(rank)]; }

    std::stop_source m_end; ///< of all waits: asked by the run's stop and by a dead-lock
    std::stop_callback<std::function<void()>> m_link;
    Activity m_activity;
    std::vector<Doorstep> m_doors;
};

} // namespace

std::unique_ptr<Transport> makeInProcessTransport(int ranks, std::stop_token stop)
{
    return std::make_unique<InProcessTransport>(ranks, std::move(stop));
}

} // namespace stagelens::backend
