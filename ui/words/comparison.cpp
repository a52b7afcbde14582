#include "ui/words/comparison.h"

#include "engine/operators/stage_layers.h"
#include "engine/service/search/equal_work.h"
#include "ui/words/differences.h"
#include "ui/words/engine_messages.h"
#include "ui/words/shape_words.h"
#include "ui/words/tr.h"
#include "ui/words/verdict.h"
#include "ui/words/words.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

using Section = ComparisonRow::Section;

double tokensOfStep(const CompareItem &item)
{
    const model::Experiment &experiment = item.experiment;
    return static_cast<double>(experiment.parallel.stepMicrobatches()) * experiment.parallel.microbatchSize *
           experiment.model.sequence;
}

bool onOtherMachines(const CompareItem &a, const CompareItem &b)
{
    return std::ranges::any_of(std::initializer_list<const char *>{"host", "cpu"}, [&](const char *key) {
        const auto x = a.environment.find(key);
        const auto y = b.environment.find(key);
        return x != a.environment.end() && y != b.environment.end() && x->second != y->second;
    });
}

bool isComparable(const CompareItem &a, const CompareItem &b)
{
    return a.kind == b.kind && !onOtherMachines(a, b);
}

bool isEqualWork(const CompareItem &a, const CompareItem &b)
{
    return service::workDifference(a.experiment, b.experiment).empty();
}

/// The iteration that every other view shows of the item: a prediction's, a run's typical step (the median step of a run that
/// has none). The quartiles of the steps, as far from it as they are from the median step, are its noise; a prediction has
/// none.
Spread spreadOf(const CompareItem &item)
{
    const base::Nanos time = item.metrics.iteration;
    if (item.iterations.empty())
        return time > 0 ? Spread{time, time, time, 0} : Spread{};
    Spread spread = ui::spreadOf(item.iterations);
    if (!item.metrics.typicalOfSteps || time <= 0 || spread.median <= 0)
        return spread;
    const double scale = static_cast<double>(time) / static_cast<double>(spread.median);
    const auto scaled = [scale](base::Nanos quartile) { return std::llround(static_cast<double>(quartile) * scale); };
    return {scaled(spread.lower), time, scaled(spread.upper), spread.steps};
}

QString timeText(const CompareItem &item)
{
    if (!item.iterations.empty())
        return durationText(spreadOf(item).median);
    return item.metrics.iteration > 0 ? durationText(item.metrics.iteration, inTeachingUnits(item.experiment)) : kUnknown;
}

QString tokensText(const CompareItem &item)
{
    // Of the same step as the iteration in the row beside it.
    if (const base::Nanos median = spreadOf(item).median;
        !item.iterations.empty() && median > 0 && item.metrics.tokensPerSecond)
        return countText(tokensOfStep(item) * base::kNanosPerSecond / static_cast<double>(median));
    return item.metrics.tokensPerSecond ? rateText(*item.metrics.tokensPerSecond) : kUnknown;
}

class Table {
public:
    explicit Table(std::span<const CompareItem> items) : m_items(items) {}

    using Text = std::function<QString(const CompareItem &)>;
    using Verdict = std::function<QString(const CompareItem &, const CompareItem &)>;

