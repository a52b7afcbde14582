#include "ui/plots/time_bars.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"
#include "ui/canvas/geometry.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kBarHeightOfTime = 3 * kGrid;
constexpr int kNameWidth = 6 * kGrid; ///< at least, as the following
constexpr int kTimeWidth = 22 * kGrid;
constexpr int kSwatch = 3 * kGrid;

base::Nanos meanOf(const std::vector<base::Nanos> &values)
{
    return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), base::Nanos{0}) / std::ssize(values);
}

QString nameOf(TimePart part)
{
    switch (part) {
    case TimePart::Layers: return Words::tr("layers");
    case TimePart::Vocabulary: return Words::tr("vocabulary");
    case TimePart::Tensor: return Words::tr("tensor ranks exchange");
    case TimePart::Context: return Words::tr("context ranks exchange");
    case TimePart::Expert: return Words::tr("expert ranks exchange");
    case TimePart::Replicas: return Words::tr("replicas exchange");
    case TimePart::Gradients: return Words::tr("gradients after the last pass");
    case TimePart::Optimizer: return Words::tr("optimizer");
    case TimePart::Idle: break;
    }
    return Words::tr("idle");
}

QColor colourOf(const Colours &colours, TimePart part)
{
    switch (part) {
    case TimePart::Layers: return colours.rail;
    case TimePart::Vocabulary: return colours.vocabulary;
    case TimePart::Tensor: return axisColour(colours, layout::Axis::Tensor);
    case TimePart::Context: return axisColour(colours, layout::Axis::Context);
    case TimePart::Expert: return axisColour(colours, layout::Axis::Expert);
    case TimePart::Replicas: return axisColour(colours, layout::Axis::Data);
    case TimePart::Gradients: return mix(axisColour(colours, layout::Axis::Data), colours.lane, 0.6);
    case TimePart::Optimizer: return colours.pass(schedule::PassKind::O);
    case TimePart::Idle: break;
    }
    return colours.idle;
}
} // namespace

TimeParts timePartsOf(const simulate::Metrics &metrics)
{
    TimeParts parts{};
    const auto at = [&parts](TimePart part) -> base::Nanos & { return parts[static_cast<std::size_t>(part)]; };
    std::vector<base::Nanos> vocabulary;
    for (std::size_t device = 0; device < metrics.vocabularySharePerDevice.size(); ++device)
        vocabulary.push_back(
            std::llround(metrics.vocabularySharePerDevice[device] * static_cast<double>(metrics.busyPerDevice.at(device))));
    at(TimePart::Vocabulary) = meanOf(vocabulary);
    at(TimePart::Tensor) = meanOf(metrics.tensorPerDevice);
    at(TimePart::Context) = meanOf(metrics.contextPerDevice);
    at(TimePart::Expert) = meanOf(metrics.expertPerDevice);
    at(TimePart::Replicas) = meanOf(metrics.replicaPerDevice);
    const base::Nanos inPasses = std::accumulate(parts.begin(), parts.end(), base::Nanos{0});
    const base::Nanos busy = meanOf(metrics.busyPerDevice);
    at(TimePart::Layers) = std::max<base::Nanos>(busy - inPasses, 0);
    at(TimePart::Gradients) = std::clamp<base::Nanos>(metrics.exposedExchange.value_or(0), 0, metrics.iteration);
    const base::Nanos passes = metrics.makespanPerIteration.value_or(metrics.makespan);
    at(TimePart::Optimizer) = std::max<base::Nanos>(metrics.iteration - passes - at(TimePart::Gradients), 0);
    at(TimePart::Idle) = std::max<base::Nanos>(passes - busy, 0);
    base::Nanos left = metrics.iteration;
    for (base::Nanos &part : parts)
        left -= part = std::min(part, left);
    at(TimePart::Idle) += left;
    return parts;
}

