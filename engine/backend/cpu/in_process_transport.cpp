#include "engine/backend/doorstep.h"
#include "engine/backend/transport.h"

#include <utility>

namespace stagelens::backend {
namespace {

class InProcessTransport final : public Transport {
public:
    InProcessTransport(int ranks, std::stop_token stop)
        : Transport(ranks), m_doors(static_cast<std::size_t>(ranks)), m_stop(std::move(stop))
    {}

    void send(int from, int to, const MessageKey &key, Tensor tensor) override { door(to).put(from, key, std::move(tensor)); }
    Tensor receive(int from, int to, const MessageKey &key) override { return door(to).take(from, key, m_stop); }

private:
    Doorstep &door(int rank) { return m_doors[static_cast<std::size_t>(rank)]; }

    std::vector<Doorstep> m_doors;
    std::stop_token m_stop;
};

} // namespace

std::unique_ptr<Transport> makeInProcessTransport(int ranks, std::stop_token stop)
{
    return std::make_unique<InProcessTransport>(ranks, std::move(stop));
}

} // namespace stagelens::backend
