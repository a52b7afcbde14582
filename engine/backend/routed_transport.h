// A transport between all ranks of a mesh over separate transports of their groups.
#pragma once

#include "engine/backend/transport.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::backend {

/// A group with a rank in this process.
struct RoutedGroup {
    std::vector<int> ranks; ///< of the mesh, in the order of `transport`
    std::unique_ptr<Transport> transport;
};

/// Carries each message over the group that both of its ranks belong to, so that the messages of one group never wait for those
/// of another. Of several groups that both belong to, it is the first. Ranks without a common group exchange no messages.
class RoutedTransport final : public Transport {
public:
    RoutedTransport(int ranks, std::vector<RoutedGroup> groups);

    [[nodiscard]] bool isOrdered() const override { return m_groups.front().transport->isOrdered(); }
    void announce(int rank, std::span<const Message> order) override;
    void send(int from, int to, const MessageKey &key, Tensor tensor) override;
    [[nodiscard]] Tensor receive(int from, int to, const MessageKey &key) override;
    [[nodiscard]] bool end() override;
    /// Returns the problem of the first group that has one.
    [[nodiscard]] std::string problem() const override;

private:
    struct Route {
        Transport *over = nullptr;
        int from = 0; ///< in the group
        int to = 0;
    };
    [[nodiscard]] const Route &route(int from, int to) const { return m_routes.at({from, to}); }

    std::vector<RoutedGroup> m_groups;
    std::map<std::pair<int, int>, Route> m_routes; ///< by ranks of the mesh
};

} // namespace stagelens::backend
