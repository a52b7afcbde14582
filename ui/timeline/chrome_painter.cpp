// What stands around the lanes: captions with provenance, lane names with load bars.
#include "ui/timeline/rows/hover.h"
#include "ui/timeline/rows/pins.h"
#include "ui/timeline/scene.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/what_if_words.h"
#include "ui/words/words.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace stagelens::ui {
namespace {

using timeline::Provenance;

void hatch(QPainter &painter, QRect rect, const QColor &colour)
{
    painter.setPen(QPen(colour, 1));
    painter.drawLines(hatchLines(rect, 5));
}

class ChromePainter {
public:
    ChromePainter(QPainter &painter, const Scene &scene)
        : m_painter(painter), m_scene(scene), m_layout(scene.layout), m_colours(*scene.colours), m_metrics(scene.font),
          m_percentWidth(m_metrics.horizontalAdvance(QStringLiteral("100 %"))), m_nameEnd(laneNameEnd(m_metrics))
    {
        m_bold = scene.font;
        m_bold.setBold(true);
    }

    void bands();
    void captions();
    void headers();
    void scrollMark();
    /// Which part of the whole is seen.
    void minimapFrame();

private:
    void rails();
    void rail(int x, int top, int bottom, Provenance provenance);
    void header(const TimelineLayout::Row &row);
    void needs(const QRect &cell, const LaneGroup &group, std::size_t device);
    /// A second line of a lane's name, where the lane is high enough; in a low one the hover says it.
    void below(const QRect &cell, const QColor &colour, const QString &text);
    /// Draws a triangle on a baseline, as a warning. Returns the width to leave free before the text.
    int alarmSign(int left, int baseline);
    void loadBar(QRect rect, const simulate::Metrics &metrics, int device);
    [[nodiscard]] int nameEvery() const;

    QPainter &m_painter;
    const Scene &m_scene;
    const TimelineLayout &m_layout;
    const Colours &m_colours;
    QFontMetrics m_metrics;
    int m_percentWidth; ///< of the most that a lane says
    int m_nameEnd;      ///< of lanes
    QFont m_bold;
};

void ChromePainter::bands()
{
    m_painter.fillRect(QRect({0, 0}, m_layout.size), m_colours.background);
    m_painter.fillRect(0, m_layout.ruler.top(), m_layout.size.width(), m_layout.ruler.height(), m_colours.band);
    m_painter.fillRect(0, m_layout.ruler.bottom(), m_layout.size.width(), 1, m_colours.grid);
}

void ChromePainter::rail(int x, int top, int bottom, Provenance provenance)
{
    QPen pen(m_colours.rail, 3, Qt::SolidLine, Qt::FlatCap);
    if (provenance == Provenance::MeasuredVirtualClock) {
        pen.setWidth(1);
        m_painter.setPen(pen);
        m_painter.drawLine(x - 1, top, x - 1, bottom);
        m_painter.drawLine(x + 2, top, x + 2, bottom);
        return;
    }
    if (provenance == Provenance::Predicted)
        pen.setDashPattern({2.0, 1.2});
    else if (provenance != Provenance::MeasuredLive)
        pen.setDashPattern({1.0, 1.0});
    m_painter.setPen(pen);
    m_painter.drawLine(QPointF(x + 0.5, top), QPointF(x + 0.5, bottom + 1));
}

int ChromePainter::alarmSign(int left, int baseline)
{
    const int height = m_metrics.capHeight();
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(m_colours.alarm);
    m_painter.drawPolygon(QPolygonF(
        {QPointF(left, baseline), QPointF(left + height, baseline), QPointF(left + height / 2.0, baseline - height)}));
    m_painter.restore();
    return height + m_metrics.horizontalAdvance(u' ');
}

void ChromePainter::captions()
{
    constexpr int kAround = 46; // rail, and what is free beside caption and duration
    const QFontMetrics bold(m_bold);
    const auto duration = [this](int index) {
        const LaneGroup &group = m_scene.group(index);
        // As the figures say it; of several steps `iteration` is the period.
        const bool isOneStep = group.metrics.iteration > 0 && !group.metrics.iterations;
        const QString time = durationText(isOneStep ? group.metrics.iteration : endOf(group), m_scene.content->teachingUnits);
        return group.ranks > 1 ? time + Words::tr(" · each lane stands for %1 equal ranks").arg(countText(group.ranks)) : time;
    };
    const auto room = [&](int index) { return m_metrics.horizontalAdvance(duration(index)) + kAround; };
    for (const TimelineLayout::Caption &caption : m_layout.captions) {
        int x = 5;
        int needed = 0;
        for (const int index : caption.groups)
            needed += bold.horizontalAdvance(m_scene.group(index).caption) + room(index);
        const bool fits = needed <= caption.rect.width();
        const int share = caption.rect.width() / static_cast<int>(caption.groups.size());
        const int middle = caption.rect.center().y();
        for (const int index : caption.groups) {
            const LaneGroup &group = m_scene.group(index);
            const auto provenance = group.timeline ? group.timeline->provenance : Provenance::Predicted;
            rail(x, middle - m_metrics.ascent() / 2 - 1, middle + m_metrics.ascent() / 2 + 1, provenance);
            m_painter.setFont(m_bold);
            m_painter.setPen(group.faded ? m_colours.muted : m_colours.ink);
            QRect place = caption.rect.adjusted(x + 9, 0, 0, 0);
            QRect used;
            const QString words = fits ? group.caption : bold.elidedText(group.caption, Qt::ElideRight, share - room(index));
            m_painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, words, &used);
            place.setLeft(used.right() + 9);
            m_painter.setFont(m_scene.font);
            m_painter.setPen(m_colours.muted);
            m_painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, duration(index), &used);
            x = used.right() + 28;
        }
    }
}

