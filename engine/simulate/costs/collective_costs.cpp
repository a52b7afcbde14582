#include "engine/simulate/costs/collective_costs.h"

#include "engine/simulate/costs/layer_costs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace stagelens::simulate {
namespace {

using model::CollectiveTable;

/// What a collective needs: `ranks` on `nodes`, `perNode` in each.
struct Query {
    GroupCollective operation;
    int ranks;
    int nodes;
    int perNode;
    double bytes;
};

/// Operations whose bus rates serve an operation without a table of its own, the nearest first.
std::span<const GroupCollective> relatedTo(GroupCollective operation)
{
    using enum GroupCollective;
    static constexpr std::array kOfReduce{AllReduce, ReduceScatter, AllGather};
    static constexpr std::array kOfScatter{ReduceScatter, AllGather, AllReduce};
    static constexpr std::array kOfGather{AllGather, ReduceScatter, AllReduce};
    static constexpr std::array kOfExchange{AllToAll, AllGather, ReduceScatter, AllReduce};
    switch (operation) {
    case AllReduce: return kOfReduce;
    case ReduceScatter: return kOfScatter;
    case AllGather: return kOfGather;
    case AllToAll: break;
    }
    return kOfExchange;
}

double latencySeconds(const model::LinkClass &link, int ranks)
{
    const int hops = std::bit_width(static_cast<unsigned>(std::max(ranks - 1, 0)));
    return hops * static_cast<double>(link.latency) / static_cast<double>(base::kNanosPerSecond);
}

/// Returns the seconds before the first bytes have passed all nodes. Gathers and reduce-scatters go around a ring of the nodes,
/// all-reduces along a tree, and ranks of an all-to-all send at once (NCCL 2.19, src/graph/tuning.cc).
double nodeLatencySeconds(const model::Hardware &hardware, GroupCollective operation, int nodes)
{
    const bool isRing = operation == GroupCollective::AllGather || operation == GroupCollective::ReduceScatter;
    return isRing
               ? (nodes - 1) * static_cast<double>(hardware.betweenNodes.latency) / static_cast<double>(base::kNanosPerSecond)
               : latencySeconds(hardware.betweenNodes, nodes);
}

/// Returns the seconds at a size.
double timeAt(const std::vector<model::CollectivePoint> &points, double bytes)
{
    constexpr double kMicro = 1e-6;
    const auto next = std::ranges::lower_bound(points, bytes, {}, &model::CollectivePoint::bytes);
    if (next == points.end())
        return kMicro * points.back().micros * bytes / points.back().bytes;
    if (next == points.begin())
        return kMicro * next->micros;
    const model::CollectivePoint &before = *std::prev(next);
    const double along = std::log(bytes / before.bytes) / std::log(next->bytes / before.bytes);
    return kMicro * before.micros * std::pow(next->micros / before.micros, along);
}

/// Returns the table that serves a query best: of the operation or the next related one, of the nearest number of ranks inside
/// a node, or of nodes between them; of two equally near ones the greater. Null: there is none.
const CollectiveTable *tableFor(const model::Hardware &hardware, const Query &query)
{
    const bool crosses = query.nodes > 1;
    for (const GroupCollective operation : relatedTo(query.operation)) {
        const CollectiveTable *best = nullptr;
        double least = std::numeric_limits<double>::infinity();
        for (const CollectiveTable &table : hardware.collectives) {
            if (table.operation != operation || (table.nodes > 1) != crosses || table.points.empty())
                continue;
            const double ratio =
                crosses ? static_cast<double>(table.nodes) / query.nodes : static_cast<double>(table.ranks) / query.ranks;
            // Among tables of as many nodes those with as many ranks in each come first.
            const double ranks = static_cast<double>(table.ranks) / query.ranks;
            const double distance = std::abs(std::log(ratio)) + (crosses ? 1e-3 * std::abs(std::log(ranks)) : 0);
            if (distance < least || (distance == least && table.ranks > best->ranks)) {
                best = &table;
                least = distance;
            }
        }
        if (best != nullptr)
            return best;
    }
    return nullptr;
}

double insideSeconds(const model::Hardware &hardware, const Query &query)
{
    const double sent = bytesSent(query.operation, query.perNode, query.bytes);
    const model::LinkClass &link = hardware.insideNode;
    const CollectiveTable *const table = tableFor(hardware, {query.operation, query.perNode, 1, query.perNode, query.bytes});
    if (table == nullptr)
        return latencySeconds(link, query.perNode) + sent * link.oversubscription / link.bytesPerSecond;
    const double seconds = timeAt(table->points, query.bytes) * model::busFactor(query.operation, query.perNode) /
                           model::busFactor(table->operation, table->ranks);
    const bool isLimited = hardware.ringBusRate > 0 && query.operation != GroupCollective::AllReduce &&
                           table->operation == GroupCollective::AllReduce;
    return isLimited ? std::max(seconds, sent / hardware.ringBusRate) : seconds;
}

/// Returns the time of a table between nodes. A network of which devices get less than in the measurement serves a message as
/// it would serve a longer one.
double networkSeconds(const model::Hardware &hardware, const Query &query, const CollectiveTable &table)
{
    const int measuredPerNode = table.ranks / table.nodes;
    const double free = hardware.networkRate(measuredPerNode) * hardware.betweenNodes.oversubscription;
    const double slower = free / hardware.networkRate(hardware.devicesPerNode);
    if (table.ranks == query.ranks && table.nodes == query.nodes)
        return timeAt(table.points, query.bytes * slower) * model::busFactor(query.operation, query.ranks) /
               model::busFactor(table.operation, table.ranks);
    // The tensor of which each rank of the measurement had as much to send.
    const double alike = query.bytes / query.perNode * measuredPerNode;
    const double more =
        nodeLatencySeconds(hardware, query.operation, query.nodes) - nodeLatencySeconds(hardware, query.operation, table.nodes);
    return std::max(more, 0.0) + timeAt(table.points, alike * slower) * model::busFactor(query.operation, query.nodes) /
                                     model::busFactor(table.operation, table.nodes);
}

double betweenSeconds(const model::Hardware &hardware, const Query &query)
{
    const CollectiveTable *const table = tableFor(hardware, query);
    const double rate = hardware.networkRate(hardware.devicesPerNode);
    const bool isExchange = query.operation == GroupCollective::AllToAll;
    if (isExchange && (table == nullptr || table->operation != GroupCollective::AllToAll)) {
        const double others = static_cast<double>(query.ranks - query.perNode) / query.ranks;
        return std::max(insideSeconds(hardware, query),
                        nodeLatencySeconds(hardware, query.operation, query.nodes) + others * query.bytes / rate);
    }
    if (table != nullptr && table->ranks == query.ranks && table->nodes == query.nodes)
        return networkSeconds(hardware, query, *table);
    const double network = table != nullptr ? networkSeconds(hardware, query, *table)
                                            : nodeLatencySeconds(hardware, query.operation, query.nodes) +
                                                  bytesSent(query.operation, query.nodes, query.bytes / query.perNode) / rate;
    return std::max(insideSeconds(hardware, query), network);
}

} // namespace

