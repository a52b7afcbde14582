#include "ui/timeline/overlay.h"

#include "ui/state/links.h"
#include "ui/timeline/play_painter.h"
#include "ui/timeline/rows/hover.h"
#include "ui/timeline/rows/legs.h"
#include "ui/timeline/rows/pins.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"

#include <QPainter>
#include <QPainterPath>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

constexpr int kPanelPadding = 9;

/// Two lines, dark and light, so that the outline is seen on every fill.
void outline(QPainter &painter, const QRectF &rect, const QColor &outer, const QColor &inner, double width)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(outer, width + 2));
    painter.drawRect(rect);
    painter.setPen(QPen(inner, width));
    painter.drawRect(rect);
}

/// Breaks what is longer than a width into several lines.
QStringList wrapped(const QString &line, const QFont &font, int width)
{
    QTextLayout layout(line, font);
    layout.beginLayout();
    QStringList parts;
    for (QTextLine part = layout.createLine(); part.isValid(); part = layout.createLine()) {
        part.setLineWidth(width);
        parts << line.mid(part.textStart(), part.textLength()).trimmed();
    }
    layout.endLayout();
    return parts;
}

/// The way of a microbatch between two passes.
void paintLink(QPainter &painter, const QRectF &from, const QRectF &to, const QColor &colour)
{
    const QPointF begin(from.right(), from.center().y());
    const QPointF end(to.left(), to.center().y());
    const double bend = std::max(std::abs(end.x() - begin.x()) / 2, 12.0);
    QPainterPath path(begin);
    path.cubicTo(begin + QPointF(bend, 0), end - QPointF(bend, 0), end);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 1.5));
    painter.drawPath(path);
    constexpr double kHead = 6;
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF{end, end + QPointF(-kHead, -kHead / 2), end + QPointF(-kHead, kHead / 2)});
}

void paintMark(QPainter &painter, const Scene &scene, const ViewState::Mark &mark)
{
    const TimelineLayout &layout = scene.layout;
    const double from = std::clamp(scene.xAt(mark.begin), layout.axis.left() - 2.0, layout.axis.right() + 2.0);
    const double to = std::clamp(scene.xAt(mark.end), layout.axis.left() - 2.0, layout.axis.right() + 2.0);
    const QRectF band(from, layout.ruler.top(), std::max(to - from, 1.0), layout.axis.bottom() - layout.ruler.top());
    QColor veil = scene.colours->focus;
    veil.setAlpha(38);
    painter.fillRect(band, veil);
    painter.setPen(QPen(scene.colours->focus, 1));
    painter.drawLine(band.topLeft(), band.bottomLeft());
    painter.drawLine(band.topRight(), band.bottomRight());
    const QString text = durationText(mark.end - mark.begin, scene.content->teachingUnits);
    painter.setFont(scene.font);
    const double width = QFontMetrics(scene.font).horizontalAdvance(text) + 12.0;
    QRectF tag(band.center().x() - width / 2, layout.flags.top() + 1, width, layout.flags.height() - 2);
    tag.moveLeft(std::clamp(tag.left(), layout.axis.left() + 0.0, layout.size.width() - width));
    painter.fillRect(tag, scene.colours->focus);
    painter.setPen(inkOn(scene.colours->focus));
    painter.drawText(tag, Qt::AlignCenter, text);
}

void paintPlayhead(QPainter &painter, const Scene &scene, base::Nanos time)
{
    const double x = scene.xAt(time);
    if (x < scene.layout.axis.left() || x > scene.layout.axis.right())
        return;
    painter.fillRect(QRectF(x - 1, scene.layout.ruler.top(), 2, scene.layout.axis.bottom() - scene.layout.ruler.top()),
                     scene.colours->focus);
    for (const TimelineLayout::Row &row : scene.layout.rows) {
        const timeline::Lane &lane = scene.lane(row);
        if (const auto slice = timeline::sliceAt(lane, time))
            if (const auto rect = rectOf(scene, row.group, {row.device, *slice}))
                outline(painter, rect->intersected(QRectF(scene.layout.axis)), scene.colours->background, scene.colours->focus,
                        2);
    }
}

/// An outline far outside the axis would cost time and overflow the rasteriser.
QRectF clipped(const Scene &scene, const QRectF &rect)
{
    return rect.intersected(QRectF(scene.layout.axis).adjusted(-4, -4, 4, 4));
}

