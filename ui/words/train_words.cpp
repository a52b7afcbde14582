#include "ui/words/train_words.h"

#include "engine/service/machine/backends.h"
#include "engine/service/machine/environment.h"
#include "engine/service/plans/training_check.h"
#include "ui/words/engine_messages.h"
#include "ui/words/problem_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <numeric>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

QString trainingWords(const service::Prediction &plan, int cores)
{
    const model::Experiment &experiment = plan.experiment;
    const int devices = experiment.parallel.devices;
    const bool live = model::runMode(experiment, cores) == model::RunMode::Live;
    QString words = experiment.training.backend == "cpu" ? Words::tr("CPU, ") : qtText(experiment.training.backend) + u", "_s;
    if (live)
        words += Words::tr("live, %1 devices on %2 cores").arg(devices).arg(cores);
    else if (devices > cores)
        words += Words::tr("virtual clock, because %1 devices > %2 cores").arg(devices).arg(cores);
    else
        words += Words::tr("virtual clock, as chosen");
    const auto *hardware = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    if (hardware && hardware->name == "cpu-local") {
        const auto &busy = plan.metrics.busyPerDevice;
        const base::Nanos step = live ? plan.metrics.iteration : std::accumulate(busy.begin(), busy.end(), base::Nanos{0});
        words += Words::tr("; about ") + secondsText(static_cast<double>(step) / 1e9 * experiment.training.steps);
    }
    const auto &peaks = plan.metrics.peakMemory;
    if (!peaks.empty())
        words += u", "_s + bytesText(std::accumulate(peaks.begin(), peaks.end(), base::Bytes{0}));
    return words;
}

QString backendWords(const service::BackendInfo &backend)
{
    if (!backend.available)
        return Words::tr("not available: ") + engineMessage(backend.reason);
    if (backend.name != "cpu")
        return engineMessage(backend.description);
    const auto facts = service::environment();
    const auto fact = [&facts](const char *name) {
        const auto found = facts.find(name);
        return found == facts.end() ? QString() : qtText(found->second);
    };
    return Words::tr("%1, %2 cores, %3").arg(fact("cpu"), fact("cores"), fact("memory"));
}

QString trainingObstacle(const service::PredictionPtr &plan, const base::Problems &problems)
{
    if (!problems.empty())
        return Words::tr("This plan cannot be trained. ") + sentence(base::Error::invalid(problems));
    if (!plan)
        return Words::tr("The plan is being computed.");
    if (!plan->experiment.hasModel)
        return Words::tr("This teaching example has no model to train. Choose a model.");
    return {};
}

MachineObstacle machineObstacle(const service::Prediction &plan)
{
    const base::Problems problems = service::trainingProblems(plan.experiment, *plan.schedule);
    if (problems.empty())
        return {};
    // What scaledCopy() changes: sizes, and with them the memory, the model's family, the backend.
    const bool copyHelps = std::all_of(problems.begin(), problems.end(), [](const base::Problem &problem) {
        return problem.field == "model" || problem.field == "model.family" || problem.field == "training.backend";
    });
    return {problemWords(problems.front(), plan.experiment), copyHelps};
}

} // namespace stagelens::ui
