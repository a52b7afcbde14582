#include "ui/timeline/timeline_input.h"

#include "ui/timeline/rows/hover.h"
#include "ui/timeline/rows/pins.h"

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

} // namespace

void TimelineInput::setPointer(std::optional<QPoint> point)
{
    if (m_canvas->overlay().pointer == point)
        return;
    m_canvas->overlay().pointer = point;
    m_canvas->redrawOverlay();
}

void TimelineInput::click(QPoint point)
{
    if (const auto detail = detailAskedAt(m_canvas->scene(), point)) {
        emit m_view->laneDetailAsked(*detail);
        return;
    }
    if (const TimelineLayout::Row *row = pinAskedAt(m_canvas->scene(), point))
        return m_viewState->togglePinned(row->device);
    if (const ViewState::Mark *bookmark = bookmarkAt(m_canvas->scene(), m_viewState->bookmarks(), point))
        return m_viewState->goTo(*bookmark);
    const std::optional<Hit> hit = hitTest(m_canvas->scene(), point);
    const bool onGap = hit && !hit->slice;
    setGap(onGap ? hit : std::nullopt);
    if (hit && hit->slice)
        m_viewState->select(ViewState::Selection{hit->group, {hit->device, *hit->slice}});
    else
        m_viewState->select(std::nullopt);
    if (onGap)
        emit m_view->gapClicked(hit->group, hit->device, hit->time);
}

void TimelineInput::setGap(const std::optional<Hit> &gap)
{
    if (!gap && !m_canvas->overlay().gap)
        return;
    m_canvas->overlay().gap = gap;
    m_canvas->redrawOverlay();
    if (!gap)
        emit m_view->gapForgotten();
}

bool TimelineInput::handleKey(int key, Qt::KeyboardModifiers modifiers)
{
    const base::Nanos middle = m_viewState->begin() + m_viewState->part(0.5);
    const base::Nanos around =
        m_canvas->overlay().pointer ? m_canvas->scene().timeAtX(m_canvas->overlay().pointer->x()) : middle;
    if (modifiers == (Qt::AltModifier | Qt::ShiftModifier) && (key == Qt::Key_Left || key == Qt::Key_Right))
        return m_mover->moveSelected(key == Qt::Key_Right);
    if (modifiers == Qt::AltModifier) {
        if (key == Qt::Key_Left)
            return m_viewState->back(), true;
        if (key == Qt::Key_Right)
            return m_viewState->forward(), true;
        return false;
    }
    if ((modifiers & Qt::ControlModifier) != 0) {
        if (key == Qt::Key_Plus || key == Qt::Key_Equal)
            return m_canvas->changePitch(4), true;
        if (key == Qt::Key_Minus)
            return m_canvas->changePitch(-4), true;
        return false;
    }
    switch (key) {
    case Qt::Key_W: m_viewState->zoom(around, kZoomStep); return true;
    case Qt::Key_S: m_viewState->zoom(around, 1 / kZoomStep); return true;
    case Qt::Key_A: m_viewState->pan(-m_viewState->part(kPanStep)); return true;
    case Qt::Key_D: m_viewState->pan(m_viewState->part(kPanStep)); return true;
    case Qt::Key_F: m_selection->fit(); return true;
    case Qt::Key_0: m_viewState->fit(); return true;
    case Qt::Key_Left: m_selection->stepInLane(-1); return true;
    case Qt::Key_Right: m_selection->stepInLane(1); return true;
    case Qt::Key_Up: m_selection->stepToLane(-1); return true;
    case Qt::Key_Down: m_selection->stepToLane(1); return true;
    case Qt::Key_BracketLeft: m_selection->stepAlong(false); return true;
    case Qt::Key_BracketRight: m_selection->stepAlong(true); return true;
    case Qt::Key_PageUp: m_canvas->scrollBy(-m_canvas->scene().layout.axis.height() * 3 / 4); return true;
    case Qt::Key_PageDown: m_canvas->scrollBy(m_canvas->scene().layout.axis.height() * 3 / 4); return true;
    case Qt::Key_M:
        return modifiers == Qt::ShiftModifier ? m_viewState->goToNextBookmark() : m_viewState->toggleBookmark(), true;
    case Qt::Key_P: return pinLane();
    case Qt::Key_Slash: m_view->find(); return true;
    case Qt::Key_E: emit m_view->editAsked(); return true;
    case Qt::Key_C: emit m_view->criticalPathAsked(); return true;
    case Qt::Key_Space: emit m_view->playAsked(); return true;
    case Qt::Key_Escape: return escape();
    default: return false;
    }
}

