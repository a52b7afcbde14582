// Mouse and keys of the timeline.
#include "ui/state/links.h"
#include "ui/timeline/timeline_private.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

constexpr double kZoomStep = 1.25;
constexpr double kPanStep = 0.15; ///< of the visible width
constexpr int kClickSlack = 4;    ///< a press that moves less is a click

base::Nanos part(const ViewState &state, double share)
{
    return std::llround(static_cast<double>(state.end() - state.begin()) * share);
}

} // namespace

void TimelineView::Private::setPointer(std::optional<QPoint> point)
{
    if (overlay.pointer == point)
        return;
    overlay.pointer = point;
    redrawOverlay();
}

void TimelineView::Private::scrollTo(int target)
{
    scroll = std::clamp(target, 0, scene.layout.greatestScroll());
    redraw();
}

void TimelineView::Private::changePitch(int by)
{
    pitch = std::clamp(scene.layout.pitch + by, 6, 200);
    redraw();
}

void TimelineView::Private::click(QPoint point)
{
    const std::optional<Hit> hit = hitTest(scene, point);
    const bool onGap = hit && !hit->slice;
    setGap(onGap ? hit : std::nullopt);
    if (hit && hit->slice)
        state->select(ViewState::Selection{hit->group, {hit->device, *hit->slice}});
    else
        state->select(std::nullopt);
    if (onGap)
        emit q->gapClicked(hit->group, hit->device, hit->time);
}

void TimelineView::Private::setGap(const std::optional<Hit> &gap)
{
    if (!gap && !overlay.gap)
        return;
    overlay.gap = gap;
    redrawOverlay();
    if (!gap)
        emit q->gapForgotten();
}

void TimelineView::Private::selectAndShow(int group, timeline::SliceId slice)
{
    state->select(ViewState::Selection{group, slice});
    const TimelineLayout::Row *row = scene.layout.rowOf(group, slice.device);
    if (row == nullptr)
        return;
    const timeline::Lane &lane = scene.lane(*row);
    const base::Nanos begin = lane.begin[slice.index];
    const base::Nanos end = lane.end[slice.index];
    if (begin < state->begin() || end > state->end()) {
        const base::Nanos middle = begin + (end - begin) / 2;
        state->setRange(middle - part(*state, 0.5), middle + part(*state, 0.5));
    }
    scrollToLane(group, slice.device);
}

void TimelineView::Private::scrollToLane(int group, int device)
{
    const TimelineLayout::Row *row = scene.layout.rowOf(group, device);
    if (row == nullptr)
        return;
    const QRect &axis = scene.layout.axis;
    if (row->lane.top() < axis.top())
        scrollTo(scroll - (axis.top() - row->lane.top()));
    else if (row->lane.bottom() > axis.bottom())
        scrollTo(scroll + row->lane.bottom() - axis.bottom());
}

void TimelineView::Private::stepInLane(int by)
{
    const timeline::Timeline *timeline = selectedTimeline();
    if (timeline == nullptr) {
        // Nothing selected yet: begin with the first pass that is seen.
        for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
            const TimelineLayout::Row &row = scene.layout.rows[i];
            if (!scene.boxes[i].empty())
                return selectAndShow(row.group, {row.device, scene.boxes[i].front().first});
        }
        return;
    }
    const ViewState::Selection selection = *state->selection();
    const std::size_t count = timeline->lanes[static_cast<std::size_t>(selection.slice.device)].size();
    const auto index = static_cast<std::ptrdiff_t>(selection.slice.index) + by;
    if (index >= 0 && index < static_cast<std::ptrdiff_t>(count))
        selectAndShow(selection.group, {selection.slice.device, static_cast<std::size_t>(index)});
}

void TimelineView::Private::stepToLane(int by)
{
    const timeline::Timeline *timeline = selectedTimeline();
    if (timeline == nullptr)
        return stepInLane(0);
    const ViewState::Selection selection = *state->selection();
    const timeline::Lane &lane = timeline->lanes[static_cast<std::size_t>(selection.slice.device)];
    const base::Nanos middle = (lane.begin[selection.slice.index] + lane.end[selection.slice.index]) / 2;
    const TimelineLayout::Row *row = scene.layout.rowOf(selection.group, selection.slice.device);
    if (row == nullptr)
        return;
    for (auto next = row - scene.layout.rows.data() + by; next >= 0 && next < std::ssize(scene.layout.rows); next += by) {
        const TimelineLayout::Row &other = scene.layout.rows[static_cast<std::size_t>(next)];
        const timeline::Lane &target = scene.lane(other);
        if (target.size() == 0)
            continue;
        const auto at = std::upper_bound(target.end.begin(), target.end.end(), middle);
        const auto index = static_cast<std::size_t>(at - target.end.begin());
        return selectAndShow(other.group, {other.device, std::min(index, target.size() - 1)});
    }
}