    /// A row of every item's figure; left out where all are the same unless it must stand. Only equal work has a verdict.
    void metric(const QString &what, bool always, const Text &text, const Verdict &verdict = {})
    {
        ComparisonRow row{Section::Metrics, what, {}, {}};
        for (const CompareItem &item : m_items) {
            row.values << text(item);
            const bool judged = verdict && &item != &m_items.front() && isComparable(m_items.front(), item) &&
                                isEqualWork(m_items.front(), item);
            row.verdicts << (judged ? verdict(m_items.front(), item) : QString());
        }
        if (always || differs(row.values))
            rows.push_back(std::move(row));
    }
    void parameters()
    {
        std::vector<const model::Experiment *> experiments;
        for (const CompareItem &item : m_items)
            experiments.push_back(&item.experiment);
        for (const bool costs : {false, true})
            for (const FieldValues &field : differingFields(experiments))
                if (field.field.startsWith(u"cost."_s) == costs)
                    add(costs ? Section::Costs : Section::Parameters, fieldCaption(field.field), field.values);
    }
    void environment()
    {
        std::set<std::string> keys;
        for (const CompareItem &item : m_items)
            for (const auto &[key, value] : item.environment)
                keys.insert(key);
        for (const std::string &key : keys) {
            QStringList values;
            QStringList known;
            for (const CompareItem &item : m_items) {
                const auto found = item.environment.find(key);
                values << (found == item.environment.end() ? kUnknown : qtText(found->second));
                if (found != item.environment.end())
                    known << values.back();
            }
            if (differs(known)) // what was not measured has no machine, which is no difference
                add(Section::Environment, fieldCaption(qtText(key)), values);
        }
    }

    std::vector<ComparisonRow> rows;

private:
    static bool differs(const QStringList &values)
    {
        return std::ranges::any_of(values, [&values](const QString &value) { return value != values.front(); });
    }
    void add(Section section, const QString &what, const QStringList &values)
    {
        ComparisonRow row{section, what, values, {}};
        row.verdicts.resize(values.size());
        rows.push_back(std::move(row));
    }
    std::span<const CompareItem> m_items;
};

/// Speed, with the peak memory beside it, then the rest.
void addMetrics(Table &table, bool equalWork)
{
    const auto time = [&] {
        table.metric(Words::tr("Iteration"), true, timeText,
                     [](const CompareItem &a, const CompareItem &b) { return iterationVerdict(spreadOf(a), spreadOf(b)); });
        // A typical step leaves out disturbances of single steps; this row shows them.
        table.metric(Words::tr("Half of the steps took"), false, [](const CompareItem &item) {
            const Spread spread = ui::spreadOf(item.iterations);
            return spread.steps == 0 ? kUnknown : Words::tr("%1 (of %2)").arg(quartilesText(spread)).arg(spread.steps);
        });
    };
    const auto tokens = [&] {
        table.metric(Words::tr("Tokens/s"), true, tokensText, [](const CompareItem &a, const CompareItem &b) {
            return a.metrics.tokensPerSecond && b.metrics.tokensPerSecond
                       ? rateVerdict(spreadOf(a), tokensOfStep(a), spreadOf(b), tokensOfStep(b))
                       : QString();
        });
    };
    const auto memory = [&] {
        table.metric(
            Words::tr("Peak memory"), true,
            [](const CompareItem &item) { return peakOf(item) > 0 ? bytesText(peakOf(item)) : kUnknown; },
            [](const CompareItem &a, const CompareItem &b) {
                return peakOf(a) > 0 && peakOf(b) > 0
                           ? figureVerdict(static_cast<double>(peakOf(b)), static_cast<double>(peakOf(a)), false)
                           : QString();
            });
    };
    equalWork ? time() : tokens();
    memory();
    equalWork ? tokens() : time();
    table.metric(
        Words::tr("Bubble"), false, [](const CompareItem &item) { return shareText(item.metrics.bubbleRatio); },
        [](const CompareItem &a, const CompareItem &b) {
            // Of a measured bubble nobody knows the noise.
            return a.iterations.empty() ? shareVerdict(b.metrics.bubbleRatio, a.metrics.bubbleRatio) : QString();
        });
    table.metric(Words::tr("Loss after the last step"), false, [](const CompareItem &item) {
        return item.losses.empty() ? kUnknown : QString::number(item.losses.back(), 'f', 4);
    });
}

