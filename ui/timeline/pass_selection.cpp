#include "ui/timeline/pass_selection.h"

#include "ui/state/links.h"
#include "ui/words/advice/headline.h"
#include "ui/words/tr.h"

#include <algorithm>

namespace stagelens::ui {
namespace {

/// Whether work of vocabulary layers is a tenth of a pass or more: looking up embeddings is less.
bool hasVocabularyWork(const LaneGroup &group, timeline::SliceId slice)
{
    constexpr base::Nanos kLeastShare = 10;
    const timeline::Lane &lane = laneOf(group, slice.device);
    return schedule::isVocabularyPass(lane.pass[slice.index].kind) ||
           (slice.index < lane.vocabulary.size() && lane.vocabulary[slice.index] > 0 &&
            kLeastShare * lane.vocabulary[slice.index] >= lane.end[slice.index] - lane.begin[slice.index]);
}

/// Whether a pass has work of vocabulary layers, or follows from one that has: its microbatch came through it.
bool comesFromVocabulary(const LaneGroup &group, timeline::SliceId slice)
{
    for (int step = 0; step <= 2 * group.timeline->devices(); ++step) {
        if (hasVocabularyWork(group, slice))
            return true;
        const std::optional<Link> link = lastPredecessor(group, slice);
        if (!link)
            return false;
        slice = link->slice;
    }
    return false;
}

} // namespace

const timeline::Timeline *PassSelection::timeline() const
{
    const auto &selection = m_viewState->selection();
    if (!selection || selection->group < 0 || selection->group >= static_cast<int>(m_canvas->content().groups.size()))
        return nullptr;
    const timeline::TimelinePtr &found = m_canvas->content().groups[static_cast<std::size_t>(selection->group)].timeline;
    const timeline::SliceId slice = selection->slice;
    if (!found || slice.device < 0 || slice.device >= found->devices() ||
        slice.index >= found->lanes[static_cast<std::size_t>(slice.device)].size())
        return nullptr;
    return found.get();
}

void PassSelection::update()
{
    const timeline::Timeline *selected = timeline();
    m_canvas->overlay().selection = selected != nullptr ? m_viewState->selection() : std::nullopt;
    m_pass.reset();
    if (selected != nullptr) {
        const timeline::SliceId slice = m_viewState->selection()->slice;
        m_pass = selected->lanes[static_cast<std::size_t>(slice.device)].pass[slice.index];
    }
    m_canvas->redrawOverlay();
}

void PassSelection::keep()
{
    const auto selection = m_viewState->selection();
    if (!selection)
        return;
    std::optional<timeline::SliceId> found;
    const auto group = static_cast<std::size_t>(selection->group);
    if (m_pass && group < m_canvas->content().groups.size() && m_canvas->content().groups[group].timeline &&
        selection->slice.device < m_canvas->content().groups[group].timeline->devices())
        found = timeline::findSlice(*m_canvas->content().groups[group].timeline, *m_pass, selection->slice.device);
    if (found)
        m_viewState->select(ViewState::Selection{selection->group, *found});
    else
        m_viewState->select(std::nullopt);
}

void PassSelection::show(int group, timeline::SliceId slice)
{
    m_viewState->select(ViewState::Selection{group, slice});
    const TimelineLayout::Row *row = m_canvas->scene().layout.rowOf(group, slice.device);
    if (row == nullptr)
        return;
    const timeline::Lane &lane = m_canvas->scene().lane(*row);
    const base::Nanos begin = lane.begin[slice.index];
    const base::Nanos end = lane.end[slice.index];
    if (begin < m_viewState->begin() || end > m_viewState->end()) {
        const base::Nanos middle = begin + (end - begin) / 2;
        m_viewState->setRange(middle - m_viewState->part(0.5), middle + m_viewState->part(0.5));
    }
    m_canvas->scrollToLane(group, slice.device);
}

void PassSelection::stepInLane(int by)
{
    const timeline::Timeline *selected = timeline();
    if (selected == nullptr) {
        // Nothing selected yet: begin with the first pass that is seen.
        for (std::size_t i = 0; i < m_canvas->scene().boxes.size(); ++i) {
            const TimelineLayout::Row &row = m_canvas->scene().layout.rows[i];
            if (!m_canvas->scene().boxes[i].empty())
                return show(row.group, {row.device, m_canvas->scene().boxes[i].front().first});
        }
        return;
    }
    const ViewState::Selection selection = *m_viewState->selection();
    const std::size_t count = selected->lanes[static_cast<std::size_t>(selection.slice.device)].size();
    const auto index = static_cast<std::ptrdiff_t>(selection.slice.index) + by;
    if (index >= 0 && index < static_cast<std::ptrdiff_t>(count))
        show(selection.group, {selection.slice.device, static_cast<std::size_t>(index)});
}

void PassSelection::stepToLane(int by)
{
    const timeline::Timeline *selected = timeline();
    if (selected == nullptr)
        return stepInLane(0);
    const ViewState::Selection selection = *m_viewState->selection();
    const timeline::Lane &lane = selected->lanes[static_cast<std::size_t>(selection.slice.device)];
    const base::Nanos middle = (lane.begin[selection.slice.index] + lane.end[selection.slice.index]) / 2;
    const TimelineLayout::Row *row = m_canvas->scene().layout.rowOf(selection.group, selection.slice.device);
    if (row == nullptr)
        return;
    for (auto next = row - m_canvas->scene().layout.rows.data() + by;
         next >= 0 && next < std::ssize(m_canvas->scene().layout.rows); next += by) {
        const TimelineLayout::Row &other = m_canvas->scene().layout.rows[static_cast<std::size_t>(next)];
        const timeline::Lane &target = m_canvas->scene().lane(other);
        if (target.size() == 0)
            continue;
        const auto at = std::upper_bound(target.end.begin(), target.end.end(), middle);
        const auto index = static_cast<std::size_t>(at - target.end.begin());
        return show(other.group, {other.device, std::min(index, target.size() - 1)});
    }
}

void PassSelection::stepAlong(bool forward)
{
    if (timeline() == nullptr)
        return;
    const ViewState::Selection selection = *m_viewState->selection();
    const LaneGroup &group = m_canvas->content().groups[static_cast<std::size_t>(selection.group)];
    if (!forward) {
        if (const std::optional<Link> link = lastPredecessor(group, selection.slice))
            show(selection.group, link->slice);
        return;
    }
    const std::vector<Link> links = successors(group, selection.slice);
    const auto begin = [&](const Link &link) {
        return group.timeline->lanes[static_cast<std::size_t>(link.slice.device)].begin[link.slice.index];
    };
    const auto first =
        std::min_element(links.begin(), links.end(), [&](const Link &a, const Link &b) { return begin(a) < begin(b); });
    if (first != links.end())
        show(selection.group, first->slice);
}

std::optional<NextStep> PassSelection::nextStep(const Headline &verdict) const
{
    const auto &gap = m_canvas->overlay().gap;
    const bool isPass = timeline() != nullptr;
    if (!isPass && !gap)
        return std::nullopt;
    const int index = isPass ? m_viewState->selection()->group : gap->group;
    if (index < 0 || index >= static_cast<int>(m_canvas->content().groups.size()))
        return std::nullopt;
    const LaneGroup &group = m_canvas->content().groups[static_cast<std::size_t>(index)];
    std::optional<timeline::SliceId> waiting; // nothing: the device has no work left
    if (isPass) {
        waiting = m_viewState->selection()->slice;
    } else if (group.timeline && gap->device < group.timeline->devices()) {
        const timeline::Lane &lane = laneOf(group, gap->device);
        if (const std::size_t next = timeline::firstEndingAfter(lane, gap->time); next < lane.size())
            waiting = {gap->device, next};
    }
    const bool reorders = verdict.change && !verdict.change->family.isEmpty();
    const bool movesVocabulary = verdict.change && verdict.change->method && !reorders;
    const bool isTouched = (movesVocabulary && waiting && comesFromVocabulary(group, *waiting)) || (!isPass && reorders);
    if (isTouched && !group.faded)
        return NextStep{NextStep::Kind::Fix, {}, verdict.actionCaption, verdict.text};
    if (const auto link = waiting ? lastPredecessor(group, *waiting) : std::nullopt) {
        const schedule::Pass &pass = laneOf(group, link->slice.device).pass[link->slice.index];
        return NextStep{NextStep::Kind::Predecessor,
                        {index, link->slice},
                        Words::tr("Go to %1 on device %2").arg(passText(pass, group.timeline->slices)).arg(link->slice.device),
                        Words::tr("Of what is needed here, that pass finished last")};
    }
    return NextStep{NextStep::Kind::CriticalPath,
                    {},
                    Words::tr("Show the critical path"),
                    Words::tr("The passes that set the time of the iteration")};
}

void PassSelection::fit()
{
    if (const auto &mark = m_viewState->mark())
        return m_viewState->setRange(mark->begin, mark->end);
    const timeline::Timeline *selected = timeline();
    if (selected == nullptr)
        return;
    const timeline::SliceId slice = m_viewState->selection()->slice;
    const timeline::Lane &lane = selected->lanes[static_cast<std::size_t>(slice.device)];
    // With twice its length at both sides: a pass alone says nothing.
    const base::Nanos length = std::max<base::Nanos>(lane.end[slice.index] - lane.begin[slice.index], 1);
    m_viewState->setRange(lane.begin[slice.index] - 2 * length, lane.end[slice.index] + 2 * length);
}

} // namespace stagelens::ui
