#include "engine/runtime/executor/table_sums.h"

#include "engine/simulate/costs/device_share.h"

#include <algorithm>

namespace stagelens::runtime {
namespace {

/// The message kind, in addition to those of passes, copies (copied_gradients.cpp) and replicas (replica_exchange.cpp).
constexpr std::uint8_t kSums = 251;

constexpr std::int64_t kFloatsOfDouble = sizeof(double) / sizeof(float);

} // namespace

TableSums::TableSums(const RunPlan &plan, const RankPlace &place, const Context &context, DeviceModel &model,
                     backend::Transport &all)
    : m_plan(plan), m_rank(place.rank), m_context(context), m_model(model), m_all(all)
{
    if (rounds(plan) == 1)
        return;
    const operators::Optimizer &optimizer = optimizerOf(plan.experiment.training.optimizer);
    for (int index = 0; index < std::ssize(plan.parameters); ++index)
        if (plan.sumsOverDevices(index))
            m_tables.push_back({m_model.find(index),
                                optimizer.sums(operators::ParameterKind::Table, plan.parameters[size(index)].columns),
                                ranksOf(place, index),
                                {}});
}

std::size_t TableSums::placeOf(int index, int device, std::size_t parameters) const
{
    if (index == kTokenTable)
        return 0;
    const std::size_t last = parameters - 1;
    if (index == m_plan.outputWeight())
        return last;
    // Before it, the table of each tail, and on devices of the last stage its map.
    const std::vector<int> stages = m_plan.schedule.placement().stagesOf(device);
    const bool hasMaps = std::ranges::count(stages, m_plan.schedule.placement().lastStage()) > 0;
    const int after = (m_plan.outputWeight() - index - 1) / 2; // tails
    return last - 1 - size(after * (hasMaps ? 2 : 1));
}

std::vector<int> TableSums::ranksOf(const RankPlace &place, int index) const
{
    std::vector<int> ranks;
    const int group = m_plan.experiment.parallel.shardGroup();
    for (int device = 0; device < m_plan.schedule.devices(); ++device) {
        if (m_plan.rowsOf(index, device).size() == 0)
            continue;
        layout::Coordinates at = m_plan.mesh.coordinatesOf(place.rank);
        at[layout::Axis::Pipeline] = device;
        if (m_plan.experiment.parallel.zero > 0) {
            const int share = place.share / group * group + shareOf(device, index);
            at[layout::Axis::Context] = share % m_plan.contextRanks();
            at[layout::Axis::Data] = share / m_plan.contextRanks();
        }
        ranks.push_back(m_plan.mesh.rankOf(at));
    }
    return ranks;
}

int TableSums::shareOf(int device, int index) const
{
    std::vector<operators::PartShape> parts = simulate::deviceParts(m_plan.experiment, m_plan.schedule, device);
    for (int table = 0; table < std::ssize(m_plan.parameters); ++table)
        if (m_plan.sumsOverDevices(table))
            parts[placeOf(table, device, parts.size())].rows = m_plan.rowsOf(table, device).size(); // without padding
    std::vector<std::int64_t> counts;
    for (const operators::PartShape &part : parts)
        counts.push_back(part.count());
    const layout::ReplicaCut cut(counts, m_plan.experiment.parallel.shardGroup(), layout::ReplicaCut::kBlock,
                                 simulate::indivisiblePieces(m_plan.experiment, parts));
    int share = 0;
    while (share + 1 < m_plan.experiment.parallel.shardGroup() &&
           cut.share(share, placeOf(index, device, parts.size())).size() == 0)
        ++share;
    return share;
}

void TableSums::send(float gradientScale)
{
    for (std::size_t slot = 0; slot < m_tables.size(); ++slot) {
        Table &table = m_tables[slot];
        if (std::ranges::find(table.ranks, m_rank) == table.ranks.end())
            continue;
        table.own = m_context.memory.allocateMessage(kFloatsOfDouble * table.sums);
        m_model.sumForUpdate(*table.rows, gradientScale, reinterpret_cast<double *>(table.own->data()));
        for (const int rank : table.ranks)
            if (rank != m_rank)
                m_all.send(m_rank, rank, {kSums, static_cast<std::uint16_t>(slot), 0}, table.own);
    }
}

base::Result<> TableSums::add(const Table &table, int slot)
{
    double *const sums = m_model.updateSums();
    backend::Compute &compute = m_context.compute;
    compute.zero(reinterpret_cast<float *>(sums), kFloatsOfDouble * table.sums);
    for (const int rank : table.ranks) {
        const backend::Tensor part =
            rank == m_rank ? table.own : m_all.receive(rank, m_rank, {kSums, static_cast<std::uint16_t>(slot), 0});
        if (!part)
            return base::Error::cancelled();
        compute.addDoubles(sums, reinterpret_cast<const double *>(part->data()), table.sums);
        compute.finish(); // before the part is released
    }
    return {};
}

base::Result<> TableSums::update(float gradientScale)
{
    for (std::size_t slot = 0; slot < m_tables.size(); ++slot) {
        Table &table = m_tables[slot];
        if (table.own)
            if (auto added = add(table, static_cast<int>(slot)); !added)
                return added;
        table.own.reset();
        if (table.rows != nullptr) // counts the update of rows that another rank updates, and clears their gradient
            m_model.updateFromSums(*table.rows, gradientScale);
    }
    return {};
}

} // namespace stagelens::runtime