TimeBars::TimeBars(QWidget *parent) : QWidget(parent)
{
    setObjectName(u"compare.bars"_s);
    setAccessibleName(Words::tr("Where the time goes"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    hide();
}

void TimeBars::setBars(std::vector<Bar> bars)
{
    m_bars = std::move(bars);
    QStringList all;
    for (const Bar &bar : m_bars)
        for (std::size_t part = 0; part < kTimeParts; ++part)
            if (timePartsOf(bar.metrics)[part] > 0)
                all << words(bar, static_cast<TimePart>(part));
    setAccessibleDescription(all.join(u". "_s));
    setVisible(!m_bars.empty());
    updateGeometry();
    update();
}

int TimeBars::rowHeight() const
{
    return std::max(fontMetrics().height(), kBarHeightOfTime) + kGrid;
}

int TimeBars::nameWidth() const
{
    return std::max(kNameWidth, fontMetrics().horizontalAdvance(u'A') + 2 * kGrid);
}

int TimeBars::timeWidth() const
{
    return std::max(kTimeWidth, fontMetrics().horizontalAdvance(u"0,000 ms"_s) + 4 * kGrid);
}

QSize TimeBars::sizeHint() const
{
    return {320, (static_cast<int>(m_bars.size()) + 1) * rowHeight() + kGrid};
}

QString TimeBars::words(const Bar &bar, TimePart part) const
{
    const base::Nanos time = timePartsOf(bar.metrics)[static_cast<std::size_t>(part)];
    return Words::tr("%1: %2 %3, %4 of the iteration")
        .arg(bar.name, nameOf(part), durationText(time, bar.inUnits),
             shareText(static_cast<double>(time) / static_cast<double>(std::max<base::Nanos>(bar.metrics.iteration, 1))));
}

std::vector<TimeBars::Piece> TimeBars::pieces() const
{
    base::Nanos longest = 1;
    for (const Bar &bar : m_bars)
        longest = std::max(longest, bar.metrics.iteration);
    const int left = kPanelMargin + nameWidth();
    const double scale = std::max(width() - left - timeWidth(), 1) / static_cast<double>(longest);
    std::vector<Piece> all;
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const int top = static_cast<int>(i) * rowHeight() + (rowHeight() - kBarHeightOfTime) / 2;
        base::Nanos before = 0;
        const TimeParts parts = timePartsOf(m_bars[i].metrics);
        for (std::size_t part = 0; part < kTimeParts; ++part) {
            const int from = left + static_cast<int>(std::lround(static_cast<double>(before) * scale));
            before += parts[part];
            const int to = left + static_cast<int>(std::lround(static_cast<double>(before) * scale));
            if (to > from)
                all.push_back({i, static_cast<TimePart>(part), QRect(from, top, to - from, kBarHeightOfTime)});
        }
    }
    return all;
}

QString TimeBars::textAt(QPoint point) const
{
    for (const Piece &piece : pieces())
        if (piece.place.adjusted(0, -kGrid, 0, kGrid).contains(point))
            return words(m_bars[piece.bar], piece.part);
    return {};
}

void TimeBars::paintEvent(QPaintEvent *event)
{
    Q_UNUSED(event)
    QPainter painter(this);
    const Colours &colours = coloursFor(palette());
    painter.fillRect(rect(), colours.background);
    std::array<bool, kTimeParts> isThere{};
    std::vector<int> ends(m_bars.size());
    for (const Piece &piece : pieces()) {
        isThere[static_cast<std::size_t>(piece.part)] = true;
        ends[piece.bar] = std::max(ends[piece.bar], piece.place.right() + 1);
        painter.fillRect(piece.place, colourOf(colours, piece.part));
        if (piece.part == TimePart::Vocabulary) {
            painter.setPen(colours.vocabularyHatch);
            painter.drawLines(hatchLines(piece.place, kGrid + 1));
        }
    }
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const QRect row(kPanelMargin, static_cast<int>(i) * rowHeight(), width() - kPanelMargin, rowHeight());
        painter.setPen(colours.ink);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, m_bars[i].name);
        painter.drawText(QRect(ends[i] + 2 * kGrid, row.top(), timeWidth(), row.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         durationText(m_bars[i].metrics.iteration, m_bars[i].inUnits));
    }
    int x = kPanelMargin + nameWidth();
    const int top = static_cast<int>(m_bars.size()) * rowHeight();
    for (std::size_t part = 0; part < kTimeParts; ++part) {
        if (!isThere[part])
            continue;
        const QString name = nameOf(static_cast<TimePart>(part));
        const QRect swatch(x, top + (rowHeight() - kSwatch) / 2, kSwatch, kSwatch);
        painter.fillRect(swatch, colourOf(colours, static_cast<TimePart>(part)));
        if (static_cast<TimePart>(part) == TimePart::Vocabulary) {
            painter.setPen(colours.vocabularyHatch);
            painter.drawLines(hatchLines(swatch, kGrid + 1));
        }
        painter.setPen(colours.muted);
        const int textWidth = fontMetrics().horizontalAdvance(name);
        painter.drawText(QRect(swatch.right() + kGrid + 2, top, textWidth + 2, rowHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                         name);
        x = swatch.right() + kGrid + textWidth + 5 * kGrid;
    }
}

bool TimeBars::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    QToolTip::showText(help->globalPos(), plainTip(textAt(help->pos())), this);
    return true;
}

} // namespace stagelens::ui
