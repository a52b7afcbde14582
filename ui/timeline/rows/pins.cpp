#include "ui/timeline/rows/pins.h"

#include "ui/words/tr.h"

#include <QPainter>

#include <algorithm>

namespace stagelens::ui {
namespace {

constexpr int kPinLeft = 9; ///< beside the rail
constexpr int kPinWidth = 5;
constexpr int kPinHeight = 9;

/// A head of 5 by 5 pixels on a plate, and a needle.
void paintPinAt(QPainter &painter, QPoint topLeft, const QColor &ink, const QColor &fill)
{
    painter.setPen(ink);
    painter.setBrush(fill);
    painter.drawRect(QRect(topLeft + QPoint(1, 0), QSize(kPinWidth - 3, 4)));
    painter.drawLine(topLeft + QPoint(0, 5), topLeft + QPoint(kPinWidth - 1, 5));
    painter.drawLine(topLeft + QPoint(kPinWidth / 2, 6), topLeft + QPoint(kPinWidth / 2, kPinHeight - 1));
}

QPoint placeOf(const Scene &scene, const TimelineLayout::Row &row)
{
    const TimelineLayout::Row *first = scene.layout.paired ? scene.layout.rowOf(0, row.device) : &row;
    return {kPinLeft, scene.layout.middleOf(*first) - kPinHeight / 2};
}

} // namespace

const TimelineLayout::Row *pinAskedAt(const Scene &scene, QPoint point)
{
    constexpr int kReach = kLaneNameLeft + 2;
    return point.x() < kReach ? scene.layout.rowAt(point.y()) : nullptr;
}

void paintPin(QPainter &painter, const Scene &scene, const TimelineLayout::Row &row)
{
    if (row.pinned && (row.group == 0 || !scene.layout.paired))
        paintPinAt(painter, placeOf(scene, row), scene.colours->ink, scene.colours->ink);
}

void paintFixedEdge(QPainter &painter, const Scene &scene)
{
    if (scene.layout.fixed > 0)
        painter.fillRect(QRect(0, scene.layout.axis.top() + scene.layout.fixed - 4, scene.layout.size.width(), 1),
                         scene.colours->muted);
}

void paintPinOffer(QPainter &painter, const Scene &scene, QPoint pointer)
{
    const TimelineLayout::Row *row = pinAskedAt(scene, pointer);
    if (row != nullptr && !row->pinned)
        paintPinAt(painter, placeOf(scene, *row), scene.colours->ink, scene.colours->background);
}

QString describePin(const Scene &scene, QPoint point)
{
    const TimelineLayout::Row *row = pinAskedAt(scene, point);
    if (row == nullptr)
        return {};
    return row->pinned
               ? Words::tr("Device %1 is pinned to the top\nClick, or press P, to let it scroll again").arg(row->device)
               : Words::tr("Pin device %1 to the top (P)\nIt stays there while the other lanes scroll").arg(row->device);
}

} // namespace stagelens::ui
