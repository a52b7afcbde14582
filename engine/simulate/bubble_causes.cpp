#include "engine/simulate/metrics.h"
#include "engine/simulate/simulate.h"
#include "engine/simulate/steps/iterations.h"
#include "engine/simulate/wait_plan.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace stagelens::simulate {

using base::Nanos;
using schedule::PassKind;

namespace {

/// Replaces the cost of every pass by `change` of that cost and the mean of its kind.
void adjust(CostModel &costs, const std::vector<PassClass> &classes,
            const std::function<PassCost(PassKind, const PassCost &own, const PassCost &mean)> &change)
{
    struct Sum {
        PassCost cost;
        Nanos count = 0;
    };
    std::array<Sum, schedule::kPassKindCount> sums;
    for (const PassClass &passes : classes) {
        const PassCost &own = costs.pass(passes.device, passes.kind, passes.stage);
        Sum &sum = sums[static_cast<std::size_t>(passes.kind)];
        sum.cost.duration += own.duration;
        sum.cost.vocabulary += own.vocabulary;
        sum.cost.quadratic += own.quadratic;
        sum.cost.expert += own.expert;
        ++sum.count;
    }
    for (const PassClass &passes : classes) {
        const Sum &sum = sums[static_cast<std::size_t>(passes.kind)];
        const PassCost mean{.duration = sum.cost.duration / sum.count,
                            .vocabulary = sum.cost.vocabulary / sum.count,
                            .quadratic = sum.cost.quadratic / sum.count,
                            .expert = sum.cost.expert / sum.count};
        const PassCost own = costs.pass(passes.device, passes.kind, passes.stage);
        costs.setPass(passes.device, passes.kind, passes.stage, change(passes.kind, own, mean));
    }
}

void removeCommunication(CostModel &costs, int devices)
{
    costs.collectives = model::Collectives::Overlapped;
    for (int transfer = 0; transfer < schedule::kTransferCount; ++transfer)
        costs.setCollective(static_cast<schedule::Transfer>(transfer), 0);
    for (int from = 0; from < devices; ++from) {
        for (int to = 0; to < devices; ++to)
            costs.setSend(from, to, 0);
    }
}

PassCost withEvenVocabulary(PassKind kind, const PassCost &own, const PassCost &mean)
{
    if (schedule::isVocabularyPass(kind))
        return mean;
    return {.duration = own.duration - own.vocabulary + mean.vocabulary,
            .vocabulary = mean.vocabulary,
            .quadratic = own.quadratic,
            .expert = own.expert};
}

/// Returns the idle device-time; 0 for a schedule that cannot run.
Nanos idleTime(const schedule::Schedule &schedule, const CostModel &costs)
{
    const base::Result<timeline::Timeline> timeline = simulate(schedule, costs);
    if (!timeline)
        return 0;
    Nanos idle = (timeline->makespan() - betweenSteps(*timeline)) * timeline->devices();
    for (const timeline::Lane &lane : timeline->lanes) {
        for (std::size_t i = 0; i < lane.size(); ++i)
            idle -= lane.end[i] - lane.begin[i];
    }
    return idle;
}

} // namespace

BubbleCauses bubbleCauses(const schedule::Schedule &schedule, const CostModel &costs, const CostModel *planned)
{
    CostModel changed = costs;
    const std::vector<PassClass> classes = passClasses(schedule);
    Nanos left = idleTime(schedule, changed);
    // A removal that lengthens the bubble saves nothing; the difference stays with the remaining causes.
    const auto saved = [&] {
        const Nanos before = left;
        left = std::min(left, idleTime(schedule, changed));
        return before - left;
    };
    BubbleCauses causes;
    if (planned != nullptr) {
        changed = *planned;
        causes.slowParts = saved();
    }
    removeCommunication(changed, schedule.devices());
    causes.communication = saved();
    adjust(changed, classes, withEvenVocabulary);
    causes.vocabularyLayers = saved();
    adjust(changed, classes, [](PassKind, const PassCost &, const PassCost &mean) { return mean; });
    causes.unequalStages = saved();
    causes.fillAndDrain = left;
    return causes;
}

} // namespace stagelens::simulate
