#include "ui/state/quick_prediction.h"

#include "engine/model/family_shape.h"
#include "engine/model/what_if.h"

#include <algorithm>

namespace stagelens::ui {

namespace {
constexpr double kMostQuickPasses = 8'000;
} // namespace

double simulatedPasses(const model::Experiment &experiment)
{
    // Replicas that differ are simulated one after another.
    const int simulations = model::changesTimes(experiment.whatIf) ? 2 * experiment.parallel.replicas : 1;
    return static_cast<double>(experiment.parallel.devices) * experiment.parallel.microbatches *
           experiment.schedule.iterations * std::max(model::passesOfMicrobatch(experiment.schedule), 1.0) *
           std::max(model::slicesOf(experiment.schedule), 1) * simulations;
}

bool isQuick(const model::Experiment &experiment)
{
    const bool readsFile = !experiment.whatIf.lengths.empty() || !experiment.schedule.file.empty() ||
                           std::holds_alternative<model::DurationsFile>(experiment.cost.source);
    return experiment.schedule.family != model::kAutomaticFamily && // hundreds of plans
           !readsFile && simulatedPasses(experiment) <= kMostQuickPasses;
}

bool isShortSchedule(const std::filesystem::path &file)
{
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    return error || bytes <= kScheduleBytesAtOnce;
}

bool isShortOrder(const model::ScheduleChoice &choice)
{
    return choice.text.size() <= kScheduleBytesAtOnce && isShortSchedule(choice.file);
}

} // namespace stagelens::ui
