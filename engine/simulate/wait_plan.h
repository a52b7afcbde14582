// What the passes of a schedule wait for, resolved to flat tables: requirementsOf() and the costs of transfers depend on kind
// and stage alone, so that loops over passes need no look-up but an index.
#pragma once

#include "engine/schedule/dependencies.h"
#include "engine/schedule/result_rows.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/cost_model.h"

#include <array>
#include <cstdint>
#include <vector>

namespace stagelens::simulate {

using schedule::kNoRow;
using schedule::ResultRow;

/// A result that a pass waits for, and how it gets there.
struct Wait {
    ResultRow row = kNoRow;
    schedule::Transfer transfer = schedule::Transfer::Local;
    base::Nanos latency = 0;
};

/// A collective that follows a shared result.
struct Collective {
    base::Nanos latency = -1; ///< below 0: there is none
    schedule::Transfer transfer = schedule::Transfer::Local;
};

/// What the passes of one kind and stage wait for and make.
struct PassPlan {
    std::array<Wait, 3> waits{};
    std::uint32_t waitCount = 0;
    ResultRow result = kNoRow; ///< none where nobody waits for it (W, EB)
    /// Longest collective that this pass feeds, which keeps its device waiting where collectives block.
    Collective collective;
};

class WaitPlan {
public:
    WaitPlan(const schedule::Schedule &schedule, const CostModel &costs);

    [[nodiscard]] const PassPlan &plan(schedule::PassKind kind, std::size_t stage, int replica = 0) const
    {
        return m_plans[(static_cast<std::size_t>(replica) * schedule::kPassKindCount + static_cast<std::size_t>(kind)) *
                           m_stages +
                       stage];
    }
    [[nodiscard]] const schedule::ResultRows &rows() const { return m_rows; }
    /// Whether a device waits for each collective that a pass of it feeds.
    [[nodiscard]] bool blocks() const { return m_blocks; }

private:
    void fill(PassPlan &plan, const schedule::Placement &placement, const schedule::Pass &pass, int replica,
              const CostModel &costs);

    std::size_t m_stages;
    schedule::ResultRows m_rows;
    schedule::DependencyRules m_rules;
    bool m_blocks;
    std::vector<PassPlan> m_plans;
    std::vector<Collective> m_longest; ///< of each shared row, the longest collective that it feeds
};

/// All passes of one device, kind, stage and replica (0 for vocabulary passes, which serve all): they differ in the microbatch
/// only and cost the same.
struct PassClass {
    int device = 0;
    schedule::PassKind kind = schedule::PassKind::F;
    int stage = 0;
    int replica = 0;
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
