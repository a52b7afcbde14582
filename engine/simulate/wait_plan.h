// The requirements of a schedule's passes under a cost model.
#pragma once

#include "engine/passes/requirement_table.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"

#include <vector>

namespace stagelens::simulate {

using schedule::kNoRow;
using schedule::Need;
using schedule::PassNeeds;
using schedule::ResultRow;

/// A collective that follows a shared result.
struct Collective {
    base::Nanos latency = -1; ///< below 0: none
    schedule::Transfer transfer = schedule::Transfer::Local;
};

/// The requirements with the latencies of the cost model, and the collectives that block devices.
class WaitPlan : public schedule::RequirementTable {
public:
    WaitPlan(const schedule::Schedule &schedule, const CostModel &costs);

    /// Returns the longest collective that a result feeds; its producers wait for it if collectives block.
    [[nodiscard]] const Collective &collective(ResultRow row) const { return m_longest[static_cast<std::size_t>(row)]; }
    /// Returns whether a device waits for each collective that its passes feed.
    [[nodiscard]] bool blocks() const { return m_blocks; }

private:
    bool m_blocks;
    std::vector<Collective> m_longest; ///< of each row
};

/// All passes of one device, kind, stage and direction (0 for vocabulary passes, which serve all directions). They differ only
/// in the microbatch and cost the same.
struct PassClass {
    int device = 0;
    schedule::PassKind kind = schedule::PassKind::F;
    int stage = 0;
    int direction = 0;
    base::Nanos count = 0;
};
/// The classes that occur in a schedule, device by device.
[[nodiscard]] std::vector<PassClass> passClasses(const schedule::Schedule &schedule);

/// Returns whether all devices take part in a transfer.
[[nodiscard]] inline bool isCollective(schedule::Transfer transfer)
{
    return transfer != schedule::Transfer::Local && transfer != schedule::Transfer::Send;
}

} // namespace stagelens::simulate
