#include "engine/simulate/costs/transfer_costs.h"

#include "engine/operators/sizes.h"
#include "engine/simulate/costs/collective_costs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace stagelens::simulate {

using base::Nanos;
using schedule::PassKind;
using schedule::Transfer;

namespace {

constexpr std::array kCollectives{Transfer::BroadcastX, Transfer::Statistics, Transfer::ReduceGradient, Transfer::EmbedReduce,
                                  Transfer::EmbedBroadcast};

} // namespace

TransferCosts::TransferCosts(const model::Experiment &experiment, const model::Hardware &hardware,
                             const schedule::Schedule &schedule, const operators::TensorSplit &split)
    : m_experiment(experiment), m_hardware(hardware), m_schedule(schedule),
      m_recipes(schedule::recipeBook(schedule.vocabulary())), m_traffic(trafficOf(hardware)), m_split(split),
      m_mesh(layout::meshOf(experiment.parallel, schedule.devices())),
      m_tokens(static_cast<double>(experiment.parallel.microbatchSize) * experiment.model.sequence /
               experiment.parallel.context),
      m_boundary(static_cast<double>(operators::boundaryBytes(experiment.model, experiment.parallel.microbatchSize, split))),
      m_tableRows(static_cast<double>(operators::tableRowBytes(experiment.model, experiment.parallel.microbatchSize, split))),
      m_packed(static_cast<double>(operators::packedBytes(experiment, split)))
{
    for (int device = 0; device < schedule.devices(); ++device)
        m_nodes.push_back(rankOf(device) / std::max(hardware.devicesPerNode, 1));
    for (const schedule::PassValue message : m_recipes.sentBy({.kind = PassKind::S})) {
        const schedule::MessageTraits &traits = schedule::traits(message);
        if (traits.transfer != Transfer::Statistics)
            continue;
        m_statistics += traits.statistics;
        m_addsGradient = m_addsGradient || traits.statistics == 0;
    }
}

int TransferCosts::rankOf(int device) const
{
    if (!m_mesh)
        return device;
    layout::Coordinates at;
    at[layout::Axis::Pipeline] = device;
    return m_mesh->rankOf(at);
}

const model::LinkClass &TransferCosts::linkBetween(int from, int to) const
{
    const auto nodeOf = [this](int device) { return m_nodes[static_cast<std::size_t>(device)]; };
    return nodeOf(from) == nodeOf(to) ? m_hardware.insideNode : m_hardware.betweenNodes;
}

/// Between nodes, the pipelines whose ranks lie beside each other in a node send at the same time.
double TransferCosts::sendRate(const model::LinkClass &link) const
{
    if (&link == &m_hardware.insideNode)
        return link.bytesPerSecond;
    const int beside = m_schedule.devices() > 1 ? std::abs(rankOf(1) - rankOf(0)) : 1;
    return m_hardware.networkRate(std::min(beside, m_hardware.devicesPerNode));
}

double TransferCosts::sendSeconds(const model::LinkClass &link, double bytes) const
{
    const bool isSplit = m_hardware.splitsMessages && &link == &m_hardware.betweenNodes && m_split.ranks > 1 &&
                         !m_split.isSequenceParallel; // which splits them anyway
    if (!isSplit)
        return bytes / sendRate(link);
    return bytes / m_split.ranks / sendRate(link) +
           simulate::collectiveSeconds(m_hardware, GroupCollective::AllGather, m_split.ranks, {1, m_split.ranks}, bytes);
}

/// The latency is that of a tree, the bandwidth term that of a pipelined ring; devices that share a memory only copy.
double TransferCosts::broadcastSeconds(const model::LinkClass &link, double bytes) const
{
    const auto hops = link.name == kHostLink ? 1 : std::bit_width(static_cast<unsigned>(m_schedule.devices() - 1));
    return hops * static_cast<double>(link.latency) / static_cast<double>(base::kNanosPerSecond) + bytes / link.bytesPerSecond;
}

/// A ring reduces and gathers (p - 1) / p of the bytes each; devices that share a memory read all parts once.
double TransferCosts::reduceSeconds(const model::LinkClass &link, double bytes) const
{
    const double devices = m_schedule.devices();
    if (link.name == kHostLink)
        return broadcastSeconds(link, devices * bytes);
    return 2 * broadcastSeconds(link, (devices - 1) / devices * bytes);
}

double TransferCosts::gatherSeconds(double bytes) const
{
    return broadcastSeconds(slowestLink(), bytes);
}

double TransferCosts::packingBytes() const
{
    return m_traffic.packingOf(m_experiment.parallel.messagePrecision) * (m_boundary + m_packed);
}

void TransferCosts::set(CostModel &costs) const
{
    const int devices = m_schedule.devices();
    const double unpacking = packingBytes() / m_schedule.slices() / m_hardware.memoryBytesPerSecond;
    for (int from = 0; from < devices; ++from) {
        for (int to = 0; to < devices; ++to) {
            const model::LinkClass &link = linkBetween(from, to);
            const double bytes = (m_packed > 0 ? m_packed : m_boundary) / m_schedule.slices(); // a slice's, on average
            if (from != to)
                costs.setSend(from, to,
                              std::min(link.latency + toNanos(sendSeconds(link, bytes) + unpacking), base::kLongestPass));
        }
    }
    const model::LinkClass &slowest = slowestLink();
    for (const Transfer transfer : kCollectives)
        costs.setCollective(transfer, toNanos(collectiveSeconds(transfer, slowest)));
}

double TransferCosts::collectiveSeconds(Transfer transfer, const model::LinkClass &link) const
{
    const double tokens = m_tokens / m_schedule.slices(); // a slice's, on average
    // With sequence parallelism each rail has its own rows.
    const double rows = m_split.isSequenceParallel ? tokens / m_split.ranks : tokens;
    const double heads = m_experiment.model.outputHeads; // rows of a token in the output layer
    const double input = m_traffic.collective > 0 ? m_traffic.collective * rows * m_experiment.model.tableWidth()
                                                  : m_tableRows / m_schedule.slices();
    const auto tailWidth = static_cast<double>(operators::tailWidth(m_experiment));
    const double output = heads * input + input / m_experiment.model.tableWidth() * tailWidth;
    const double statistics = m_statistics * 4 * (tailWidth > 0 ? 2 : 1) * heads * tokens / m_split.vocabularyRanks();
    switch (transfer) {
    case Transfer::BroadcastX: return broadcastSeconds(link, output);
    case Transfer::EmbedBroadcast: return broadcastSeconds(link, input);
    case Transfer::Statistics: return reduceSeconds(link, statistics) + (m_addsGradient ? reduceSeconds(link, output) : 0);
    case Transfer::ReduceGradient:
        // An S with a barrier inside waits for the statistics and the gradient at once.
        return reduceSeconds(link, output) + (m_recipes.hasBarrierInside(PassKind::S) ? reduceSeconds(link, statistics) : 0);
    case Transfer::EmbedReduce: return reduceSeconds(link, input);
    case Transfer::Local:
    case Transfer::Send: break;
    }
    return 0;
}

/// Returns the time by which the collectives of a microbatch (of all its slices) slow concurrent passes. This is work on the
/// device, so the link between nodes does not matter.
double TransferCosts::contentionSeconds() const
{
    if (m_schedule.devices() == 1)
        return 0;
    double seconds = 0;
    for (const Transfer transfer : kCollectives)
        if (m_recipes.uses(transfer))
            seconds += collectiveSeconds(transfer, m_hardware.insideNode);
    return m_traffic.contention * m_schedule.slices() * seconds;
}

} // namespace stagelens::simulate
