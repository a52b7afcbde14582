#include "ui/plots/step_strip.h"

#include "ui/canvas/colours.h"
#include "ui/words/plain_text.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/verdict.h"
#include "ui/words/words.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

constexpr int kStripMargin = 12;
constexpr int kDotsHeight = 56;
constexpr double kDotRadius = 3.5; ///< radius of a dot
constexpr double kDotReach = 8;    ///< of the pointer
constexpr double kEndRoom = 0.08;  ///< of the range, left and right of it

} // namespace

StepStrip::StepStrip(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(Words::tr("Durations of the steps"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void StepStrip::setSteps(std::vector<base::Nanos> iterations, base::Nanos predicted)
{
    m_iterations = std::move(iterations);
    m_predicted = predicted;
    const Spread spread = spreadOf(m_iterations);
    setAccessibleDescription(Words::tr("Median %1, half of the steps %2, predicted %3")
                                 .arg(durationText(spread.median), quartilesText(spread), durationText(predicted)));
    update();
}

QSize StepStrip::sizeHint() const
{
    return {320, kDotsHeight + 3 * (fontMetrics().height() + 2)};
}

QRect StepStrip::dots() const
{
    const int line = fontMetrics().height() + 2;
    return rect().adjusted(kStripMargin, 2 * line, -kStripMargin, -line);
}

double StepStrip::xOf(base::Nanos duration) const
{
    const auto [least, most] = std::ranges::minmax(m_iterations);
    const auto from = static_cast<double>(m_predicted > 0 ? std::min(least, m_predicted) : least);
    const auto to = static_cast<double>(std::max(most, m_predicted));
    const double range = std::max(to - from, 1.0);
    const QRect area = dots();
    return area.left() + ((static_cast<double>(duration) - from) / range + kEndRoom) / (1 + 2 * kEndRoom) * area.width();
}

std::optional<QPoint> StepStrip::placeOf(std::size_t step) const
{
    if (step >= m_iterations.size())
        return std::nullopt;
    const QRect area = dots();
    const double share = (static_cast<double>(step) + 0.5) / static_cast<double>(m_iterations.size());
    return QPointF(xOf(m_iterations[step]), area.top() + share * area.height()).toPoint();
}

QString StepStrip::textAt(QPoint point) const
{
    std::optional<std::size_t> nearest;
    double least = kDotReach;
    for (std::size_t step = 0; step < m_iterations.size(); ++step) {
        const QPoint way = *placeOf(step) - point;
        if (const double distance = std::hypot(way.x(), way.y()); distance < least) {
            least = distance;
            nearest = step;
        }
    }
    return nearest ? Words::tr("Step %1: %2").arg(*nearest + 1).arg(durationText(m_iterations[*nearest])) : QString();
}

void StepStrip::paintLine(QPainter &painter, base::Nanos duration, const QString &text, int row, const QColor &ink) const
{
    const QFontMetrics metrics(font());
    const int line = metrics.height() + 2;
    const int x = static_cast<int>(std::lround(xOf(duration)));
    painter.fillRect(QRect(x, row * line + line / 2, 1, dots().bottom() - row * line - line / 2), ink);
    const int width = metrics.horizontalAdvance(text) + 8;
    // Beside its line, on whichever side there is room.
    const int left = x + width < this->width() ? x + 4 : x - width + 4;
    painter.setPen(ink);
    painter.drawText(QRect(left, row * line, width, line), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void StepStrip::paintEvent(QPaintEvent *)
{
    if (m_iterations.empty())
        return;
    const Colours &colours = coloursFor(palette());
    QPainter painter(this);
    const QRect area = dots();
    painter.fillRect(rect(), colours.background);
    const Spread spread = spreadOf(m_iterations);
    const double left = xOf(spread.lower);
    painter.fillRect(QRectF(left, area.top(), std::max(xOf(spread.upper) - left, 1.0), area.height()), colours.lane);
    painter.setRenderHint(QPainter::Antialiasing);
    const std::size_t warmUp = m_iterations.size() - spread.steps;
    for (std::size_t step = 0; step < m_iterations.size(); ++step) {
        painter.setPen(QPen(colours.focus, 1.5));
        painter.setBrush(step < warmUp ? QBrush(Qt::NoBrush) : QBrush(colours.focus));
        painter.drawEllipse(QPointF(*placeOf(step)), kDotRadius, kDotRadius);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (m_predicted > 0)
        paintLine(painter, m_predicted, Words::tr("predicted %1").arg(durationText(m_predicted)), 0, colours.muted);
    paintLine(painter, spread.median, Words::tr("median %1").arg(durationText(spread.median)), 1, colours.ink);
    painter.setPen(colours.muted);
    painter.drawText(
        QRect(area.left(), area.bottom() + 1, area.width(), fontMetrics().height() + 2), Qt::AlignLeft | Qt::AlignVCenter,
        warmUp > 0 ? Words::tr("A dot a step, the first at the top; hollow: warm-up; shaded: the middle half of the others")
                   : Words::tr("A dot a step, the first at the top; shaded: the middle half"));
}

bool StepStrip::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const QString text = textAt(help->pos()); !text.isEmpty())
        QToolTip::showText(help->globalPos(), plainTip(text), this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace stagelens::ui
