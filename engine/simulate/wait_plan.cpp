#include "engine/simulate/wait_plan.h"

#include <algorithm>

namespace stagelens::simulate {

using schedule::PassKind;

namespace {

/// The shared kinds in the order of their rows.
constexpr std::array kSharedKinds{PassKind::EF, PassKind::S, PassKind::U, PassKind::T};

} // namespace

WaitPlan::WaitPlan(const schedule::Schedule &schedule, const CostModel &costs)
    : m_stages(static_cast<std::size_t>(schedule.stages())), m_devices(schedule.devices()),
      m_plans(m_stages * schedule::kPassKindCount)
{
    const schedule::Placement &placement = schedule.placement();
    std::vector<base::Nanos> longest(rows(), -1);
    for (int kind = 0; kind < schedule::kPassKindCount; ++kind) {
        for (int stage = 0; stage < schedule.stages(); ++stage) {
            const auto passKind = static_cast<PassKind>(kind);
            PassPlan &plan = m_plans[static_cast<std::size_t>(kind) * m_stages + static_cast<std::size_t>(stage)];
            plan.result = rowOf(passKind, stage);
            for (const schedule::Requirement &need : requirementsOf(schedule, schedule::makePass(passKind, stage, 0))) {
                const int from = placement.deviceOf(need.allDevices ? 0 : need.stage);
                const Wait wait{rowOf(need.kind, need.stage), need.transfer,
                                costs.transfer(need.transfer, from, placement.deviceOf(stage))};
                plan.waits[plan.waitCount++] = wait;
                if (isShared(wait.row) && isCollective(wait.transfer)) {
                    base::Nanos &fed = longest[static_cast<std::size_t>(wait.row)];
                    fed = std::max(fed, wait.latency);
                }
            }
        }
    }
    for (PassPlan &plan : m_plans) {
        if (plan.result != kNoRow)
            plan.collective = longest[static_cast<std::size_t>(plan.result)];
    }
}

ResultRow WaitPlan::rowOf(PassKind kind, int stage) const
{
    const auto stages = static_cast<ResultRow>(m_stages);
    switch (kind) {
    case PassKind::F: return stage;
    case PassKind::B:
    case PassKind::I: return stages + stage;
    default: break;
    }
    const auto *shared = std::ranges::find(kSharedKinds, kind);
    return shared == kSharedKinds.end() ? kNoRow : 2 * stages + static_cast<ResultRow>(shared - kSharedKinds.begin());
}

schedule::Pass WaitPlan::makerOf(ResultRow row) const
{
    const auto stages = static_cast<ResultRow>(m_stages);
    if (isShared(row))
        return schedule::makePass(kSharedKinds[static_cast<std::size_t>(row - 2 * stages)], 0, 0);
    return schedule::makePass(row < stages ? PassKind::F : PassKind::B, row % stages, 0);
}

std::vector<PassClass> passClasses(const schedule::Schedule &schedule)
{
    std::vector<PassClass> classes;
    std::vector<base::Nanos> counts(static_cast<std::size_t>(schedule.stages()) * schedule::kPassKindCount);
    for (int device = 0; device < schedule.devices(); ++device) {
        std::ranges::fill(counts, 0);
        for (const schedule::Pass &pass : schedule.device(device))
            ++counts[static_cast<std::size_t>(pass.stage) * schedule::kPassKindCount + static_cast<std::size_t>(pass.kind)];
        for (std::size_t key = 0; key < counts.size(); ++key) {
            if (counts[key] > 0)
                classes.push_back({device, static_cast<PassKind>(key % schedule::kPassKindCount),
                                   static_cast<int>(key / schedule::kPassKindCount), counts[key]});
        }
    }
    return classes;
}

} // namespace stagelens::simulate
