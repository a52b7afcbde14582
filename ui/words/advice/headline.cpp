#include "ui/words/advice/headline.h"

#include "engine/schedule/families.h"
#include "ui/words/advice/diagnosis.h"
#include "ui/words/lever_words.h"
#include "ui/words/tr.h"
#include "ui/words/what_if_words.h"
#include "ui/words/words.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using model::VocabularyMethod;

namespace {

/// A change that saves less of the iteration is not worth a sentence.
constexpr double kWorthwhile = 0.01;

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

/// Another plan that was tried, trains alike and fits.
struct Candidate {
    Alternative plan; ///< its words are the name alone
    base::Nanos iteration = 0;
    std::optional<base::Bytes> peak;    ///< of the fullest device
    std::optional<base::Nanos> experts; ///< the most that a device waits for all-to-alls of experts
    [[nodiscard]] bool isCombined() const { return plan.method && !plan.family.isEmpty(); }
};

/// "layers 4/4/2/4", or fewer words where there are many stages.
QString cutText(const std::vector<int> &stageLayers)
{
    constexpr std::size_t kMostNamed = 8;
    return stageLayers.size() <= kMostNamed ? Words::tr("layers %1").arg(countsText(stageLayers))
                                            : Words::tr("evenly cut layers");
}

std::vector<Candidate> candidates(const service::Prediction &prediction, const service::Advice &advice,
                                  const FamilyOptions &families)
{
    std::vector<Candidate> found;
    const auto add = [&](const auto &option, Alternative plan, std::optional<base::Nanos> experts = {}) {
        if (option.iteration && (prediction.memoryCapacity <= 0 || option.peakMemory.value_or(0) <= prediction.memoryCapacity))
            found.push_back({std::move(plan), *option.iteration, option.peakMemory, experts});
    };
    for (const service::Advice::Option &option : advice.options)
        if (option.method != prediction.experiment.schedule.vocabulary)
            add(option, {shortName(option.method), {}, option.method});
    if (advice.cut)
        add(*advice.cut, {cutText(advice.cut->stageLayers), {}, {}, advice.cut->stageLayers});
    const auto isOther = [&prediction](const FamilyOption &option) {
        const schedule::Family *family = schedule::findFamily(option.family);
        return family != nullptr && family->synchronous && option.family != prediction.experiment.schedule.family;
    };
    if (families.state != FamilyOptions::State::Trying) {
        for (const FamilyOption &option : families.options)
            if (isOther(option))
                add(option, {familyCaption(option.family), qtText(option.family), {}}, option.experts);
    }
    if (families.isSettled()) {
        for (const FamilyOption &option : families.combined)
            if (isOther(option))
                add(option,
                    {Words::tr("%1 with %2").arg(familyCaption(option.family), shortName(*families.method)),
                     qtText(option.family), families.method},
                    option.experts);
    }
    return found;
}

/// The fastest of those that `isAsked` accepts; null where there is none.
template <class IsAsked>
const Candidate *fastest(const std::vector<Candidate> &found, IsAsked isAsked)
{
    const Candidate *best = nullptr;
    for (const Candidate &each : found)
        if (isAsked(each) && (best == nullptr || each.iteration < best->iteration))
            best = &each;
    return best;
}

/// Whether one takes so much less time than the other that it is worth a sentence.
bool isFaster(base::Nanos one, base::Nanos other)
{
    return static_cast<double>(one) <= static_cast<double>(other) * (1 - kWorthwhile);
}

/// Returns the fastest of what takes much less time than `one` at no more memory, for two changes are asked of the reader then;
/// `one` itself where there is none.
const Candidate *orMuchBetter(const std::vector<Candidate> &found, const Candidate *one)
{
    constexpr double kMuchFaster = 0.1;
    if (one == nullptr || !one->peak)
        return one;
    const Candidate *better = fastest(found, [one](const Candidate &other) {
        return other.peak && *other.peak <= *one->peak &&
               static_cast<double>(other.iteration) <= static_cast<double>(one->iteration) * (1 - kMuchFaster);
    });
    return better != nullptr ? better : one;
}

/// "+0.4 % time"
QString timeChange(base::Nanos time, base::Nanos measure)
{
    const double change = (static_cast<double>(time) / static_cast<double>(measure) - 1) * 100;
    const bool isEqual = std::abs(change) < 0.05; // would read 0.0 %
    return isEqual ? Words::tr("same time")
                   : Words::tr("%1 % time").arg((change < 0 ? u"−"_s : u"+"_s) + QString::number(std::abs(change), 'f', 1));
}

QString memoryChange(base::Bytes saved)
{
    return saved == 0 ? Words::tr("same memory") : (saved > 0 ? u"−"_s : u"+"_s) + bytesText(std::abs(saved));
}

/// A plan that others are compared with: the one that the verdict recommends, or else the present one.
struct Measure {
    QString name; ///< of what is recommended; empty: the present plan
    base::Nanos iteration = 0;
    base::Bytes peak = 0; ///< of the fullest device
};

Measure measureOf(const service::Prediction &prediction, const Candidate *proposed)
{
    if (proposed != nullptr && proposed->peak)
        return {proposed->plan.words, proposed->iteration, *proposed->peak};
    const std::vector<base::Bytes> &peaks = prediction.metrics.peakMemory;
    return {{}, prediction.metrics.iteration, peaks.empty() ? 0 : std::ranges::max(peaks)};
}

/// Adds the leanest and the fastest alternative: "Also: V-Half, −4.7 GiB, +0.4 % time · ZB-V, −2.1 % time, +9.8 GiB", or
/// "Against VOCAB-2: VOCAB-1, …" where the verdict recommends something. One that is better than that in both comes first, and
/// is called so.
void addAlternatives(Headline &headline, const std::vector<Candidate> &found, const Candidate *proposed, const Measure &measure)
{
    // Shares of the time that are worth a share of the peak.
    constexpr double kSlower = 1.05;
    constexpr double kLess = 0.05;
    constexpr double kMuchSlower = 1.25;
    constexpr double kMuchLess = 0.25;
    const auto saved = [&measure](const Candidate &one) { return measure.peak - *one.peak; };
    const Candidate *lean = nullptr;
    for (const Candidate &one : found) {
        if (&one == proposed || !one.peak)
            continue;
        const double time = static_cast<double>(one.iteration) / static_cast<double>(measure.iteration);
        const double less = static_cast<double>(saved(one)) / static_cast<double>(std::max<base::Bytes>(measure.peak, 1));
        const bool isWorthIt = (time <= kSlower && less >= kLess) || (time <= kMuchSlower && less >= kMuchLess);
        if (isWorthIt && (lean == nullptr || saved(one) > saved(*lean)))
            lean = &one;
    }
    const Candidate *fast = fastest(found, [&](const Candidate &one) {
        return &one != proposed && one.peak && isFaster(one.iteration, measure.iteration);
    });
    const auto isBetterInBoth = [&](const Candidate *one) {
        return one != nullptr && saved(*one) >= 0 && one->iteration <= measure.iteration;
    };
    if (isBetterInBoth(fast) && !isBetterInBoth(lean))
        std::swap(lean, fast);
    QStringList words;
    const auto add = [&](const Candidate &one, const QString &first, const QString &then) {
        Alternative named = one.plan;
        named.words = u"%1, %2, %3"_s.arg(one.plan.words, first, then);
        words << named.words;
        headline.alternatives.push_back(std::move(named));
    };
    if (lean != nullptr)
        add(*lean, memoryChange(saved(*lean)), timeChange(lean->iteration, measure.iteration));
    if (fast != nullptr && fast != lean)
        add(*fast, timeChange(fast->iteration, measure.iteration), memoryChange(saved(*fast)));
    if (words.isEmpty())
        return;
    const QString before = measure.name.isEmpty() ? Words::tr("Also: ")
                           : isBetterInBoth(lean != nullptr ? lean : fast)
                               ? Words::tr("Better still than %1: ").arg(measure.name)
                               : Words::tr("Against %1: ").arg(measure.name);
    headline.second = before + words.join(u" · "_s);
}

/// The words as the beginning of a sentence: some methods are written in small letters.
QString capitalised(QString words)
{
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words;
}

void setChange(Headline &headline, const Candidate &proposed)
{
    headline.change = proposed.plan;
    headline.actionCaption = Words::tr("Try ") + proposed.plan.words;
}

/// The change that lets the plan fit and costs least: a method or a schedule, else both, each only where recomputation that
/// fits is slower; both also where they are much better than one. Null: none, or the `fix`.
const Candidate *nearestThatFits(const std::vector<Candidate> &found, const MemoryFix *fix)
{
    const Candidate *best = fastest(found, [](const Candidate &one) { return one.peak && !one.isCombined(); });
    if (fix != nullptr && !fix->isLarger)
        return best != nullptr && best->iteration <= fix->iteration ? orMuchBetter(found, best) : nullptr;
    return best != nullptr ? orMuchBetter(found, best)
                           : fastest(found, [](const Candidate &one) { return one.peak.has_value(); });
}

Headline overfull(const service::Prediction &prediction, const service::Advice *advice, const MemoryFix *fix,
                  const FamilyOptions &families, int device)
{
    Headline headline;
    const base::Nanos now = prediction.metrics.iteration;
    headline.text =
        Words::tr("Device %1 %2.")
            .arg(device)
            .arg(needsText(prediction.metrics.peakMemory[static_cast<std::size_t>(device)], prediction.memoryCapacity));
    if (!advice)
        return headline;
    const std::vector<Candidate> found = candidates(prediction, *advice, families);
    const Candidate *nearest = nearestThatFits(found, fix);
    if (nearest != nullptr) {
        headline.text +=
            Words::tr(" %1 would fit: %2, %3 (predicted).")
                .arg(capitalised(nearest->plan.words), bytesText(*nearest->peak), timeChange(nearest->iteration, now));
        setChange(headline, *nearest);
    } else if (fix != nullptr && (!fix->isLarger || families.isSettled())) {
        headline.text += Words::tr(" With %1 it would fit: %2, %3 (predicted).")
                             .arg(fix->words, bytesText(fix->peakMemory), timeChange(fix->iteration, now));
        // Twice as many pipeline devices are twice as many of all ranks: another division of the GPUs at hand comes first.
        const model::ParallelPlan &parallel = prediction.experiment.parallel;
        headline.isOfShapes = fix->isLarger && parallel.ranks(parallel.devices) > parallel.devices;
        headline.isFix = !headline.isOfShapes;
        headline.actionCaption = headline.isOfShapes ? Words::tr("Shapes that fit…") : Words::tr("Try ") + fix->words;
    } else if (families.isSettled()) {
        headline.text += Words::tr(" Nothing tried makes it fit: use more devices or tensor ranks, shorter sequences or fewer "
                                   "layers.");
        headline.isOfShapes = true;
        headline.actionCaption = Words::tr("Shapes that fit…");
    }
    if (families.isSettled() && (nearest != nullptr || headline.isFix)) {
        const Measure measure =
            nearest != nullptr ? measureOf(prediction, nearest) : Measure{fix->words, fix->iteration, fix->peakMemory};
        addAlternatives(headline, found, nearest, measure);
    }
    return headline;
}

/// The share of the all-to-alls of experts that passes no longer wait for with that plan; nothing if it hides none.
std::optional<double> hiddenExperts(const service::Prediction &prediction, const Candidate &plan)
{
    const std::vector<base::Nanos> &now = prediction.metrics.expertPerDevice;
    if (!plan.experts || now.empty())
        return std::nullopt;
    const double hidden = 1 - static_cast<double>(*plan.experts) / static_cast<double>(std::ranges::max(now));
    return hidden >= kNoticeable ? std::optional(hidden) : std::nullopt;
}

/// The change that makes the plan faster. Where the sentence names the vocabulary layers, so does its fix, unless another plan
/// is much better in both time and memory; else one change goes before two, unless two are clearly faster. Null where nothing
/// tried helps.
const Candidate *proposal(const std::vector<Candidate> &found, Loss loss, const service::Prediction &prediction,
                          const service::Advice &advice)
{
    const auto isMethod = [&advice](const Candidate &one) { return !one.isCombined() && one.plan.method == advice.better; };
    const Candidate *best = advice.better ? fastest(found, isMethod) : nullptr;
    if (best != nullptr && loss == Loss::Vocabulary)
        return orMuchBetter(found, best);
    for (const bool isCombined : {false, true}) {
        const Candidate *other = fastest(found, [isCombined](const Candidate &one) {
            const bool isNoMethod = !one.plan.family.isEmpty() || !one.plan.stageLayers.empty();
            return isNoMethod && one.isCombined() == isCombined;
        });
        const base::Nanos now = best != nullptr ? best->iteration : prediction.metrics.iteration;
        const bool isBetter =
            other != nullptr && (best != nullptr && !isCombined ? other->iteration < now : isFaster(other->iteration, now));
        if (isBetter)
            best = other;
    }
    return best;
}

void promise(Headline &headline, const Candidate &proposed, const service::Prediction &prediction, Loss loss)
{
    const QString name = capitalised(proposed.plan.words);
    const QString factor =
        factorText(static_cast<double>(prediction.metrics.iteration) / static_cast<double>(proposed.iteration));
    const std::optional<double> hidden = loss == Loss::Experts ? hiddenExperts(prediction, proposed) : std::nullopt;
    headline.text += hidden ? Words::tr(" %1 would hide %2 of it behind another microbatch, and make the iteration about %3 as "
                                        "fast.")
                                  .arg(name, shareText(*hidden), factor)
                            : Words::tr(" %1 would make the iteration about %2 as fast.").arg(name, factor);
    setChange(headline, proposed);
}

/// Adds what would make the plan faster, or that nothing which was tried does. Says nothing of what is still being tried.
void addAdvice(Headline &headline, const service::Prediction &prediction, const service::Advice &advice,
               const FamilyOptions &families, Loss loss)
{
    const std::vector<Candidate> found = candidates(prediction, advice, families);
    const Candidate *proposed = proposal(found, loss, prediction, advice);
    if (proposed != nullptr) {
        promise(headline, *proposed, prediction, loss);
    } else if (prediction.experiment.schedule.family == model::kCustomFamily) {
        if (!advice.options.empty())
            headline.second = Words::tr("A custom order has its own vocabulary method; choose a family to try another.");
        return;
    } else if (advice.options.empty() || prediction.search) {
        return; // given durations say nothing about another method
    }
    if (!families.isSettled())
        return; // not before everything was tried
    addAlternatives(headline, found, proposed, measureOf(prediction, proposed));
    if (headline.second.isEmpty() && !headline.hasAction())
        headline.second =
            families.state == FamilyOptions::State::Tried
                ? Words::tr("No method, schedule or even cut of the layers that was tried makes this plan more than "
                            "1 % faster at this memory.")
                : Words::tr("No vocabulary method makes this plan more than 1 % faster at this memory "
                            "(predicted). Schedules were not tried.");
}

} // namespace

Headline makeHeadline(const service::Prediction &prediction, const service::Advice *advice, const MemoryFix *fix,
                      const FamilyOptions &families, const service::Sensitivity *sensitivity)
{
    if (const auto device = overfullDevice(prediction))
        return overfull(prediction, advice, fix, families, *device);
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
    Diagnosis diagnosis = diagnose(prediction, *advice);
    if (!isSlow)
        headline.text = std::move(diagnosis.text);
    headline.text += averagingWords(prediction, *advice);
    addAdvice(headline, prediction, *advice, families, diagnosis.loss);
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
