#include "engine/simulate/costs/what_if_costs.h"

#include "engine/layout/mesh.h"
#include "engine/model/what_if.h"
#include "engine/simulate/costs/lengths.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace stagelens::simulate {
namespace {

using base::Nanos;
using model::SlowTarget;

/// The factor of every device in every replica.
using FactorTable = std::vector<std::vector<double>>;

base::Result<int> gpusOfNode(const model::Experiment &experiment)
{
    const auto *preset = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    if (preset == nullptr)
        return base::Error::invalid("what_if.slow", "names a node, but given durations have none; name devices");
    const auto hardware = model::hardwareOf(*preset);
    return hardware ? base::Result<int>(std::max(hardware->devicesPerNode, 1)) : hardware.error();
}

class SlowTable {
public:
    SlowTable(const model::Experiment &experiment, int devices)
        : m_experiment(experiment), m_devices(devices), m_mesh(layout::meshOf(experiment.parallel, devices)),
          m_factors(static_cast<std::size_t>(std::max(experiment.parallel.replicas, 1)),
                    std::vector<double>(static_cast<std::size_t>(devices), 1))
    {}
    base::Result<FactorTable> build();

private:
    void multiply(int replica, int device, double factor);
    void slowRank(int rank, double factor);
    base::Result<> slowNode(int node, double factor);
    base::Result<> apply(const model::SlowPart &part);

    const model::Experiment &m_experiment;
    int m_devices;
    std::optional<layout::Mesh> m_mesh;
    FactorTable m_factors;
    /// With several ranks of a device: the slowest of them counts, not the product.
    FactorTable m_slowestRank;
};

void SlowTable::multiply(int replica, int device, double factor)
{
    m_factors.at(static_cast<std::size_t>(replica)).at(static_cast<std::size_t>(device)) *= factor;
}

/// A rank is one of those of its device in its replica, which all wait for the slowest.
void SlowTable::slowRank(int rank, double factor)
{
    if (!m_mesh || rank < 0 || rank >= m_mesh->ranks())
        return;
    const layout::Coordinates at = m_mesh->coordinatesOf(rank);
    if (m_slowestRank.empty())
        m_slowestRank.assign(m_factors.size(), std::vector<double>(static_cast<std::size_t>(m_devices), 0));
    const auto replica = static_cast<std::size_t>(at[layout::Axis::Data]);
    double &slowest = m_slowestRank.at(replica).at(static_cast<std::size_t>(at[layout::Axis::Pipeline]));
    slowest = std::max(slowest, factor);
}

base::Result<> SlowTable::slowNode(int node, double factor)
{
    const auto size = gpusOfNode(m_experiment);
    if (!size)
        return size.error();
    if (!m_mesh)
        return {};
    const int nodes = (m_mesh->ranks() + *size - 1) / *size;
    if (node >= nodes)
        return base::Error::invalid("what_if.slow",
                                    fmt::format("names node {}, but {} ranks fill {}{} of {}; choose {}", node, m_mesh->ranks(),
                                                nodes, nodes == 1 ? " node" : " nodes", *size, nodes - 1));
    for (int rank = node * *size; rank < std::min((node + 1) * *size, m_mesh->ranks()); ++rank)
        slowRank(rank, factor);
    return {};
}

base::Result<> SlowTable::apply(const model::SlowPart &part)
{
    const int replicas = static_cast<int>(m_factors.size());
    switch (part.target) {
    case SlowTarget::Device:
        for (int replica = 0; replica < replicas && part.index < m_devices; ++replica)
            multiply(replica, part.index, part.factor);
        break;
    case SlowTarget::Replica:
        for (int device = 0; device < m_devices && part.index < replicas; ++device)
            multiply(part.index, device, part.factor);
        break;
    case SlowTarget::Rank: slowRank(part.index, part.factor); break;
    case SlowTarget::Node: return slowNode(part.index, part.factor);
    }
    return {};
}

base::Result<FactorTable> SlowTable::build()
{
    const auto parts = model::parseSlowParts(m_experiment.whatIf.slow);
    if (!parts)
        return parts.error();
    for (const model::SlowPart &part : *parts) {
        m_slowestRank.clear();
        if (const auto applied = apply(part); !applied)
            return applied.error();
        const bool hasOthers = m_mesh && m_mesh->ranks() > m_devices * static_cast<int>(m_factors.size());
        for (std::size_t replica = 0; replica < m_slowestRank.size(); ++replica)
            for (std::size_t device = 0; device < m_factors[replica].size(); ++device)
                if (const double factor = m_slowestRank[replica][device]; factor > 0)
                    m_factors[replica][device] *= hasOthers ? std::max(factor, 1.0) : factor;
    }
    return std::move(m_factors);
}

base::Result<> slowLinks(CostModel &costs, const model::Experiment &experiment, int devices)
{
    const auto links = model::parseSlowLinks(experiment.whatIf.slowLink);
    if (!links)
        return links.error();
    double ring = 1;
    for (const model::SlowLink &link : *links) {
        if (std::max(link.from, link.to) >= devices)
            continue; // validation names it
        const auto [low, high] = std::minmax(link.from, link.to);
        for (const auto &[from, to] : {std::pair(low, high), std::pair(high, low)})
            costs.setSend(from, to,
                          std::llround(link.factor * static_cast<double>(costs.transfer(schedule::Transfer::Send, from, to))));
        if (high - low == 1 || (low == 0 && high == devices - 1))
            ring = std::max(ring, link.factor);
    }
    for (int index = 0; ring > 1 && index < schedule::kTransferCount; ++index) {
        const auto transfer = static_cast<schedule::Transfer>(index);
        if (transfer != schedule::Transfer::Local && transfer != schedule::Transfer::Send)
            costs.setCollective(transfer, std::llround(ring * static_cast<double>(costs.transfer(transfer, 0, 0))));
    }
    return {};
}

/// Replicas of a shard group that exchange in every pass (ZeRO) begin and end each together, so that each takes as long as in
/// the slowest. `together`: how many do.
void runTogether(FactorTable &factors, std::size_t together)
{
    for (std::size_t first = 0; first < factors.size(); first += together) {
        const std::span group(factors.begin() + static_cast<std::ptrdiff_t>(first), std::min(together, factors.size() - first));
        std::vector<double> slowest = group.front();
        for (const std::vector<double> &replica : group)
            std::ranges::transform(slowest, replica, slowest.begin(), [](double a, double b) { return std::max(a, b); });
        std::ranges::fill(group, slowest);
    }
}

/// Puts replicas with equal factors and work into one class each.
std::vector<ReplicaClass> classesOf(const FactorTable &factors, const std::vector<std::shared_ptr<const MicrobatchWork>> &work)
{
    std::vector<ReplicaClass> classes;
    for (std::size_t replica = 0; replica < factors.size(); ++replica) {
        const std::shared_ptr<const MicrobatchWork> own =
            work.empty() ? nullptr : work[std::min(replica, work.size() - 1)]; // a single one is that of all
        const auto equal = std::ranges::find_if(
            classes, [&](const ReplicaClass &other) { return other.slow == factors[replica] && other.work == own; });
        if (equal != classes.end())
            ++equal->count;
        else
            classes.push_back({static_cast<int>(replica), 1, factors[replica], own});
    }
    return classes;
}

} // namespace