int ChromePainter::nameEvery() const
{
    int every = 1;
    while (every * m_layout.pitch < m_metrics.height())
        every *= 2;
    return every;
}

void ChromePainter::loadBar(QRect rect, const simulate::Metrics &metrics, int device)
{
    const auto index = static_cast<std::size_t>(device);
    if (index >= metrics.busyPerDevice.size() || metrics.makespan <= 0)
        return;
    const base::Nanos whole = metrics.makespanPerIteration.value_or(metrics.makespan);
    const double busy = std::clamp(static_cast<double>(metrics.busyPerDevice[index]) / static_cast<double>(whole), 0.0, 1.0);
    const double share = index < metrics.vocabularySharePerDevice.size() ? metrics.vocabularySharePerDevice[index] : 0;
    const int layersWidth = static_cast<int>(std::lround(rect.width() * busy * (1 - share)));
    const int busyWidth = static_cast<int>(std::lround(rect.width() * busy));
    m_painter.fillRect(rect, m_colours.idle);
    m_painter.fillRect(QRect(rect.left(), rect.top(), layersWidth, rect.height()), m_colours.muted);
    const QRect vocabulary(rect.left() + layersWidth, rect.top(), busyWidth - layersWidth, rect.height());
    if (vocabulary.width() <= 0)
        return;
    m_painter.fillRect(vocabulary, m_colours.vocabulary);
    if (vocabulary.width() >= 12 && vocabulary.height() >= 6)
        hatch(m_painter, vocabulary, m_colours.vocabularyHatch);
}

void ChromePainter::needs(const QRect &cell, const LaneGroup &group, std::size_t device)
{
    below(cell, m_colours.alarm, needsText(group.metrics.peakMemory[device], group.capacity));
}

void ChromePainter::below(const QRect &cell, const QColor &colour, const QString &text)
{
    const int line = m_metrics.height();
    if (cell.height() < 3 * line)
        return;
    m_painter.setFont(m_scene.font);
    m_painter.setPen(colour);
    m_painter.drawText(QRect(cell.left(), cell.center().y() + line / 2 + 1, cell.width(), line),
                       Qt::AlignLeft | Qt::AlignVCenter, text);
}

void ChromePainter::header(const TimelineLayout::Row &row)
{
    const LaneGroup &group = m_scene.group(row.group);
    const auto index = static_cast<std::size_t>(row.device);
    const bool first = row.group == 0 || !m_layout.paired;
    const int every = nameEvery();
    const QRect cell = row.header.adjusted(kLaneNameLeft, 0, -8, 0);
    const bool over =
        group.capacity > 0 && index < group.metrics.peakMemory.size() && group.metrics.peakMemory[index] > group.capacity;
    if (over)
        m_painter.fillRect(QRect(row.header.right() - 3, row.header.top(), 3, row.header.height()), m_colours.alarm);

    const int height = cell.height();
    const int nameWidth = m_nameEnd - cell.left();
    paintDetailSign(m_painter, m_scene, row);
    const int beside = nameWidth + (group.next ? kSignRoom : 0); // bars of all lanes have one place
    const QRect bar(cell.left() + beside, cell.center().y() - std::clamp(height - 3, 2, 10) / 2,
                    cell.width() - beside - m_percentWidth - 6, std::clamp(height - 2, 2, 10));
    loadBar(bar, group.metrics, row.device);
    if (over && first)
        needs(cell, group, index);
    else if (index < group.critical.size())
        below(cell, m_colours.focus, criticalText(group.critical[index]));
    else if (group.ranks > 1)
        below(cell, m_colours.muted, Words::tr("× %1 ranks").arg(countText(group.ranks)));
    paintPin(m_painter, m_scene, row);
    if (row.device % every != 0 && !row.pinned)
        return;
    m_painter.setFont(m_scene.font);
    if (first) {
        // Over both halves where lanes alternate; a name may be higher than its lane.
        const int middle = m_layout.middleOf(row);
        const int line = m_metrics.height() + 2;
        m_painter.setPen(over ? m_colours.alarm : m_colours.ink);
        const QString name = Words::tr("Device %1").arg(row.device);
        // The name of several low lanes begins with the first of them.
        const int top = every > 1 && !row.pinned ? row.header.top() - 2 : middle - line / 2;
        int left = cell.left() + (row.pinned ? kPinRoom : 0);
        if (over)
            left += alarmSign(left, top + (line + m_metrics.ascent() - m_metrics.descent()) / 2);
        m_painter.drawText(QRect(left, top, nameWidth, line), Qt::AlignLeft | Qt::AlignVCenter, name);
    }
    if (height + 3 < m_metrics.ascent() || index >= group.metrics.bubbleRatioPerDevice.size())
        return;
    m_painter.setPen(m_colours.muted);
    m_painter.drawText(QRect(cell.right() - m_percentWidth, cell.top() - 4, m_percentWidth + 1, height + 8),
                       Qt::AlignRight | Qt::AlignVCenter,
                       QStringLiteral("%1 %").arg(std::lround((1 - group.metrics.bubbleRatioPerDevice[index]) * 100)));
}

