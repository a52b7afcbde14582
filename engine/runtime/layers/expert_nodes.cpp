#include "engine/runtime/layers/expert_nodes.h"

#include <algorithm>

namespace stagelens::runtime {

ExpertNodes::ExpertNodes(const std::vector<int> &nodeOfRank)
{
    std::vector<int> known; // nodes in the order of their first ranks
    for (std::size_t rank = 0; rank < nodeOfRank.size(); ++rank) {
        const auto found = std::ranges::find(known, nodeOfRank[rank]);
        const auto node = static_cast<std::size_t>(found - known.begin());
        if (found == known.end()) {
            known.push_back(nodeOfRank[rank]);
            m_ranks.emplace_back();
        }
        m_node.push_back(static_cast<int>(node));
        m_place.push_back(static_cast<int>(m_ranks[node].size()));
        m_ranks[node].push_back(static_cast<int>(rank));
    }
}

int ExpertNodes::forwarder(int node, int source) const
{
    const std::vector<int> &ranks = ranksOf(node);
    return ranks[static_cast<std::size_t>(m_place[static_cast<std::size_t>(source)]) % ranks.size()];
}

std::vector<int> ExpertNodes::sourcesOf(int forwarder) const
{
    std::vector<int> sources;
    for (int rank = 0; rank < static_cast<int>(m_node.size()); ++rank)
        if (this->forwarder(nodeOf(forwarder), rank) == forwarder)
            sources.push_back(rank);
    return sources;
}

} // namespace stagelens::runtime
