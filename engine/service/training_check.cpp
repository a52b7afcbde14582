#include "engine/base/text.h"
#include "engine/runtime/run_check.h"
#include "engine/runtime/training_run.h"
#include "engine/service/engine_service.h"

#include <algorithm>

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

base::Problems trainingProblems(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    if (!experiment.hasModel)
        return {{"model", "a teaching example has no model to train; choose a model"}};
    const std::vector<BackendInfo> known = backends();
    const auto backend = std::ranges::find(known, experiment.training.backend, &BackendInfo::name);
    if (backend == known.end() || !backend->available)
        return {{"training.backend",
                 base::concat(experiment.training.backend, " is not available",
                              backend == known.end() ? std::string() : ": " + backend->reason, "; choose cpu")}};
    const auto checked = runtime::checkRun(experiment, schedule);
    return checked ? base::Problems() : checked.error().problems;
}

} // namespace stagelens::service
