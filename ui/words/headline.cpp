#include "ui/words/headline.h"

#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "engine/schedule/families.h"
#include "engine/schedule/vocabulary_tables.h"
#include "ui/words/tr.h"
#include "ui/words/what_if_words.h"
#include "ui/words/words.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using model::VocabularyMethod;

namespace {

/// Below this share of the iteration a difference between devices is not worth a sentence.
constexpr double kNoticeable = 0.05;
/// A change that saves less of the iteration is not worth a sentence.
constexpr double kWorthwhile = 0.01;

QString vocabularyWords(const service::Prediction &prediction, int device)
{
    const schedule::VocabularyTables tables(*prediction.schedule);
    if (tables.holdsTokens(device) == tables.holdsOutput(device))
        return Words::tr("the vocabulary layers");
    return tables.holdsOutput(device) ? Words::tr("the output layer") : Words::tr("the input embedding");
}

/// By how much more of the time the other devices wait than the slowest one.
double leadOf(const service::Prediction &prediction, const service::Advice &advice)
{
    const auto slowest = static_cast<std::size_t>(advice.slowestDevice);
    const std::vector<double> &idle = prediction.metrics.bubbleRatioPerDevice;
    return slowest < idle.size() ? advice.othersIdle - idle[slowest] : 0;
}

/// The greatest share of the step in which a device's passes exchange.
double shareOf(const std::vector<base::Nanos> &times, const simulate::Metrics &metrics)
{
    const base::Nanos most = times.empty() ? 0 : *std::ranges::max_element(times);
    return metrics.iteration > 0 ? static_cast<double>(most) / static_cast<double>(metrics.iteration) : 0;
}

/// Whether diagnosis() names the all-to-alls of experts.
bool namesExperts(const service::Prediction &prediction, const service::Advice &advice)
{
    const simulate::Metrics &metrics = prediction.metrics;
    const double experts = shareOf(metrics.expertPerDevice, metrics);
    return experts >= kNoticeable &&
           experts > std::max({metrics.bubbleRatio, advice.othersIdle, shareOf(metrics.tensorPerDevice, metrics),
                               shareOf(metrics.contextPerDevice, metrics), shareOf(metrics.replicaPerDevice, metrics)});
}

/// Whether diagnosis() names the vocabulary layers.
bool namesVocabulary(const service::Prediction &prediction, const service::Advice &advice)
{
    return !namesExperts(prediction, advice) && prediction.experiment.parallel.devices > 1 &&
           leadOf(prediction, advice) >= kNoticeable && advice.vocabularyShare.value_or(0) >= kNoticeable;
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
                       .arg(shareText(shareOf(metrics.expertPerDevice, metrics)));
    if (metrics.expertLoad && *metrics.expertLoad >= 1 + kNoticeable)
        text += Words::tr(" The busiest expert rank receives %1 its share of the tokens, and the others wait for it.")
                    .arg(factorText(*metrics.expertLoad));
    return text;
}

/// What keeps the others waiting, or that nothing does.
QString diagnosis(const service::Prediction &prediction, const service::Advice &advice)
{
    const simulate::Metrics &metrics = prediction.metrics;
    if (namesExperts(prediction, advice))
        return expertWords(metrics);
    const double tensor = shareOf(metrics.tensorPerDevice, metrics);
    const double context = shareOf(metrics.contextPerDevice, metrics);
    const double replicas = shareOf(metrics.replicaPerDevice, metrics);
    const double most = std::max({tensor, context, replicas});
    if (most >= kNoticeable && most > std::max(metrics.bubbleRatio, advice.othersIdle))
        return (replicas == most  ? Words::tr("Every layer waits for the exchange of the replicas: %1 of the step.")
                : context == most ? Words::tr("Every layer waits for context communication: %1 of the step.")
                                  : Words::tr("Every layer waits for tensor communication: %1 of the step."))
            .arg(shareText(most));
    if (prediction.experiment.parallel.devices == 1)
        return Words::tr("One device does all the work.");
    if (leadOf(prediction, advice) < kNoticeable)
        return Words::tr("The devices are evenly loaded; they idle %1 of the time.")
            .arg(shareText(prediction.metrics.bubbleRatio));
    QString text = Words::tr("Device %1 holds the others up: ").arg(advice.slowestDevice);
    if (namesVocabulary(prediction, advice))
        text += Words::tr("%1 of its work is %2; ")
                    .arg(shareText(*advice.vocabularyShare), vocabularyWords(prediction, advice.slowestDevice));
    else
        text += Words::tr("it has the most work; ");
    return text + Words::tr("the others idle %1 of the time.").arg(shareText(advice.othersIdle));
}

/// Of replicas that average weights every few steps: what of that is exposed; else nothing.
QString averagingWords(const service::Prediction &prediction, const service::Advice &advice)
{
    const simulate::Metrics &metrics = prediction.metrics;
    if (!advice.everyStep || !metrics.exposedExchange)
        return {};
    const int every = prediction.experiment.parallel.syncEvery;
    base::Nanos longest = 0;
    for (const timeline::Lane &lane : prediction.timeline->lanes)
        for (const timeline::AnchoredSlice &slice : lane.anchored)
            if (slice.kind == timeline::AnchoredKind::AverageParameters)
                longest = std::max(longest, slice.end - slice.begin);
    const base::Nanos hidden = std::max<base::Nanos>(0, longest / every - *metrics.exposedExchange);
    const QString exposed = durationText(*metrics.exposedExchange);
    if (hidden == 0)
        return Words::tr(" Averaging weights every %1 steps exposes %2 a step.").arg(QString::number(every), exposed);
    return Words::tr(" Averaging weights every %1 steps exposes %2 a step and hides %3.")
        .arg(QString::number(every), exposed, durationText(hidden));
}

/// Puts what that saves before the best alternative.
void addSavingOfAverages(Headline &headline, const service::Prediction &prediction, const service::Advice &advice)
{
    if (!advice.everyStep)
        return;
    const double longer =
        static_cast<double>(advice.everyStep->iteration) / static_cast<double>(prediction.metrics.iteration) - 1;
    const QString saving = longer < kWorthwhile ? Words::tr("Gradients summed in every step would take no more time.")
                                                : Words::tr("Gradients summed in every step would expose %1: %2 more time.")
                                                      .arg(durationText(advice.everyStep->exposedExchange), shareText(longer));
    headline.second = headline.second.isEmpty() ? saving : saving + u' ' + headline.second;
}

/// The device that needs more than it has, or nothing.
std::optional<int> overfullDevice(const service::Prediction &prediction)
{
    const std::vector<base::Bytes> &peaks = prediction.metrics.peakMemory;
    const auto worst = std::max_element(peaks.begin(), peaks.end());
    if (prediction.memoryCapacity <= 0 || worst == peaks.end() || *worst <= prediction.memoryCapacity)
        return std::nullopt;
    return static_cast<int>(worst - peaks.begin());
}

/// The fastest method whose memory suffices, or null.
const service::Advice::Option *fittingOption(const service::Prediction &prediction, const service::Advice &advice)
{
    const service::Advice::Option *best = nullptr;
    for (const service::Advice::Option &option : advice.options) {
        if (option.iteration && option.peakMemory && *option.peakMemory <= prediction.memoryCapacity &&
            (!best || *option.iteration < *best->iteration))
            best = &option;
    }
    return best;
}

Headline overfull(const service::Prediction &prediction, const service::Advice *advice, const MemoryFix *fix, int device)
{
    Headline headline;
    headline.text =
        Words::tr("Device %1 %2.")
            .arg(device)
            .arg(needsText(prediction.metrics.peakMemory[static_cast<std::size_t>(device)], prediction.memoryCapacity));
    if (!advice)
        return headline;
    const service::Advice::Option *best = fittingOption(prediction, *advice);
    if (best) {
        headline.text +=
            Words::tr(" %1 would fit with %2 (predicted).").arg(shortName(best->method), bytesText(*best->peakMemory));
        headline.action = best->method;
        headline.actionCaption = Words::tr("Try ") + shortName(best->method);
    } else if (fix) {
        headline.text += Words::tr(" With %1 it would fit: %2 (predicted).").arg(fix->words, bytesText(fix->peakMemory));
        headline.isFix = true;
        headline.actionCaption = Words::tr("Try ") + fix->words;
    } else {
        headline.text +=
            Words::tr(" No vocabulary method makes it fit: use more devices, a smaller microbatch or fewer layers.");
    }
    return headline;
}

/// The synchronous family that is clearly faster than the plan and fits; null where there is none.
const FamilyOption *fasterFamily(const service::Prediction &prediction, const FamilyOptions &families)
{
    const FamilyOption *best = nullptr;
    for (const FamilyOption &option : families.options) {
        const schedule::Family *family = schedule::findFamily(option.family);
        const bool fits = prediction.memoryCapacity <= 0 || option.peakMemory.value_or(0) <= prediction.memoryCapacity;
        if (family == nullptr || !family->synchronous || !option.iteration || !fits)
            continue;
        if (static_cast<double>(*option.iteration) <= static_cast<double>(prediction.metrics.iteration) * (1 - kWorthwhile) &&
            (best == nullptr || *option.iteration < *best->iteration))
            best = &option;
    }
    return best;
}

/// The share of the all-to-alls of experts that passes no longer wait for with that family; nothing if it hides none.
std::optional<double> hiddenExperts(const service::Prediction &prediction, const FamilyOption &family)
{
    const std::vector<base::Nanos> &now = prediction.metrics.expertPerDevice;
    if (!family.experts || now.empty())
        return std::nullopt;
    const double hidden = 1 - static_cast<double>(*family.experts) / static_cast<double>(std::ranges::max(now));
    return hidden >= kNoticeable ? std::optional(hidden) : std::nullopt;
}

/// A plan that others are compared with: the one that the verdict recommends, or else the present one.
struct Measure {
    QString name; ///< of what is recommended; empty: the present plan
    base::Nanos iteration = 0;
    base::Bytes peak = 0; ///< of the fullest device
};

Measure measureOf(const service::Prediction &prediction, const service::Advice &advice, const FamilyOptions &families,
                  const Headline &headline)
{
    const std::vector<base::Bytes> &peaks = prediction.metrics.peakMemory;
    Measure measure{{}, prediction.metrics.iteration, peaks.empty() ? 0 : std::ranges::max(peaks)};
    const auto take = [&measure](const QString &name, const auto &option) {
        if (option.iteration && option.peakMemory)
            measure = {name, *option.iteration, *option.peakMemory};
    };
    for (const service::Advice::Option &option : advice.options)
        if (option.method == headline.action)
            take(shortName(option.method), option);
    for (const FamilyOption &option : families.options)
        if (!headline.family.isEmpty() && qtText(option.family) == headline.family)
            take(familyCaption(option.family), option);
    return measure;
}

/// Another method or schedule that fits, with what it costs.
struct Candidate {
    QString name;
    Alternative plan;
    double time = 1;       ///< of the measure's iteration
    base::Bytes saved = 0; ///< of the fullest device's memory; below 0 where it needs more
};

std::vector<Candidate> candidates(const service::Prediction &prediction, const service::Advice &advice,
                                  const FamilyOptions &families, const Headline &headline, const Measure &measure)
{
    std::vector<Candidate> found;
    const auto add = [&](const QString &name, const auto &option, Alternative plan) {
        if (!option.iteration || !option.peakMemory ||
            (prediction.memoryCapacity > 0 && *option.peakMemory > prediction.memoryCapacity))
            return;
        found.push_back({name, std::move(plan), static_cast<double>(*option.iteration) / static_cast<double>(measure.iteration),
                         measure.peak - *option.peakMemory});
    };
    for (const service::Advice::Option &option : advice.options)
        if (option.method != prediction.experiment.schedule.vocabulary && option.method != headline.action)
            add(shortName(option.method), option, {{}, {}, option.method});
    for (const FamilyOption &option : families.options) {
        const schedule::Family *family = schedule::findFamily(option.family);
        if (family != nullptr && family->synchronous && option.family != prediction.experiment.schedule.family &&
            qtText(option.family) != headline.family)
            add(familyCaption(option.family), option, {{}, qtText(option.family), {}});
    }
    for (const FamilyOption &option : families.combined) {
        const schedule::Family *family = schedule::findFamily(option.family);
        if (family != nullptr && family->synchronous && option.family != prediction.experiment.schedule.family)
            add(Words::tr("%1 with %2").arg(familyCaption(option.family), shortName(*families.fastest)), option,
                {{}, qtText(option.family), families.fastest});
    }
    return found;
}

/// Adds the leanest and the fastest alternative: "Also: V-Half, −4.7 GiB, +0.4 % time · ZB-V, −2.1 % time, +9.8 GiB", or
/// "Against VOCAB-2: VOCAB-1, …" where the verdict recommends something.
void addAlternatives(Headline &headline, const std::vector<Candidate> &found, const Measure &measure)
{
    // Shares of the time that are worth a share of the peak.
    constexpr double kSlower = 1.05;
    constexpr double kLess = 0.05;
    constexpr double kMuchSlower = 1.25;
    constexpr double kMuchLess = 0.25;
    const Candidate *lean = nullptr;
    const Candidate *fast = nullptr;
    for (const Candidate &one : found) {
        const double less = static_cast<double>(one.saved) / static_cast<double>(std::max<base::Bytes>(measure.peak, 1));
        const bool isWorthIt = (one.time <= kSlower && less >= kLess) || (one.time <= kMuchSlower && less >= kMuchLess);
        if (isWorthIt && (lean == nullptr || one.saved > lean->saved))
            lean = &one;
        if (one.time <= 1 - kWorthwhile && (fast == nullptr || one.time < fast->time))
            fast = &one;
    }
    const auto timeOf = [](const Candidate &one) {
        const double change = (one.time - 1) * 100;
        const bool isEqual = std::abs(change) < 0.05; // would read 0.0 %
        return isEqual ? Words::tr("same time")
                       : Words::tr("%1 % time").arg((change < 0 ? u"−"_s : u"+"_s) + QString::number(std::abs(change), 'f', 1));
    };
    const auto memoryOf = [](const Candidate &one) {
        return one.saved == 0 ? Words::tr("same memory") : (one.saved > 0 ? u"−"_s : u"+"_s) + bytesText(std::abs(one.saved));
    };
    QStringList words;
    const auto add = [&](const Candidate &one, const QString &first, const QString &then) {
        Alternative named = one.plan;
        named.words = u"%1, %2, %3"_s.arg(one.name, first, then);
        words << named.words;
        headline.alternatives.push_back(std::move(named));
    };
    if (lean != nullptr)
        add(*lean, memoryOf(*lean), timeOf(*lean));
    if (fast != nullptr && fast != lean)
        add(*fast, timeOf(*fast), memoryOf(*fast));
    if (!words.isEmpty())
        headline.second =
            (measure.name.isEmpty() ? Words::tr("Also: ") : Words::tr("Against %1: ").arg(measure.name)) + words.join(u" · "_s);
}

/// Adds what would make the plan faster, or that nothing which was tried does. Says nothing of what is still being tried.
void addAdvice(Headline &headline, const service::Prediction &prediction, const service::Advice &advice,
               const FamilyOptions &families)
{
    const auto promise = [&headline](const QString &name, double speedup, std::optional<double> hidden = {}) {
        headline.text +=
            hidden ? Words::tr(" %1 would hide %2 of it behind another microbatch, and make the iteration about %3 as fast "
                               "(predicted).")
                         .arg(name, shareText(*hidden), factorText(speedup))
                   : Words::tr(" %1 would make the iteration about %2 as fast (predicted).").arg(name, factorText(speedup));
        headline.text.replace(u". rebalancing"_s, Words::tr(". Rebalancing")).replace(u". naive"_s, Words::tr(". Naive"));
        headline.actionCaption = Words::tr("Try ") + name;
    };
    const FamilyOption *family = fasterFamily(prediction, families);
    const double familySpeedup =
        family ? static_cast<double>(prediction.metrics.iteration) / static_cast<double>(*family->iteration) : 1;
    // Where the sentence names the vocabulary layers, so does its fix.
    const bool isTried = families.state == FamilyOptions::State::Tried || families.state == FamilyOptions::State::Combining;
    if (advice.better && (namesVocabulary(prediction, advice) || familySpeedup <= advice.speedup)) {
        headline.action = advice.better;
        promise(shortName(*advice.better), advice.speedup);
    } else if (family && isTried) {
        headline.family = qtText(family->family);
        promise(familyCaption(family->family), familySpeedup,
                namesExperts(prediction, advice) ? hiddenExperts(prediction, *family) : std::nullopt);
    } else if (prediction.experiment.schedule.family == model::kCustomFamily) {
        if (!advice.options.empty())
            headline.second = Words::tr("A custom order has its own vocabulary method; choose a family to try another.");
        return;
    } else if (advice.options.empty() || prediction.search || families.state == FamilyOptions::State::Trying) {
        return; // given durations say nothing about another method
    }
    if (!families.isSettled())
        return; // not before everything was tried
    const Measure measure = measureOf(prediction, advice, families, headline);
    addAlternatives(headline, candidates(prediction, advice, families, headline, measure), measure);
    if (headline.second.isEmpty() && !headline.hasAction())
        headline.second =
            isTried ? Words::tr("Nothing tried makes this plan more than 1 % faster at this memory: methods, "
                                "schedules, and each with the fastest method (predicted).")
                    : Words::tr("No vocabulary method makes this plan more than 1 % faster at this memory (predicted). "
                                "Schedules were not tried.");
}

} // namespace

