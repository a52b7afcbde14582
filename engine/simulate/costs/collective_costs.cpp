#include "engine/simulate/costs/collective_costs.h"

#include "engine/simulate/costs/layer_costs.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stagelens::simulate {
namespace {

double latencySeconds(const model::LinkClass &link, int ranks)
{
    const int hops = std::bit_width(static_cast<unsigned>(std::max(ranks - 1, 0)));
    return hops * static_cast<double>(link.latency) / static_cast<double>(base::kNanosPerSecond);
}

/// Returns the bus rate at a size: log-log between the points, the last one beyond them. Below the first point the time stays
/// that of the first.
double busRate(const std::vector<model::CollectivePoint> &points, double bytes)
{
    const auto next = std::ranges::lower_bound(points, bytes, {}, &model::CollectivePoint::bytes);
    if (next == points.end())
        return points.back().busRate;
    if (next == points.begin())
        return next->busRate * bytes / next->bytes;
    const auto &before = *std::prev(next);
    const double along = std::log(bytes / before.bytes) / std::log(next->bytes / before.bytes);
    return before.busRate * std::pow(next->busRate / before.busRate, along);
}

double insideSeconds(const model::Hardware &hardware, GroupCollective collective, int ranks, double bytes)
{
    const double sent = bytesSent(collective, ranks, bytes);
    const model::LinkClass &link = hardware.insideNode;
    if (hardware.collectivesInside.empty())
        return latencySeconds(link, ranks) + sent / link.bytesPerSecond;
    double rate = busRate(hardware.collectivesInside, bytes);
    // Switches that add on the way speed up the all-reduce only.
    if (collective != GroupCollective::AllReduce && hardware.ringBusRate > 0)
        rate = std::min(rate, hardware.ringBusRate);
    return sent / rate;
}

/// One part of `bytes` over each network adapter, among as many ranks as there are nodes.
double networkSeconds(const model::Hardware &hardware, GroupCollective collective, int nodes, double bytes)
{
    const double sent = bytesSent(collective, nodes, bytes);
    const model::LinkClass &link = hardware.betweenNodes;
    if (hardware.collectivesBetween.empty())
        return latencySeconds(link, nodes) + sent / link.bytesPerSecond;
    return sent / busRate(hardware.collectivesBetween, bytes);
}

} // namespace

double bytesSent(GroupCollective collective, int ranks, double bytes)
{
    const double part = bytes * (ranks - 1) / std::max(ranks, 1);
    return collective == GroupCollective::AllReduce ? 2 * part : part;
}

double collectiveSeconds(const model::Hardware &hardware, GroupCollective collective, int ranks, const layout::NodeSpan &span,
                         double bytes)
{
    if (ranks < 2 || bytes <= 0)
        return 0;
    if (hardware.insideNode.name == kHostLink) // ranks that share a memory copy what they would send
        return latencySeconds(hardware.insideNode, ranks) +
               bytesSent(collective, ranks, bytes) / hardware.insideNode.bytesPerSecond;
    if (!span.crossesNodes())
        return insideSeconds(hardware, collective, ranks, bytes);
    const double inside = insideSeconds(hardware, collective, span.mostInNode, bytes);
    return std::max(inside, networkSeconds(hardware, collective, span.nodes, bytes / span.mostInNode));
}

} // namespace stagelens::simulate
