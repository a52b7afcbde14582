#include "engine/service/search/advise.h"

#include "engine/operators/stage_layers.h"
#include "engine/service/predictions/explain.h"
#include "engine/service/search/even_cut.h"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace stagelens::service {
namespace {

/// A change that saves less of the iteration is not worth a sentence.
constexpr double kWorthwhile = 0.01;
/// Iterations that differ by less count as equally fast, and the one with the least memory is the better.
constexpr double kEqualWithin = 0.03;
constexpr double kEquallyBusy = 0.005; ///< below this difference two devices are as busy as each other

/// The same plan with another vocabulary method; a cut of the layers that was not the person's own follows the method.
model::Experiment withMethod(model::Experiment experiment, model::VocabularyMethod method)
{
    model::Experiment automatic = experiment;
    automatic.parallel.stageLayers.clear();
    if (operators::stageLayers(automatic) == experiment.parallel.stageLayers)
        experiment.parallel.stageLayers.clear();
    experiment.schedule.vocabulary = method;
    return experiment;
}

std::optional<base::Bytes> greatest(const std::vector<base::Bytes> &bytes)
{
    if (bytes.empty())
        return std::nullopt;
    return *std::ranges::max_element(bytes);
}

bool isWorthwhile(base::Nanos iteration, base::Nanos now)
{
    return static_cast<double>(iteration) <= static_cast<double>(now) * (1 - kWorthwhile);
}

/// The option that is clearly faster than `now` and fits, the least memory among those about as fast as the fastest. `capacity`
/// of a device; 0: unknown.
const Advice::Option *bestOption(const std::vector<Advice::Option> &options, base::Nanos now, base::Bytes capacity)
{
    std::vector<const Advice::Option *> helpful;
    for (const Advice::Option &option : options)
        if (option.iteration && isWorthwhile(*option.iteration, now) &&
            (capacity <= 0 || option.peakMemory.value_or(0) <= capacity))
            helpful.push_back(&option);
    const auto fastest = std::ranges::min_element(helpful, {}, [](const auto *option) { return *option->iteration; });
    if (fastest == helpful.end())
        return nullptr;
    const double limit = static_cast<double>(*(*fastest)->iteration) * (1 + kEqualWithin);
    const Advice::Option *best = *fastest;
    for (const Advice::Option *option : helpful)
        if (static_cast<double>(*option->iteration) <= limit && option->peakMemory && best->peakMemory &&
            *option->peakMemory < *best->peakMemory)
            best = option;
    return best;
}

} // namespace

Advice advise(const Prediction &prediction, int cores, const std::stop_token &stop)
{
    Advice advice;
    const simulate::Metrics &metrics = prediction.metrics;
    const auto &busy = metrics.busyPerDevice;
    advice.slowestDevice = static_cast<int>(std::ranges::max_element(busy) - busy.begin());
    if (!metrics.vocabularySharePerDevice.empty())
        advice.vocabularyShare = metrics.vocabularySharePerDevice[static_cast<std::size_t>(advice.slowestDevice)];
    const auto most = static_cast<double>(busy[static_cast<std::size_t>(advice.slowestDevice)]);
    double idle = 0;
    for (std::size_t device = 0; device < busy.size(); ++device)
        if (static_cast<double>(busy[device]) < (1 - kEquallyBusy) * most)
            idle += metrics.bubbleRatioPerDevice[device];
        else if (static_cast<int>(device) != advice.slowestDevice)
            advice.asSlow.push_back(static_cast<int>(device));
    if (const std::size_t others = busy.size() - 1 - advice.asSlow.size(); others > 0)
        advice.othersIdle = idle / static_cast<double>(others);
    if (stop.stop_requested())
        return advice;
    advice.causes = splitBubble(prediction);

    // Durations from a file or in teaching units say nothing about the passes of another method.
    if (!std::holds_alternative<model::HardwarePreset>(prediction.experiment.cost.source))
        return advice;
    if (prediction.experiment.parallel.averagesWeights()) {
        model::Experiment summed = prediction.experiment;
        summed.parallel.syncEvery = 1;
        if (const auto other = predict(summed, cores, {stop, {}}); other && (*other)->metrics.exposedExchange)
            advice.everyStep = Advice::EveryStep{(*other)->metrics.iteration, *(*other)->metrics.exposedExchange};
    }
    for (const model::VocabularyMethod method :
         model::kVocabularyChoices | std::views::transform(&model::VocabularyTraits::method)) {
        Advice::Option option{method, std::nullopt, std::nullopt};
        if (method == prediction.experiment.schedule.vocabulary) {
            option.iteration = metrics.iteration;
            option.peakMemory = greatest(metrics.peakMemory);
        } else if (const auto other = predict(withMethod(prediction.experiment, method), cores, {stop, {}});
                   other && (*other)->experiment.schedule.vocabulary == method) { // a schedule's file has its own method
            option.iteration = (*other)->metrics.iteration;
            option.peakMemory = greatest((*other)->metrics.peakMemory);
        }
        advice.options.push_back(option);
    }
    model::Experiment recut = prediction.experiment;
    recut.parallel.stageLayers = evenCut(prediction);
    if (!recut.parallel.stageLayers.empty())
        if (const auto other = predict(recut, cores, {stop, {}});
            other && isWorthwhile((*other)->metrics.iteration, metrics.iteration))
            advice.cut = {recut.parallel.stageLayers, (*other)->metrics.iteration, greatest((*other)->metrics.peakMemory)};
    if (const Advice::Option *best = bestOption(advice.options, metrics.iteration, prediction.memoryCapacity)) {
        advice.better = best->method;
        advice.speedup = static_cast<double>(metrics.iteration) / static_cast<double>(*best->iteration);
    }
    return advice;
}

} // namespace stagelens::service
