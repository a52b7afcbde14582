#include "ui/canvas/painted_layer.h"
#include "ui/canvas/vector_plot.h"
#include "ui/plots/copied_figures.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/plots.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace stagelens::ui {
namespace {

constexpr std::array kCauseNames{QT_TRANSLATE_NOOP("Words", "fill and drain"), QT_TRANSLATE_NOOP("Words", "unequal stages"),
                                 QT_TRANSLATE_NOOP("Words", "vocabulary layers"),
                                 QT_TRANSLATE_NOOP("Words", "barriers and messages"), QT_TRANSLATE_NOOP("Words", "slow parts")};
constexpr const char *kExpertsName = QT_TRANSLATE_NOOP("Words", "all-to-alls of experts, inside passes");
constexpr int kBarHeight = 12;

/// A named part of the bar.
struct Part {
    const char *name;
    QColor colour;
    double share; ///< of all devices' time
};

QString deviceAxisName()
{
    return Words::tr("device");
}

QString percent(double ratio)
{
    return QStringLiteral("%1 %").arg(QString::number(ratio * 100, 'f', ratio >= 0.0005 && ratio < 0.0995 ? 1 : 0));
}

} // namespace

class BubblePlot::Private {
public:
    explicit Private(BubblePlot *plotWidget);
    /// Of the causes' names.
    [[nodiscard]] int lines() const { return (static_cast<int>(parts().size()) + columns() - 1) / columns(); }
    /// Of the title and the causes.
    [[nodiscard]] int headHeight() const;
    /// The bars are left out where there is no height for them.
    void arrange();
    void updateStyle();
    void refresh();
    void paintAround(QPainter &painter);
    void paintCauses(QPainter &painter, QRect bar);
    /// The share of each device in its bar, where that is wide enough.
    void paintShares(QPainter &painter);
    /// Draws one cell a device, filled by its idle share. Replaces the bars if they do not fit.
    void paintCells(QPainter &painter, QRect line);
    /// The causes are in one line where there is room.
    [[nodiscard]] int columns() const
    {
        const int inOneLine = static_cast<int>(parts().size());
        return q->width() > inOneLine * 25 / 2 * QFontMetrics(q->font()).height() ? inOneLine : 2;
    }
    /// Parts of the bubble, slow parts only where there are some; then the waits inside passes for all-to-alls of experts.
    [[nodiscard]] std::vector<Part> parts() const;

    BubblePlot *q;
    QCustomPlot *plot;
    QCPBars *bars;
    const Colours *colours = nullptr;
    simulate::Metrics metrics;
    std::optional<simulate::BubbleCauses> causes;
    QString caption;
};

BubblePlot::Private::Private(BubblePlot *plotWidget)
    : q(plotWidget), plot(new VectorPlot(q)), bars(new QCPBars(plot->xAxis, plot->yAxis))
{
    plot->setFocusPolicy(Qt::NoFocus);
    plot->axisRect()->setAutoMargins(QCP::msNone);
    plot->xAxis->setTicker(QSharedPointer<IntegerTicker>::create());
    plot->xAxis->grid()->setVisible(false);
    plot->xAxis->setTickLength(0);
    plot->yAxis->setTicker(QSharedPointer<PercentTicker>::create());
    plot->yAxis->setTickLength(0);
    bars->setAntialiased(false);
    new PaintedLayer(plot, QStringLiteral("axes"), [this](QPainter &painter) { paintAround(painter); });
}

std::vector<Part> BubblePlot::Private::parts() const
{
    const auto iterations = static_cast<base::Nanos>(metrics.iterations.value_or(1));
    const base::Nanos inSteps = metrics.makespanPerIteration ? *metrics.makespanPerIteration * iterations : metrics.makespan;
    const double all = static_cast<double>(inSteps) * static_cast<double>(metrics.bubbleRatioPerDevice.size());
    const simulate::BubbleCauses known = causes.value_or(simulate::BubbleCauses());
    const std::array times{known.fillAndDrain, known.unequalStages, known.vocabularyLayers, known.communication,
                           known.slowParts};
    const auto share = [all](base::Nanos time) { return all > 0 ? static_cast<double>(time) / all : 0; };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (i + 1 < times.size() || times[i] > 0)
            parts.push_back({kCauseNames[i], colours->causes[i], share(times[i])});
    if (!metrics.expertPerDevice.empty())
        parts.push_back(
            {kExpertsName, colours->expert,
             share(std::accumulate(metrics.expertPerDevice.begin(), metrics.expertPerDevice.end(), base::Nanos{0}))});
    return parts;
}

int BubblePlot::Private::headHeight() const
{
    const int line = QFontMetrics(q->font()).height();
    return line + 8 + (causes ? kBarHeight + lines() * (line + 2) + 8 : 0);
}

void BubblePlot::Private::arrange()
{
    const QFontMetrics fontMetrics(q->font());
    const int line = fontMetrics.height();
    const QMargins around(leftMargin(fontMetrics, deviceAxisName()), headHeight() + 8, 10, line + 8);
    plot->axisRect()->setMargins(around);
    const int room = q->height() - around.top() - around.bottom();
    plot->axisRect()->setVisible(!metrics.bubbleRatioPerDevice.empty() && room >= 2 * line);
    plot->setGeometry(q->rect()); // last: a new size paints at once
}

