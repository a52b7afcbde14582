// How tokens reach the ranks of their experts if they are sent once to each node.
#pragma once

#include "kernels/include/experts.h"

#include <cstdint>
#include <vector>

namespace stagelens::runtime {

/// The nodes of the ranks that share experts, and which rank of a node forwards the tokens of others (DeepEP's scheme: a rank
/// sends to the rank with its own place on another node).
class ExpertNodes {
public:
    /// `nodeOfRank`: the node of each rank of the group; empty if each rank sends to all others itself.
    explicit ExpertNodes(const std::vector<int> &nodeOfRank);
    [[nodiscard]] bool forwards() const { return !m_ranks.empty(); }
    [[nodiscard]] int nodes() const { return static_cast<int>(m_ranks.size()); }
    /// Nodes are numbered from 0 in the order of their first ranks.
    [[nodiscard]] int nodeOf(int rank) const { return m_node[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const std::vector<int> &ranksOf(int node) const { return m_ranks[static_cast<std::size_t>(node)]; }
    /// Returns the rank of a node that gets the tokens of `source` and forwards them; on the node of the source, itself.
    [[nodiscard]] int forwarder(int node, int source) const;
    /// Returns the ranks whose tokens a rank forwards inside its node, in their order.
    [[nodiscard]] std::vector<int> sourcesOf(int forwarder) const;

private:
    std::vector<int> m_node;               ///< of each rank
    std::vector<int> m_place;              ///< of each rank in its node
    std::vector<std::vector<int>> m_ranks; ///< of each node
};

/// Returns the tokens that have at least one row whose expert isThere(expert), in their order. See kernels/include/experts.h
/// for `routes`.
template <class IsThere>
[[nodiscard]] std::vector<std::int32_t> tokensWith(const std::int32_t *routes, const kernels::RoutingShape &shape,
                                                   const IsThere &isThere)
{
    std::vector<std::int32_t> tokens;
    for (std::int64_t slot = 0; slot < shape.rows(); ++slot) {
        const auto token = static_cast<std::int32_t>(slot / shape.topK);
        const bool isListed = !tokens.empty() && tokens.back() == token;
        if (!isListed && routes[shape.rows() + slot] >= 0 && isThere(routes[slot]))
            tokens.push_back(token);
    }
    return tokens;
}

} // namespace stagelens::runtime