void ChromePainter::rails()
{
    // Where lanes alternate and are high enough to show dashes, each lane has its own rail. Otherwise a group has one rail
    // for its pinned lanes and one for the others.
    const bool single = m_layout.paired && m_layout.pitch >= 36;
    struct Rail {
        const TimelineLayout::Row *first;
        const TimelineLayout::Row *last;
    };
    std::vector<Rail> rails;
    for (const TimelineLayout::Row &row : m_layout.rows) {
        if (row.covered)
            continue;
        const auto same = [&](const Rail &each) { return each.first->group == row.group && each.first->pinned == row.pinned; };
        const auto known = std::ranges::find_if(rails, same);
        if (single || (m_layout.paired && row.pinned) || known == rails.end())
            rails.push_back({&row, &row});
        else
            known->last = &row;
    }
    for (const Rail &each : rails) {
        const bool shifted = m_layout.paired && !single && !each.first->pinned;
        rail(shifted ? 4 + 5 * each.first->group : 5, each.first->header.top(), each.last->header.bottom(),
             m_scene.group(each.first->group).timeline->provenance);
    }
}

void ChromePainter::headers()
{
    m_painter.save();
    m_painter.setClipRect(QRect(0, m_layout.axis.top(), m_layout.size.width(), m_layout.axis.height()));
    captions();
    rails();
    for (const TimelineLayout::Row &row : m_layout.rows) {
        if (row.header.bottom() < m_layout.axis.top() || row.header.top() > m_layout.axis.bottom())
            continue;
        header(row);
    }
    paintNamesBelow(m_painter, m_scene);
    paintFixedEdge(m_painter, m_scene);
    m_painter.restore();
}

void ChromePainter::scrollMark()
{
    if (m_layout.greatestScroll() == 0)
        return;
    const QRect &axis = m_layout.axis;
    const double share = static_cast<double>(axis.height()) / m_layout.contentHeight;
    const double top = axis.top() + static_cast<double>(m_layout.scroll) * share;
    m_painter.setPen(Qt::NoPen);
    m_painter.fillRect(QRectF(axis.right() + 4, axis.top(), 4, axis.height()), m_colours.lane);
    m_painter.fillRect(QRectF(axis.right() + 4, top, 4, axis.height() * share), m_colours.muted);
}

void ChromePainter::minimapFrame()
{
    const QRect &map = m_layout.minimap;
    if (map.isEmpty())
        return;
    const auto xAt = [&](base::Nanos time) {
        const double share = static_cast<double>(time) / static_cast<double>(std::max<base::Nanos>(m_scene.span, 1));
        return map.left() + std::clamp(share, 0.0, 1.0) * map.width();
    };
    const double from = xAt(m_scene.begin);
    const double to = std::max(xAt(m_scene.end), from + 3);
    QColor veil = m_colours.background;
    veil.setAlphaF(0.6F);
    m_painter.fillRect(QRectF(map.left(), map.top(), from - map.left(), map.height()), veil);
    m_painter.fillRect(QRectF(to, map.top(), map.right() + 1 - to, map.height()), veil);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(m_colours.focus, 2));
    m_painter.drawRect(QRectF(from, map.top(), to - from, map.height()).adjusted(1, 1, -1, -1));
    m_painter.setFont(m_scene.font);
    m_painter.setPen(m_colours.muted);
    m_painter.drawText(QRect(14, map.top(), map.left() - 22, map.height()), Qt::AlignLeft | Qt::AlignVCenter,
                       Words::tr("Whole iteration"));
}

} // namespace

void paintMinimapFrame(QPainter &painter, const Scene &scene)
{
    painter.save();
    ChromePainter(painter, scene).minimapFrame();
    painter.restore();
}

void paintChrome(QPainter &painter, const Scene &scene)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    ChromePainter chrome(painter, scene);
    chrome.bands();
    paintLegend(painter, scene);
    paintRuler(painter, scene);
    chrome.headers();
    chrome.scrollMark();
    painter.restore();
}

} // namespace stagelens::ui