void BubblePlot::Private::updateStyle()
{
    colours = &coloursFor(q->palette());
    applyStyle(*plot, *colours);
    plot->yAxis->setBasePen(Qt::NoPen);
    bars->setPen(Qt::NoPen);
    bars->setBrush(colours->idle); // of no single cause
    arrange();
}

void BubblePlot::Private::refresh()
{
    const auto &ratios = metrics.bubbleRatioPerDevice;
    QVector<double> keys;
    QVector<double> values;
    for (std::size_t device = 0; device < ratios.size(); ++device) {
        keys.push_back(static_cast<double>(device));
        values.push_back(ratios[device] * 100);
    }
    bars->setData(keys, values, true);
    bars->setWidth(0.72);
    plot->xAxis->setRange(-0.6, static_cast<double>(std::max<std::size_t>(ratios.size(), 1)) - 0.4);
    plot->xAxis->ticker()->setTickCount(ratios.size() <= 16 ? static_cast<int>(std::max<std::size_t>(ratios.size(), 1)) + 1
                                                            : 8);
    const double most = values.isEmpty() ? 1 : *std::max_element(values.begin(), values.end());
    plot->yAxis->setRange(0, std::max(most * 1.05, 5.0));
    arrange();
    plot->replot(QCustomPlot::rpQueuedRefresh);
}

void BubblePlot::Private::paintCauses(QPainter &painter, QRect bar)
{
    const std::vector<Part> parts = this->parts();
    painter.fillRect(bar, colours->lane); // all of the devices' time
    double before = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const int from = static_cast<int>(std::lround(before * bar.width()));
        before = std::min(before + std::max(parts[i].share, 0.0), 1.0);
        const int to = static_cast<int>(std::lround(before * bar.width()));
        painter.fillRect(QRect(bar.left() + from, bar.top(), to - from, bar.height()), parts[i].colour);
    }
    const QFontMetrics metricsOfFont(q->font());
    const int line = metricsOfFont.height() + 2;
    const int size = metricsOfFont.ascent() - 2;
    // In one line each name has its own width, so that the longest is not cut while others have room to spare.
    const bool isOneLine = columns() == static_cast<int>(parts.size());
    std::vector<QString> texts;
    int wide = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        texts.push_back(Words::tr(parts[i].name) + QChar(u' ') + percent(parts[i].share));
        wide += size + 6 + metricsOfFont.horizontalAdvance(texts.back());
    }
    const int gap = isOneLine ? std::clamp((bar.width() - wide) / std::max(columns() - 1, 1), 8, 48) : 0;
    int x = bar.left();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const int number = static_cast<int>(i);
        const QString &text = texts[i];
        const int needed = metricsOfFont.horizontalAdvance(text);
        if (!isOneLine)
            x = bar.left() + number % columns() * bar.width() / columns();
        const int y = bar.bottom() + 5 + number / columns() * line;
        const QRect box(x, y + (line - size) / 2, size, size);
        painter.fillRect(box, edgeOf(parts[i].colour));
        painter.fillRect(box.adjusted(1, 1, -1, -1), parts[i].colour);
        painter.setPen(colours->ink);
        const int room = isOneLine ? std::max(bar.right() - x - size - 6, 0) : bar.width() / columns() - size - 8;
        painter.drawText(QRect(x + size + 6, y, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                         needed <= room ? text : metricsOfFont.elidedText(text, Qt::ElideRight, room));
        x += size + 6 + needed + gap;
    }
}

void BubblePlot::Private::paintShares(QPainter &painter)
{
    const QFontMetrics metricsOfFont(q->font());
    const QRect area = plot->axisRect()->rect();
    const double wide = plot->xAxis->coordToPixel(bars->width()) - plot->xAxis->coordToPixel(0);
    if (wide < metricsOfFont.horizontalAdvance(QStringLiteral("100 %")))
        return;
    painter.setPen(colours->ink);
    for (std::size_t device = 0; device < metrics.bubbleRatioPerDevice.size(); ++device) {
        const double share = metrics.bubbleRatioPerDevice[device];
        const double middle = plot->xAxis->coordToPixel(static_cast<double>(device));
        const double top = plot->yAxis->coordToPixel(share * 100);
        const bool isLow = area.bottom() - top < metricsOfFont.height(); // the share is above a bar that is too low for it
        painter.drawText(QRectF(middle - wide / 2, isLow ? top - metricsOfFont.height() : top, wide, metricsOfFont.height()),
                         Qt::AlignCenter, percent(share));
    }
}

