#include "engine/simulate/wait_plan.h"

#include <algorithm>

namespace stagelens::simulate {

using schedule::PassKind;

WaitPlan::WaitPlan(const schedule::Schedule &schedule, const CostModel &costs)
    : RequirementTable(schedule.placement(), schedule.vocabulary(),
                       [&costs](schedule::Transfer transfer, int from, int to) { return costs.transfer(transfer, from, to); }),
      m_blocks(costs.collectives == model::Collectives::Blocking ||
               schedule::recipeBook(schedule.vocabulary()).hasBarrierInside(PassKind::S)),
      m_longest(rows().count())
{
    for (const PassNeeds &passes : all()) {
        for (const Need &need : passes) {
            Collective &fed = m_longest[static_cast<std::size_t>(need.row)];
            if (rows().isShared(need.row) && isCollective(need.transfer) && need.latency > fed.latency)
                fed = {need.latency, need.transfer};
        }
    }
}

std::vector<PassClass> passClasses(const schedule::Schedule &schedule)
{
    const schedule::Placement &placement = schedule.placement();
    std::vector<PassClass> classes;
    std::vector<base::Nanos> counts(static_cast<std::size_t>(placement.directions) *
                                    static_cast<std::size_t>(placement.stages()) * schedule::kPassKindCount);
    std::vector<std::size_t> found;
    for (int device = 0; device < schedule.devices(); ++device) {
        for (const schedule::Pass &pass : schedule.device(device)) {
            const int direction = isVocabularyPass(pass.kind) ? 0 : placement.directionOf(pass.microbatch);
            const auto key =
                static_cast<std::size_t>((direction * placement.stages() + pass.stage) * schedule::kPassKindCount) +
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
