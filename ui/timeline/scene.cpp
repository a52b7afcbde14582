#include "ui/timeline/scene.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

GroupSums GroupSums::of(const timeline::TimelinePtr &timeline)
{
    GroupSums sums{timeline, {}, {}};
    if (!timeline)
        return sums;
    sums.lanes.reserve(timeline->lanes.size());
    for (const timeline::Lane &lane : timeline->lanes) {
        sums.lanes.emplace_back(lane);
        sums.total += sums.lanes.back().total();
    }
    return sums;
}

LaneWindow Scene::window(const TimelineLayout::Row &row) const
{
    LaneWindow window;
    window.begin = begin;
    window.end = end;
    window.width = static_cast<int>(std::lround(layout.axis.width() * ratio));
    for (const std::vector<int> &stages : group(row.group).timeline->stages)
        for (const int stage : stages)
            window.lastStage = std::max(window.lastStage, stage);
    return window;
}

double Scene::xAt(base::Nanos time) const
{
    return layout.axis.left() +
           static_cast<double>(time - begin) * layout.axis.width() / static_cast<double>(std::max<base::Nanos>(end - begin, 1));
}

base::Nanos Scene::timeAtX(double x) const
{
    return begin + std::llround((x - layout.axis.left()) * static_cast<double>(end - begin) / layout.axis.width());
}

void Scene::prepare()
{
    boxes.assign(layout.rows.size(), {});
    for (std::size_t i = 0; i < layout.rows.size(); ++i) {
        const TimelineLayout::Row &row = layout.rows[i];
        if (row.lane.bottom() >= layout.axis.top() && row.lane.top() <= layout.axis.bottom())
            boxes[i] = laneBoxes(lane(row), window(row));
    }
}

base::Nanos endOf(const LaneGroup &group)
{
    base::Nanos end = 0;
    if (group.timeline) {
        for (const timeline::Lane &lane : group.timeline->lanes)
            end = std::max({end, lane.end.empty() ? 0 : lane.end.back(), lane.tailEnd});
    }
    return end;
}

bool isMeasuredBesidePredicted(const TimelineContent &content)
{
    if (content.groups.size() != 2 || content.groups[1].faded || endOf(content.groups[0]) <= 0 || endOf(content.groups[1]) <= 0)
        return false;
    const timeline::Provenance kind = content.groups[1].timeline->provenance;
    const bool isMeasured = kind == timeline::Provenance::MeasuredLive || kind == timeline::Provenance::MeasuredVirtualClock;
    return content.groups[0].timeline->provenance == timeline::Provenance::Predicted && isMeasured;
}

} // namespace stagelens::ui