std::vector<MemoryFix> memoryFixes(const service::Prediction &prediction, const service::Advice &advice)
{
    if (!overfullDevice(prediction) || fittingOption(prediction, advice))
        return {};
    std::vector<MemoryFix> fixes;
    const model::Experiment &now = prediction.experiment;
    const auto add = [&](const QString &words, auto change) {
        MemoryFix fix{words, now};
        change(fix.experiment);
        fixes.push_back(std::move(fix));
    };
    for (const auto &[recompute, words] : {std::pair{model::Recompute::Selective, Words::tr("selective recomputation")},
                                           std::pair{model::Recompute::Full, Words::tr("full recomputation")}}) {
        if (now.schedule.recompute < recompute)
            add(words, [value = recompute](model::Experiment &next) {
                next.schedule.recompute = value;
                next.schedule.recomputeLayers.clear();
            });
    }
    for (int size = now.parallel.microbatchSize / 2; size > 0; size /= 2)
        add(Words::tr("microbatches of %1").arg(size),
            [size](model::Experiment &next) { next.parallel.microbatchSize = size; });
    const int chunks = model::stagesPerDevice(now.schedule);
    for (int devices = 2 * now.parallel.devices; devices * chunks <= now.model.layers; devices *= 2) {
        add(Words::tr("%1 devices").arg(devices), [devices](model::Experiment &next) {
            next.parallel.devices = devices;
            model::followStages(next);
            next.training.mode.reset();
        });
    }
    return fixes;
}