base::Result<CostModel> withWhatIfs(CostModel costs, const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    if (!model::changesTimes(experiment.whatIf))
        return costs;
    auto factors = SlowTable(experiment, schedule.devices()).build();
    if (!factors)
        return factors.error();
    if (experiment.parallel.reducesEagerly())
        runTogether(*factors, factors->size() / static_cast<std::size_t>(experiment.parallel.shardGroups()));
    if (const auto slowed = slowLinks(costs, experiment, schedule.devices()); !slowed)
        return slowed.error();
    std::vector<std::shared_ptr<const MicrobatchWork>> work;
    if (!experiment.whatIf.lengths.empty()) {
        const auto lengths = lengthsOf(experiment);
        if (!lengths)
            return lengths.error();
        for (const LengthsOfReplica &replica : lengths->replicas)
            work.push_back(std::make_shared<const MicrobatchWork>(workOf(replica, *lengths, experiment)));
        costs.stepWork = stepWorkOf(*lengths, experiment);
    }
    std::vector<ReplicaClass> classes = classesOf(*factors, work);
    if (classes.size() == 1)
        return costs.ofReplicas(classes.front());
    costs.classes = std::move(classes);
    return costs;
}

CostModel shownCosts(const CostModel &costs, const timeline::Timeline &timeline)
{
    for (const ReplicaClass &replicas : costs.classes)
        if (replicas.first == timeline.replica)
            return costs.ofReplicas(replicas);
    return costs;
}

} // namespace stagelens::simulate
