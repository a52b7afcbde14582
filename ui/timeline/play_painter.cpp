#include "ui/timeline/play_painter.h"

#include "ui/state/links.h"
#include "ui/timeline/held_activations.h"
#include "ui/timeline/overlay.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

constexpr int kHiddenVeil = 240; ///< opacity: what is to come is only a trace
constexpr int kBesidePlayhead = 10;
constexpr int kLeastReasonRoom = 80; ///< pixels of a reason
constexpr int kWidestBlock = 18;
constexpr int kHighestBlock = 20;
constexpr int kAroundName = 22; ///< rail before the name of a group, and what is free behind it

QColor withAlpha(QColor colour, int alpha)
{
    colour.setAlpha(alpha);
    return colour;
}

bool isSeen(const Scene &scene, const QRect &rect)
{
    return rect.bottom() >= scene.layout.axis.top() && rect.top() <= scene.layout.axis.bottom();
}

/// Beside the playhead, where nothing has been revealed yet; left of it near the end of the axis.
void paintReason(QPainter &painter, const Scene &scene, const TimelineLayout::Row &row, base::Nanos time)
{
    const QFontMetrics metrics(scene.font);
    if (row.lane.height() < metrics.ascent())
        return;
    const QString reason = waitReason(scene.group(row.group), row.device, time);
    if (reason.isEmpty())
        return;
    const int x =
        static_cast<int>(std::clamp(scene.xAt(time), scene.layout.axis.left() - 1.0, scene.layout.axis.right() + 1.0));
    const int after = scene.layout.axis.right() - x - kBesidePlayhead;
    const int before = x - kBesidePlayhead - scene.layout.axis.left();
    const bool isRight = after >= std::min(metrics.horizontalAdvance(reason), std::max(before, kLeastReasonRoom));
    const QString text = metrics.elidedText(reason, Qt::ElideRight, std::max(isRight ? after : before, 0));
    const int width = metrics.horizontalAdvance(text);
    QRect place(isRight ? x + kBesidePlayhead : x - kBesidePlayhead - width, row.lane.top(), width, row.lane.height());
    if (!isRight) // passes have been revealed here
        painter.fillRect(QRect(place.left() - 4, place.center().y() - metrics.height() / 2, width + 8, metrics.height()),
                         scene.colours->panel);
    painter.setFont(scene.font);
    painter.setPen(scene.colours->ink);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
}

class StackPainter {
public:
    StackPainter(QPainter &painter, const Scene &scene, const PlayMoment &moment)
        : m_painter(painter), m_scene(scene), m_moment(moment), m_metrics(scene.font)
    {}
    void paint(const TimelineLayout::Row &row);

private:
    [[nodiscard]] QColor fillOf(const TimelineLayout::Row &row, const schedule::Pass &pass) const;
    void blocks(const TimelineLayout::Row &row, QRect room, const std::vector<schedule::Pass> &held);

    QPainter &m_painter;
    const Scene &m_scene;
    const PlayMoment &m_moment;
    QFontMetrics m_metrics;
};

QColor StackPainter::fillOf(const TimelineLayout::Row &row, const schedule::Pass &pass) const
{
    const Colours &colours = *m_scene.colours;
    const int chunk = m_scene.chunkOf(row, pass);
    QColor fill = chunkShade(colours.pass(schedule::PassKind::F), m_scene.sumsOf(row.group).chunks > 1 ? chunk : 0);
    if (m_scene.content->colourBy == ColourBy::Microbatch)
        fill = colours.microbatches[static_cast<std::size_t>(pass.microbatch) % colours.microbatches.size()];
    else if (m_scene.content->colourBy == ColourBy::Chunk)
        fill = colours.microbatches[static_cast<std::size_t>(chunk) % colours.microbatches.size()];
    return m_moment.followed && pass.microbatch != *m_moment.followed ? mix(fill, colours.background, 0.25) : fill;
}

void StackPainter::blocks(const TimelineLayout::Row &row, QRect room, const std::vector<schedule::Pass> &held)
{
    const double width = std::min<double>(kWidestBlock, static_cast<double>(room.width()) / std::max(m_moment.mostHeld, 1));
    const int height = std::clamp(room.height() - 2, 2, kHighestBlock);
    const int top = room.center().y() - height / 2;
    const double whole = width * m_moment.mostHeld;
    m_painter.fillRect(QRectF(room.left(), top, whole, height), m_scene.colours->lane);
    for (std::size_t i = 0; i < held.size(); ++i) {
        const QColor fill = fillOf(row, held[i]);
        const double left = room.left() + width * static_cast<double>(i);
        const bool isApart = width >= 4;
        const QRectF block(left, top, isApart ? width - 1 : width, height);
        m_painter.fillRect(block, fill);
        const QString number = microbatchText(held[i].microbatch, m_scene.group(row.group).timeline->slices);
        if (m_metrics.horizontalAdvance(number) + 2 > block.width() || m_metrics.ascent() > height)
            continue;
        m_painter.setPen(inkOn(fill));
        m_painter.drawText(block, Qt::AlignCenter, number);
    }
}

