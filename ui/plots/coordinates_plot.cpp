#include "ui/plots/coordinates_plot.h"

#include "ui/canvas/design.h"
#include "ui/plots/plot_style.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMargin = 24;

/// A heading in two lines where one has no room for it, cut at a word.
QStringList linesOf(const QString &heading, const QFontMetrics &metrics, int room)
{
    if (metrics.horizontalAdvance(heading) <= room)
        return {heading};
    QStringList words = heading.split(u' ');
    QString first = words.takeFirst();
    while (!words.isEmpty() && metrics.horizontalAdvance(first + u' ' + words.front()) <= room)
        first += u' ' + words.takeFirst();
    QStringList lines{metrics.elidedText(first, Qt::ElideRight, room)};
    if (!words.isEmpty())
        lines << metrics.elidedText(words.join(u' '), Qt::ElideRight, room);
    return lines;
}

} // namespace

class CoordinatesPlot::Private {
public:
    explicit Private(CoordinatesPlot *plot) : q(plot) {}
    void arrange();
    void setRange(std::size_t axis, std::optional<CoordinateRange> range);
    /// The lines must be drawn anew.
    void refresh();
    void select(const CoordinateLine *line);
    void step(int by);
    /// Keeps what is not below the selected line at the focused axis, or not above it.
    void limit(bool above);
    void drawLines();
    void paintAxis(QPainter &painter, std::size_t axis) const;
    void paintMarks(QPainter &painter, std::size_t axis, int room) const;
    void paintLegend(QPainter &painter) const;
    void paintLine(QPainter &painter, const CoordinateLine &line, const QPen &pen) const;

    CoordinatesPlot *q;
    Coordinates data;
    std::optional<qint64> selected;
    std::optional<qint64> pointed;
    std::size_t focused = 0; ///< the axis that Shift with an arrow limits
    struct Press {
        std::size_t axis;
        int y;
        bool moved;
    };
    std::optional<Press> press;
    QPixmap lines; ///< empty: to be drawn anew
};

void CoordinatesPlot::Private::arrange()
{
    const int line = q->fontMetrics().height();
    // Above: the legend and two lines of headings.
    const QRect axes = q->rect().adjusted(kMargin, 4 * line + 16, -kMargin, -2 * line - 4);
    data.setPlace(axes, axes.bottom() + line);
}

void CoordinatesPlot::Private::setRange(std::size_t axis, std::optional<CoordinateRange> range)
{
    data.setRange(axis, range);
    refresh();
    emit q->keptChanged();
}

void CoordinatesPlot::Private::refresh()
{
    arrange();
    lines = {};
    q->update();
}

void CoordinatesPlot::Private::select(const CoordinateLine *line)
{
    const std::optional<qint64> id = line ? std::optional(line->id) : std::nullopt;
    if (selected == id)
        return;
    selected = id;
    q->setAccessibleDescription(line ? line->words : QString());
    q->update();
    emit q->selectionChanged();
}

void CoordinatesPlot::Private::step(int by)
{
    const std::vector<qint64> all = q->kept();
    if (all.empty())
        return;
    const auto at = selected ? std::ranges::find(all, *selected) : all.end();
    const auto count = static_cast<std::ptrdiff_t>(all.size());
    const std::ptrdiff_t next = at == all.end() ? (by > 0 ? 0 : count - 1) : (at - all.begin() + by + count) % count;
    select(data.find(all[static_cast<std::size_t>(next)]));
}

void CoordinatesPlot::Private::limit(bool above)
{
    const CoordinateLine *line = data.find(selected);
    if (line == nullptr || focused >= data.scales().size() || !line->values[focused])
        return;
    const double share = data.scales()[focused].share(*line->values[focused]);
    setRange(focused, above ? CoordinateRange{share, 1} : CoordinateRange{0, share});
}

void CoordinatesPlot::Private::paintLine(QPainter &painter, const CoordinateLine &line, const QPen &pen) const
{
    QPolygonF points;
    for (std::size_t axis = 0; axis < line.values.size(); ++axis)
        points << data.pointOf(line, axis);
    painter.setPen(pen);
    painter.drawPolyline(points);
}

/// The lines do not change while the pointer moves: they are kept as a picture.
void CoordinatesPlot::Private::drawLines()
{
    const Colours &colours = coloursFor(q->palette());
    lines = QPixmap(q->size() * q->devicePixelRatioF());
    lines.setDevicePixelRatio(q->devicePixelRatioF());
    lines.fill(Qt::transparent);
    QPainter painter(&lines);
    painter.setRenderHint(QPainter::Antialiasing);
    const std::vector<CoordinateLine> &all = data.content().lines;
    const auto kept = static_cast<double>(data.kept().size());
    for (const bool which : {false, true}) // those that are kept stand over the others
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (data.isKept(i) != which)
                continue;
            QColor colour = which ? curveColour(colours, all[i].series) : colours.grid;
            if (which)
                colour.setAlphaF(static_cast<float>(std::clamp(14 / std::sqrt(kept + 1), 0.25, 0.9)));
            paintLine(painter, all[i], QPen(colour, which ? 1.6 : 1));
        }
}

