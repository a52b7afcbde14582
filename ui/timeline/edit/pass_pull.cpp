#include "ui/timeline/edit/pass_pull.h"

#include "ui/state/links.h"
#include "ui/timeline/overlay.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace stagelens::ui {

namespace {

constexpr int kGrip = 4;           ///< pixels to both sides of an end
constexpr double kLeastWidth = 12; ///< of a pass whose end can be told from the passes beside it
constexpr double kLeastFactor = 0.1;
constexpr double kMostFactor = 20;

/// By how much the pass is longer if the pointer has taken its end along.
double factorAt(const PassPull &pull, int x)
{
    const double wanted = (x - pull.place.left()) / std::max(pull.place.width(), 1.0);
    return std::clamp(std::round(wanted * 10) / 10, kLeastFactor, kMostFactor);
}

bool isGripOf(const QRectF &rect, QPoint point)
{
    return rect.width() >= kLeastWidth && std::abs(rect.right() - point.x()) <= kGrip;
}

/// A message between two devices; what all of them take part in is on no single link.
std::optional<PassPull> messageEndAt(const Scene &scene, const Hit &hit, QPoint point)
{
    const GroupSums &sums = scene.sumsOf(hit.group);
    const TimelineLayout::Row *row = scene.layout.rowAt(point.y());
    if (row == nullptr || static_cast<std::size_t>(hit.device) >= sums.messages.size())
        return std::nullopt;
    for (const timeline::TransferSlice &message :
         sums.messages[static_cast<std::size_t>(hit.device)].at(*sums.timeline, hit.time)) {
        const double left = scene.xAt(message.begin);
        const QRectF rect(left, row->messages.top(), scene.xAt(message.end) - left, row->messages.height());
        if (message.peer >= 0 && message.peer != message.device && isGripOf(rect, point))
            return PassPull{hit.group, {}, message, point, rect, 1};
    }
    return std::nullopt;
}

QString textOf(const Scene &scene, const PassPull &pull)
{
    if (pull.message) {
        const QString link = Words::tr("%1 and %2").arg(pull.message->device).arg(pull.message->peer);
        return pull.factor == 1
                   ? Words::tr("A message to device %1\nPull its end to make the link between devices %2 slower or "
                               "faster")
                         .arg(pull.message->peer)
                         .arg(link)
                   : Words::tr("Messages between devices %1 take %2 as long\nAs a what-if; Esc takes it back")
                         .arg(link, factorText(pull.factor));
    }
    const LaneGroup &group = scene.group(pull.group);
    const QString name = passText(laneOf(group, pull.slice.device).pass[pull.slice.index], group.timeline->slices);
    return pull.factor == 1 ? Words::tr("%1\nPull its end to make device %2 slower or faster").arg(name).arg(pull.slice.device)
                            : Words::tr("%1 takes %2 as long\nSo does every pass of device %3, as a what-if; Esc takes it back")
                                  .arg(name, factorText(pull.factor))
                                  .arg(pull.slice.device);
}

} // namespace

std::optional<PassPull> endAt(const Scene &scene, QPoint point)
{
    for (const int before : {kGrip, 0}) {
        const std::optional<Hit> hit = hitTest(scene, point - QPoint(before, 0));
        if (!hit || hit->count > 1)
            continue;
        if (hit->onMessages) {
            if (std::optional<PassPull> message = messageEndAt(scene, *hit, point))
                return message;
            continue;
        }
        const std::optional<QRectF> rect =
            hit->slice ? rectOf(scene, hit->group, {hit->device, *hit->slice}) : std::optional<QRectF>();
        if (rect && isGripOf(*rect, point))
            return PassPull{hit->group, {hit->device, *hit->slice}, std::nullopt, point, *rect, 1};
    }
    return std::nullopt;
}

void paintPassPull(QPainter &painter, const Scene &scene, const PassPull &pull)
{
    const QRectF axis(scene.layout.axis);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(scene.colours->ink, 1, Qt::DashLine)); // as long as it was
    painter.drawRect(pull.place.intersected(axis));
    if (const std::optional<QRectF> now = pull.message ? std::nullopt : rectOf(scene, pull.group, pull.slice)) {
        painter.setPen(QPen(scene.colours->focus, 2));
        painter.drawRect(now->intersected(axis));
    }
    paintPanel(painter, scene, pull.at, textOf(scene, pull));
}

void PassPuller::setEnabled(bool on)
{
    m_isEnabled = on;
    if (!on && std::exchange(m_isAtEnd, false))
        m_view->unsetCursor();
}

std::optional<PassPull> PassPuller::pullAt(QPoint at) const
{
    if (!m_isEnabled)
        return std::nullopt;
    const std::optional<PassPull> found = endAt(m_canvas->scene(), at);
    const bool isMovable = found && m_canvas->content().groups[static_cast<std::size_t>(found->group)].movable;
    return isMovable ? found : std::nullopt;
}

void PassPuller::hover(QPoint at)
{
    const bool isAtEnd = pullAt(at).has_value();
    if (isAtEnd == std::exchange(m_isAtEnd, isAtEnd))
        return;
    if (isAtEnd)
        m_view->setCursor(Qt::SizeHorCursor);
    else
        m_view->unsetCursor();
}

bool PassPuller::hold(QPoint at)
{
    m_held = pullAt(at);
    m_viewState->setHeld(isHolding());
    return isHolding();
}

void PassPuller::drag(QPoint to)
{
    if (!m_held)
        return; // it has left the picture
    m_held->at = to;
    const double factor = factorAt(*m_held, to.x());
    const bool isAnother = factor != std::exchange(m_held->factor, factor);
    show();
    if (!isAnother)
        return;
    // Last: the picture that follows calls keep().
    if (const auto message = m_held->message)
        emit m_view->linkPulled(message->device, message->peer, factor);
    else
        emit m_view->passPulled(m_held->slice.device, factor);
}

void PassPuller::show()
{
    m_view->setCursor(Qt::SizeHorCursor);
    m_isAtEnd = true;
    m_canvas->overlay().passPull = m_held;
    m_canvas->redrawOverlay();
}

void PassPuller::drop()
{
    letGo(true);
}

void PassPuller::cancel()
{
    letGo(false);
}

void PassPuller::letGo(bool isKept)
{
    const bool wasHolding = std::exchange(m_held, std::nullopt).has_value();
    m_canvas->overlay().passPull.reset();
    m_canvas->redrawOverlay();
    m_isAtEnd = false;
    if (wasHolding)
        emit m_view->pullEnded(isKept);
    m_viewState->setHeld(false);
}

void PassPuller::keep()
{
    if (!m_held)
        return;
    const auto &groups = m_canvas->content().groups;
    const auto at = static_cast<std::size_t>(m_held->group);
    const bool isThere = at < groups.size() && groups[at].movable && groups[at].timeline &&
                         m_held->slice.device < std::ssize(groups[at].timeline->lanes) &&
                         (m_held->message || m_held->slice.index < laneOf(groups[at], m_held->slice.device).size());
    if (!isThere)
        letGo(true);
}

} // namespace stagelens::ui
