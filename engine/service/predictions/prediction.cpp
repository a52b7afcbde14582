#include "engine/service/predictions/prediction.h"

#include "engine/schedule/families.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/simulate/costs/what_if_costs.h"
#include "engine/simulate/simulate.h"

namespace stagelens::service {
namespace {

/// Returns the hardware of an experiment's costs, or null if the costs are given durations.
base::Result<std::shared_ptr<const model::Hardware>> hardwareOf(const model::CostChoice &cost)
{
    const auto *preset = std::get_if<model::HardwarePreset>(&cost.source);
    if (preset == nullptr)
        return std::shared_ptr<const model::Hardware>();
    auto hardware = model::hardwareOf(*preset);
    if (!hardware)
        return std::move(hardware).error();
    return std::make_shared<const model::Hardware>(*std::move(hardware));
}

std::string costName(const model::CostChoice &cost)
{
    if (const auto *preset = std::get_if<model::HardwarePreset>(&cost.source))
        return preset->name;
    if (const auto *file = std::get_if<model::DurationsFile>(&cost.source))
        return file->file;
    return "uniform";
}

/// Iteration with the published order of the vocabulary passes, where `best` chose another or might have.
std::optional<base::Nanos> publishedIteration(model::Experiment experiment, const schedule::Schedule &planned)
{
    const bool hasChoice = planned.runs(schedule::PassKind::S) && planned.vocabulary() == experiment.schedule.vocabulary;
    if (!hasChoice || experiment.schedule.vocabularyOrder != model::VocabularyOrder::Best)
        return std::nullopt;
    experiment.schedule.vocabularyOrder = model::VocabularyOrder::Published;
    const auto schedule = scheduleOf(experiment);
    if (!schedule)
        return std::nullopt;
    const auto costs = simulate::makeCostModel(experiment, *schedule);
    if (!costs)
        return std::nullopt;
    const auto timeline = simulate::simulate(*schedule, *costs);
    return timeline ? std::optional(timeline->iteration()) : std::nullopt;
}

} // namespace

base::Result<std::shared_ptr<Prediction>> predictionOf(const model::Experiment &experiment, int cores,
                                                       const std::stop_token &stop)
{
    auto plan = planOf(experiment, cores, stop);
    if (!plan)
        return std::move(plan).error();
    const auto hardware = hardwareOf(experiment.cost);
    if (!hardware)
        return hardware.error();
    if (stop.stop_requested())
        return base::Error::cancelled();

    auto prediction = std::make_shared<Prediction>();
    prediction->experiment = std::move(plan->experiment);
    prediction->schedule = std::make_shared<const schedule::Schedule>(std::move(plan->schedule));

    auto costs = simulate::makeCostModel(prediction->experiment, *prediction->schedule);
    if (!costs)
        return std::move(costs).error();
    auto timeline = simulate::simulate(*prediction->schedule, *costs);
    if (!timeline)
        return std::move(timeline).error();
    prediction->costs = std::make_shared<const simulate::CostModel>(
        costs->classes.empty() ? *std::move(costs) : simulate::shownCosts(*costs, *timeline));
    if (stop.stop_requested())
        return base::Error::cancelled();
    timeline->transfers = simulate::transfersOf(*timeline, *prediction->schedule, *prediction->costs);
    timeline->transfers.shrink_to_fit();
    prediction->timeline = std::make_shared<const timeline::Timeline>(*std::move(timeline));
    if (stop.stop_requested())
        return base::Error::cancelled();
    prediction->metrics =
        simulate::computeMetrics(prediction->experiment, *prediction->schedule, *prediction->timeline, prediction->costs.get(),
                                 *hardware ? simulate::peakFlops(prediction->experiment, **hardware) : 0);
    prediction->metrics.publishedIteration = publishedIteration(prediction->experiment, *prediction->schedule);
    if (prediction->experiment.hasModel)
        prediction->memory = std::make_shared<const simulate::MemoryProfiles>(
            prediction->metrics.peakMemory, prediction->experiment, prediction->schedule, prediction->timeline);
    prediction->hardware = *hardware;
    prediction->memoryCapacity = *hardware ? (*hardware)->usableMemory() : 0;
    prediction->costName = costName(experiment.cost);
    return prediction;
}

base::Result<std::unique_ptr<simulate::PassLegs>> legsOf(const Prediction &prediction)
{
    const auto *preset = std::get_if<model::HardwarePreset>(&prediction.experiment.cost.source);
    if (preset == nullptr)
        return base::Error::invalid("cost", "gives durations of whole passes, without the operators inside them; choose "
                                            "cost.hardware");
    auto hardware = model::hardwareOf(*preset);
    if (!hardware)
        return std::move(hardware).error();
    return std::make_unique<simulate::PassLegs>(prediction.experiment, std::move(hardware).value(), *prediction.schedule);
}

} // namespace stagelens::service