void TimelineView::Private::stepAlong(bool forward)
{
    if (selectedTimeline() == nullptr)
        return;
    const ViewState::Selection selection = *state->selection();
    const LaneGroup &group = content.groups[static_cast<std::size_t>(selection.group)];
    if (!forward) {
        if (const std::optional<Link> link = lastPredecessor(group, selection.slice))
            selectAndShow(selection.group, link->slice);
        return;
    }
    const std::vector<Link> links = successors(group, selection.slice);
    const auto begin = [&](const Link &link) {
        return group.timeline->lanes[static_cast<std::size_t>(link.slice.device)].begin[link.slice.index];
    };
    const auto first =
        std::min_element(links.begin(), links.end(), [&](const Link &a, const Link &b) { return begin(a) < begin(b); });
    if (first != links.end())
        selectAndShow(selection.group, first->slice);
}

void TimelineView::Private::fitSelection()
{
    if (const auto &mark = state->mark())
        return state->setRange(mark->begin, mark->end);
    const timeline::Timeline *timeline = selectedTimeline();
    if (timeline == nullptr)
        return;
    const timeline::SliceId slice = state->selection()->slice;
    const timeline::Lane &lane = timeline->lanes[static_cast<std::size_t>(slice.device)];
    // With twice its length at both sides: a pass alone says nothing.
    const base::Nanos length = std::max<base::Nanos>(lane.end[slice.index] - lane.begin[slice.index], 1);
    state->setRange(lane.begin[slice.index] - 2 * length, lane.end[slice.index] + 2 * length);
}

bool TimelineView::Private::handleKey(int key, Qt::KeyboardModifiers modifiers)
{
    const base::Nanos middle = state->begin() + part(*state, 0.5);
    const base::Nanos around = overlay.pointer ? scene.timeAtX(overlay.pointer->x()) : middle;
    if (modifiers == (Qt::AltModifier | Qt::ShiftModifier) && (key == Qt::Key_Left || key == Qt::Key_Right))
        return moveSelected(key == Qt::Key_Right);
    if (modifiers == Qt::AltModifier) {
        if (key == Qt::Key_Left)
            return state->back(), true;
        if (key == Qt::Key_Right)
            return state->forward(), true;
        return false;
    }
    if ((modifiers & Qt::ControlModifier) != 0) {
        if (key == Qt::Key_Plus || key == Qt::Key_Equal)
            return changePitch(4), true;
        if (key == Qt::Key_Minus)
            return changePitch(-4), true;
        return false;
    }
    switch (key) {
    case Qt::Key_W: state->zoom(around, kZoomStep); return true;
    case Qt::Key_S: state->zoom(around, 1 / kZoomStep); return true;
    case Qt::Key_A: state->pan(-part(*state, kPanStep)); return true;
    case Qt::Key_D: state->pan(part(*state, kPanStep)); return true;
    case Qt::Key_F: fitSelection(); return true;
    case Qt::Key_0: state->fit(); return true;
    case Qt::Key_Left: stepInLane(-1); return true;
    case Qt::Key_Right: stepInLane(1); return true;
    case Qt::Key_Up: stepToLane(-1); return true;
    case Qt::Key_Down: stepToLane(1); return true;
    case Qt::Key_BracketLeft: stepAlong(false); return true;
    case Qt::Key_BracketRight: stepAlong(true); return true;
    case Qt::Key_PageUp: scrollTo(scroll - scene.layout.axis.height() * 3 / 4); return true;
    case Qt::Key_PageDown: scrollTo(scroll + scene.layout.axis.height() * 3 / 4); return true;
    case Qt::Key_Slash: q->find(); return true;
    case Qt::Key_C: emit q->criticalPathAsked(); return true;
    case Qt::Key_Space: emit q->playAsked(); return true;
    case Qt::Key_Escape:
        if (passHeld) {
            passHeld.reset();
            held.reset();
            return dropPass(), q->unsetCursor(), true;
        }
        if (!state->selection() && !state->mark() && !overlay.gap)
            return false;
        setGap(std::nullopt);
        state->clearMark();
        state->select(std::nullopt);
        return true;
    default: return false;
    }
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    // The keypad's digits and arrows are those of the keyboard.
    if (!m_private->handleKey(event->key(), event->modifiers() & ~Qt::KeypadModifier))
        QWidget::keyPressEvent(event);
}