void paintSelection(QPainter &painter, const Scene &scene, const ViewState::Selection &selection)
{
    const std::optional<QRectF> rect = rectOf(scene, selection.group, selection.slice);
    if (!rect)
        return;
    const LaneGroup &group = scene.group(selection.group);
    const QColor &ink = scene.colours->ink;
    const QColor &paper = scene.colours->background;
    const auto show = [&](const std::vector<Link> &links, bool before) {
        for (const Link &link : links) {
            const std::optional<QRectF> other = rectOf(scene, selection.group, link.slice);
            const QRectF seen = other ? clipped(scene, *other) : QRectF();
            if (seen.isEmpty())
                continue;
            outline(painter, seen, paper, ink, 1);
            if (link.slice.device != selection.slice.device)
                paintLink(painter, clipped(scene, before ? *other : *rect), clipped(scene, before ? *rect : *other), ink);
        }
    };
    painter.setRenderHint(QPainter::Antialiasing, true);
    show(predecessors(group, selection.slice), true);
    show(successors(group, selection.slice), false);
    outline(painter, clipped(scene, *rect), ink, scene.colours->focus, 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintPointer(QPainter &painter, const Scene &scene, QPoint at)
{
    const QRect &axis = scene.layout.axis;
    if (at.x() < axis.left() || at.x() > axis.right() || at.y() < scene.layout.ruler.top())
        return;
    QColor line = scene.colours->ink;
    line.setAlpha(110);
    painter.fillRect(QRect(at.x(), scene.layout.ruler.bottom() - 5, 1, scene.layout.size.height()), line);
    const QString time = durationText(std::max<base::Nanos>(scene.timeAtX(at.x()), 0), scene.content->teachingUnits);
    const int width = QFontMetrics(scene.font).horizontalAdvance(time) + 10;
    QRect tag(at.x() - width / 2, scene.layout.ruler.top() + 1, width, scene.layout.ruler.height() - 6);
    tag.moveLeft(std::clamp(tag.left(), axis.left(), scene.layout.size.width() - width));
    painter.fillRect(tag, scene.colours->ink);
    painter.setPen(scene.colours->background);
    painter.setFont(scene.font);
    painter.drawText(tag, Qt::AlignCenter, time);
}

} // namespace

void paintPanel(QPainter &painter, const Scene &scene, QPoint at, const QString &text)
{
    if (text.isEmpty())
        return;
    constexpr int kMostLetters = 64; // of a line
    const int most = std::max(
        std::min(QFontMetrics(scene.font).averageCharWidth() * kMostLetters, scene.layout.size.width() - 2 * kPanelPadding - 8),
        1);
    QStringList lines;
    for (const QString &line : text.split(QChar(u'\n')))
        lines << (QFontMetrics(scene.font).horizontalAdvance(line) <= most ? QStringList(line)
                                                                           : wrapped(line, scene.font, most));
    QFont title = scene.font;
    title.setBold(true);
    const QFontMetrics metrics(scene.font);
    int width = QFontMetrics(title).horizontalAdvance(lines.front());
    for (const QString &line : lines)
        width = std::max(width, metrics.horizontalAdvance(line));
    const int step = metrics.height() + 2;
    QRect panel(at + QPoint(14, 16),
                QSize(width + 2 * kPanelPadding, static_cast<int>(lines.size()) * step + 2 * kPanelPadding - 2));
    // Beside the pointer, on whichever side there is room.
    if (panel.right() > scene.layout.size.width() - 4)
        panel.moveRight(std::max(at.x() - 10, panel.width() + 4));
    if (panel.bottom() > scene.layout.size.height() - 4)
        panel.moveBottom(std::max(at.y() - 10, panel.height() + 4));
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, 28));
    painter.drawRoundedRect(panel.translated(0, 2).adjusted(-1, 0, 1, 1), 6, 6);
    painter.setPen(scene.colours->panelEdge);
    painter.setBrush(scene.colours->panel);
    painter.drawRoundedRect(QRectF(panel).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    painter.setRenderHint(QPainter::Antialiasing, false);
    int y = panel.top() + kPanelPadding + metrics.ascent() - 1;
    for (qsizetype i = 0; i < lines.size(); ++i, y += step) {
        painter.setFont(i == 0 ? title : scene.font);
        painter.setPen(i == 0 ? scene.colours->ink : scene.colours->muted);
        painter.drawText(panel.left() + kPanelPadding, y, lines[i]);
    }
}

