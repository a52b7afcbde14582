// What devices that hold rows of one table add up for its update. See operators::Optimizer::sums.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor/device_model.h"
#include "engine/runtime/layers/context.h"

#include <vector>

namespace stagelens::runtime {

/// Updates the tables of a device in two rounds: in the first each device sends the sums of its rows to all others, in the
/// second it adds those of all in device order, so that every device updates from the same bits. Without ZeRO the devices of a
/// replica exchange them, with ZeRO the ranks that update the rows of each device. Used by the thread of its device.
class TableSums {
public:
    /// `all` connects all ranks.
    TableSums(const RunPlan &plan, const RankPlace &place, const Context &context, DeviceModel &model, backend::Transport &all);

    /// Returns the rounds of the optimizer's step on every device.
    [[nodiscard]] static int rounds(const RunPlan &plan) { return plan.sumsOverDevices(kTokenTable) ? 2 : 1; }
    /// Sums the rows of this device, and sends the sums. Never blocks.
    void send(float gradientScale);
    /// Updates the tables. Returns Cancelled if the run was stopped.
    [[nodiscard]] base::Result<> update(float gradientScale);

private:
    /// A table, the ranks that update rows of it in device order, and the sums of this rank's rows; null if it updates none.
    struct Table {
        Parameter *rows = nullptr;
        std::int64_t sums = 0; ///< doubles
        std::vector<int> ranks;
        backend::Tensor own;
    };
    /// Returns the ranks that update rows of the table with that index.
    [[nodiscard]] std::vector<int> ranksOf(const RankPlace &place, int index) const;
    /// Returns the share (RankPlace::share) of a shard group that updates a device's rows of a table with ZeRO.
    [[nodiscard]] int shareOf(int device, int index) const;
    /// Returns the place of the table among the parameters of a device.
    [[nodiscard]] std::size_t placeOf(int index, int device, std::size_t parameters) const;
    [[nodiscard]] base::Result<> add(const Table &table, int slot);

    const RunPlan &m_plan;
    int m_rank;
    const Context &m_context;
    DeviceModel &m_model;
    backend::Transport &m_all;
    std::vector<Table> m_tables; ///< the token table, those of tails, and that of the output projection if it is another one
};

} // namespace stagelens::runtime
