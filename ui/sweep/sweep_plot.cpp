#include "ui/sweep/sweep_plot.h"

#include "ui/canvas/painted_layer.h"
#include "ui/canvas/vector_plot.h"
#include "ui/plots/plot_style.h"
#include "ui/sweep/sweep_marks.h"
#include "ui/words/tr.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace stagelens::ui {
namespace {

constexpr double kPointReach = 14; ///< pixels from a point that still mean it
constexpr double kAxisMargin = 0.08;

/// Ticks as the axis writes its values.
class TextTicker : public QCPAxisTicker {
public:
    explicit TextTicker(std::function<QString(double)> text) : m_text(std::move(text)) {}

protected:
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        return tick == 0 ? QStringLiteral("0") : m_text(tick);
    }

private:
    std::function<QString(double)> m_text;
};

double coordinate(const SweepAxisLook &axis, double value)
{
    return axis.logarithmic ? std::log2(std::max(value, 1e-300)) : value;
}

} // namespace

std::vector<std::size_t> paretoFront(const std::vector<SweepMark> &marks, int workload)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (marks[i].possible && marks[i].y && marks[i].workload == workload)
            order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(marks[i].x, *marks[i].y); });
    std::vector<std::size_t> front;
    for (const std::size_t i : order)
        if (front.empty() || *marks[i].y < *marks[front.back()].y)
            front.push_back(i);
    return front;
}

class SweepPlot::Private {
public:
    explicit Private(SweepPlot *plotWidget);
    void arrange();
    void refresh();
    void setAxis(QCPAxis *axis, const SweepAxisLook &look, std::vector<double> values);
    void paint(QPainter &painter);
    void paintLines(QPainter &painter);
    void paintPolyline(QPainter &painter, const std::vector<std::size_t> &indices, const QPen &pen);
    [[nodiscard]] QPointF pointOf(const SweepMark &mark) const;
    [[nodiscard]] const SweepMark *at(QPoint position) const;
    void step(int by);

    SweepPlot *q;
    QCustomPlot *plot;
    const Colours *colours = nullptr;
    SweepContent content;
    int highlighted = -1;
    int tickRoom = 0; ///< below the x axis
};

SweepPlot::Private::Private(SweepPlot *plotWidget) : q(plotWidget), plot(new VectorPlot(q))
{
    plot->setFocusPolicy(Qt::NoFocus);
    plot->setAttribute(Qt::WA_TransparentForMouseEvents);
    plot->axisRect()->setAutoMargins(QCP::msNone);
    for (QCPAxis *axis : {plot->xAxis, plot->yAxis}) {
        axis->setTickLength(0);
        axis->ticker()->setTickCount(4);
    }
    new PaintedLayer(plot, QStringLiteral("axes"), [this](QPainter &painter) { paint(painter); });
}

void SweepPlot::Private::arrange()
{
    const QFontMetrics metrics(q->font());
    plot->setGeometry(q->rect());
    const int left = metrics.horizontalAdvance(QStringLiteral("1,000,000")) + 20;
    constexpr int kRight = 20;
    constexpr int kGap = 10;
    constexpr int kSlope = -45; // degrees
    int widest = 0;
    for (const double tick : content.x.ticks)
        widest = std::max(widest, metrics.horizontalAdvance(content.x.text(tick)));
    const auto ticks = std::max(static_cast<int>(content.x.ticks.size()), 1);
    const bool isNarrow = widest + kGap > (q->width() - left - kRight) / ticks;
    const bool isWords = content.x.ticks.size() > 1 && !content.x.logarithmic && !content.lines;
    plot->xAxis->setTickLabelRotation(isNarrow && isWords ? kSlope : 0);
    tickRoom = isNarrow && isWords ? static_cast<int>((widest + metrics.height()) * std::numbers::sqrt2 / 2) : metrics.height();
    plot->axisRect()->setMargins(QMargins(left, 2 * metrics.height() + 12, kRight, metrics.height() + tickRoom + 16));
}

