#include "ui/timeline/edit/pass_pull.h"

#include "ui/state/links.h"
#include "ui/timeline/overlay.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagelens::ui {

namespace {

constexpr int kGrip = 4;           ///< pixels to both sides of an end
constexpr double kLeastWidth = 12; ///< of a pass whose end can be told from the passes beside it
constexpr double kLeastFactor = 0.1;
constexpr double kMostFactor = 20;

/// Begin and end of what is drawn as one rectangle: a pass, or an overlapped pair.
std::pair<base::Nanos, base::Nanos> timesOf(const timeline::Lane &lane, std::size_t index)
{
    const auto [first, last] = pairOf(lane, index).value_or(std::pair(index, index));
    return {lane.begin[first], lane.end[last]};
}

/// By how much the pass is longer if it ends at the pointer.
double factorAt(const Scene &scene, const PassPull &pull, int x)
{
    const auto [begin, end] = timesOf(laneOf(scene.group(pull.group), pull.slice.device), pull.slice.index);
    const auto wanted =
        static_cast<double>(scene.timeAtX(x) - begin) / static_cast<double>(std::max<base::Nanos>(end - begin, 1));
    return std::clamp(std::round(wanted * 10) / 10, kLeastFactor, kMostFactor);
}

bool isChange(double factor)
{
    return std::abs(factor - 1) > 0.05;
}

} // namespace

std::optional<PassPull> endAt(const Scene &scene, QPoint point)
{
    for (const int before : {kGrip, 0}) {
        const std::optional<Hit> hit = hitTest(scene, point - QPoint(before, 0));
        if (!hit || !hit->slice || hit->count > 1)
            continue;
        const std::optional<QRectF> rect = rectOf(scene, hit->group, {hit->device, *hit->slice});
        if (rect && rect->width() >= kLeastWidth && std::abs(rect->right() - point.x()) <= kGrip)
            return PassPull{hit->group, {hit->device, *hit->slice}, point, 1};
    }
    return std::nullopt;
}

void paintPassPull(QPainter &painter, const Scene &scene, const PassPull &pull)
{
    const std::optional<QRectF> rect = rectOf(scene, pull.group, pull.slice);
    if (!rect)
        return;
    const timeline::Lane &lane = laneOf(scene.group(pull.group), pull.slice.device);
    const auto [begin, end] = timesOf(lane, pull.slice.index);
    const schedule::Pass &pass = lane.pass[pull.slice.index];
    const QRectF axis(scene.layout.axis);
    QRectF pulled = *rect;
    pulled.setRight(scene.xAt(begin + std::llround(pull.factor * static_cast<double>(end - begin))));
    QColor fill = scene.colours->pass(pass.kind);
    fill.setAlpha(215);
    painter.fillRect(pulled.intersected(axis), fill);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(scene.colours->ink, 1, Qt::DashLine)); // as long as it was
    painter.drawRect(rect->intersected(axis));
    painter.setPen(QPen(scene.colours->focus, 2));
    painter.drawRect(pulled.intersected(axis));
    const QString name = passText(pass, scene.group(pull.group).timeline->slices);
    paintPanel(painter, scene, pull.at,
               isChange(pull.factor) ? Words::tr("%1 takes %2 as long\nLet go: so does every pass of device %3, as a what-if")
                                           .arg(name, factorText(pull.factor))
                                           .arg(pull.slice.device)
                                     : Words::tr("%1\nPull its end to make device %2 slow").arg(name).arg(pull.slice.device));
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
    return isHolding();
}

void PassPuller::drag(QPoint to)
{
    if (!m_held)
        return; // the picture has changed under it
    m_held->at = to;
    m_held->factor = factorAt(m_canvas->scene(), *m_held, to.x());
    show();
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
    const std::optional<PassPull> dropped = std::exchange(m_held, std::nullopt);
    m_canvas->overlay().passPull.reset();
    m_canvas->redrawOverlay();
    m_isAtEnd = false;
    if (dropped && isChange(dropped->factor))
        emit m_view->passPulled(dropped->slice.device, dropped->factor);
}

void PassPuller::cancel()
{
    m_held.reset();
    drop();
}

void PassPuller::forget()
{
    m_held.reset();
    m_canvas->overlay().passPull.reset();
}

} // namespace stagelens::ui
