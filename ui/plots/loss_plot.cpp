#include "ui/canvas/painted_layer.h"
#include "ui/canvas/vector_plot.h"
#include "ui/plots/copied_figures.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/plots.h"
#include "ui/words/tr.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostLossTicks = 4; ///< of losses,
constexpr int kMostStepTicks = 6; ///< and of steps, where there is room

QString stepAxisName()
{
    return Words::tr("step");
}

/// "7.500", or "7.500 · × steps skipped: 2" where gradients overflowed.
QString lastLoss(const LossPlot::Curve &curve)
{
    QString text = QString::number(curve.losses.back(), 'f', 3);
    if (!curve.skipped.empty())
        text += u" · "_s + Words::tr("× steps skipped: %1").arg(curve.skipped.size());
    return text;
}

/// Whether two curves lie on one another where losses span so much: then the later alone would be seen.
bool coincide(const std::vector<double> &first, const std::vector<double> &second, double span)
{
    constexpr double kShare = 0.005; ///< of the height, less than the line is wide
    return std::ranges::equal(first, second, [span](double a, double b) { return std::abs(a - b) <= kShare * span; });
}

/// Pixels by which a curve is wider than its own width, so that it is seen on both sides of those drawn on it.
double marginAround(const std::vector<LossPlot::Curve> &curves, std::size_t curve, double span)
{
    constexpr double kMarginOfACurve = 3;
    double margin = 0;
    for (std::size_t later = curve + 1; later < curves.size(); ++later)
        margin += coincide(curves[curve].losses, curves[later].losses, span) ? kMarginOfACurve : 0;
    return margin;
}

} // namespace

class LossPlot::Private {
public:
    explicit Private(LossPlot *plotWidget);
    void arrange();
    void refresh();
    /// Adds a cross to each step of a curve that left the parameters as they were.
    void markSkipped(const Curve &curve);
    void paintAround(QPainter &painter);

    LossPlot *q;
    QCustomPlot *plot;
    const Colours *colours = nullptr;
    std::vector<Curve> curves;
    std::optional<double> ignorance;
};

LossPlot::Private::Private(LossPlot *plotWidget) : q(plotWidget), plot(new VectorPlot(q))
{
    plot->setFocusPolicy(Qt::NoFocus);
    plot->axisRect()->setAutoMargins(QCP::msNone);
    plot->xAxis->setTicker(QSharedPointer<IntegerTicker>::create());
    plot->xAxis->grid()->setVisible(false);
    plot->xAxis->setTickLength(0);
    plot->yAxis->setTickLength(0);
    plot->yAxis->setNumberFormat(QStringLiteral("g"));
    plot->yAxis->setNumberPrecision(4);
    new PaintedLayer(plot, QStringLiteral("axes"), [this](QPainter &painter) { paintAround(painter); });
}

void LossPlot::Private::arrange()
{
    const QFontMetrics metrics(q->font());
    const int line = metrics.height();
    plot->axisRect()->setMargins(QMargins(leftMargin(metrics, stepAxisName()), line + 12, 12, line + 8));
    // Labels do not touch.
    plot->yAxis->ticker()->setTickCount(std::clamp((q->height() - 2 * line - 20) / (2 * line), 1, kMostLossTicks));
    plot->xAxis->ticker()->setTickCount(std::clamp(q->width() / (4 * line), 2, kMostStepTicks));
    plot->setGeometry(q->rect()); // last: a new size paints at once
}

void LossPlot::Private::refresh()
{
    colours = &coloursFor(q->palette());
    applyStyle(*plot, *colours);
    plot->yAxis->setBasePen(Qt::NoPen);
    plot->clearGraphs();
    double least = ignorance.value_or(1e300);
    double most = ignorance.value_or(-1e300);
    std::size_t steps = 1;
    std::vector<QCPGraph *> graphs;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const std::vector<double> &losses = curves[i].losses;
        QVector<double> keys;
        QVector<double> values;
        for (std::size_t step = 0; step < losses.size(); ++step) {
            if (!std::isfinite(losses[step]))
                continue;                                  // a run that diverged: its curve ends
            keys.push_back(static_cast<double>(step + 1)); // counted as everywhere in the window
            values.push_back(losses[step]);
            least = std::min(least, losses[step]);
            most = std::max(most, losses[step]);
        }
        steps = std::max(steps, losses.size());
        QCPGraph *graph = plot->addGraph();
        graph->setData(keys, values, true);
        graphs.push_back(graph);
        graph->setAntialiased(true);
        if (keys.size() == 1) // one step is a point, not yet a line
            graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
        markSkipped(curves[i]);
    }
    for (std::size_t i = 0; i < curves.size(); ++i)
        graphs[i]->setPen(QPen(curveColour(*colours, i), curves[i].width + marginAround(curves, i, most - least)));
    const bool shown = !curves.empty() && least <= most;
    plot->axisRect()->setVisible(shown);
    if (shown) {
        const double margin = std::max((most - least) * 0.1, 0.05);
        plot->yAxis->setRange(std::max(least - margin, 0.0), most + margin);
        plot->xAxis->setRange(steps == 1 ? 0.5 : 1, std::max(static_cast<double>(steps), 2.0)); // a single point is whole
    }
    arrange();
    plot->replot(QCustomPlot::rpQueuedRefresh);
}

