#include "engine/service/search/recompute_advice.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/service/search/predict.h"
#include "engine/simulate/memory.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace stagelens::service {
namespace {

using base::Bytes;

/// Returns the stages of a device, those that hold the most microbatches at a time first.
std::vector<int> stagesByFlight(const schedule::Schedule &schedule, int device)
{
    std::vector<int> now(static_cast<std::size_t>(schedule.stages()));
    std::vector<int> most = now;
    for (const schedule::Pass &pass : schedule.device(device)) {
        if (!schedule::isOfStage(pass.kind))
            continue;
        const std::size_t stage = pass.stage;
        now[stage] += schedule::activationChange(pass.kind);
        most[stage] = std::max(most[stage], now[stage]);
    }
    std::vector<int> stages;
    for (const int stage : schedule.placement().stagesOf(device))
        if (std::ranges::find(stages, stage) == stages.end())
            stages.push_back(stage);
    std::ranges::stable_sort(stages, std::greater(), [&](int stage) { return most[static_cast<std::size_t>(stage)]; });
    return stages;
}

/// Raises the layers of a device's stages from what the plan has until the device fits. Returns its least bytes if it does not.
std::optional<Bytes> fitDevice(model::Experiment &plan, const Prediction &prediction, int device, Bytes limit)
{
    const auto peak = [&] { return simulate::memoryPeak(plan, *prediction.schedule, *prediction.timeline, device).total; };
    Bytes least = peak();
    if (least <= limit)
        return std::nullopt;
    std::vector<int> &layers = plan.schedule.recomputeLayers;
    for (const int stage : stagesByFlight(*prediction.schedule, device)) {
        const auto at = static_cast<std::size_t>(stage);
        while (layers[at] < plan.parallel.stageLayers[at]) {
            ++layers[at];
            const Bytes now = peak();
            least = std::min(least, now);
            if (now <= limit)
                return std::nullopt;
        }
    }
    return least;
}

base::Error refused(std::string message)
{
    return base::Error::invalid("schedule.recompute", std::move(message));
}

} // namespace

base::Result<model::Experiment> withLeastRecomputation(const model::Experiment &experiment, int cores,
                                                       std::optional<base::Bytes> given, const std::stop_token &stop)
{
    if (!experiment.hasModel)
        return refused("is auto, which counts the bytes of a model; name --model or --layers");
    if (experiment.schedule.family == model::kAutomaticFamily)
        return refused("is auto, and so is the schedule; choose a family, or the layers of each stage");
    model::Experiment open = experiment;
    open.schedule.memoryLimit.reset();
    open.schedule.recompute =
        experiment.schedule.recompute == model::Recompute::Full ? model::Recompute::None : experiment.schedule.recompute;
    open.schedule.recomputeLayers.clear();
    constexpr int kRounds = 4; // the order of some families depends on the costs, and so on the layers recomputed
    std::vector<int> found;
    std::optional<base::Error> misfit; // of the order at hand; the next one may fit
    for (int round = 0; round < kRounds; ++round) {
        open.schedule.recomputeLayers = found;
        const auto prediction = predict(open, cores, {stop, {}});
        if (!prediction)
            return prediction.error();
        const Bytes limit = given ? *given : experiment.schedule.memoryLimit.value_or((*prediction)->memoryCapacity);
        if (limit <= 0)
            return refused("is auto, but the memory of a device is unknown; give --memory-limit");
        model::Experiment plan = (*prediction)->experiment;
        plan.schedule.recomputeLayers.resize(plan.parallel.stageLayers.size());
        found = plan.schedule.recomputeLayers;
        misfit.reset();
        for (int device = 0; device < (*prediction)->schedule->devices(); ++device) {
            if (stop.stop_requested())
                return base::Error::cancelled();
            if (const auto least = fitDevice(plan, **prediction, device, limit))
                misfit = base::Error::invalid(
                    "schedule.memory_limit",
                    fmt::format("is {}, but device {} needs {} with all its layers recomputed; raise it, or give more devices",
                                base::bytesText(limit), device, base::bytesText(*least)));
        }
        if (plan.schedule.recomputeLayers == found)
            break;
        found = plan.schedule.recomputeLayers;
    }
    if (misfit)
        return *misfit;
    model::Experiment chosen = experiment;
    chosen.schedule.recompute = open.schedule.recompute;
    chosen.schedule.recomputeLayers = std::move(found);
    if (std::ranges::all_of(chosen.schedule.recomputeLayers, [](int count) { return count == 0; }))
        chosen.schedule.recomputeLayers.clear();
    return chosen;
}

} // namespace stagelens::service
