#include "ui/canvas/layout.h"

#include "ui/state/timeline_content.h"

#include <algorithm>

namespace stagelens::ui {
namespace {

constexpr int kLowestPitch = 4;
constexpr int kHighestPitch = 10; ///< in lines of text
constexpr int kMessagesFrom = 26; ///< height of a lane that has room for its messages
constexpr int kFixedGap = 6;      ///< below the pinned lanes, with a line in its middle
constexpr int kMinimapHeight = 30;
constexpr int kMinimapFrom = 200; ///< height of a view that has room for a minimap

int gapFor(int pitch)
{
    return pitch >= 40 ? 6 : pitch >= 22 ? 4 : pitch >= 12 ? 3 : pitch >= 8 ? 2 : 1;
}

int devicesOf(const LaneGroup &group)
{
    return group.timeline ? group.timeline->devices() : 0;
}

bool alternates(const TimelineContent &content)
{
    return content.groups.size() == 2 && !content.stacked && devicesOf(content.groups[0]) > 0 &&
           devicesOf(content.groups[0]) == devicesOf(content.groups[1]);
}

/// Lanes with one caption: of one group, or of two in alternation.
struct Band {
    std::vector<int> groups;
    int devices = 0;
    int below = 0; ///< height of the rows below each device
};

std::vector<Band> bandsOf(const TimelineContent &content, bool paired, int line)
{
    std::vector<Band> bands;
    for (int i = 0; i < static_cast<int>(paired ? 1 : content.groups.size()); ++i) {
        const LaneGroup &group = content.groups[static_cast<std::size_t>(i)];
        const int rows = static_cast<int>(group.below.size());
        bands.push_back({{i}, devicesOf(group), rows > 0 ? rows * line + line / 2 : 0});
    }
    if (paired)
        bands.front().groups.push_back(1);
    return bands;
}

/// Heights of what is stacked.
struct Heights {
    int caption = 0;
    int rowBelow = 0; ///< of a row below a lane
    int pitch = 0;
    int pinned = 0; ///< the pitch of pinned lanes, which are never lower than their names
    int fixed = 0;  ///< of all that stays at the top
    int all = 0;
};

Heights heightsFor(const std::vector<Band> &bands, const std::vector<int> &pinned, int pitch, int room, int line, bool paired)
{
    int devices = 0;
    int pins = 0;
    int below = 0;
    int pinnedBelow = 0;
    for (const Band &band : bands) {
        const auto own = std::ranges::lower_bound(pinned, band.devices) - pinned.begin();
        devices += band.devices;
        pins += static_cast<int>(own);
        below += band.devices * band.below;
        pinnedBelow += static_cast<int>(own) * band.below;
    }
    Heights heights;
    heights.caption = line + 8;
    heights.rowBelow = line;
    const int captions = static_cast<int>(bands.size()) * heights.caption;
    const int around = pins == 0 ? captions : captions + kFixedGap + (bands.size() > 1 ? captions : 0);
    const int low = below > 0 ? 2 * line : kLowestPitch; // a lane above its rows has room for its name
    const int lowest = paired ? 2 * low : low;
    const int named = pins == 0 ? 0 : paired ? 2 * line : line + 4;
    const auto fit = [&](int lanes, int taken) {
        return std::clamp((room - around - 2 - below - taken) / std::max(lanes, 1), lowest, kHighestPitch * line);
    };
    heights.pitch = pitch > 0 ? std::max(pitch, lowest) : fit(devices, 0);
    if (pitch == 0 && heights.pitch < named)
        heights.pitch = fit(devices - pins, pins * named);
    heights.pinned = std::max(heights.pitch, named);
    heights.fixed = pins == 0 ? 0 : captions + pins * heights.pinned + pinnedBelow + kFixedGap;
    heights.all = around + (devices - pins) * heights.pitch + pins * heights.pinned + below;
    return heights;
}

/// Places lanes below each other.
class Stacker {
public:
    Stacker(TimelineLayout &layout, const TimelineContent &content, Heights heights)
        : m_layout(layout), m_content(content), m_heights(heights), m_top(layout.axis.top()), m_y(layout.axis.top())
    {}
    void caption(std::vector<int> groups)
    {
        if (!isUnderFixed())
            m_layout.captions.push_back({{0, m_y, m_layout.size.width(), m_heights.caption}, std::move(groups)});
        m_y += m_heights.caption;
    }
    void lanes(const std::vector<int> &groups, int device, bool pinned)
    {
        m_pinned = pinned;
        m_covered = isUnderFixed();
        const int pitch = pinned ? m_heights.pinned : m_layout.pitch;
        const int used = pitch - gapFor(pitch);
        const int upper = groups.size() > 1 ? (used - 1) / 2 : used;
        const std::size_t first = m_layout.rows.size();
        place(groups.front(), device, m_y, upper);
        if (groups.size() > 1)
            place(groups.back(), device, m_y + upper + 1, used - upper - 1);
        m_y += pitch;
        placeBelow(m_layout.rows[first]);
    }
    /// Everything placed so far stays; what follows scrolls.
    void fix()
    {
        m_y += kFixedGap;
        m_layout.fixed = m_y - m_top;
        m_y -= m_layout.scroll;
    }
    void scroll() { m_y -= m_layout.scroll; }
    void finish() { m_layout.contentHeight = m_y + m_layout.scroll - m_top; }

private:
    [[nodiscard]] bool isUnderFixed() const { return m_layout.fixed > 0 && m_y < m_top + m_layout.fixed; }
    [[nodiscard]] int seen(int y) const { return m_covered ? y - m_layout.size.height() : y; }
    void place(int group, int device, int y, int height)
    {
        const QRect &axis = m_layout.axis;
        TimelineLayout::Row row;
        row.group = group;
        row.device = device;
        row.header = {0, seen(y), axis.left(), height};
        row.lane = {axis.left(), seen(y), axis.width(), height};
        row.pinned = m_pinned;
        row.covered = m_covered;
        const auto &timeline = m_content.groups[static_cast<std::size_t>(group)].timeline;
        if (height >= kMessagesFrom && timeline && !timeline->transfers.empty()) {
            const int strip = std::clamp(height / 8, 4, 8);
            row.lane.setHeight(height - strip - 1);
            row.messages = {axis.left(), seen(y) + height - strip, axis.width(), strip};
        }
        m_layout.rows.push_back(row);
    }
    void placeBelow(TimelineLayout::Row &row)
    {
        const QRect &axis = m_layout.axis;
        const int height = m_heights.rowBelow;
        const std::size_t rows = m_content.groups[static_cast<std::size_t>(row.group)].below.size();
        for (std::size_t i = 0; i < rows; ++i, m_y += height)
            row.below.push_back(
                {i, {0, seen(m_y), axis.left(), height - 2}, {axis.left(), seen(m_y), axis.width(), height - 2}});
        m_y += rows > 0 ? height / 2 : 0;
    }
    TimelineLayout &m_layout;
    const TimelineContent &m_content;
    Heights m_heights;
    int m_top;
    int m_y;
    bool m_pinned = false;
    bool m_covered = false;
};

} // namespace

int laneHeaderWidth(const QFontMetrics &metrics)
{
    return metrics.horizontalAdvance(QStringLiteral("Device 000 100 %")) + 6 * metrics.height();
}

int laneNameEnd(const QFontMetrics &metrics)
{
    return kLaneNameLeft + metrics.horizontalAdvance(QStringLiteral("Device 000 "));
}

const TimelineLayout::Row *TimelineLayout::rowAt(int y) const
{
    if (y < axis.top() || y > axis.bottom())
        return nullptr;
    const auto row = std::find_if(rows.begin(), rows.end(), [y](const Row &candidate) {
        return y >= candidate.header.top() && y <= candidate.header.bottom();
    });
    return row == rows.end() ? nullptr : &*row;
}

const TimelineLayout::Row *TimelineLayout::rowOf(int group, int device) const
{
    const auto row = std::find_if(rows.begin(), rows.end(), [group, device](const Row &candidate) {
        return candidate.group == group && candidate.device == device;
    });
    return row == rows.end() ? nullptr : &*row;
}

int TimelineLayout::middleOf(const Row &row) const
{
    return paired ? row.header.top() + ((row.pinned ? pinnedPitch : pitch) - 2) / 2 : row.header.center().y();
}

int TimelineLayout::greatestScroll() const
{
    return std::max(contentHeight - axis.height(), 0);
}

TimelineLayout layoutTimeline(const TimelineContent &content, QSize size, const QFontMetrics &metrics, const LaneView &view,
                              bool isZoomed)
{
    TimelineLayout layout;
    layout.size = size;
    layout.paired = alternates(content);
    const int line = metrics.height();
    const int left = laneHeaderWidth(metrics);
    const int width = std::max(size.width() - left - kRightMargin, 1);
    int y = 0;
    const auto take = [&](int height) {
        const QRect rect(left, y, width, height);
        y += height;
        return rect;
    };
    layout.legend = take(line + 8);
    layout.flags = take(content.hasFlags ? line + 4 : 0);
    layout.ruler = take(line + 8);
    const int below = isZoomed && size.height() >= kMinimapFrom ? kMinimapHeight + 6 : 0;
    layout.axis = {left, y, width, std::max(size.height() - y - below, 1)};
    if (below > 0)
        layout.minimap = {left, size.height() - kMinimapHeight - 2, width, kMinimapHeight};

    const std::vector<Band> bands = bandsOf(content, layout.paired, line);
    const int room = layout.axis.height();
    std::vector<int> pinned = view.pinned;
    Heights heights = heightsFor(bands, pinned, view.pitch, room, line, layout.paired);
    while (!pinned.empty() && heights.fixed > room * 2 / 3) {
        pinned.pop_back();
        heights = heightsFor(bands, pinned, view.pitch, room, line, layout.paired);
    }
    layout.pitch = heights.pitch;
    layout.pinnedPitch = heights.pinned;
    layout.scroll = std::clamp(view.scroll, 0, std::max(heights.all - room, 0));
    if (!pinned.empty() && !bands.empty()) {
        const int lane = heights.pitch + bands.front().below;
        layout.scroll = (layout.scroll + lane - 1) / lane * lane;
    }

    Stacker stacker(layout, content, heights);
    const auto isPinned = [&](int device) { return std::ranges::binary_search(pinned, device); };
    if (pinned.empty())
        stacker.scroll();
    for (const Band &band : bands) {
        stacker.caption(band.groups);
        for (int device = 0; device < band.devices; ++device)
            if (pinned.empty() || isPinned(device))
                stacker.lanes(band.groups, device, !pinned.empty());
    }
    if (!pinned.empty()) {
        stacker.fix();
        for (const Band &band : bands) {
            if (bands.size() > 1)
                stacker.caption(band.groups);
            for (int device = 0; device < band.devices; ++device)
                if (!isPinned(device))
                    stacker.lanes(band.groups, device, false);
        }
    }
    stacker.finish();
    return layout;
}

} // namespace stagelens::ui
