#include "ui/timeline/scene.h"

#include "ui/words/time_axis.h"

#include "ui/canvas/beside.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace stagelens::ui {
namespace {

/// The n-th stage of its device that a pass belongs to, from 0.
int chunkOn(const timeline::Timeline &timeline, std::size_t device, const schedule::Pass &pass)
{
    if (device >= timeline.stages.size())
        return 0;
    const std::vector<int> &own = timeline.stages[device];
    const auto at = std::find(own.begin(), own.end(), static_cast<int>(pass.stage));
    return at == own.end() ? 0 : static_cast<int>(at - own.begin());
}

/// Of each slice of a lane the index of its colour; behind the last of them what is not known.
std::vector<std::uint8_t> classesOf(const LaneGroup &group, std::size_t device, ColourBy by, base::Nanos makespan)
{
    const timeline::Lane &lane = group.timeline->lanes[device];
    const std::size_t turn = colours(false).microbatches.size();
    const auto classOf = [&](std::size_t slice) -> std::size_t {
        if (by == ColourBy::Microbatch)
            return static_cast<std::size_t>(lane.pass[slice].microbatch) % turn;
        if (by == ColourBy::Chunk)
            return static_cast<std::size_t>(chunkOn(*group.timeline, device, lane.pass[slice])) % turn;
        return group.why ? slackLevel(group.why->path.lanes[device].slack[slice], makespan) : kSlackShares.size() + 1;
    };
    std::vector<std::uint8_t> classes(lane.size());
    for (std::size_t slice = 0; slice < lane.size(); ++slice)
        classes[slice] = static_cast<std::uint8_t>(classOf(slice));
    return classes;
}

} // namespace

GroupSums GroupSums::of(const timeline::TimelinePtr &timeline)
{
    GroupSums sums;
    sums.timeline = timeline;
    if (!timeline)
        return sums;
    sums.lanes.reserve(timeline->lanes.size());
    for (const timeline::Lane &lane : timeline->lanes) {
        sums.lanes.emplace_back(lane);
        sums.total += sums.lanes.back().total();
    }
    sums.messages = messageLanes(*timeline);
    sums.makespan = timeline->makespan();
    if (timeline->iterations > 1) {
        const auto steps = timeline->stepExtents();
        for (std::size_t step = 1; step < steps.size(); ++step)
            sums.stepBegins.push_back(steps[step].first);
    }
    for (const std::vector<int> &stages : timeline->stages)
        sums.chunks = std::max(sums.chunks, static_cast<int>(stages.size()));
    return sums;
}

std::vector<MessageLane> messageLanes(const timeline::Timeline &timeline)
{
    std::vector<MessageLane> lanes;
    if (timeline.transfers.empty())
        return lanes;
    lanes.resize(timeline.lanes.size());
    const auto add = [&](MessageLane &lane, std::size_t index) {
        const timeline::TransferSlice &transfer = timeline.transfers[index];
        timeline::Lane &stretches = lane.stretches;
        if (stretches.size() == 0 || transfer.begin > stretches.end.back()) {
            stretches.push({}, transfer.begin, transfer.end);
            lane.firstOf.push_back(static_cast<std::uint32_t>(lane.transfers.size()));
        } else {
            stretches.end.back() = std::max(stretches.end.back(), transfer.end);
        }
        lane.transfers.push_back(static_cast<std::uint32_t>(index));
    };
    for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
        const timeline::TransferSlice &transfer = timeline.transfers[i];
        if (transfer.end <= transfer.begin)
            continue;
        if (transfer.peer >= 0)
            add(lanes[static_cast<std::size_t>(transfer.peer)], i);
        else
            for (MessageLane &lane : lanes)
                add(lane, i);
    }
    for (MessageLane &lane : lanes) {
        lane.firstOf.push_back(static_cast<std::uint32_t>(lane.transfers.size()));
        // A collective stands in every lane: of a large plan the room to grow would be tens of megabytes.
        lane.stretches.begin.shrink_to_fit();
        lane.stretches.end.shrink_to_fit();
        lane.stretches.pass.shrink_to_fit();
        lane.transfers.shrink_to_fit();
        lane.firstOf.shrink_to_fit();
    }
    return lanes;
}

std::vector<timeline::TransferSlice> MessageLane::at(const timeline::Timeline &timeline, base::Nanos time) const
{
    std::vector<timeline::TransferSlice> found;
    const std::optional<std::size_t> stretch = timeline::sliceAt(stretches, time);
    if (!stretch)
        return found;
    for (std::uint32_t i = firstOf[*stretch]; i < firstOf[*stretch + 1]; ++i) {
        const timeline::TransferSlice &transfer = timeline.transfers[transfers[i]];
        if (transfer.begin <= time && time < transfer.end)
            found.push_back(transfer);
    }
    return found;
}

void GroupSums::colour(const LaneGroup &group, ColourBy by)
{
    const std::shared_ptr<const simulate::Explanation> reason = by == ColourBy::Slack ? group.why : nullptr;
    if (by == colouredBy && reason == why)
        return;
    colouredBy = by;
    why = reason;
    classes.clear();
    for (std::size_t device = 0; by != ColourBy::Kind && device < lanes.size(); ++device)
        classes.emplace_back(timeline->lanes[device], classesOf(group, device, by, makespan));
}

int Scene::chunkOf(const TimelineLayout::Row &row, const schedule::Pass &pass) const
{
    return chunkOn(*group(row.group).timeline, static_cast<std::size_t>(row.device), pass);
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

QRect Scene::deviceAxis() const
{
    return {static_cast<int>(std::lround(layout.axis.left() * ratio)), 0,
            static_cast<int>(std::lround(layout.axis.width() * ratio)), 1};
}

TimeScale Scene::timeScale() const
{
    return ui::timeScale(begin, end, layout.ruler.width(), font, content->teachingUnits);
}

double Scene::widthOf(base::Nanos duration) const
{
    return static_cast<double>(duration) * deviceAxis().width() / ratio / static_cast<double>(end - begin);
}

/// The lanes of a large plan are divided between this thread and another one: most of the time is waiting for their memory.
void Scene::prepare()
{
    constexpr std::size_t kMany = 200'000; // slices that are worth a thread
    boxes.assign(layout.rows.size(), {});
    std::vector<std::size_t> visible;
    std::size_t slices = 0;
    for (std::size_t i = 0; i < layout.rows.size(); ++i) {
        const TimelineLayout::Row &row = layout.rows[i];
        if (row.lane.bottom() < layout.axis.top() || row.lane.top() > layout.axis.bottom())
            continue;
        visible.push_back(i);
        slices += lane(row).size();
    }
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < visible.size(); i = next++) {
            const TimelineLayout::Row &row = layout.rows[visible[i]];
            boxes[visible[i]] = laneBoxes(lane(row), window(row));
        }
    };
    if (slices > kMany)
        return runBeside(work, work);
    work();
}

base::Nanos endOf(const LaneGroup &group)
{
    return group.timeline ? lastEnd(*group.timeline) : 0;
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
