#include "ui/sweep/sweep_content.h"

#include "engine/service/search/equal_work.h"
#include "ui/plots/plot_style.h"
#include "ui/sweep/sweep_marks.h"
#include "ui/words/plain_text.h"
#include "ui/words/shape_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QLabel>
#include <QLayout>
#include <QPainter>

#include <algorithm>
#include <vector>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QString nothingSweptWords()
{
    return Words::tr("Nothing was swept yet. Start goes through the plans that stand above.");
}
/// From this ratio on values stand at equal factors and not at equal distances.
constexpr double kLogarithmicFrom = 4;

/// The results that may be ranked by their figures: the same work, and figures that came about in the same way.
class Workloads {
public:
    int of(const SweepResult &result)
    {
        const auto known = std::ranges::find_if(m_firsts, [&](const SweepResult *first) {
            return first->point->kind == result.point->kind &&
                   service::workDifference(first->entry->plan, result.entry->plan).empty();
        });
        const auto index = static_cast<int>(known - m_firsts.begin());
        if (known == m_firsts.end())
            m_firsts.push_back(&result);
        return index;
    }

private:
    std::vector<const SweepResult *> m_firsts;
};

/// Whether all results are of the same work, however their figures came about.
bool isOneWork(std::span<const SweepResult> results)
{
    return std::ranges::all_of(results, [&](const SweepResult &result) {
        return service::workDifference(results.front().entry->plan, result.entry->plan).empty();
    });
}

/// How far a plot in bytes reaches beyond the capacity: plans that need many times of it would squash the others.
constexpr double kMostOfCapacity = 1.5;

/// Draws what needs much more than the capacity at the rim.
void clip(double &bytes, SweepMark &mark, base::Bytes capacity)
{
    const double most = kMostOfCapacity * static_cast<double>(capacity);
    if (capacity <= 0 || bytes <= most)
        return;
    bytes = most;
    mark.isClipped = true;
}

SweepMark markOf(const SweepResult &result)
{
    SweepMark mark;
    mark.id = result.id;
    mark.series = result.entry->series;
    mark.kind = result.point->kind;
    mark.possible = impossibility(*result.point).isEmpty();
    mark.words = sweepWords(*result.entry, *result.point);
    return mark;
}

/// The series go through the second parameter's values method by method.
void colourByMethod(SweepContent &content, const SweepSetup &setup)
{
    if (!hasMultiples(setup))
        return;
    for (SweepMark &mark : content.marks)
        mark.series /= setup.second->values.size();
}

QLabel *sign(QWidget &legend, std::optional<std::size_t> series, timeline::Provenance kind, bool possible)
{
    const Colours &colours = coloursFor(legend.palette());
    const int side = legend.fontMetrics().height();
    const double ratio = legend.devicePixelRatioF();
    QPixmap picture(QSize(side, side) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF centre(side / 2.0, side / 2.0);
    const QColor colour = series ? curveColour(colours, *series) : colours.muted;
    if (possible)
        paintMark(painter, centre, series.value_or(0), kind, colour, colours.background);
    else
        paintCross(painter, centre, colour);
    painter.end();
    auto *label = plainLabel(&legend);
    label->setPixmap(picture);
    return label;
}

/// Without a series: what a filling means, whatever the colour.
void addSign(QWidget &legend, const QString &words, std::optional<std::size_t> series, timeline::Provenance kind, bool possible)
{
    auto *entry = new QWidget(&legend);
    auto *row = new QHBoxLayout(entry);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(sign(legend, series, kind, possible));
    row->addWidget(plainLabel(words, entry));
    legend.layout()->addWidget(entry);
    entry->show();
}

/// The name of a parameter after other words; a unit or an acronym keeps its letters.
QString insideTitle(QString name)
{
    if (name.size() > 1 && name[1].isLower() && !name.contains(u'/'))
        name[0] = name[0].toLower();
    return name;
}

} // namespace

SweepContent metricContent(const SweepSetup &setup, const SweepMetric &metric, std::span<const SweepResult> results)
{
    SweepContent content;
    content.empty = nothingSweptWords();
    const SweepParameter &parameter = sweepParameters()[setup.first.parameter];
    content.lines = !parameter.isWord();
    content.title = Words::tr("%1 over %2").arg(metric.name, insideTitle(parameter.name()));
    content.x.name = parameter.name();
    // Words stand side by side in the order written; numbers at their values.
    const std::vector<int> &values = setup.first.values;
    const auto placeOf = [&values, isWord = parameter.isWord()](int value) {
        return isWord ? static_cast<double>(std::ranges::find(values, value) - values.begin()) : value;
    };
    content.x.text = [&parameter, values](double place) {
        const auto index = static_cast<std::size_t>(place);
        return parameter.isWord() && index < values.size() ? parameter.text(values[index])
                                                           : parameter.text(static_cast<int>(place));
    };
    for (const int value : values)
        content.x.ticks.push_back(placeOf(value));
    content.x.logarithmic = !parameter.isWord() && !values.empty() && values.back() >= kLogarithmicFrom * values.front();
    content.y.name = Words::tr("%1 (%2 is better%3)")
                         .arg(metric.name, metric.moreIsBetter ? Words::tr("more") : Words::tr("less"),
                              isOneWork(results) ? QString() : Words::tr(" at equal work only"));
    content.y.text = metric.text;
    content.y.inBytes = metric.name == Words::tr("Peak memory");
    content.y.fromZero = true;
    for (const SweepResult &result : results) {
        SweepMark mark = markOf(result);
        mark.x = placeOf(result.entry->value);
        if (!result.point->error)
            mark.y = metric.of(*result.point);
        if (mark.y && content.y.inBytes)
            clip(*mark.y, mark, result.point->memoryCapacity);
        if (mark.y || !mark.possible)
            content.marks.push_back(std::move(mark));
    }
    return content;
}