void CoordinatesPlot::Private::paintAxis(QPainter &painter, std::size_t axis) const
{
    const Colours &colours = coloursFor(q->palette());
    const QFontMetrics metrics(q->font());
    const int x = static_cast<int>(std::lround(data.xOf(axis)));
    const QRect &place = data.place();
    painter.fillRect(QRect(x, place.top(), 1, place.height() + 1), colours.muted);
    QFont bold = q->font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(q->hasFocus() && axis == focused ? colours.focus : colours.ink);
    const int room = static_cast<int>(data.xOf(1) - data.xOf(0)) - 8;
    const QStringList heading = linesOf(data.content().axes[axis].name, QFontMetrics(bold), room);
    for (qsizetype i = 0; i < heading.size(); ++i)
        painter.drawText(x - 6,
                         place.top() - 10 - metrics.descent() - static_cast<int>(heading.size() - 1 - i) * metrics.height(),
                         heading[i]);
    painter.setFont(q->font());
    if (const auto &range = data.ranges()[axis]) {
        const int top = static_cast<int>(place.bottom() - range->to * place.height());
        const int bottom = static_cast<int>(place.bottom() - range->from * place.height());
        const QRect bar(x - 5, top, 10, std::max(bottom - top, 3));
        QColor fill = colours.focus;
        fill.setAlpha(70);
        painter.fillRect(bar, fill);
        painter.setPen(colours.focus);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(bar);
    }
    paintMarks(painter, axis, room);
}

void CoordinatesPlot::Private::paintMarks(QPainter &painter, std::size_t axis, int room) const
{
    const Colours &colours = coloursFor(q->palette());
    const QFontMetrics metrics(q->font());
    const int x = static_cast<int>(std::lround(data.xOf(axis)));
    const auto label = [&](double at, const QString &text, const QColor &ink) {
        const int y = static_cast<int>(std::lround(at));
        const QString shown = metrics.elidedText(text, Qt::ElideRight, room - 4);
        const QRect place(x + 8, y - metrics.height() / 2, metrics.horizontalAdvance(shown) + 1, metrics.height());
        QColor halo = colours.background;
        halo.setAlpha(200);
        painter.fillRect(place.adjusted(-2, 0, 2, 0), halo);
        painter.fillRect(QRect(x - 3, y, 7, 1), colours.muted);
        painter.setPen(ink);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, shown);
    };
    const CoordinateAxis &look = data.content().axes[axis];
    double last = 1e9; // labels do not cover each other
    for (const double mark : data.scales()[axis].marks) {
        const double y = data.yOf(axis, mark);
        if (last - y < metrics.height() - 2)
            continue;
        last = y;
        label(y, look.names.isEmpty() ? look.text(mark) : look.names[static_cast<qsizetype>(mark)], colours.ink);
    }
    if (std::ranges::any_of(data.content().lines, [axis](const CoordinateLine &line) { return !line.values[axis]; }))
        label(data.unknownY(), Words::tr("unknown"), colours.muted);
}