QStringList doubtsOf(std::span<const CompareItem> items)
{
    QStringList kinds;
    bool sameKinds = true;
    bool sameMachines = true;
    for (std::size_t i = 0; i < items.size(); ++i) {
        kinds << chipOf(i) + Words::tr(" is ") + caption(items[i].kind);
        sameKinds = sameKinds && items[i].kind == items[0].kind;
        for (std::size_t j = 0; j < i; ++j)
            sameMachines = sameMachines && !onOtherMachines(items[i], items[j]);
    }
    QStringList doubts;
    if (!sameKinds)
        doubts << kinds.join(u", "_s) +
                      Words::tr(": different kinds of measurement, so nothing is called better between them.");
    if (!sameMachines)
        doubts << Words::tr("They were measured on different machines, so nothing is called better between those.");
    QStringList disturbed;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].kind != timeline::Provenance::Predicted && items[i].metrics.wasMachineBusy())
            disturbed << chipOf(i) + u' ' + shareText(*items[i].metrics.processorShare);
    if (!disturbed.isEmpty())
        doubts << Words::tr("The machine was busy: passes had a processor for a part of their time only (%1).")
                      .arg(disturbed.join(u", "_s));
    QStringList differing;
    for (std::size_t i = 1; i < items.size(); ++i)
        if (const std::string why = service::workDifference(items[0].experiment, items[i].experiment); !why.empty())
            differing << Words::tr("%1 and A: %2").arg(chipOf(i), engineMessage(why));
    if (!differing.isEmpty())
        doubts
            << Words::tr("Not the same work, so nothing is called better: %1. Compare tokens/s.").arg(differing.join(u"; "_s));
    return doubts;
}

timeline::TimelinePtr moved(const timeline::Timeline &timeline, base::Nanos by, double scale)
{
    auto copy = std::make_shared<timeline::Timeline>(timeline);
    const auto map = [by, scale](base::Nanos &time) {
        time = scale == 1 ? time + by : std::llround(static_cast<double>(time) * scale);
    };
    for (timeline::Lane &lane : copy->lanes) {
        std::ranges::for_each(lane.begin, map);
        std::ranges::for_each(lane.end, map);
        if (scale != 1)
            std::ranges::for_each(lane.vocabulary, map);
        map(lane.tailBegin);
        map(lane.tailEnd);
        for (timeline::AnchoredSlice &slice : lane.anchored) {
            map(slice.begin);
            map(slice.end);
        }
    }
    for (timeline::TransferSlice &slice : copy->transfers) {
        map(slice.begin);
        map(slice.end);
    }
    return copy;
}

std::optional<base::Nanos> beginOf(const timeline::Timeline &timeline, int microbatch)
{
    std::optional<base::Nanos> first;
    for (const timeline::Lane &lane : timeline.lanes)
        for (std::size_t i = 0; i < lane.size(); ++i)
            if (lane.pass[i].microbatch == microbatch) {
                first = std::min(first.value_or(lane.begin[i]), lane.begin[i]);
                break; // slices are sorted
            }
    return first;
}

} // namespace

CompareItem itemOf(const service::RunSnapshot &run, int cores)
{
    const store::RunRecord &record = run.record;
    CompareItem item;
    item.name = Words::tr("run %1: %2").arg(record.summary.id).arg(runName(record.summary));
    item.run = record.summary.id;
    item.kind = record.summary.kind;
    item.experiment = operators::resolved(record.experiment, cores);
    item.environment = record.environment;
    item.iterations = record.iterations;
    item.metrics = record.metrics.value_or(simulate::Metrics{});
    item.losses = record.losses;
    item.skipped = record.skipped;
    item.timeline = record.timeline;
    item.schedule = run.schedule;
    return item;
}

CompareItem itemOf(const service::Prediction &prediction, const QString &name)
{
    CompareItem item;
    item.name = name;
    item.kind = prediction.timeline->provenance;
    item.experiment = prediction.experiment;
    item.metrics = prediction.metrics;
    item.timeline = prediction.timeline;
    item.schedule = prediction.schedule;
    item.capacity = prediction.memoryCapacity;
    return item;
}