std::optional<Hit> hitTest(const Scene &scene, QPoint point)
{
    const QRect &axis = scene.layout.axis;
    const TimelineLayout::Row *row = scene.layout.rowAt(point.y());
    if (row == nullptr || point.x() < axis.left() || point.x() > axis.right())
        return std::nullopt;
    Hit hit;
    hit.group = row->group;
    hit.device = row->device;
    hit.time = scene.timeAtX(point.x() + 0.5);
    hit.onMessages = row->messages.contains(point);
    if (hit.onMessages || point.y() > row->lane.bottom())
        return hit;
    const auto index = static_cast<std::size_t>(row - scene.layout.rows.data());
    const int pixel = static_cast<int>((point.x() - axis.left() + 0.5) * scene.ratio);
    const SliceBox *box = boxAt(scene.boxes[index], pixel);
    if (box == nullptr)
        return hit;
    const timeline::Lane &lane = scene.lane(*row);
    const auto first = lane.end.begin() + static_cast<std::ptrdiff_t>(box->first);
    const auto at = std::upper_bound(first, first + static_cast<std::ptrdiff_t>(box->count) - 1, hit.time);
    hit.slice = static_cast<std::size_t>(at - lane.end.begin());
    hit.count = box->count;
    // The two of an overlapped pair stand over each other.
    if (const auto pair = box->count == 1 ? pairOf(lane, *hit.slice) : std::nullopt)
        hit.slice = point.y() < row->lane.top() + row->lane.height() / 2 ? pair->first : pair->second;
    return hit;
}

/// The same pass in the other group, where one is the measurement of the other.
static QString differenceText(const Scene &scene, int group, timeline::SliceId slice)
{
    if (!isMeasuredBesidePredicted(*scene.content))
        return {};
    const timeline::Timeline &here = *scene.group(group).timeline;
    const timeline::Timeline &there = *scene.group(1 - group).timeline;
    const timeline::Lane &lane = here.lanes[static_cast<std::size_t>(slice.device)];
    if (slice.device >= there.devices())
        return {};
    const auto other = timeline::findSlice(there, lane.pass[slice.index], slice.device);
    if (!other)
        return {};
    const timeline::Lane &otherLane = there.lanes[static_cast<std::size_t>(other->device)];
    const base::Nanos own = lane.end[slice.index] - lane.begin[slice.index];
    const base::Nanos others = otherLane.end[other->index] - otherLane.begin[other->index];
    const base::Nanos predicted = group == 0 ? own : others;
    const base::Nanos measured = group == 0 ? others : own;
    const base::Nanos shift = (group == 0 ? -1 : 1) * (lane.begin[slice.index] - otherLane.begin[other->index]);
    if (predicted <= 0)
        return {};
    return Words::tr("\nPredicted %1, measured %2: %3; begins %4 %5 than predicted")
        .arg(durationText(predicted), durationText(measured),
             percentText(static_cast<double>(measured) / static_cast<double>(predicted) - 1), durationText(std::abs(shift)),
             shift < 0 ? Words::tr("earlier") : Words::tr("later"));
}

QString describe(const Scene &scene, const Hit &hit)
{
    const LaneGroup &group = scene.group(hit.group);
    const bool units = scene.content->teachingUnits;
    if (hit.onMessages) {
        QStringList texts;
        const GroupSums &sums = scene.sumsOf(hit.group);
        for (const timeline::TransferSlice &transfer :
             sums.messages[static_cast<std::size_t>(hit.device)].at(*sums.timeline, hit.time))
            texts << describeTransfer(transfer, units);
        return texts.isEmpty() ? Words::tr("Nothing is on its way to device %1").arg(hit.device) : texts.join(QChar(u'\n'));
    }
    if (!hit.slice) {
        for (const timeline::AnchoredSlice &slice : laneOf(group, hit.device).anchored)
            if (slice.begin <= hit.time && hit.time < slice.end)
                return describeAnchored(slice, hit.device, units);
        return describeGap(group, hit.device, hit.time, units);
    }
    QString text = describeSlice(group, {hit.device, *hit.slice}, units);
    if (hit.count == 1)
        text += differenceText(scene, hit.group, {hit.device, *hit.slice});
    if (const QString leg = describeLeg(scene, hit); !leg.isEmpty())
        text += u'\n' + leg;
    if (hit.count > 1)
        text += Words::tr("\n%1 passes stand here: zoom in to tell them apart").arg(hit.count);
    return text;
}

static QString bookmarkText(const Scene &scene, const ViewState::Mark &bookmark)
{
    const bool units = scene.content->teachingUnits;
    return Words::tr("Bookmark: %1 to %2\nClick to see it; M removes it then")
        .arg(durationText(bookmark.begin, units), durationText(bookmark.end, units));
}