void StackPainter::paint(const TimelineLayout::Row &row)
{
    const int nameWidth = m_metrics.horizontalAdvance(Words::tr("Device %1").arg(QStringLiteral("000 ")));
    const QRect cell = row.header.adjusted(14, 0, -8, 0);
    const QRect room(cell.left() + nameWidth, cell.top(), cell.width() - nameWidth, cell.height());
    m_painter.fillRect(room.adjusted(0, 0, 2, 0), m_scene.colours->background);
    const std::vector<schedule::Pass> held = heldAt(m_scene.lane(row), m_moment.time);
    const QString count = QString::number(held.size());
    const int countWidth = m_metrics.horizontalAdvance(QString::number(std::max(m_moment.mostHeld, 10))) + 6;
    m_painter.setFont(m_scene.font);
    blocks(row, room.adjusted(0, 0, -countWidth, 0), held);
    if (row.header.height() + 3 < m_metrics.ascent())
        return;
    m_painter.setPen(m_scene.colours->muted);
    m_painter.drawText(room.adjusted(0, -4, 0, 4), Qt::AlignRight | Qt::AlignVCenter, count);
}

} // namespace

void paintPlayedLanes(QPainter &painter, const Scene &scene, const PlayMoment &moment)
{
    const double x = std::max(scene.xAt(moment.time), scene.layout.axis.left() + 0.0);
    for (const TimelineLayout::Row &row : scene.layout.rows) {
        if (!isSeen(scene, row.header))
            continue;
        const double rest = scene.layout.axis.right() + 1 - x;
        if (!moment.followed && rest > 0) {
            painter.fillRect(QRectF(x, row.lane.top(), rest, row.lane.height()), withAlpha(scene.colours->lane, kHiddenVeil));
            painter.fillRect(QRectF(x, row.messages.top(), rest, row.messages.height()),
                             withAlpha(scene.colours->band, kHiddenVeil));
        }
        if (!moment.followed)
            paintReason(painter, scene, row, moment.time);
    }
}

void paintFollowed(QPainter &painter, const Scene &scene, int microbatch, std::optional<base::Nanos> playhead)
{
    constexpr int kOthersVeil = 205;
    constexpr int kBegunVeil = 165;
    QRegion others;
    for (const TimelineLayout::Row &row : scene.layout.rows) {
        others += row.lane;
        const timeline::Lane &lane = scene.lane(row);
        for (std::size_t i = timeline::firstEndingAfter(lane, scene.begin); i < lane.size() && lane.begin[i] < scene.end; ++i)
            if (lane.pass[i].microbatch == microbatch)
                if (const auto rect = rectOf(scene, row.group, {row.device, i}))
                    others -= rect->toRect();
    }
    others &= scene.layout.axis;
    const auto veil = [&](QRect part, int alpha) {
        painter.setClipRegion(others.intersected(part));
        painter.fillRect(part, withAlpha(scene.colours->lane, alpha));
    };
    if (!playhead) {
        veil(scene.layout.axis, kOthersVeil);
    } else {
        QRect begun = scene.layout.axis;
        begun.setRight(
            static_cast<int>(std::clamp(scene.xAt(*playhead), begun.left() - 1.0, static_cast<double>(begun.right()))));
        veil(begun, kBegunVeil);
        veil(scene.layout.axis.adjusted(begun.width(), 0, 0, 0), kHiddenVeil);
    }
    painter.setClipRect(scene.layout.axis.adjusted(-1, 0, 1, 0));
}

void paintActivationStacks(QPainter &painter, const Scene &scene, const PlayMoment &moment)
{
    painter.save();
    painter.setFont(scene.font);
    const QRect &ruler = scene.layout.ruler; // its column is no longer how busy a device is
    const int busy = QFontMetrics(scene.font).horizontalAdvance(Words::tr("busy"));
    painter.fillRect(QRect(ruler.left() - 8 - busy, ruler.top(), busy + 2, ruler.height() - 1), scene.colours->band);
    painter.setPen(scene.colours->muted);
    painter.drawText(QRect(0, ruler.top(), ruler.left() - 8, ruler.height() - 8 + QFontMetrics(scene.font).descent()),
                     Qt::AlignRight | Qt::AlignBottom, Words::tr("held"));
    painter.setClipRect(QRect(0, scene.layout.axis.top(), scene.layout.size.width(), scene.layout.axis.height()));
    StackPainter stacks(painter, scene, moment);
    for (const TimelineLayout::Row &row : scene.layout.rows)
        if (isSeen(scene, row.header))
            stacks.paint(row);
    const QFontMetrics metrics(scene.font);
    if (!scene.layout.captions.empty() && scene.layout.scroll == 0) { // over the lane names: what the blocks are
        const QRect line = scene.layout.captions.front().rect;
        painter.setPen(scene.colours->muted);
        painter.setFont(scene.font);
        const QString title = Words::tr("activations held");
        const int right = scene.layout.axis.left() - 8;
        QFont bold = scene.font;
        bold.setBold(true);
        const int named = line.left() + kAroundName + QFontMetrics(bold).horizontalAdvance(scene.group(0).caption);
        const int left = right - metrics.horizontalAdvance(title);
        painter.fillRect(QRect(named, line.top(), scene.layout.size.width(), line.height()), scene.colours->background);
        if (left >= named) // the large type of a presentation has no room for it
            painter.drawText(QRect(left, line.top(), right - left + 2, line.height()), Qt::AlignRight | Qt::AlignVCenter,
                             title);
    }
    painter.restore();
}

} // namespace stagelens::ui
