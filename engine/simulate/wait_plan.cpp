#include "engine/simulate/wait_plan.h"

#include <algorithm>

namespace stagelens::simulate {

using schedule::PassKind;

WaitPlan::WaitPlan(const schedule::Schedule &schedule, const CostModel &costs)
    : m_stages(static_cast<std::size_t>(schedule.stages())),
      m_rows(schedule.stages(), schedule.devices()), m_rules{schedule.placement().lastStage(), schedule.vocabulary()},
      m_blocks(costs.collectives == model::Collectives::Blocking ||
               schedule.vocabulary() == model::VocabularyMethod::Interlaced),
      m_plans(m_stages * schedule::kPassKindCount * static_cast<std::size_t>(schedule.placement().replicas)),
      m_longest(m_rows.count())
{
    PassPlan *plan = m_plans.data();
    for (int replica = 0; replica < schedule.placement().replicas; ++replica)
        for (int kind = 0; kind < schedule::kPassKindCount; ++kind)
            for (int stage = 0; stage < schedule.stages(); ++stage)
                fill(*plan++, schedule.placement(), schedule::makePass(static_cast<PassKind>(kind), stage, 0), replica, costs);
    for (PassPlan &passes : m_plans)
        if (passes.result != kNoRow)
            passes.collective = m_longest[static_cast<std::size_t>(passes.result)];
}

void WaitPlan::fill(PassPlan &plan, const schedule::Placement &placement, const schedule::Pass &pass, int replica,
                    const CostModel &costs)
{
    plan.result = m_rows.of(pass.kind, pass.stage);
    for (const schedule::Requirement &need : requirementsOf(m_rules, pass)) {
        const int from = placement.deviceOf(need.allDevices ? 0 : need.stage, replica);
        const Wait wait{m_rows.of(need.kind, need.stage), need.transfer,
                        costs.transfer(need.transfer, from, placement.deviceOf(pass.stage, replica))};
        plan.waits[plan.waitCount++] = wait;
        if (m_rows.isShared(wait.row) && isCollective(wait.transfer)) {
            Collective &fed = m_longest[static_cast<std::size_t>(wait.row)];
            if (wait.latency > fed.latency)
                fed = {wait.latency, wait.transfer};
        }
    }
}

std::vector<PassClass> passClasses(const schedule::Schedule &schedule)
{
    const schedule::Placement &placement = schedule.placement();
    std::vector<PassClass> classes;
    std::vector<base::Nanos> counts(static_cast<std::size_t>(placement.replicas) *
                                    static_cast<std::size_t>(placement.stages()) * schedule::kPassKindCount);
    std::vector<std::size_t> found;
    for (int device = 0; device < schedule.devices(); ++device) {
        for (const schedule::Pass &pass : schedule.device(device)) {
            const int replica = isVocabularyPass(pass.kind) ? 0 : placement.replicaOf(pass.microbatch);
            const auto key = static_cast<std::size_t>((replica * placement.stages() + pass.stage) * schedule::kPassKindCount) +
                             static_cast<std::size_t>(pass.kind);
            if (counts[key]++ == 0)
                found.push_back(key);
        }
        std::ranges::sort(found);
        for (const std::size_t key : found) {
            const auto unit = static_cast<int>(key / schedule::kPassKindCount);
            classes.push_back({device, static_cast<PassKind>(key % schedule::kPassKindCount), unit % placement.stages(),
                               unit / placement.stages(), counts[key]});
            counts[key] = 0;
        }
        found.clear();
    }
    return classes;
}

} // namespace stagelens::simulate