QString describe(const Scene &scene, QPoint point)
{
    const std::optional<Hit> hit = hitTest(scene, point);
    if (hit)
        return describe(scene, *hit);
    const QString pin = describePin(scene, point);
    return pin.isEmpty() ? describeRows(scene, point) : pin;
}

std::optional<QRectF> rectOf(const Scene &scene, int group, timeline::SliceId slice)
{
    const TimelineLayout::Row *row = scene.layout.rowOf(group, slice.device);
    if (row == nullptr || slice.index >= scene.lane(*row).size())
        return std::nullopt;
    const timeline::Lane &lane = scene.lane(*row);
    const double left = scene.xAt(lane.begin[slice.index]);
    if (const auto pair = pairOf(lane, slice.index)) {
        const double from = scene.xAt(lane.begin[pair->first]);
        const int upper = row->lane.height() / 2;
        const bool first = slice.index == pair->first;
        return QRectF(from, row->lane.top() + (first ? 0 : upper), std::max(scene.xAt(lane.end[pair->second]) - from, 1.0),
                      first ? upper : row->lane.height() - upper);
    }
    return QRectF(left, row->lane.top(), std::max(scene.xAt(lane.end[slice.index]) - left, 1.0), row->lane.height());
}

namespace {

/// Around the whole of an idle time, so that one sees what the explanation is about.
void paintGap(QPainter &painter, const Scene &scene, const Hit &gap)
{
    const TimelineLayout::Row *row = scene.layout.rowOf(gap.group, gap.device);
    if (row == nullptr)
        return;
    const timeline::Timeline &timeline = *scene.content->groups[static_cast<std::size_t>(gap.group)].timeline;
    const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(gap.device)];
    const auto next = static_cast<std::size_t>(std::ranges::upper_bound(lane.end, gap.time) - lane.end.begin());
    const base::Nanos begin = next == 0 ? 0 : lane.end[next - 1];
    const base::Nanos end = next == lane.size() ? lengthOf(timeline) : lane.begin[next];
    const double left = scene.xAt(begin);
    const QRectF rect(left, row->lane.top(), std::max(scene.xAt(end) - left, 2.0), row->lane.height());
    QColor veil = scene.colours->focus;
    veil.setAlpha(38);
    painter.fillRect(clipped(scene, rect), veil);
    outline(painter, clipped(scene, rect).adjusted(0, 0, -1, -1), scene.colours->background, scene.colours->focus, 2);
}

} // namespace

void paintOverlay(QPainter &painter, const Scene &scene, const OverlayState &state)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.save();
    painter.setClipRect(scene.layout.axis.adjusted(-1, 0, 1, 0));
    const PlayMoment moment{state.playhead.value_or(0), state.followed, state.mostHeld};
    if (state.playhead)
        paintPlayedLanes(painter, scene, moment);
    if (state.followed)
        paintFollowed(painter, scene, *state.followed, state.playhead);
    if (state.selection)
        paintSelection(painter, scene, *state.selection);
    if (state.gap)
        paintGap(painter, scene, *state.gap);
    const std::optional<Hit> hit = state.pointer ? hitTest(scene, *state.pointer) : std::nullopt;
    if (hit && hit->slice)
        if (const std::optional<QRectF> rect = rectOf(scene, hit->group, {hit->device, *hit->slice}))
            outline(painter, clipped(scene, *rect).adjusted(0, 0, -1, -1), scene.colours->background, scene.colours->ink, 1);
    if (state.playhead)
        paintPlayhead(painter, scene, *state.playhead);
    painter.restore();
    if (state.playhead)
        paintActivationStacks(painter, scene, moment);
    if (state.mark)
        paintMark(painter, scene, *state.mark);
    paintBookmarks(painter, scene, state.bookmarks);
    if (state.pointer) {
        paintPointer(painter, scene, *state.pointer);
        paintPinOffer(painter, scene, *state.pointer);
        if (const ViewState::Mark *bookmark = bookmarkAt(scene, state.bookmarks, *state.pointer))
            paintPanel(painter, scene, *state.pointer, bookmarkText(scene, *bookmark));
        if (const QString text = describe(scene, *state.pointer); !text.isEmpty())
            paintPanel(painter, scene, *state.pointer, text);
    }
    if (state.passDrag)
        paintPassDrag(painter, scene, *state.passDrag);
    if (state.passPull)
        paintPassPull(painter, scene, *state.passPull);
    if (state.focused) {
        painter.setPen(QPen(scene.colours->focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRect({1, 1}, scene.layout.size - QSize(2, 2)));
    }
    painter.restore();
}

} // namespace stagelens::ui