bool TimelineInput::pinLane()
{
    const TimelineLayout &layout = m_canvas->scene().layout;
    const auto &pointer = m_canvas->overlay().pointer;
    const TimelineLayout::Row *row = pointer ? layout.rowAt(pointer->y()) : nullptr;
    if (row == nullptr && m_viewState->selection())
        row = layout.rowOf(m_viewState->selection()->group, m_viewState->selection()->slice.device);
    if (row == nullptr)
        return false;
    m_viewState->togglePinned(row->device);
    return true;
}

bool TimelineInput::escape()
{
    if (m_mover->isHolding() || m_puller->isHolding()) {
        m_held.reset();
        m_mover->cancel();
        m_puller->cancel();
        m_view->unsetCursor();
        return true;
    }
    if (!m_viewState->selection() && !m_viewState->mark() && !m_canvas->overlay().gap)
        return false;
    setGap(std::nullopt);
    m_viewState->clearMark();
    m_viewState->select(std::nullopt);
    return true;
}

void TimelineInput::wheel(const QWheelEvent &event)
{
    const QPoint turn = event.angleDelta();
    const bool shift = (event.modifiers() & Qt::ShiftModifier) != 0;
    const QPoint at = event.position().toPoint();
    if (at.x() < m_canvas->scene().layout.axis.left())
        m_canvas->scrollBy(-turn.y() / 2);
    else if (shift || turn.x() != 0)
        m_viewState->pan(-m_viewState->part(kPanStep * (turn.x() != 0 ? turn.x() : turn.y()) / 120));
    else
        m_viewState->zoom(m_canvas->scene().timeAtX(event.position().x()), std::pow(kZoomStep, turn.y() / 120.0));
}

void TimelineInput::goTo(int minimapX)
{
    const QRect &map = m_canvas->scene().layout.minimap;
    const double share = static_cast<double>(minimapX - map.left()) / std::max(map.width(), 1);
    const base::Nanos middle = std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(m_viewState->span()));
    m_viewState->pan(middle - (m_viewState->begin() + m_viewState->part(0.5)));
}

void TimelineInput::drag(QPoint to)
{
    const QPoint way = to - m_held->begin;
    if (!m_held->moved && way.manhattanLength() < kClickSlack)
        return;
    m_held->moved = true;
    setPointer(std::nullopt);
    const double nanos = static_cast<double>(m_viewState->end() - m_viewState->begin()) / m_canvas->scene().layout.axis.width();
    switch (m_held->what) {
    case Drag::What::Pan:
        m_view->setCursor(Qt::ClosedHandCursor);
        m_viewState->pan(m_held->viewBegin - std::llround(way.x() * nanos) - m_viewState->begin());
        break;
    case Drag::What::Mark:
        m_viewState->setMark(m_canvas->scene().timeAtX(m_held->begin.x()), m_canvas->scene().timeAtX(to.x()));
        break;
    case Drag::What::Minimap: goTo(to.x()); break;
    case Drag::What::Pass: m_mover->drag(to); break;
    case Drag::What::End: m_puller->drag(to); break;
    }
}

void TimelineInput::press(const QMouseEvent &event)
{
    if (event.button() != Qt::LeftButton)
        return;
    using What = Drag::What;
    const QPoint at = event.pos();
    const bool inAxis = at.x() >= m_canvas->scene().layout.axis.left();
    const bool onRuler =
        inAxis && at.y() >= m_canvas->scene().layout.ruler.top() && at.y() <= m_canvas->scene().layout.ruler.bottom();
    What what = What::Pan;
    if (m_canvas->scene().layout.minimap.contains(at))
        what = What::Minimap;
    else if (onRuler || (inAxis && (event.modifiers() & Qt::ShiftModifier) != 0))
        what = What::Mark;
    else if (m_puller->hold(at))
        what = What::End;
    else if (m_mover->hold(at))
        what = What::Pass;
    m_held = Drag{what, at, m_viewState->begin(), false};
    if (what == What::Minimap)
        goTo(at.x());
}

void TimelineInput::move(const QMouseEvent &event)
{
    if (m_held)
        return drag(event.pos());
    m_puller->hover(event.pos());
    setPointer(event.pos());
}

void TimelineInput::release(const QMouseEvent &event)
{
    if (event.button() != Qt::LeftButton || !m_held)
        return;
    const Drag ended = *m_held;
    m_held.reset();
    m_view->unsetCursor();
    m_mover->drop();
    m_puller->drop();
    if (!ended.moved && ended.what != Drag::What::Minimap) {
        m_viewState->clearMark();
        click(event.pos());
    }
    setPointer(event.pos());
}

} // namespace stagelens::ui
