#include "engine/runtime/executor/table_sums.h"

#include "engine/layout/shard.h"
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
    m_sums = optimizerOf(plan.experiment.training.optimizer).sums(operators::ParameterKind::Table, plan.shape.tableWidth);
    const bool isTied = plan.experiment.model.tied;
    m_tables.push_back({m_model.find(kTokenTable), ranksOf(place, false), {}});
    if (!isTied)
        m_tables.push_back({m_model.find(plan.outputWeight()), ranksOf(place, true), {}});
}

/// `isLast`: of the last parameter of every device, which is the output projection; else of the first, the token table.
std::vector<int> TableSums::ranksOf(const RankPlace &place, bool isLast) const
{
    std::vector<int> ranks;
    const int group = m_plan.experiment.parallel.shardGroup();
    for (int device = 0; device < m_plan.schedule.devices(); ++device) {
        const auto rowsOf = isLast ? layout::vocabularyRows : layout::inputTableRows;
        if (rowsOf(m_plan.experiment, m_plan.schedule.devices(), device, 0, true).size() == 0)
            continue;
        layout::Coordinates at = m_plan.mesh.coordinatesOf(place.rank);
        at[layout::Axis::Pipeline] = device;
        if (m_plan.experiment.parallel.zero > 0) {
            const int share = place.share / group * group + shareOf(device, isLast);
            at[layout::Axis::Context] = share % m_plan.contextRanks();
            at[layout::Axis::Data] = share / m_plan.contextRanks();
        }
        ranks.push_back(m_plan.mesh.rankOf(at));
    }
    return ranks;
}

int TableSums::shareOf(int device, bool isLast) const
{
    std::vector<operators::PartShape> parts = simulate::deviceParts(m_plan.experiment, m_plan.schedule, device);
    const int devices = m_plan.schedule.devices();
    parts.front().rows = layout::inputTableRows(m_plan.experiment, devices, device).size(); // without padding
    if (!m_plan.experiment.model.tied)
        parts.back().rows = layout::vocabularyRows(m_plan.experiment, devices, device).size();
    std::vector<std::int64_t> counts;
    for (const operators::PartShape &part : parts)
        counts.push_back(part.count());
    const layout::ReplicaCut cut(counts, m_plan.experiment.parallel.shardGroup(), layout::ReplicaCut::kBlock,
                                 simulate::indivisiblePieces(m_plan.experiment, parts));
    int share = 0;
    while (share + 1 < m_plan.experiment.parallel.shardGroup() && cut.share(share, isLast ? parts.size() - 1 : 0).size() == 0)
        ++share;
    return share;
}

void TableSums::send(float gradientScale)
{
    for (std::size_t slot = 0; slot < m_tables.size(); ++slot) {
        Table &table = m_tables[slot];
        if (std::ranges::find(table.ranks, m_rank) == table.ranks.end())
            continue;
        table.own = m_context.memory.allocateMessage(kFloatsOfDouble * m_sums);
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
    compute.zero(reinterpret_cast<float *>(sums), kFloatsOfDouble * m_sums);
    for (const int rank : table.ranks) {
        const backend::Tensor part =
            rank == m_rank ? table.own : m_all.receive(rank, m_rank, {kSums, static_cast<std::uint16_t>(slot), 0});
        if (!part)
            return base::Error::cancelled();
        compute.addDoubles(sums, reinterpret_cast<const double *>(part->data()), m_sums);
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
