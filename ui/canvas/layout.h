// Positions of the parts of the timeline's picture: legend, flags, ruler, lane names, lanes. A pure function of sizes.
#pragma once

#include <QFontMetrics>
#include <QRect>
#include <QSize>

#include <vector>

namespace stagelens::ui {

struct TimelineContent;

/// Width of the column of lane names. The plots below the timeline keep it free, so that all time axes are aligned.
[[nodiscard]] int laneHeaderWidth(const QFontMetrics &metrics);
/// Where the names of devices begin and end in it.
inline constexpr int kLaneNameLeft = 14;
[[nodiscard]] int laneNameEnd(const QFontMetrics &metrics);
/// Room to the right of every time axis.
inline constexpr int kRightMargin = 12;

/// Places, in the widget's logical pixels.
struct TimelineLayout {
    /// A lane with the cell of its name.
    struct Row {
        int group = 0;
        int device = 0;
        QRect header;
        QRect lane;
        /// A row below the lane: LaneGroup::below of that index.
        struct Below {
            std::size_t index = 0;
            QRect header;
            QRect lane;
        };
        std::vector<Below> below;
        QRect messages; ///< under the passes: what is on its way to the device; empty in a low lane
        bool pinned = false;
        bool covered = false; ///< scrolled under the pinned lanes: its places are above the picture, by the picture's height
    };
    /// A line above lanes that says what they are.
    struct Caption {
        QRect rect;
        std::vector<int> groups; ///< two when predicted and measured lanes alternate
    };

    QSize size;
    QRect legend;
    QRect flags;
    QRect ruler;
    QRect minimap; ///< all of the time at the bottom, while a part of it is seen; else empty
    QRect axis;    ///< where time is drawn: under the ruler, right of the lane names
    std::vector<Caption> captions;
    std::vector<Row> rows;
    bool paired = false; ///< two half-height lanes a device
    int pitch = 0;       ///< height of a device with the space below it
    int pinnedPitch = 0; ///< of a pinned device
    int contentHeight = 0;
    int scroll = 0; ///< how far the lanes are moved up, within what is there
    int fixed = 0;  ///< height of what stays at the top of the axis while lanes scroll: pinned lanes with their captions

    /// The row at a height, or null.
    [[nodiscard]] const Row *rowAt(int y) const;
    [[nodiscard]] const Row *rowOf(int group, int device) const;
    /// Returns the y on which the name of a row's device is centred. Where lanes alternate, it lies between the two lanes.
    [[nodiscard]] int middleOf(const Row &row) const;
    [[nodiscard]] int greatestScroll() const;
};

/// How a person has arranged the lanes.
struct LaneView {
    int pitch = 0;           ///< 0 fits the lanes into the height as long as they stay visible; else they scroll
    int scroll = 0;          ///< by whole lanes where some are pinned
    std::vector<int> pinned; ///< devices, ascending; those stay that leave a third of the height to the others
};

[[nodiscard]] TimelineLayout layoutTimeline(const TimelineContent &content, QSize size, const QFontMetrics &metrics,
                                            const LaneView &view, bool isZoomed = false);

} // namespace stagelens::ui
