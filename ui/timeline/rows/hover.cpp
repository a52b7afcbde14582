#include "ui/timeline/rows/hover.h"

#include "engine/simulate/costs/cost_model.h"
#include "ui/state/links.h"
#include "ui/timeline/rows/streams.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QPainter>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSign = 11; ///< odd, so that its bars have a middle

QString signText(LaneDetail next)
{
    switch (next) {
    case LaneDetail::Devices: return Words::tr("Hide the rows below the lanes");
    case LaneDetail::Streams: return Words::tr("Show below each lane what is exchanged and copied");
    case LaneDetail::Ranks: return Words::tr("Show below each lane also its ranks");
    }
    return {};
}

/// What is under way in a stream at a point in time; no lines where it is idle.
QStringList workAt(const Scene &scene, const TimelineLayout::Row &row, Stream stream, base::Nanos time)
{
    const LaneGroup &group = scene.group(row.group);
    const bool units = scene.content->teachingUnits;
    const GroupSums &sums = scene.sumsOf(row.group);
    QStringList lines;
    const auto device = static_cast<std::size_t>(row.device);
    if (stream == Stream::Pipeline && device < sums.messages.size())
        for (const timeline::TransferSlice &transfer : sums.messages[device].at(*sums.timeline, time))
            lines << describeTransfer(transfer, units);
    const timeline::Lane &lane = scene.lane(row);
    for (const timeline::AnchoredSlice &slice : lane.anchored)
        if (streamOf(slice.kind) == stream && slice.begin <= time && time < slice.end)
            lines << describeAnchored(slice, row.device, units);
    const std::optional<std::size_t> slice = timeline::sliceAt(lane, time);
    if (!slice || !group.costs)
        return lines;
    const simulate::PassCost &cost = group.costs->pass(row.device, lane.pass[*slice].kind, lane.pass[*slice].stage);
    if (const base::Nanos busy = timeIn(cost, stream); busy > 0)
        lines << Words::tr("%1 of the %2 of %3")
                     .arg(durationText(busy, units), durationText(cost.duration, units),
                          passText(lane.pass[*slice], sums.timeline->slices));
    return lines;
}

QString describeStream(const Scene &scene, const TimelineLayout::Row &row, Stream stream, const QString &name, base::Nanos time)
{
    const LaneGroup &group = scene.group(row.group);
    const GroupSums &sums = scene.sumsOf(row.group);
    const auto device = static_cast<std::size_t>(row.device);
    const base::Nanos busy =
        streamTime(group, row.device, stream, device < sums.messages.size() ? &sums.messages[device] : nullptr);
    const double share = static_cast<double>(busy) / static_cast<double>(std::max<base::Nanos>(endOf(group), 1));
    QStringList lines{Words::tr("Device %1, %2").arg(row.device).arg(name),
                      Words::tr("Busy for %1, %2 % of the iteration")
                          .arg(durationText(busy, scene.content->teachingUnits))
                          .arg(share * 100, 0, 'f', share < 0.1 ? 1 : 0)};
    return (lines + workAt(scene, row, stream, time)).join(u'\n');
}

} // namespace

QRect detailSign(const Scene &scene, const TimelineLayout::Row &row)
{
    const TimelineLayout &layout = scene.layout;
    if (!scene.group(row.group).next || (layout.paired && row.group != 0) || layout.pitch < kSign + 4)
        return {};
    return {laneNameEnd(QFontMetrics(scene.font)), layout.middleOf(row) - kSign / 2, kSign, kSign};
}

void paintDetailSign(QPainter &painter, const Scene &scene, const TimelineLayout::Row &row)
{
    const QRect sign = detailSign(scene, row);
    if (sign.isEmpty())
        return;
    painter.setPen(scene.colours->muted);
    painter.setBrush(scene.colours->background);
    painter.drawRect(sign.adjusted(0, 0, -1, -1));
    const QPoint middle = sign.center();
    painter.drawLine(middle - QPoint(2, 0), middle + QPoint(2, 0));
    if (*scene.group(row.group).next != LaneDetail::Devices)
        painter.drawLine(middle - QPoint(0, 2), middle + QPoint(0, 2));
}

std::optional<LaneDetail> detailAskedAt(const Scene &scene, QPoint point)
{
    if (point.x() >= scene.layout.axis.left() || point.y() < scene.layout.axis.top() || point.y() > scene.layout.axis.bottom())
        return std::nullopt;
    constexpr int kReach = 3; // a target of 17 pixels
    for (const TimelineLayout::Row &row : scene.layout.rows)
        if (const QRect sign = detailSign(scene, row);
            !sign.isEmpty() && sign.adjusted(-kReach, -kReach, kReach, kReach).contains(point))
            return scene.group(row.group).next;
    return std::nullopt;
}

QString describeRows(const Scene &scene, QPoint point)
{
    if (const auto next = detailAskedAt(scene, point))
        return signText(*next);
    if (point.y() < scene.layout.axis.top() || point.y() > scene.layout.axis.bottom())
        return {};
    for (const TimelineLayout::Row &row : scene.layout.rows)
        for (const TimelineLayout::Row::Below &below : row.below) {
            if (!below.lane.contains(point) && !below.header.contains(point))
                continue;
            const LaneGroup &group = scene.group(row.group);
            const LaneRow &what = group.below[below.index];
            const QString name = nameOf(what, group, row.device);
            if (what.kind == LaneRow::Kind::Stream)
                return describeStream(scene, row, what.stream, name, scene.timeAtX(point.x() + 0.5));
            return Words::tr("Device %1, %2").arg(row.device).arg(name) + u'\n' +
                   Words::tr("The same passes at the same times as every rank of the lane");
        }
    return {};
}

} // namespace stagelens::ui