void LossPlot::Private::markSkipped(const Curve &curve)
{
    QVector<double> keys;
    QVector<double> values;
    for (const int step : curve.skipped) {
        if (step < 0 || step >= std::ssize(curve.losses) || !std::isfinite(curve.losses[static_cast<std::size_t>(step)]))
            continue;
        keys.push_back(step + 1);
        values.push_back(curve.losses[static_cast<std::size_t>(step)]);
    }
    if (keys.empty())
        return;
    QCPGraph *marks = plot->addGraph();
    marks->setData(keys, values, true);
    marks->setLineStyle(QCPGraph::lsNone);
    marks->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCross, QPen(colours->ink, 1.5), Qt::NoBrush, 7));
}

void LossPlot::Private::paintAround(QPainter &painter)
{
    if (curves.empty()) {
        paintSentence(painter, *q, *colours, Words::tr("Train to see the loss."));
        return;
    }
    const QFontMetrics metrics(q->font());
    const int height = metrics.height() + 8;
    QFont bold = q->font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(colours->ink);
    painter.drawText(QRect(10, 0, q->width(), height), Qt::AlignLeft | Qt::AlignVCenter, Words::tr("Loss"));
    int x = 10 + QFontMetrics(bold).horizontalAdvance(Words::tr("Loss")) + 12;
    painter.setFont(q->font());
    for (std::size_t i = 0; i < curves.size(); ++i) {
        QString text = curves[i].name;
        if (!curves[i].losses.empty())
            text += QStringLiteral(" · %1").arg(lastLoss(curves[i]));
        const int room = q->width() - x - 34;
        if (room < 40)
            break;
        text = metrics.elidedText(text, Qt::ElideRight, room);
        painter.fillRect(QRect(x, height / 2, 16, 2), curveColour(*colours, i));
        painter.setPen(colours->muted);
        painter.drawText(QRect(x + 22, 0, room, height), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += 22 + metrics.horizontalAdvance(text) + 14;
    }
    const QRect area = plot->axisRect()->rect();
    painter.setPen(colours->muted);
    painter.drawText(QRect(0, area.bottom() + 4, area.left() - 8, metrics.height()), Qt::AlignRight | Qt::AlignVCenter,
                     stepAxisName());
    if (!ignorance)
        return;
    const double y = std::floor(plot->yAxis->coordToPixel(*ignorance)) + 0.5;
    QString text = Words::tr("ln V = %1: a model that knows nothing").arg(QString::number(*ignorance, 'f', 2));
    if (metrics.horizontalAdvance(text) > area.width() / 2)
        text = u"ln V = %1"_s.arg(QString::number(*ignorance, 'f', 2));
    const int width = metrics.horizontalAdvance(text) + 8;
    const QRectF place(area.right() - width, y - metrics.height() / 2.0, width, metrics.height());
    painter.setPen(QPen(colours->muted, 1, Qt::DashLine));
    painter.drawLine(QPointF(area.left(), y), QPointF(place.left(), y));
    painter.fillRect(place, colours->background);
    painter.drawText(place, Qt::AlignCenter, text);
}

LossPlot::LossPlot(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    setAccessibleName(Words::tr("Loss"));
    setMinimumHeight(90);
    new CopiedFigures(this, [this] { return figures(); });
    m_private->refresh();
}

LossPlot::~LossPlot() = default;

void LossPlot::setCurves(std::vector<Curve> curves, std::optional<double> ignorance)
{
    Private &d = *m_private;
    d.curves = std::move(curves);
    d.ignorance = ignorance;
    QStringList values;
    for (const Curve &curve : d.curves)
        if (!curve.losses.empty())
            values << QStringLiteral("%1: %2").arg(curve.name, lastLoss(curve));
    setAccessibleDescription(values.join(QStringLiteral("; ")));
    d.refresh();
}

QString LossPlot::figures() const
{
    const std::vector<Curve> &curves = m_private->curves;
    if (curves.empty())
        return {};
    QStringList lines{stepAxisName()};
    std::size_t steps = 0;
    for (const Curve &curve : curves) {
        lines.front() += u'\t' + curve.name;
        steps = std::max(steps, curve.losses.size());
    }
    for (std::size_t step = 0; step < steps; ++step) {
        QString line = QString::number(step + 1);
        for (const Curve &curve : curves)
            line += u'\t' + (step < curve.losses.size() ? QString::number(curve.losses[step], 'g', 6) : QString());
        lines << line;
    }
    if (m_private->ignorance)
        lines << QStringLiteral("ln V\t%1").arg(*m_private->ignorance, 0, 'g', 6);
    return lines.join(u'\n');
}

void LossPlot::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->arrange();
}

void LossPlot::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        m_private->refresh();
}

} // namespace stagelens::ui