void TimelineView::wheelEvent(QWheelEvent *event)
{
    Private &d = *m_private;
    const QPoint turn = event->angleDelta();
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    const QPoint at = event->position().toPoint();
    event->accept();
    if (at.x() < d.scene.layout.axis.left())
        d.scrollTo(d.scroll - turn.y() / 2);
    else if (shift || turn.x() != 0)
        d.state->pan(-part(*d.state, kPanStep * (turn.x() != 0 ? turn.x() : turn.y()) / 120));
    else
        d.state->zoom(d.scene.timeAtX(event->position().x()), std::pow(kZoomStep, turn.y() / 120.0));
}

void TimelineView::Private::goTo(int minimapX)
{
    const QRect &map = scene.layout.minimap;
    const double share = static_cast<double>(minimapX - map.left()) / std::max(map.width(), 1);
    const base::Nanos middle = std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(state->span()));
    state->pan(middle - (state->begin() + part(*state, 0.5)));
}

void TimelineView::Private::drag(QPoint to)
{
    const QPoint way = to - held->begin;
    if (!held->moved && way.manhattanLength() < kClickSlack)
        return;
    held->moved = true;
    setPointer(std::nullopt);
    const double nanos = static_cast<double>(state->end() - state->begin()) / scene.layout.axis.width();
    switch (held->what) {
    case Drag::What::Pan:
        q->setCursor(Qt::ClosedHandCursor);
        state->pan(held->viewBegin - std::llround(way.x() * nanos) - state->begin());
        break;
    case Drag::What::Mark: state->setMark(scene.timeAtX(held->begin.x()), scene.timeAtX(to.x())); break;
    case Drag::What::Minimap: goTo(to.x()); break;
    case Drag::What::Pass: dragPass(to); break;
    }
}

void TimelineView::mousePressEvent(QMouseEvent *event)
{
    Private &d = *m_private;
    if (event->button() != Qt::LeftButton)
        return;
    using What = Private::Drag::What;
    const QPoint at = event->pos();
    const bool inAxis = at.x() >= d.scene.layout.axis.left();
    const bool onRuler = inAxis && at.y() >= d.scene.layout.ruler.top() && at.y() <= d.scene.layout.ruler.bottom();
    What what = What::Pan;
    if (d.scene.layout.minimap.contains(at))
        what = What::Minimap;
    else if (onRuler || (inAxis && (event->modifiers() & Qt::ShiftModifier) != 0))
        what = What::Mark;
    else if (d.holdPass(at))
        what = What::Pass;
    d.held = Private::Drag{what, at, d.state->begin(), false};
    if (what == What::Minimap)
        d.goTo(at.x());
}

void TimelineView::mouseMoveEvent(QMouseEvent *event)
{
    Private &d = *m_private;
    if (d.held)
        d.drag(event->pos());
    else
        d.setPointer(event->pos());
}

void TimelineView::mouseReleaseEvent(QMouseEvent *event)
{
    Private &d = *m_private;
    if (event->button() != Qt::LeftButton || !d.held)
        return;
    const Private::Drag drag = *d.held;
    d.held.reset();
    unsetCursor();
    d.dropPass();
    if (!drag.moved && drag.what != Private::Drag::What::Minimap) {
        d.state->clearMark();
        d.click(event->pos());
    }
    d.setPointer(event->pos());
}

void TimelineView::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_private->setPointer(std::nullopt);
}

void TimelineView::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    // The ring is for those who came with the keyboard.
    m_private->overlay.focused = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                                 event->reason() == Qt::ShortcutFocusReason;
    m_private->redrawOverlay();
}

void TimelineView::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    m_private->overlay.focused = false;
    m_private->redrawOverlay();
}

} // namespace stagelens::ui