void SweepPlot::Private::setAxis(QCPAxis *axis, const SweepAxisLook &look, std::vector<double> values)
{
    if (!look.ticks.empty()) {
        auto ticker = QSharedPointer<QCPAxisTickerText>::create();
        for (const double tick : look.ticks) {
            ticker->addTick(coordinate(look, tick), look.text(tick));
            values.push_back(tick);
        }
        axis->setTicker(ticker);
    } else if (look.inBytes) {
        axis->setTicker(QSharedPointer<BytesTicker>::create());
    } else if (look.text) {
        axis->setTicker(QSharedPointer<TextTicker>::create(look.text));
    }
    axis->ticker()->setTickCount(4);
    if (look.fromZero)
        values.push_back(0);
    if (look.reaches && !values.empty())
        values.push_back(*look.reaches);
    if (values.empty())
        values = {0, 1};
    const double least = coordinate(look, std::ranges::min(values));
    const double most = coordinate(look, std::ranges::max(values));
    const double room = std::max((most - least) * kAxisMargin, most > least ? 0 : std::max(std::abs(most) * kAxisMargin, 0.5));
    axis->setRange(look.fromZero ? 0 : least - room, most + room);
}

void SweepPlot::Private::refresh()
{
    colours = &coloursFor(q->palette());
    applyStyle(*plot, *colours);
    std::vector<double> xs;
    std::vector<double> ys;
    for (const SweepMark &mark : content.marks) {
        xs.push_back(mark.x);
        if (mark.y)
            ys.push_back(*mark.y);
    }
    if (content.capacity && !xs.empty() && *content.capacity < 2 * std::ranges::max(xs))
        xs.push_back(*content.capacity);
    plot->axisRect()->setVisible(!content.marks.empty());
    setAxis(plot->xAxis, content.x, xs);
    setAxis(plot->yAxis, content.y, ys);
    arrange();
    plot->replot(QCustomPlot::rpQueuedRefresh);
}

QPointF SweepPlot::Private::pointOf(const SweepMark &mark) const
{
    const double x = plot->xAxis->coordToPixel(coordinate(content.x, mark.x));
    const double y = mark.y ? plot->yAxis->coordToPixel(coordinate(content.y, *mark.y))
                            : plot->axisRect()->bottom() - kMarkRadius * (1.5 + 2.2 * static_cast<double>(mark.series));
    return {x, y};
}

const SweepMark *SweepPlot::Private::at(QPoint position) const
{
    const SweepMark *nearest = nullptr;
    double least = kPointReach;
    for (const SweepMark &mark : content.marks) {
        const QPointF way = pointOf(mark) - position;
        if (const double distance = std::hypot(way.x(), way.y()); distance < least) {
            least = distance;
            nearest = &mark;
        }
    }
    return nearest;
}

void SweepPlot::Private::paintPolyline(QPainter &painter, const std::vector<std::size_t> &indices, const QPen &pen)
{
    QPolygonF line;
    for (const std::size_t i : indices)
        line << pointOf(content.marks[i]);
    painter.setPen(pen);
    painter.drawPolyline(line);
}

void SweepPlot::Private::paintLines(QPainter &painter)
{
    if (content.lines) {
        std::map<std::pair<std::size_t, timeline::Provenance>, std::vector<std::size_t>> lines;
        for (std::size_t i = 0; i < content.marks.size(); ++i)
            if (content.marks[i].y && content.marks[i].possible)
                lines[{content.marks[i].series, content.marks[i].kind}].push_back(i);
        for (auto &[key, indices] : lines) {
            std::ranges::sort(indices, {}, [this](std::size_t i) { return content.marks[i].x; });
            using timeline::Provenance;
            const Qt::PenStyle style = key.second == Provenance::Predicted   ? Qt::DashLine
                                       : key.second == Provenance::Published ? Qt::DotLine
                                                                             : Qt::SolidLine;
            paintPolyline(painter, indices, QPen(curveColour(*colours, key.first), 1.4, style));
        }
    }
    if (content.front) {
        std::set<int> workloads;
        for (const SweepMark &mark : content.marks)
            workloads.insert(mark.workload);
        for (const int workload : workloads)
            paintPolyline(painter, paretoFront(content.marks, workload), QPen(colours->ink, 1.6, Qt::DotLine));
    }
    const QRect area = plot->axisRect()->rect();
    if (!content.capacity || !plot->xAxis->range().contains(*content.capacity))
        return;
    const double x = plot->xAxis->coordToPixel(*content.capacity);
    painter.setPen(QPen(colours->alarm, 1.4));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    const QString text = Words::tr("capacity %1 ").arg(content.x.text(*content.capacity));
    painter.drawText(QRectF(x - 304, area.top(), 300, QFontMetrics(q->font()).height()), Qt::AlignRight, text);
}

