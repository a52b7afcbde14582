#include "ui/canvas/layout.h"

#include "ui/state/timeline_content.h"

#include <algorithm>

namespace stagelens::ui {
namespace {

constexpr int kLowestPitch = 4;
constexpr int kHighestPitch = 10; ///< in lines of text
constexpr int kMessagesFrom = 26; ///< height of a lane that has room for its messages
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

/// The lanes of one group below each other, or of two groups in alternation.
class Stacker {
public:
    Stacker(TimelineLayout &layout, const TimelineContent &content, int captionHeight, int top, int rowHeight)
        : m_layout(layout), m_content(content), m_captionHeight(captionHeight), m_rowHeight(rowHeight), m_top(top),
          m_y(top - layout.scroll)
    {}
    void caption(std::vector<int> groups)
    {
        m_layout.captions.push_back({{0, m_y, m_layout.size.width(), m_captionHeight}, std::move(groups)});
        m_y += m_captionHeight;
    }
    void single(int group, int device)
    {
        place(group, device, m_y, m_layout.pitch - gapFor(m_layout.pitch));
        m_y += m_layout.pitch;
        placeBelow(m_layout.rows.back());
    }
    void pair(int device)
    {
        const int used = m_layout.pitch - gapFor(m_layout.pitch);
        const int upper = (used - 1) / 2;
        place(0, device, m_y, upper);
        place(1, device, m_y + upper + 1, used - upper - 1);
        m_y += m_layout.pitch;
        placeBelow(*(m_layout.rows.end() - 2)); // those of the prediction
    }
    void finish() { m_layout.contentHeight = m_y + m_layout.scroll - m_top; }

private:
    void place(int group, int device, int y, int height)
    {
        const QRect &axis = m_layout.axis;
        TimelineLayout::Row row{group, device, {0, y, axis.left(), height}, {axis.left(), y, axis.width(), height}, {}, {}};
        const auto &timeline = m_content.groups[static_cast<std::size_t>(group)].timeline;
        if (height >= kMessagesFrom && timeline && !timeline->transfers.empty()) {
            const int strip = std::clamp(height / 8, 4, 8);
            row.lane.setHeight(height - strip - 1);
            row.messages = {axis.left(), y + height - strip, axis.width(), strip};
        }
        m_layout.rows.push_back(row);
    }
    void placeBelow(TimelineLayout::Row &row)
    {
        const QRect &axis = m_layout.axis;
        const std::size_t rows = m_content.groups[static_cast<std::size_t>(row.group)].below.size();
        for (std::size_t i = 0; i < rows; ++i, m_y += m_rowHeight)
            row.below.push_back({i, {0, m_y, axis.left(), m_rowHeight - 2}, {axis.left(), m_y, axis.width(), m_rowHeight - 2}});
        m_y += rows > 0 ? m_rowHeight / 2 : 0;
    }
    TimelineLayout &m_layout;
    const TimelineContent &m_content;
    int m_captionHeight;
    int m_rowHeight;
    int m_top;
    int m_y;
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

int TimelineLayout::greatestScroll() const
{
    return std::max(contentHeight - axis.height(), 0);
}

TimelineLayout layoutTimeline(const TimelineContent &content, QSize size, const QFontMetrics &metrics, int pitch, int scroll,
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

    int devices = 0;
    int rowsBelow = 0; // and a half behind each lane's
    for (const LaneGroup &group : content.groups) {
        devices += devicesOf(group);
        if (!group.below.empty() && (!layout.paired || &group == &content.groups.front()))
            rowsBelow += devicesOf(group) * (static_cast<int>(group.below.size()) * line + line / 2);
    }
    if (layout.paired)
        devices /= 2;
    const int captionHeight = line + 8;
    const int captions = layout.paired ? 1 : static_cast<int>(content.groups.size());
    const int room = layout.axis.height() - captions * captionHeight - 2 - rowsBelow;
    const int low = rowsBelow > 0 ? 2 * line : kLowestPitch; // a lane above its rows has room for its name
    const int lowest = layout.paired ? 2 * low : low;
    layout.pitch = pitch > 0 ? std::max(pitch, lowest) : std::clamp(room / std::max(devices, 1), lowest, kHighestPitch * line);
    const int all = captions * captionHeight + devices * layout.pitch + rowsBelow;
    layout.scroll = std::clamp(scroll, 0, std::max(all - layout.axis.height(), 0));

    Stacker stacker(layout, content, captionHeight, y, line);
    if (layout.paired) {
        stacker.caption({0, 1});
        for (int device = 0; device < devices; ++device)
            stacker.pair(device);
    } else {
        for (int group = 0; group < static_cast<int>(content.groups.size()); ++group) {
            stacker.caption({group});
            for (int device = 0; device < devicesOf(content.groups[static_cast<std::size_t>(group)]); ++device)
                stacker.single(group, device);
        }
    }
    stacker.finish();
    return layout;
}

} // namespace stagelens::ui
