// The rows below lanes: streams and ranks.
#include "ui/timeline/rows/streams.h"
#include "ui/timeline/scene.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

bool isInAxis(const Scene &scene, const QRect &rect)
{
    return rect.bottom() >= scene.layout.axis.top() && rect.top() <= scene.layout.axis.bottom();
}

const LaneRow &rowOf(const Scene &scene, const TimelineLayout::Row &row, const TimelineLayout::Row::Below &below)
{
    return scene.group(row.group).below[below.index];
}

/// Even a short message is seen.
constexpr int kLeastStreamHeight = 4;

/// A column is as high as the share of its time in which the stream is busy.
void paintStream(QPainter &painter, const Scene &scene, const TimelineLayout::Row &row, const QRect &lane, Stream stream)
{
    const std::vector<MessageLane> &messages = scene.sumsOf(row.group).messages;
    const auto device = static_cast<std::size_t>(row.device);
    LaneWindow window = scene.window(row);
    window.width = lane.width();
    painter.fillRect(lane, scene.colours->band);
    const QColor colour = colourOf(stream, *scene.colours);
    for (const StreamPart &part : streamParts(scene.group(row.group), row.device, stream,
                                              device < messages.size() ? &messages[device] : nullptr, window)) {
        const int height = std::clamp(static_cast<int>(std::lround(part.share * lane.height())),
                                      std::min(kLeastStreamHeight, lane.height()), lane.height());
        painter.fillRect(QRect(lane.left() + part.x, lane.bottom() + 1 - height, part.width, height), colour);
    }
}

/// The passes of the lane, which are those of each of its ranks.
void paintRank(QPainter &painter, const Scene &scene, std::size_t index, const QRect &lane)
{
    painter.fillRect(lane, scene.colours->lane);
    for (const SliceBox &box : scene.boxes[index]) {
        const int left = static_cast<int>(std::lround(box.x / scene.ratio));
        const int right = std::max(static_cast<int>(std::lround((box.x + box.width) / scene.ratio)), left + 1);
        painter.fillRect(QRect(lane.left() + left, lane.top() + 2, right - left, lane.height() - 4),
                         scene.colours->pass(box.kind));
    }
}

} // namespace

QColor colourOf(Stream stream, const Colours &colours)
{
    using layout::Axis;
    switch (stream) {
    case Stream::Tensor: return axisColour(colours, Axis::Tensor);
    case Stream::Context: return axisColour(colours, Axis::Context);
    case Stream::Expert: return axisColour(colours, Axis::Expert);
    case Stream::Data: return axisColour(colours, Axis::Data);
    case Stream::Pipeline: return axisColour(colours, Axis::Pipeline);
    case Stream::Copy: break;
    }
    return colours.copy;
}

void paintRowsBelow(QPainter &painter, const Scene &scene)
{
    for (std::size_t i = 0; i < scene.layout.rows.size(); ++i) {
        const TimelineLayout::Row &row = scene.layout.rows[i];
        for (const TimelineLayout::Row::Below &below : row.below) {
            if (!isInAxis(scene, below.lane))
                continue;
            const LaneRow &what = rowOf(scene, row, below);
            if (what.kind == LaneRow::Kind::Stream)
                paintStream(painter, scene, row, below.lane, what.stream);
            else if (what.kind == LaneRow::Kind::Rank)
                paintRank(painter, scene, i, below.lane);
        }
    }
}

void paintNamesBelow(QPainter &painter, const Scene &scene)
{
    constexpr int kIndent = 26; // under the name of the lane
    constexpr int kGap = 8;
    painter.setFont(scene.font);
    painter.setPen(scene.colours->muted);
    const QFontMetrics metrics(scene.font);
    for (const TimelineLayout::Row &row : scene.layout.rows)
        for (const TimelineLayout::Row::Below &below : row.below)
            if (isInAxis(scene, below.header)) {
                const QRect place = below.header.adjusted(kIndent, -1, -kGap, 1);
                const QString name = nameOf(rowOf(scene, row, below), scene.group(row.group), row.device);
                painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                                 metrics.elidedText(name, Qt::ElideRight, place.width()));
            }
}

} // namespace stagelens::ui
