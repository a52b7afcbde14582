#include "ui/words/advice/diagnosis.h"

#include "engine/schedule/vocabulary_tables.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace stagelens::ui {

namespace {

/// Part of the iteration.
double shareOf(base::Nanos time, const simulate::Metrics &metrics)
{
    return metrics.iteration > 0 ? static_cast<double>(time) / static_cast<double>(metrics.iteration) : 0;
}

/// The most that one device waits, as part of the iteration.
double shareOf(const std::vector<base::Nanos> &perDevice, const simulate::Metrics &metrics)
{
    return perDevice.empty() ? 0 : shareOf(std::ranges::max(perDevice), metrics);
}

/// "Experts send for as long as they compute: 51 % of the step."
QString expertWords(const simulate::Metrics &metrics)
{
    constexpr double kAsLong = 0.9; // of the time that the device computes
    const auto most = std::ranges::max_element(metrics.expertPerDevice);
    const base::Nanos busy = metrics.busyPerDevice[static_cast<std::size_t>(most - metrics.expertPerDevice.begin())];
    QString text = (static_cast<double>(*most) >= kAsLong * static_cast<double>(busy - *most)
                        ? Words::tr("Experts send for as long as they compute: %1 of the step.")
                        : Words::tr("Every layer with experts waits for its all-to-alls: %1 of the step."))
                       .arg(shareText(shareOf(*most, metrics)));
    if (metrics.expertLoad && *metrics.expertLoad >= 1 + kNoticeable)
        text += Words::tr(" The busiest expert rank receives %1 its share of the tokens, and the others wait for it.")
                    .arg(factorText(*metrics.expertLoad));
    return text;
}

/// "Averaging gradients over 16 replicas adds 310 ms after the last backward: 12 % of the step."
QString gradientWords(const model::ParallelPlan &parallel, const simulate::Metrics &metrics)
{
    return (parallel.context > 1
                ? Words::tr("Averaging gradients over %1 ranks adds %2 after the last backward: %3 of the step.")
                : Words::tr("Averaging gradients over %1 replicas adds %2 after the last backward: %3 of the "
                            "step."))
        .arg(QString::number(parallel.replicas * parallel.context), durationText(*metrics.exposedExchange),
             shareText(shareOf(*metrics.exposedExchange, metrics)));
}

QString vocabularyWords(const service::Prediction &prediction, int device)
{
    const schedule::VocabularyTables tables(*prediction.schedule);
    if (tables.holdsTokens(device) == tables.holdsOutput(device))
        return Words::tr("the vocabulary layers");
    return tables.holdsOutput(device) ? Words::tr("the output layer") : Words::tr("the input embedding");
}

/// By how much more of the time the other devices wait on average than the slowest one, those that are as slow included.
double leadOf(const simulate::Metrics &metrics, const service::Advice &advice)
{
    const auto slowest = static_cast<std::size_t>(advice.slowestDevice);
    const std::vector<double> &idle = metrics.bubbleRatioPerDevice;
    if (slowest >= idle.size() || idle.size() < 2)
        return 0;
    const auto others = static_cast<double>(idle.size() - 1);
    return (advice.othersIdle - idle[slowest]) * (others - static_cast<double>(advice.asSlow.size())) / others;
}

/// "Device 3 holds the others up: ", "Devices 0, 1 and 2 hold the others up: ", "5 devices hold the others up: ".
QString slowestWords(const service::Advice &advice)
{
    constexpr std::size_t kMostNamed = 3;
    std::vector<int> devices = advice.asSlow;
    devices.push_back(advice.slowestDevice);
    std::ranges::sort(devices);
    if (devices.size() == 1)
        return Words::tr("Device %1 holds the others up: ").arg(devices.front());
    if (devices.size() > kMostNamed)
        return Words::tr("%1 devices hold the others up: ").arg(devices.size());
    QString list = QString::number(devices.front());
    for (std::size_t i = 1; i < devices.size(); ++i)
        list = (i + 1 < devices.size() ? Words::tr("%1, %2") : Words::tr("%1 and %2")).arg(list).arg(devices[i]);
    return Words::tr("Devices %1 hold the others up: ").arg(list);
}

/// What equal work of all devices would save of the bubble.
base::Nanos ofUnequalWork(const simulate::BubbleCauses &causes)
{
    return causes.unequalStages + causes.vocabularyLayers + causes.slowParts;
}

/// Whether the devices wait longer for the pipeline or for messages than because one of them has more work.
bool isOfOrder(const simulate::BubbleCauses &causes)
{
    return std::max(causes.fillAndDrain, causes.communication) > ofUnequalWork(causes);
}

/// Of a plan with fewer than two microbatches, or slices of them, for each device: that they are too few. Empty for others.
QString fewWords(const service::Prediction &prediction)
{
    const int slices = prediction.timeline ? prediction.timeline->slices : 1;
    const int devices = prediction.experiment.parallel.devices;
    const int microbatches = prediction.experiment.parallel.microbatches;
    if (microbatches * slices >= 2 * devices)
        return {};
    return microbatches == 1
               ? Words::tr("One microbatch is too few for %1 devices, which idle %2 of the time, above all while "
                           "the pipeline fills and drains.")
                     .arg(QString::number(devices), shareText(prediction.metrics.bubbleRatio))
               : Words::tr("%1 microbatches are few for %2 devices, which idle %3 of the time, above all while "
                           "the pipeline fills and drains.")
                     .arg(QString::number(microbatches), QString::number(devices), shareText(prediction.metrics.bubbleRatio));
}

/// For how long the devices wait, and the greatest cause; `isEven`: they are evenly loaded.
QString bubbleWords(const service::Prediction &prediction, const simulate::BubbleCauses &causes, bool isEven)
{
    const simulate::Metrics &metrics = prediction.metrics;
    const bool isNoticeable = metrics.bubbleRatio >= kNoticeable;
    const bool isFilling =
        causes.fillAndDrain > 0 && causes.fillAndDrain >= causes.communication && causes.fillAndDrain > ofUnequalWork(causes);
    if (const QString few = isNoticeable && isFilling ? fewWords(prediction) : QString(); !few.isEmpty())
        return few;
    struct Cause {
        base::Nanos time;
        QString words;
    };
    if (!isEven)
        return (causes.fillAndDrain >= causes.communication
                    ? Words::tr("The devices idle %1 of the time, above all while the pipeline fills and drains.")
                    : Words::tr("The devices idle %1 of the time, above all for messages and barriers."))
            .arg(shareText(metrics.bubbleRatio));
    const std::array all{
        Cause{causes.fillAndDrain,
              Words::tr(
                  "The devices are evenly loaded; they idle %1 of the time, above all while the pipeline fills and drains.")},
        Cause{causes.communication,
              Words::tr("The devices are evenly loaded; they idle %1 of the time, above all for messages and barriers.")},
        Cause{causes.unequalStages,
              Words::tr("The devices are evenly loaded; they idle %1 of the time, above all because stages are unequal.")},
        Cause{causes.vocabularyLayers,
              Words::tr("The devices are evenly loaded; they idle %1 of the time, above all for the vocabulary layers.")},
        Cause{causes.slowParts,
              Words::tr("The devices are evenly loaded; they idle %1 of the time, above all for the what-ifs' slow parts.")},
    };
    const Cause &greatest = *std::ranges::max_element(all, {}, &Cause::time);
    return (isNoticeable && greatest.time > 0 ? greatest.words
                                              : Words::tr("The devices are evenly loaded; they idle %1 of the time."))
        .arg(shareText(metrics.bubbleRatio));
}

/// How much more of the slowest device's work is vocabulary layers than of the others' on average.
double moreVocabulary(const simulate::Metrics &metrics, const service::Advice &advice)
{
    const std::vector<double> &shares = metrics.vocabularySharePerDevice;
    const double own = advice.vocabularyShare.value_or(0);
    if (shares.size() < 2)
        return own;
    return own - (std::accumulate(shares.begin(), shares.end(), 0.0) - own) / static_cast<double>(shares.size() - 1);
}

/// Of the exchanges that devices wait for, the longest one; a loss below kNoticeable or the bubble is not returned.
std::optional<Loss> greatestExchange(const service::Prediction &prediction, const service::Advice &advice)
{
    const simulate::Metrics &metrics = prediction.metrics;
    // Averages of weights every few steps have their own sentence.
    const bool isGradients = metrics.exposedExchange && !prediction.experiment.parallel.averagesWeights();
    const std::array shares{std::pair{shareOf(metrics.replicaPerDevice, metrics), Loss::Replicas},
                            std::pair{shareOf(metrics.contextPerDevice, metrics), Loss::Context},
                            std::pair{shareOf(metrics.tensorPerDevice, metrics), Loss::Tensor},
                            std::pair{isGradients ? shareOf(*metrics.exposedExchange, metrics) : 0.0, Loss::Gradients},
                            std::pair{shareOf(metrics.expertPerDevice, metrics), Loss::Experts}};
    const auto &[share, loss] = *std::ranges::max_element(shares, {}, [](const auto &each) { return each.first; });
    const bool isNamed = share >= kNoticeable && share > std::max(metrics.bubbleRatio, advice.othersIdle);
    return isNamed ? std::optional(loss) : std::nullopt;
}

QString exchangeWords(Loss loss, const service::Prediction &prediction)
{
    const simulate::Metrics &metrics = prediction.metrics;
    const auto waits = [&metrics](const QString &words, const std::vector<base::Nanos> &perDevice) {
        return words.arg(shareText(shareOf(perDevice, metrics)));
    };
    switch (loss) {
    case Loss::Replicas:
        return waits(Words::tr("Every layer waits for the exchange of the replicas: %1 of the step."),
                     metrics.replicaPerDevice);
    case Loss::Context:
        return waits(Words::tr("Every layer waits for context communication: %1 of the step."), metrics.contextPerDevice);
    case Loss::Tensor:
        return waits(Words::tr("Every layer waits for tensor communication: %1 of the step."), metrics.tensorPerDevice);
    case Loss::Gradients: return gradientWords(prediction.experiment.parallel, metrics);
    default: return expertWords(metrics);
    }
}

} // namespace