double bytesSent(GroupCollective collective, int ranks, double bytes)
{
    const double part = bytes * (ranks - 1) / std::max(ranks, 1);
    return collective == GroupCollective::AllReduce ? 2 * part : part;
}

double forwardedSeconds(const model::Hardware &hardware, const layout::NodeSpan &span, double between, double inside)
{
    const int perNode = std::max(span.mostInNode, 1);
    const double forwards = collectiveSeconds(hardware, GroupCollective::AllToAll, perNode, {1, perNode}, inside);
    if (!span.crossesNodes() || between <= 0)
        return forwards;
    return std::max(forwards, latencySeconds(hardware.betweenNodes, span.nodes) +
                                  between / hardware.networkRate(hardware.devicesPerNode));
}

double collectiveSeconds(const model::Hardware &hardware, GroupCollective collective, int ranks, const layout::NodeSpan &span,
                         double bytes)
{
    if (ranks < 2 || bytes <= 0)
        return 0;
    if (hardware.insideNode.name == kHostLink) // ranks that share a memory copy what they would send
        return latencySeconds(hardware.insideNode, ranks) +
               bytesSent(collective, ranks, bytes) / hardware.insideNode.bytesPerSecond;
    if (span.crossesNodes())
        return betweenSeconds(hardware, {collective, ranks, span.nodes, std::max(span.mostInNode, 1), bytes});
    return insideSeconds(hardware, {collective, ranks, 1, ranks, bytes});
}

} // namespace stagelens::simulate