bool hasMultiples(const SweepSetup &setup)
{
    constexpr std::size_t kMostPlots = 9;
    return setup.second && setup.second->values.size() > 1 && setup.second->values.size() <= kMostPlots;
}

std::vector<SweepContent> metricContents(const SweepSetup &setup, const SweepMetric &metric,
                                         std::span<const SweepResult> results)
{
    if (!hasMultiples(setup))
        return {metricContent(setup, metric, results)};
    const SweepParameter &parameter = sweepParameters()[setup.second->parameter];
    const std::size_t seconds = setup.second->values.size();
    std::vector<SweepContent> contents;
    for (std::size_t second = 0; second < seconds; ++second) {
        // The series go through the second parameter's values method by method.
        std::vector<SweepResult> own;
        std::ranges::copy_if(results, std::back_inserter(own),
                             [&](const SweepResult &one) { return one.entry->series % seconds == second; });
        contents.push_back(metricContent(setup, metric, own));
        colourByMethod(contents.back(), setup);
        contents.back().title =
            u"%1 %2: %3"_s.arg(parameter.name(), parameter.text(setup.second->values[second]), contents.back().title);
    }
    return contents;
}

SweepContent memoryContent(const SweepSetup &setup, std::span<const SweepResult> results)
{
    SweepContent content;
    content.empty = Words::tr("Iteration against peak memory will stand here.");
    content.front = true;
    content.title = Words::tr("Iteration against peak memory");
    content.x.name = Words::tr("Peak memory of a device");
    content.x.text = [](double value) { return ui::bytesText(static_cast<base::Bytes>(value)); };
    content.x.inBytes = true;
    content.y.name = isOneWork(results) ? Words::tr("Iteration (less is better) · dotted: Pareto front")
                                        : Words::tr("Iteration · dotted: Pareto front of equal work");
    content.y.text = sweepMetrics().front().text;
    content.y.fromZero = true;
    base::Bytes capacity = 0;
    Workloads workloads;
    for (const SweepResult &result : results) {
        const service::SweepPoint &point = *result.point;
        if (point.memoryCapacity > 0)
            capacity = capacity == 0 ? point.memoryCapacity : std::min(capacity, point.memoryCapacity);
        if (point.error || point.peakMemory <= 0)
            continue;
        SweepMark mark = markOf(result);
        mark.x = static_cast<double>(point.peakMemory);
        clip(mark.x, mark, point.memoryCapacity);
        mark.y = static_cast<double>(point.iteration);
        mark.workload = workloads.of(result);
        content.marks.push_back(std::move(mark));
    }
    if (capacity > 0)
        content.capacity = static_cast<double>(capacity);
    colourByMethod(content, setup);
    return content;
}

std::optional<int> bestResult(const model::Experiment &plan, std::span<const SweepResult> results, const SweepGoal &goal)
{
    std::vector<SweepResult> possible;
    const bool anyWork = isOneWork(results);
    for (const SweepResult &result : results)
        if (impossibility(*result.point).isEmpty() && (anyWork || service::workDifference(plan, result.entry->plan).empty()))
            possible.push_back(result);
    if (possible.empty())
        return {};
    const auto time = [](const SweepResult &result) { return result.point->iteration; };
    const auto fastest = std::ranges::min_element(possible, {}, time);
    if (!goal.leastMemory)
        return fastest->id;
    const double most = static_cast<double>(time(*fastest)) * (1 + goal.allowance);
    std::erase_if(possible, [&](const SweepResult &result) { return static_cast<double>(time(result)) > most; });
    return std::ranges::min_element(
               possible, {}, [&](const SweepResult &result) { return std::pair(result.point->peakMemory, time(result)); })
        ->id;
}

QString sweepWords(const SweepEntry &entry, const service::SweepPoint &point)
{
    QString text = u"%1 · %2: "_s.arg(entry.words, caption(point.kind));
    if (point.error)
        return text + Words::tr("impossible. ") + impossibility(point);
    text += durationText(point.iteration, inTeachingUnits(entry.plan));
    if (point.peakMemory > 0)
        text += u", "_s + ui::bytesText(point.peakMemory);
    if (const auto bubble = bubbleOf(point))
        text += Words::tr(", bubble ") + shareText(*bubble);
    if (point.tokensPerSecond)
        text += Words::tr(", %1 tokens/s").arg(rateText(*point.tokensPerSecond));
    if (point.run != 0)
        text += Words::tr(", run %1").arg(point.run);
    const QString reason = impossibility(point);
    return reason.isEmpty() ? text : text + u". "_s + reason;
}

void fillSweepLegend(QWidget &legend, const QStringList &series, bool published, bool lacksFigures)
{
    while (QLayoutItem *item = legend.layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    using timeline::Provenance;
    for (qsizetype i = 0; i < series.size(); ++i)
        addSign(legend, series[i], static_cast<std::size_t>(i), Provenance::MeasuredLive, true);
    if (series.isEmpty())
        return;
    for (const Provenance kind : {Provenance::Predicted, Provenance::MeasuredLive, Provenance::MeasuredVirtualClock})
        addSign(legend, caption(kind), {}, kind, true);
    if (published)
        addSign(legend, caption(Provenance::Published), {}, Provenance::Published, true);
    addSign(legend, lacksFigures ? Words::tr("impossible (at the bottom: without a figure)") : Words::tr("impossible"), {},
            Provenance::Predicted, false);
    legend.updateGeometry();
}

} // namespace stagelens::ui