Diagnosis diagnose(const service::Prediction &prediction, const service::Advice &advice)
{
    const simulate::Metrics &metrics = prediction.metrics;
    if (const auto exchange = greatestExchange(prediction, advice))
        return {*exchange, exchangeWords(*exchange, prediction)};
    if (prediction.experiment.parallel.devices == 1)
        return {Loss::OneDevice, Words::tr("One device does all the work.")};
    const bool isEven = leadOf(metrics, advice) < kNoticeable;
    if (isEven || isOfOrder(advice.causes))
        return {Loss::Bubble, bubbleWords(prediction, advice.causes, isEven)};
    const bool isVocabulary = moreVocabulary(metrics, advice) >= kNoticeable;
    const bool isOne = advice.asSlow.empty();
    const QString why = isVocabulary
                            ? (isOne ? Words::tr("%1 of its work is %2; ") : Words::tr("%1 of their work is %2; "))
                                  .arg(shareText(*advice.vocabularyShare), vocabularyWords(prediction, advice.slowestDevice))
                        : isOne ? Words::tr("it has the most work; ")
                                : Words::tr("they have the most work; ");
    return {isVocabulary ? Loss::Vocabulary : Loss::SlowestDevice,
            slowestWords(advice) + why + Words::tr("the others idle %1 of the time.").arg(shareText(advice.othersIdle))};
}

} // namespace stagelens::ui
