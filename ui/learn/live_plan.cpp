#include "ui/learn/live_plan.h"

#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "ui/state/fields.h"

#include <fmt/format.h>

namespace stagelens::ui {

namespace {

constexpr int kMostDevices = 32;
constexpr int kMostMicrobatches = 512;
constexpr int kMostPasses = 50'000; ///< forwards

} // namespace

void apply(const Setting &setting, model::Experiment &experiment)
{
    field(setting.field).setValue(experiment, setting.value);
}

model::Experiment besideOf(const model::Experiment &experiment, const std::vector<Setting> &changes)
{
    model::Experiment other = experiment;
    for (const Setting &change : changes)
        apply(change, other);
    return other;
}

std::optional<model::Experiment> besideOf(const LivePlan &plan, const model::Experiment &experiment)
{
    if (plan.other || plan.beside.empty())
        return plan.other;
    return besideOf(experiment, plan.beside);
}

base::Problems livePlanProblems(const model::Experiment &experiment)
{
    if (experiment.schedule.family == model::kAutomaticFamily)
        return {{"schedule.family", "a search takes too long for this picture; choose a schedule"}};
    if (experiment.parallel.devices > kMostDevices)
        return {{"parallel.devices",
                 fmt::format("{} devices are more than the {} of this picture", experiment.parallel.devices, kMostDevices)}};
    if (experiment.parallel.microbatches > kMostMicrobatches)
        return {{"parallel.microbatches", fmt::format("{} microbatches are more than the {} of this picture",
                                                      experiment.parallel.microbatches, kMostMicrobatches)}};
    if (base::Problems problems = model::validate(experiment); !problems.empty())
        return problems;
    const double passes = static_cast<double>(experiment.parallel.devices) * experiment.parallel.microbatches *
                          model::stagesPerDevice(experiment.schedule);
    if (passes > kMostPasses)
        return {{"schedule.chunks",
                 fmt::format("the plan has more than the {} forwards of this picture; use fewer chunks or microbatches",
                             kMostPasses)}};
    return {};
}

} // namespace stagelens::ui