MemoryFix recomputationFix(model::Experiment plan)
{
    const std::vector<int> &layers = plan.schedule.recomputeLayers;
    const int count = std::accumulate(layers.begin(), layers.end(), 0);
    const QString words =
        count == 1 ? Words::tr("recomputation of 1 layer") : Words::tr("recomputation of %1 layers").arg(count);
    return {words, std::move(plan)};
}

Headline makeHeadline(const service::Prediction &prediction, const service::Advice *advice, const MemoryFix *fix,
                      const FamilyOptions &families, const service::Sensitivity *sensitivity)
{
    if (const auto device = overfullDevice(prediction))
        return overfull(prediction, advice, fix, *device);
    Headline headline;
    headline.text = sensitivity != nullptr ? slowVerdict(*sensitivity) : QString();
    const bool isSlow = !headline.text.isEmpty();
    if (!advice && isSlow)
        return headline;
    if (!advice) {
        headline.text = Words::tr("An iteration takes %1, and the devices idle %2 of the time (predicted).")
                            .arg(durationText(prediction.metrics.iteration, inTeachingUnits(prediction.experiment)),
                                 shareText(prediction.metrics.bubbleRatio));
        return headline;
    }
    if (!isSlow)
        headline.text = diagnosis(prediction, *advice);
    headline.text += averagingWords(prediction, *advice);
    addAdvice(headline, prediction, *advice, families);
    addSavingOfAverages(headline, prediction, *advice);
    return headline;
}

const service::Advice::Option *findOption(const service::Advice &advice, VocabularyMethod method)
{
    const auto found = std::find_if(advice.options.begin(), advice.options.end(),
                                    [method](const service::Advice::Option &option) { return option.method == method; });
    return found == advice.options.end() ? nullptr : &*found;
}

} // namespace stagelens::ui
