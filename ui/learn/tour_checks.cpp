#include "ui/learn/tour_checks.h"

#include "ui/learn/tour_values.h"
#include "ui/state/quick_prediction.h"
#include "ui/words/comparison.h"
#include "ui/words/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::ui {
namespace {

constexpr double kMostMovedPasses = 400; ///< of a plan whose passes are moved by hand

base::Result<> checkReorder(const TourStep &step)
{
    if (!step.plan.reorder)
        return step.solvedOrder.isEmpty() ? base::Result<>()
                                          : base::Result<>(wrong("the solution is an order; add 'reorder: yes'"));
    if (step.solvedOrder.isEmpty() || !step.solution.empty())
        return wrong("the solution of a challenge with 'reorder' is one order a device, such as '0: F0 B0 F1 B1'");
    if (!step.plan.beside.empty())
        return wrong("a challenge with 'reorder' has no plan beside");
    if (std::ranges::none_of(step.goals, [](const CheckedClaim &goal) { return goal.claim.limits("makespan"); }))
        return wrong("a challenge with 'reorder' has a goal such as 'makespan <= start_makespan'");
    if (simulatedPasses(step.plan.experiment) > kMostMovedPasses)
        return wrong(fmt::format("the plan has more than the {} passes that are moved by hand; use fewer microbatches",
                                 kMostMovedPasses));
    return {};
}

base::Result<> checkChallenge(const TourStep &step)
{
    const bool isChallenge = !step.goals.empty();
    const bool hasSolution = !step.solution.empty() || !step.solvedOrder.isEmpty();
    if (isChallenge != hasSolution || isChallenge == step.hint.isEmpty())
        return wrong("a challenge has goals, a hint and a solution; give all three, or none");
    for (const Setting &setting : step.solution)
        if (!step.plan.controls.contains(setting.field))
            return wrong(
                fmt::format("the solution sets {}, which the reader cannot change; add it to 'change'", utf8(setting.field)));
    return checkReorder(step);
}

base::Result<> checkRuns(const TourStep &step)
{
    const std::size_t runs = step.plan.runs.size();
    if (runs == 1 || runs > kMostCompared)
        return wrong(fmt::format("{} runs cannot be compared; offer two to {}", runs, kMostCompared));
    if (step.outcomes.empty() != (runs == 0))
        return wrong("runs need 'outcome', and 'outcome' needs runs; give both or none");
    if (runs > 0 && !step.plan.experiment.hasModel)
        return wrong("the plan of this step has no model to train; leave out 'costs'");
    return {};
}

} // namespace

base::Result<> checkStep(const TourStep &step)
{
    if (auto challenge = checkChallenge(step); !challenge)
        return challenge;
    return checkRuns(step);
}

} // namespace stagelens::ui
