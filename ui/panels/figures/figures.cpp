#include "ui/panels/figures/figures.h"

#include "engine/service/search/equal_work.h"
#include "ui/canvas/colours.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QLabel>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QColor betterInk(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? QColor(0x5fc58a) : QColor(0x1b7a43);
}

double peakOf(const simulate::Metrics &metrics)
{
    return metrics.peakMemory.empty() ? 0 : static_cast<double>(std::ranges::max(metrics.peakMemory));
}

FigureChange changeOf(double now, double before, QString (*words)(double, double) = &changeText)
{
    const QString text = words(now, before);
    return {text, text.startsWith(u'±') ? 0 : now < before ? -1 : 1}; // neither better nor worse as far as it is shown
}

} // namespace

std::optional<FigureChanges> changesOf(const Figures &figures)
{
    const bool isComparable = figures.plan && figures.baseline && figures.baseline->experiment != figures.plan->experiment &&
                              service::workDifference(figures.baseline->experiment, figures.plan->experiment).empty();
    if (!isComparable)
        return std::nullopt;
    const simulate::Metrics &now = figures.plan->metrics;
    const simulate::Metrics &before = figures.baseline->metrics;
    return FigureChanges{changeOf(static_cast<double>(now.iteration), static_cast<double>(before.iteration)),
                         changeOf(now.bubbleRatio, before.bubbleRatio, &pointsText), changeOf(peakOf(now), peakOf(before))};
}

void showChange(QLabel *label, const FigureChange &change)
{
    label->setText(change.words);
    QPalette ink = label->parentWidget()->palette();
    if (change.against != 0)
        ink.setColor(QPalette::WindowText, change.against < 0 ? betterInk(ink) : coloursFor(ink).alarm);
    label->setPalette(ink);
    label->setVisible(!change.words.isEmpty()); // an empty one could be focused
}

QString peakCaption(const simulate::Metrics &metrics)
{
    const std::vector<base::Bytes> &peaks = metrics.peakMemory;
    return peaks.size() < 2 ? Words::tr("Peak memory")
                            : Words::tr("Peak memory of device %1").arg(std::ranges::max_element(peaks) - peaks.begin());
}

QString boundText(const simulate::Metrics &metrics, bool teachingUnits)
{
    if (!metrics.lowerBound)
        return {};
    const QString bound = durationText(*metrics.lowerBound, teachingUnits);
    return metrics.iterations ? Words::tr("%1 of %2 steps").arg(bound).arg(*metrics.iterations) : bound;
}

QString measuredText(const Figures &figures, const QString &value, double now, double predicted)
{
    const QString error = figures.runDiffers || predicted <= 0 ? QString() : u" (%1)"_s.arg(changeText(now, predicted));
    return caption(figures.run->record.summary.kind) + u": "_s + value + error;
}

QString busyText(const Figures &figures)
{
    const bool wasBusy = figures.run && figures.run->record.metrics && figures.run->record.timeline &&
                         figures.run->record.metrics->wasMachineBusy();
    return wasBusy ? Words::tr("The machine was busy: passes had a processor for %1 of their time.")
                         .arg(shareText(*figures.run->record.metrics->processorShare))
                   : QString();
}

} // namespace stagelens::ui
