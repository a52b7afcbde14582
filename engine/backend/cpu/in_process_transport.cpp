#include "engine/backend/doorstep.h"
#include "engine/backend/transport.h"

#include <functional>
#include <utility>

namespace stagelens::backend {
namespace {

class InProcessTransport final : public Transport {
public:
    InProcessTransport(int ranks, std::stop_token stop)
        : Transport(ranks), m_link(std::move(stop), [end = m_end]() mutable { end.request_stop(); }), m_activity(m_end),
          m_doors(static_cast<std::size_t>(ranks))
    {
        for (Doorstep &door : m_doors)
            door.tell(m_activity);
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
