#include "ui/plots/plot_style.h"

#include "ui/plots/plots.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

/// The least of 1, 2 and 5 times a power of ten that is not less.
double niceStep(double least)
{
    const double decade = std::pow(10.0, std::floor(std::log10(std::max(least, 1e-9))));
    for (const double factor : {1.0, 2.0, 5.0})
        if (decade * factor >= least * (1 - 1e-9))
            return decade * factor;
    return decade * 10;
}

} // namespace

void applyStyle(QCustomPlot &plot, const Colours &colours)
{
    plot.setBackground(QBrush(colours.background));
    QFont font = plot.font();
    QList<QCPAxis *> axes;
    for (QCPAxisRect *rect : plot.axisRects()) {
        axes += rect->axes();
        rect->setBackground(QBrush(colours.background));
    }
    for (QCPAxis *axis : axes) {
        axis->setBasePen(QPen(colours.grid));
        axis->setTickPen(QPen(colours.grid));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(colours.muted);
        axis->setTickLabelFont(font);
        axis->setLabelColor(colours.muted);
        axis->setLabelFont(font);
        axis->grid()->setPen(QPen(colours.grid, 1));
        axis->grid()->setZeroLinePen(QPen(colours.grid, 1));
    }
    if (plot.legend != nullptr) {
        plot.legend->setFont(font);
        plot.legend->setTextColor(colours.ink);
        plot.legend->setBrush(colours.background);
        plot.legend->setBorderPen(QPen(colours.grid));
    }
}

void paintSentence(QPainter &painter, const QWidget &widget, const Colours &colours, const QString &sentence)
{
    painter.setPen(colours.muted);
    painter.setFont(widget.font());
    painter.drawText(widget.rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap, sentence);
}

QColor curveColour(const Colours &colours, std::size_t index)
{
    const QColor &colour = colours.curves[index % colours.curves.size()];
    return colours.background.lightnessF() < 0.5F ? colour.lighter(140) : colour;
}

int leftMargin(const QFontMetrics &metrics, const QString &name)
{
    return std::max(metrics.horizontalAdvance(name), metrics.horizontalAdvance(QStringLiteral("100 %"))) + 14;
}

QString elidedAtWords(const QString &text, const QFontMetrics &metrics, int width)
{
    if (metrics.horizontalAdvance(text) <= width)
        return text;
    for (qsizetype end = text.lastIndexOf(u' '); end > 0; end = text.lastIndexOf(u' ', end - 1))
        if (const QString cut = text.first(end) + u'…'; metrics.horizontalAdvance(cut) <= width)
            return cut;
    if (!text.contains(u' ')) // a language without spaces, or one word
        return metrics.elidedText(text, Qt::ElideRight, width);
    return metrics.horizontalAdvance(u'…') <= width ? QStringLiteral("…") : QString();
}

QString bytesText(double bytes)
{
    return QString::fromStdString(base::bytesText(std::llround(bytes)));
}

double BytesTicker::getTickStep(const QCPRange &range)
{
    const double least = range.size() / std::max(tickCount(), 1);
    double unit = 1;
    while (unit * 1024 <= range.size())
        unit *= 1024;
    return std::max(niceStep(least / unit) * unit, 1.0);
}

QString BytesTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    return tick < 0.5 ? QStringLiteral("0")
                      : bytesText(tick).remove(QStringLiteral(".00")).replace(QStringLiteral(".0 "), QStringLiteral(" "));
}

double PercentTicker::getTickStep(const QCPRange &range)
{
    return range.size() > 120 ? 100 : range.size() > 50 ? 50 : range.size() > 20 ? 20 : range.size() > 10 ? 10 : 5;
}

QString PercentTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    return tick < 0.5 ? QString() : QStringLiteral("%1 %").arg(std::llround(tick)); // the floor speaks for itself
}

double MicrobatchTicker::getTickStep(const QCPRange &range)
{
    constexpr auto kUnit = static_cast<double>(kMicrobatch);
    return std::max(niceStep(range.size() / std::max(tickCount(), 1) / kUnit), 1.0) * kUnit;
}

QString MicrobatchTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    return QString::number(std::lround(tick / static_cast<double>(kMicrobatch)));
}

double IntegerTicker::getTickStep(const QCPRange &range)
{
    return std::max(niceStep(range.size() / std::max(tickCount(), 1)), 1.0);
}

QString IntegerTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    return QString::number(std::llround(tick));
}

} // namespace stagelens::ui
