#include "engine/service/plans/training_check.h"

#include "engine/runtime/machine/processor.h"
#include "engine/runtime/memory/memory_check.h"
#include "engine/runtime/training/run_check.h"
#include "engine/service/plans/schedule_plan.h"

#include <utility>

namespace stagelens::service {

base::Bytes bytesToTrain(const model::Experiment &experiment)
{
    if (!experiment.schedule.hasOwnOrder())
        return runtime::requiredBytes(experiment);
    const auto schedule = scheduleOf(experiment);
    return schedule ? runtime::requiredBytes(experiment, *schedule) : 0;
}

base::Bytes availableBytes()
{
    return runtime::availableBytes();
}

namespace {

base::Problems problemsOf(const model::Experiment &experiment, const schedule::Schedule &schedule, bool isHere)
{
    if (schedule.drainsBetweenSteps()) {
        const SchedulePlan step = trained({experiment, schedule, {}});
        return problemsOf(step.experiment, step.schedule, isHere);
    }
    if (!experiment.hasModel)
        return {{"model", "a teaching example has no model to train; choose a model"}};
    const auto checked = isHere ? runtime::checkRun(experiment, schedule) : runtime::checkPlan(experiment, schedule);
    base::Problems problems = checked ? base::Problems() : checked.error().problems;
    for (base::Problem &problem : runtime::stepProblems(experiment, schedule.iterations()))
        problems.push_back(std::move(problem));
    return problems;
}

} // namespace

std::size_t passesToCheck(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    return runtime::passesOfRails(experiment, schedule);
}

base::Problems trainingProblems(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    return problemsOf(experiment, schedule, true);
}

base::Problems planProblems(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    return problemsOf(experiment, schedule, false);
}

} // namespace stagelens::service