QStringList distinctNames(std::span<const CompareItem> items)
{
    std::vector<const model::Experiment *> experiments;
    for (const CompareItem &item : items)
        experiments.push_back(&item.experiment);
    std::vector<QStringList> parts(items.size());
    for (const FieldValues &found : differingFields(experiments)) {
        const QString &field = found.field;
        // What follows from the method and the layers is no choice of its own, and the name of a model says less than its
        // sizes.
        if (field == u"parallel.stage_layers"_s || field == u"model.preset"_s || field.startsWith(u"training."_s))
            continue;
        const bool speaksForItself = field == u"schedule.vocabulary"_s || field == u"schedule.family"_s;
        for (std::size_t i = 0; i < items.size(); ++i)
            parts[i] << (speaksForItself ? found.values[static_cast<qsizetype>(i)]
                                         : fieldCaption(field) + u' ' + found.values[static_cast<qsizetype>(i)]);
    }
    // Plans that differ in much are told apart better by their own names, if they have some.
    constexpr qsizetype kMostFields = 3;
    std::set<QString> given;
    for (const CompareItem &item : items)
        given.insert(item.run > 0 ? QString() : item.name);
    const bool haveNames = given.size() == items.size() && !given.contains(QString());
    QStringList names;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const QString run = items[i].run > 0 ? Words::tr("run %1").arg(items[i].run) : QString();
        const bool isNamed = parts[i].isEmpty() || (haveNames && parts[i].size() > kMostFields);
        names << (isNamed ? items[i].name : (run.isEmpty() ? parts[i] : QStringList{run} + parts[i]).join(u" · "_s));
    }
    return names;
}

base::Bytes peakOf(const CompareItem &item)
{
    const auto &peaks = item.metrics.peakMemory;
    return peaks.empty() ? 0 : std::ranges::max(peaks);
}

QString chipOf(std::size_t index)
{
    return QChar(u'A' + static_cast<char16_t>(index));
}

QString caption(ComparisonRow::Section section)
{
    switch (section) {
    case Section::Parameters: return Words::tr("Settings");
    case Section::Costs: return Words::tr("Costs");
    case Section::Environment: return Words::tr("Environment");
    case Section::Metrics: return Words::tr("Metrics");
    }
    return {};
}

Comparison compareItems(std::span<const CompareItem> items)
{
    if (items.empty())
        return {};
    Table table(items);
    // The figures first: where the table is short, they are what must be seen.
    addMetrics(table, std::ranges::all_of(items, [&](const CompareItem &item) { return isEqualWork(items.front(), item); }));
    table.parameters();
    table.environment();
    return {std::move(table.rows), doubtsOf(items)};
}

std::vector<AlignedTimeline> align(std::span<const timeline::TimelinePtr> timelines, Alignment alignment, int microbatch)
{
    std::vector<AlignedTimeline> aligned;
    base::Nanos latest = 0;
    for (const timeline::TimelinePtr &timeline : timelines)
        if (timeline && alignment == Alignment::Microbatch)
            latest = std::max(latest, beginOf(*timeline, microbatch).value_or(0));
    const base::Nanos length = timelines.empty() || !timelines[0] ? 0 : timelines[0]->iteration();
    for (const timeline::TimelinePtr &timeline : timelines) {
        aligned.push_back({timeline, {}});
        if (!timeline)
            continue;
        if (alignment == Alignment::Scaled && length > 0 && timeline->iteration() > 0 && timeline->iteration() != length) {
            const double scale = static_cast<double>(length) / static_cast<double>(timeline->iteration());
            aligned.back() = {moved(*timeline, 0, scale), Words::tr("scaled x%1").arg(QString::number(scale, 'g', 3))};
        } else if (alignment == Alignment::Microbatch) {
            const auto begin = beginOf(*timeline, microbatch);
            if (!begin)
                aligned.back().mark = Words::tr("has no microbatch %1").arg(microbatch);
            else if (*begin < latest)
                aligned.back() = {moved(*timeline, latest - *begin, 1), Words::tr("moved by ") + durationText(latest - *begin)};
        }
    }
    return aligned;
}

} // namespace stagelens::ui
