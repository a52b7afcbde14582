#include "ui/timeline/edit/pass_mover.h"

#include <utility>

namespace stagelens::ui {

bool PassMover::isMovable(int group) const
{
    return m_judge && group >= 0 && group < static_cast<int>(m_canvas->content().groups.size()) &&
           m_canvas->content().groups[static_cast<std::size_t>(group)].movable;
}

bool PassMover::hold(QPoint at)
{
    const std::optional<Hit> hit = hitTest(m_canvas->scene(), at);
    if (!hit || !hit->slice || !isMovable(hit->group))
        return false;
    m_held = PassDrag{hit->group, {hit->device, *hit->slice}, at, {}, {}};
    return true;
}

void PassMover::drag(QPoint to)
{
    if (!m_held)
        return; // the picture has changed under it
    const LaneGroup &group = m_canvas->content().groups[static_cast<std::size_t>(m_held->group)];
    const auto before = std::exchange(m_held->move, moveTo(group, m_held->slice, m_canvas->scene().timeAtX(to.x())));
    if (m_held->move != before)
        m_held->refusal = m_held->move ? m_judge(*m_held->move) : QString();
    m_held->at = to;
    show();
}

void PassMover::answer(const service::PassMove &move, const QString &refusal)
{
    if (!m_held || m_held->move != move)
        return;
    m_held->refusal = refusal;
    show();
}

void PassMover::show()
{
    m_view->setCursor(m_held->refusal.isEmpty() ? Qt::ClosedHandCursor : Qt::ForbiddenCursor);
    m_canvas->overlay().passDrag = m_held;
    m_canvas->redrawOverlay();
}

void PassMover::drop()
{
    const std::optional<PassDrag> dropped = std::exchange(m_held, std::nullopt);
    m_canvas->overlay().passDrag.reset();
    m_canvas->redrawOverlay();
    if (dropped && dropped->move)
        move(dropped->group, dropped->slice, *dropped->move, dropped->refusal);
}

void PassMover::cancel()
{
    m_held.reset();
    drop();
}

void PassMover::forget()
{
    m_held.reset();
    m_canvas->overlay().passDrag.reset();
}

void PassMover::move(int group, timeline::SliceId slice, const service::PassMove &move, const QString &refusal)
{
    // The moved pass stays selected, so that the keys go on with it.
    m_viewState->select(ViewState::Selection{group, slice});
    if (refusal.isEmpty())
        emit m_view->passMoved(move);
    else
        emit m_view->moveRefused(refusal);
}

bool PassMover::moveSelected(bool later)
{
    if (m_selection->timeline() == nullptr || !isMovable(m_viewState->selection()->group))
        return false;
    const ViewState::Selection selection = *m_viewState->selection();
    const LaneGroup &group = m_canvas->content().groups[static_cast<std::size_t>(selection.group)];
    if (const auto asked = moveByOne(group, selection.slice, later))
        move(selection.group, selection.slice, *asked, m_judge(*asked));
    return true;
}

} // namespace stagelens::ui
