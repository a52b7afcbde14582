#include "ui/learn/live_plan.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "ui/state/fields.h"

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

base::Problems livePlanProblems(const model::Experiment &experiment)
{
    if (experiment.schedule.family == model::kAutomaticFamily)
        return {{"schedule.family", "a search takes too long for this picture; choose a schedule"}};
    if (experiment.parallel.devices > kMostDevices)
        return {{"parallel.devices",
                 base::concat(experiment.parallel.devices, " devices are more than the ", kMostDevices, " of this picture")}};
    if (experiment.parallel.microbatches > kMostMicrobatches)
        return {{"parallel.microbatches", base::concat(experiment.parallel.microbatches, " microbatches are more than the ",
                                                       kMostMicrobatches, " of this picture")}};
    if (base::Problems problems = model::validate(experiment); !problems.empty())
        return problems;
    const double passes = static_cast<double>(experiment.parallel.devices) * experiment.parallel.microbatches *
                          model::stagesPerDevice(experiment.schedule);
    if (passes > kMostPasses)
        return {{"schedule.chunks", base::concat("the plan has more than the ", kMostPasses,
                                                 " forwards of this picture; use fewer chunks or microbatches")}};
    return {};
}

} // namespace stagelens::ui