void CoordinatesPlot::Private::paintLegend(QPainter &painter) const
{
    const Colours &colours = coloursFor(q->palette());
    const QFontMetrics metrics(q->font());
    int x = kMargin - 6;
    const QStringList &series = data.content().series;
    for (qsizetype i = 0; i < series.size(); ++i) {
        const int width = metrics.horizontalAdvance(series[i]);
        if (x + 26 + width > q->width() - kMargin)
            break;
        painter.fillRect(QRect(x, 8 + metrics.height() / 2 - 1, 18, 3), curveColour(colours, static_cast<std::size_t>(i)));
        painter.setPen(colours.ink);
        painter.drawText(QRect(x + 24, 8, width + 1, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, series[i]);
        x += 24 + width + 20;
    }
}

CoordinatesPlot::CoordinatesPlot(const QString &name, QWidget *parent)
    : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    setAccessibleName(name);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

CoordinatesPlot::~CoordinatesPlot() = default;

void CoordinatesPlot::setContent(CoordinateContent content)
{
    m_private->data.setContent(std::move(content));
    m_private->pointed.reset();
    m_private->press.reset();
    m_private->focused = std::min(m_private->focused, std::max<std::size_t>(m_private->data.scales().size(), 1) - 1);
    if (m_private->data.find(m_private->selected) == nullptr)
        m_private->select(nullptr);
    m_private->refresh();
    emit keptChanged();
}

std::vector<qint64> CoordinatesPlot::kept() const
{
    return m_private->data.kept();
}

bool CoordinatesPlot::hasRanges() const
{
    return std::ranges::any_of(m_private->data.ranges(), [](const auto &range) { return range.has_value(); });
}

void CoordinatesPlot::clearRanges()
{
    m_private->data.clearRanges();
    m_private->refresh();
    emit keptChanged();
}

std::optional<qint64> CoordinatesPlot::selected() const
{
    return m_private->selected;
}

std::optional<QPoint> CoordinatesPlot::placeOf(qint64 line, std::size_t axis) const
{
    const CoordinateLine *found = m_private->data.find(line);
    return found == nullptr ? std::nullopt : std::optional(m_private->data.pointOf(*found, axis).toPoint());
}

void CoordinatesPlot::paintEvent(QPaintEvent *)
{
    const Colours &colours = coloursFor(palette());
    QPainter painter(this);
    painter.fillRect(rect(), colours.background);
    if (m_private->data.content().lines.empty() || m_private->data.scales().size() < 2)
        return paintSentence(painter, *this, colours, m_private->data.content().empty);
    if (m_private->lines.isNull())
        m_private->drawLines();
    painter.drawPixmap(0, 0, m_private->lines);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const auto &id : {m_private->pointed, m_private->selected})
        if (const CoordinateLine *line = m_private->data.find(id)) {
            m_private->paintLine(painter, *line, QPen(colours.background, 6));
            m_private->paintLine(painter, *line, QPen(curveColour(colours, line->series), 3));
        }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t axis = 0; axis < m_private->data.scales().size(); ++axis)
        m_private->paintAxis(painter, axis);
    m_private->paintLegend(painter);
}

void CoordinatesPlot::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->refresh();
}

void CoordinatesPlot::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    m_private->refresh();
}

void CoordinatesPlot::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto axis = m_private->data.axisAt(event->pos())) {
        m_private->focused = *axis;
        m_private->press = Private::Press{*axis, event->pos().y(), false};
        update();
    } else {
        m_private->select(m_private->data.lineAt(event->pos()));
    }
}

void CoordinatesPlot::mouseMoveEvent(QMouseEvent *event)
{
    constexpr int kClickSlack = 3;
    if (auto &press = m_private->press) {
        press->moved = press->moved || std::abs(event->pos().y() - press->y) > kClickSlack;
        const double a = m_private->data.shareAt(press->y);
        const double b = m_private->data.shareAt(event->pos().y());
        if (press->moved)
            m_private->setRange(press->axis, CoordinateRange{std::min(a, b), std::max(a, b)});
        return;
    }
    const bool onAxis = m_private->data.axisAt(event->pos()).has_value();
    setCursor(onAxis ? Qt::SizeVerCursor : Qt::ArrowCursor);
    const CoordinateLine *line = onAxis ? nullptr : m_private->data.lineAt(event->pos());
    const auto id = line ? std::optional(line->id) : std::nullopt;
    if (id == m_private->pointed)
        return;
    m_private->pointed = id;
    update();
    if (line)
        QToolTip::showText(event->globalPosition().toPoint(), plainTip(line->words), this);
    else
        QToolTip::hideText();
}

void CoordinatesPlot::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_private->press)
        return;
    const Private::Press ended = *m_private->press;
    m_private->press.reset();
    if (!ended.moved && m_private->data.ranges()[ended.axis])
        m_private->setRange(ended.axis, std::nullopt);
}

void CoordinatesPlot::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (m_private->data.axisAt(event->pos()))
        return;
    if (const CoordinateLine *line = m_private->data.lineAt(event->pos()))
        emit opened(line->id);
}

void CoordinatesPlot::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_private->pointed.reset();
    update();
}

void CoordinatesPlot::keyPressEvent(QKeyEvent *event)
{
    const bool shift = event->modifiers() == Qt::ShiftModifier;
    const std::size_t axes = std::max<std::size_t>(m_private->data.scales().size(), 1);
    switch (event->key()) {
    case Qt::Key_Up: shift ? m_private->limit(true) : m_private->step(-1); return;
    case Qt::Key_Down: shift ? m_private->limit(false) : m_private->step(1); return;
    case Qt::Key_Left: m_private->focused = (m_private->focused + axes - 1) % axes; return update();
    case Qt::Key_Right: m_private->focused = (m_private->focused + 1) % axes; return update();
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        if (m_private->focused < m_private->data.ranges().size())
            m_private->setRange(m_private->focused, std::nullopt);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_private->selected)
            emit opened(*m_private->selected);
        return;
    case Qt::Key_Escape:
        if (hasRanges())
            return clearRanges();
        break;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

} // namespace stagelens::ui