void SweepPlot::Private::paint(QPainter &painter)
{
    const QFontMetrics metrics(q->font());
    const QRect area = plot->axisRect()->rect();
    painter.setRenderHint(QPainter::Antialiasing);
    if (content.marks.empty()) {
        paintSentence(painter, *q, *colours, content.empty);
        return;
    }
    QFont bold = q->font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(colours->ink);
    painter.drawText(QRect(10, 2, q->width() - 20, metrics.height() + 4), Qt::AlignLeft | Qt::AlignVCenter, content.title);
    painter.setFont(q->font());
    painter.setPen(colours->muted);
    painter.drawText(QRect(10, area.top() - metrics.height() - 6, q->width() - 20, metrics.height()), Qt::AlignLeft,
                     metrics.elidedText(content.y.name, Qt::ElideRight, q->width() - 20));
    painter.drawText(QRect(area.left(), area.bottom() + tickRoom + 8, area.width(), metrics.height()), Qt::AlignRight,
                     content.x.name);
    paintLines(painter);
    for (const SweepMark &mark : content.marks) {
        if (mark.possible)
            paintMark(painter, pointOf(mark), mark.series, mark.kind, curveColour(*colours, mark.series), colours->background);
        else
            paintCross(painter, pointOf(mark), curveColour(*colours, mark.series));
        if (mark.isClipped)
            paintBeyond(painter, pointOf(mark), content.y.inBytes ? QPointF(0, -1) : QPointF(1, 0),
                        curveColour(*colours, mark.series));
        if (mark.id == highlighted) {
            painter.setPen(QPen(colours->focus, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(pointOf(mark), 2 * kMarkRadius, 2 * kMarkRadius);
        }
    }
}

void SweepPlot::Private::step(int by)
{
    const auto count = static_cast<int>(content.marks.size());
    int index = by > 0 ? -1 : count;
    for (int i = 0; i < count; ++i)
        if (content.marks[static_cast<std::size_t>(i)].id == highlighted)
            index = i;
    index = std::clamp(index + by, 0, count - 1);
    if (count > 0)
        emit q->chosen(content.marks[static_cast<std::size_t>(index)].id);
}

SweepPlot::SweepPlot(const QString &name, QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    setObjectName(name);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 160);
    m_private->refresh();
}

SweepPlot::~SweepPlot() = default;

void SweepPlot::setContent(SweepContent content)
{
    m_private->content = std::move(content);
    setAccessibleName(m_private->content.title);
    m_private->refresh();
}

void SweepPlot::setHighlighted(int id)
{
    if (id == m_private->highlighted)
        return;
    m_private->highlighted = id;
    const auto mark = std::ranges::find(m_private->content.marks, id, &SweepMark::id);
    setAccessibleDescription(mark == m_private->content.marks.end() ? QString() : mark->words);
    m_private->plot->replot(QCustomPlot::rpQueuedRefresh);
}

int SweepPlot::highlighted() const
{
    return m_private->highlighted;
}

std::optional<QPoint> SweepPlot::placeOf(int id) const
{
    const auto mark = std::ranges::find(m_private->content.marks, id, &SweepMark::id);
    return mark == m_private->content.marks.end() ? std::nullopt : std::optional(m_private->pointOf(*mark).toPoint());
}

void SweepPlot::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->arrange();
}

void SweepPlot::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        m_private->refresh();
}

void SweepPlot::mouseMoveEvent(QMouseEvent *event)
{
    const SweepMark *mark = m_private->at(event->pos());
    emit pointed(mark ? mark->id : -1);
}

void SweepPlot::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const SweepMark *mark = m_private->at(event->pos());
    emit chosen(mark ? mark->id : -1);
}

void SweepPlot::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (const SweepMark *mark = m_private->at(event->pos()))
        emit opened(mark->id);
}

void SweepPlot::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    emit pointed(-1);
}

void SweepPlot::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left: m_private->step(-1); break;
    case Qt::Key_Right: m_private->step(1); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_private->highlighted >= 0)
            emit opened(m_private->highlighted);
        break;
    default: QWidget::keyPressEvent(event);
    }
}

} // namespace stagelens::ui
