#include "ui/timeline/edit/pass_drag.h"

#include "ui/state/links.h"
#include "ui/timeline/overlay.h"
#include "ui/words/tr.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace stagelens::ui {

namespace {

/// The place of a slice's pass in its device's order, which is the lane's as long as none of them takes no time.
std::optional<std::size_t> positionOf(const LaneGroup &group, timeline::SliceId slice)
{
    const timeline::Lane &lane = laneOf(group, slice.device);
    const auto passes = group.schedule->device(slice.device);
    if (slice.index == lane.size())
        return passes.size();
    const schedule::Pass &pass = lane.pass[slice.index];
    const auto found = std::ranges::find_if(passes, [&pass](const schedule::Pass &other) {
        return other.kind == pass.kind && other.stage == pass.stage && other.microbatch == pass.microbatch;
    });
    if (found == passes.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - passes.begin());
}

/// In front of which slice something stands that is put at a moment.
std::size_t placeAt(const timeline::Lane &lane, base::Nanos time)
{
    std::size_t before = 0;
    while (before < lane.size() && lane.begin[before] + (lane.end[before] - lane.begin[before]) / 2 <= time)
        ++before;
    return before;
}

/// First and last slice of what moves together.
std::pair<std::size_t, std::size_t> together(const timeline::Lane &lane, std::size_t index)
{
    return pairOf(lane, index).value_or(std::pair(index, index));
}

} // namespace

std::optional<service::PassMove> moveBefore(const LaneGroup &group, timeline::SliceId slice, std::size_t before)
{
    if (!group.schedule || !group.timeline)
        return std::nullopt;
    const auto [first, last] = together(laneOf(group, slice.device), slice.index);
    if (before >= first && before <= last + 1)
        return std::nullopt;
    const auto from = positionOf(group, slice);
    const auto to = positionOf(group, {slice.device, before});
    if (!from || !to)
        return std::nullopt;
    return service::PassMove{slice.device, *from, *to};
}

std::optional<service::PassMove> moveTo(const LaneGroup &group, timeline::SliceId slice, base::Nanos time)
{
    return moveBefore(group, slice, placeAt(laneOf(group, slice.device), time));
}

std::optional<service::PassMove> moveByOne(const LaneGroup &group, timeline::SliceId slice, bool later)
{
    const timeline::Lane &lane = laneOf(group, slice.device);
    const auto [first, last] = together(lane, slice.index);
    if (later ? last + 1 >= lane.size() : first == 0)
        return std::nullopt;
    return moveBefore(group, slice, later ? together(lane, last + 1).second + 1 : together(lane, first - 1).first);
}

void paintPassDrag(QPainter &painter, const Scene &scene, const PassDrag &drag)
{
    const std::optional<QRectF> rect = rectOf(scene, drag.group, drag.slice);
    if (!rect)
        return;
    const bool refused = !drag.refusal.isEmpty();
    const QColor &signal = refused ? scene.colours->alarm : scene.colours->focus;
    const schedule::Pass &pass = laneOf(scene.group(drag.group), drag.slice.device).pass[drag.slice.index];
    // The held pass stands at the pointer, a little above its lane; where it came from stays outlined.
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(scene.colours->ink, 1, Qt::DashLine));
    painter.drawRect(*rect);
    QRectF held(0, 0, std::clamp(rect->width(), 6.0, 240.0), rect->height());
    held.moveCenter({static_cast<double>(drag.at.x()), rect->center().y() - 5});
    QColor fill = scene.colours->pass(pass.kind);
    fill.setAlpha(215);
    painter.fillRect(held, fill);
    painter.setPen(QPen(signal, 2));
    painter.drawRect(held);
    painter.setFont(scene.font);
    const QString name = passText(pass);
    if (QFontMetrics(scene.font).horizontalAdvance(name) + 4 < held.width()) {
        painter.setPen(inkOn(scene.colours->pass(pass.kind)));
        painter.drawText(held, Qt::AlignCenter, name);
    }
    if (drag.move) {
        // The place between two passes: at the begin of the one that will follow, or at the end of the lane.
        const timeline::Lane &lane = laneOf(scene.group(drag.group), drag.slice.device);
        const std::size_t before = placeAt(lane, scene.timeAtX(drag.at.x()));
        const double x = before < lane.size() ? scene.xAt(lane.begin[before]) : scene.xAt(lane.end.back());
        painter.fillRect(QRectF(x - 1.5, rect->top() - 7, 3, rect->height() + 14), signal);
    }
    const QString text = !drag.move ? Words::tr("%1\nDrag it to another place of device %2").arg(name).arg(drag.slice.device)
                         : !refused ? Words::tr("%1\nLet go to put it here").arg(name)
                                    : Words::tr("%1 cannot stand here\n%2").arg(name, drag.refusal);
    paintPanel(painter, scene, drag.at, text);
}

} // namespace stagelens::ui