void BubblePlot::Private::paintCells(QPainter &painter, QRect line)
{
    const QFontMetrics metricsOfFont(q->font());
    const std::vector<double> &ratios = metrics.bubbleRatioPerDevice;
    const QString name =
        ratios.size() == 1 ? Words::tr("idle of device 0") : Words::tr("idle of devices 0 to %1").arg(ratios.size() - 1);
    painter.setPen(colours->muted);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, name);
    const QRect cells = line.adjusted(metricsOfFont.horizontalAdvance(name) + 12, 0, 0, 0);
    const auto edge = [&](std::size_t device) {
        return cells.left() + static_cast<int>(device * static_cast<std::size_t>(cells.width()) / ratios.size());
    };
    const int needed = metricsOfFont.horizontalAdvance(QStringLiteral("100 %")) + 6;
    for (std::size_t device = 0; device < ratios.size(); ++device) {
        const int gap = edge(device + 1) - edge(device) > 4 ? 2 : 0;
        const QRect cell(edge(device), cells.top(), edge(device + 1) - edge(device) - gap, cells.height());
        painter.fillRect(cell, colours->lane);
        const auto filled = static_cast<int>(std::lround(ratios[device] * cell.width()));
        painter.fillRect(QRect(cell.topLeft(), QSize(filled, cell.height())), colours->idle);
        painter.setPen(colours->ink);
        if (cell.width() >= needed)
            painter.drawText(cell, Qt::AlignCenter, percent(ratios[device]));
    }
}

void BubblePlot::Private::paintAround(QPainter &painter)
{
    if (metrics.bubbleRatioPerDevice.empty()) {
        paintSentence(painter, *q, *colours, Words::tr("No bubble to show yet: it appears with the first plan."));
        return;
    }
    QFont bold = q->font();
    bold.setBold(true);
    const QFontMetrics wide(bold);
    const int line = wide.height();
    const QRect title(10, 0, q->width() - 20, line + 8);
    const QString head = Words::tr("Bubble %1").arg(percent(metrics.bubbleRatio));
    painter.setFont(bold);
    painter.setPen(colours->ink);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, head);
    painter.setFont(q->font());
    painter.setPen(colours->muted);
    const int used = wide.horizontalAdvance(head) + 8;
    const QString rest = Words::tr("of all devices' time · %1").arg(caption);
    painter.drawText(title.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(q->font()).elidedText(rest, Qt::ElideRight, title.width() - used));
    if (causes)
        paintCauses(painter, QRect(10, line + 8, q->width() - 20, kBarHeight));
    if (!plot->axisRect()->visible()) {
        const QRect cells(10, headHeight() + 4, q->width() - 20, line + 2);
        if (cells.bottom() < q->height())
            paintCells(painter, cells);
        return;
    }
    paintShares(painter);
    const QRect area = plot->axisRect()->rect();
    painter.setPen(colours->muted);
    painter.drawText(QRect(0, area.bottom() + 5, area.left() - 8, line), Qt::AlignRight | Qt::AlignVCenter, deviceAxisName());
}

BubblePlot::BubblePlot(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    setAccessibleName(Words::tr("Bubble"));
    setToolTip(
        plainTip(Words::tr("Found by simulating again, always in this order: without the what-ifs' slow parts,\n"
                           "without barriers and messages,\n"
                           "then with the vocabulary layers' work spread evenly, then with equal stages.\n"
                           "What each saves is its part; what is left is fill and drain.\n"
                           "All-to-alls of experts that no other pass hides lengthen passes: they are beside the bubble.\n"
                           "Below: how much of its time each device waits.")));
    setMinimumHeight(90);
    new CopiedFigures(this, [this] { return figures(); });
    m_private->updateStyle();
    m_private->refresh();
}

BubblePlot::~BubblePlot() = default;

void BubblePlot::setBubbles(const simulate::Metrics &metrics, std::optional<simulate::BubbleCauses> causes, QString caption)
{
    Private &d = *m_private;
    d.metrics = metrics;
    d.causes = causes;
    d.caption = std::move(caption);
    QString value = Words::tr("%1 of all devices' time").arg(percent(metrics.bubbleRatio));
    for (const Part &part : causes ? d.parts() : std::vector<Part>())
        value += QStringLiteral("; %1 %2").arg(Words::tr(part.name), percent(part.share));
    setAccessibleDescription(value);
    d.refresh();
}

QString BubblePlot::figures() const
{
    const Private &d = *m_private;
    if (d.metrics.bubbleRatioPerDevice.empty())
        return {};
    QStringList lines{Words::tr("Bubble %1").arg(percent(d.metrics.bubbleRatio)) + u' ' +
                      Words::tr("of all devices' time · %1").arg(d.caption)};
    for (const Part &part : d.causes ? d.parts() : std::vector<Part>())
        lines << Words::tr(part.name) + u'\t' + percent(part.share);
    for (std::size_t device = 0; device < d.metrics.bubbleRatioPerDevice.size(); ++device)
        lines << Words::tr("idle of device %1").arg(device) + u'\t' + percent(d.metrics.bubbleRatioPerDevice[device]);
    return lines.join(u'\n');
}

void BubblePlot::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->arrange();
}

void BubblePlot::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_private->updateStyle();
        m_private->plot->replot(QCustomPlot::rpQueuedReplot);
    }
}

} // namespace stagelens::ui
