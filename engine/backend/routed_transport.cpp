#include "engine/backend/routed_transport.h"

namespace stagelens::backend {

RoutedTransport::RoutedTransport(int ranks, std::vector<RoutedGroup> groups) : Transport(ranks), m_groups(std::move(groups))
{
    for (const RoutedGroup &group : m_groups)
        for (std::size_t from = 0; from < group.ranks.size(); ++from)
            for (std::size_t to = 0; to < group.ranks.size(); ++to) // messages to a rank itself go over its first group
                m_routes.try_emplace({group.ranks[from], group.ranks[to]},
                                     Route{group.transport.get(), static_cast<int>(from), static_cast<int>(to)});
}

void RoutedTransport::announce(int rank, std::span<const Message> order)
{
    std::map<Transport *, std::pair<int, std::vector<Message>>> parts; // with the rank's number in the group
    for (Message message : order) {
        if (message.from == message.to || (message.from != rank && message.to != rank))
            continue;
        const Route &way = route(message.from, message.to);
        auto &[number, part] = parts[way.over];
        number = message.from == rank ? way.from : way.to;
        message.from = way.from;
        message.to = way.to;
        part.push_back(message);
    }
    for (const auto &[over, part] : parts)
        over->announce(part.first, part.second);
}

void RoutedTransport::send(int from, int to, const MessageKey &key, Tensor tensor)
{
    const Route &way = route(from, to);
    way.over->send(way.from, way.to, key, std::move(tensor));
}

Tensor RoutedTransport::receive(int from, int to, const MessageKey &key)
{
    const Route &way = route(from, to);
    return way.over->receive(way.from, way.to, key);
}

bool RoutedTransport::end()
{
    bool isOver = true;
    for (const RoutedGroup &group : m_groups)
        isOver = group.transport->end() && isOver;
    return isOver;
}

std::string RoutedTransport::problem() const
{
    for (const RoutedGroup &group : m_groups)
        if (std::string problem = group.transport->problem(); !problem.empty())
            return problem;
    return {};
}

} // namespace stagelens::backend
