// What the passes of a schedule wait for, resolved to flat tables: requirementsOf() and the costs of transfers depend on kind
// and stage alone, so that loops over passes need no look-up but an index.
#pragma once

#include "engine/schedule/dependencies.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/cost_model.h"

#include <array>
#include <cstdint>
#include <vector>

namespace stagelens::simulate {

/// A row of results, one a microbatch: of F or of the input gradient of a stage, or of all devices' S, U, T or EF. B and I
/// share a row, for exactly one of the two exists for each stage and microbatch.
using ResultRow = std::int32_t;
inline constexpr ResultRow kNoRow = -1;

/// A result that a pass waits for, and how it gets there.
struct Wait {
    ResultRow row = kNoRow;
    schedule::Transfer transfer = schedule::Transfer::Local;
    base::Nanos latency = 0;
};

/// What the passes of one kind and stage wait for and make.
struct PassPlan {
    std::array<Wait, 3> waits{};
    std::uint32_t waitCount = 0;
    ResultRow result = kNoRow; ///< none where nobody waits for it (W, EB)
    /// Longest collective that this pass feeds, which keeps its device waiting where collectives block; below 0 if none.
    base::Nanos collective = -1;
};

class WaitPlan {
public:
    WaitPlan(const schedule::Schedule &schedule, const CostModel &costs);

    [[nodiscard]] const PassPlan &plan(schedule::PassKind kind, std::size_t stage) const
    {
        return m_plans[static_cast<std::size_t>(kind) * m_stages + stage];
    }
    [[nodiscard]] std::size_t rows() const { return 2 * m_stages + kSharedRows; }
    /// How many passes make a result of that row: all devices, or one.
    [[nodiscard]] int makersOf(ResultRow row) const { return isShared(row) ? m_devices : 1; }
    [[nodiscard]] bool isShared(ResultRow row) const { return static_cast<std::size_t>(row) >= 2 * m_stages; }
    /// Kind and stage of a row's passes (B for both B and I; stage 0 where it is shared).
    [[nodiscard]] schedule::Pass makerOf(ResultRow row) const;
    [[nodiscard]] ResultRow rowOf(schedule::PassKind kind, int stage) const;

private:
    static constexpr std::size_t kSharedRows = 4;
    std::size_t m_stages;
    int m_devices;
    std::vector<PassPlan> m_plans;
};

/// All passes of one device, kind and stage: they differ in the microbatch only and cost the same.
struct PassClass {
    int device = 0;
    schedule::PassKind kind = schedule::PassKind::F;
    int stage = 0;
    base::Nanos count = 0;
};
/// The classes that occur in a schedule, device by device.
[[nodiscard]] std::vector<PassClass> passClasses(const schedule::Schedule &schedule);

/// Whether all devices take part in a transfer.
[[nodiscard]] inline bool isCollective(schedule::Transfer transfer)
{
    return transfer != schedule::Transfer::Local && transfer != schedule::Transfer::Send;
}

} // namespace stagelens::simulate
