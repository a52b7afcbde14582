// Everything that a picture of the timeline is painted from, and the functions that paint it: on the screen and into exports.
// Most are defined in files that end with _painter.cpp; TimelineCanvas calls those, on the screen layer by layer.
#pragma once

#include "ui/canvas/colours.h"
#include "ui/canvas/geometry.h"
#include "ui/canvas/layout.h"
#include "ui/state/view_state.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/time_axis.h"

#include <QFont>
#include <QLine>
#include <QVector>

#include <optional>
#include <vector>

class QPainter;

namespace stagelens::ui {

/// Transfers to a device: messages and collectives.
struct MessageLane {
    /// Stretches of time with a transfer, as slices; their passes mean nothing.
    timeline::Lane stretches;
    std::vector<std::uint32_t> transfers; ///< indices into the timeline's transfers, by begin
    std::vector<std::uint32_t> firstOf;   ///< of each stretch its first entry in `transfers`; one more at the end
    /// Returns the transfers that are under way at a point in time.
    [[nodiscard]] std::vector<timeline::TransferSlice> at(const timeline::Timeline &timeline, base::Nanos time) const;
};
[[nodiscard]] std::vector<MessageLane> messageLanes(const timeline::Timeline &timeline);

/// Sums of every lane of a group, made once for each timeline.
struct GroupSums {
    timeline::TimelinePtr timeline;
    std::vector<LaneSums> lanes;
    std::vector<LaneSums> classes; ///< of a colouring other than by kind, by the index into its colours; else empty
    ColourBy colouredBy = ColourBy::Kind;
    std::shared_ptr<const simulate::Explanation> why; ///< that classes of slack were made from
    WorkShares total;
    std::vector<MessageLane> messages; ///< one a device; empty where the timeline knows no transfers
    base::Nanos makespan = 0;
    int chunks = 1;                      ///< most stages of a device
    std::vector<base::Nanos> stepBegins; ///< of all steps but the first; empty for one
    [[nodiscard]] static GroupSums of(const timeline::TimelinePtr &timeline);
    /// Computes the classes of a colouring of the group, unless they are known.
    void colour(const LaneGroup &group, ColourBy by);
    /// Returns the sums that a lane is painted from.
    [[nodiscard]] const LaneSums &painted(int device) const
    {
        return (classes.empty() ? lanes : classes)[static_cast<std::size_t>(device)];
    }
};

/// The picture at one size. `boxes` is filled by prepare() and holds one entry for each row of the layout.
struct Scene {
    const TimelineContent *content = nullptr;
    const std::vector<GroupSums> *sums = nullptr;
    const Colours *colours = nullptr;
    QFont font;
    TimelineLayout layout;
    base::Nanos begin = 0;
    base::Nanos end = 1;
    base::Nanos span = 0; ///< what "fit" shows; to say which part is seen
    double ratio = 1;     ///< device pixels in a logical one
    std::vector<std::vector<SliceBox>> boxes;

    [[nodiscard]] const GroupSums &sumsOf(int group) const { return (*sums)[static_cast<std::size_t>(group)]; }
    /// Returns which stage of its device a pass belongs to, from 0.
    [[nodiscard]] int chunkOf(const TimelineLayout::Row &row, const schedule::Pass &pass) const;
    [[nodiscard]] bool isZoomed() const { return span > 0 && (begin > 0 || end < span); }

    [[nodiscard]] const LaneGroup &group(int index) const { return content->groups[static_cast<std::size_t>(index)]; }
    [[nodiscard]] const timeline::Lane &lane(const TimelineLayout::Row &row) const
    {
        return group(row.group).timeline->lanes[static_cast<std::size_t>(row.device)];
    }
    /// Returns the visible part of a lane in device pixels.
    [[nodiscard]] LaneWindow window(const TimelineLayout::Row &row) const;
    /// Returns the logical x of a point in time, from the widget's left edge.
    [[nodiscard]] double xAt(base::Nanos time) const;
    [[nodiscard]] base::Nanos timeAtX(double x) const;
    /// Returns the marks of the axis, which are those of the ruler.
    [[nodiscard]] TimeScale timeScale() const;
    /// Left edge and width of the time axis in device pixels; its height means nothing.
    [[nodiscard]] QRect deviceAxis() const;
    /// Logical pixels of a duration before rounding, so that equal passes look alike wherever they fall on the grid of pixels.
    [[nodiscard]] double widthOf(base::Nanos duration) const;
    /// Computes the boxes of the rows that can be seen.
    void prepare();
};

/// Marks of time above the lanes.
void paintRuler(QPainter &painter, const Scene &scene);
/// Bands, legend, ruler, captions and lane names.
void paintChrome(QPainter &painter, const Scene &scene);
/// Lanes with their passes, clipped to the axis.
void paintLanes(QPainter &painter, const Scene &scene);
/// The rows below the lanes, clipped to the axis; their names beside them.
void paintRowsBelow(QPainter &painter, const Scene &scene);
void paintNamesBelow(QPainter &painter, const Scene &scene);
/// Bookmarked ranges as bars at the foot of the ruler.
void paintBookmarks(QPainter &painter, const Scene &scene, const std::vector<ViewState::Mark> &bookmarks);
/// Returns the shortest bookmark whose bar is at a point of the ruler; null if there is none.
[[nodiscard]] const ViewState::Mark *bookmarkAt(const Scene &scene, const std::vector<ViewState::Mark> &bookmarks,
                                                QPoint point);
/// Writes behind each measured lane by how much it is longer than the predicted one.
void paintExcesses(QPainter &painter, const Scene &scene);

/// The critical path of the groups that say why, as one line through their lanes.
void paintCriticalPath(QPainter &painter, const Scene &scene);
/// Legend of what the fills mean.
void paintLegend(QPainter &painter, const Scene &scene);
/// The colour of what fills most of a column, as strong as the column is busy, in steps that neighbours share.
[[nodiscard]] QColor columnColour(const DensityColumn &column, const Colours &colours);
/// The colours of a column's classes mixed by their time; no kind can lead where all classes take the same.
[[nodiscard]] QColor mixedColour(const DensityColumn &column, const Colours &colours, const std::vector<QColor> &classes);
/// Marks the part of the minimap that is seen.
void paintMinimapFrame(QPainter &painter, const Scene &scene);
/// All lanes over the whole span, small; without the frame of what is seen.
void paintMinimap(QPainter &painter, const Scene &scene);

/// Flags of baseline, ghost and the plan's own end, with poles through the lanes; over these the lanes' excesses.
void paintFlags(QPainter &painter, const Scene &scene);

/// Vocabulary shares narrower than this, in logical pixels, have no hatch. A plain share would look like S.
inline constexpr int kShareHatchFrom = 6;

/// The statistics of a range: time by kind, busy and idle, of all devices and of each.
[[nodiscard]] QString rangeWords(const Scene &scene, base::Nanos begin, base::Nanos end);

/// The latest end of a group, tail included; 0 without a timeline.
[[nodiscard]] base::Nanos endOf(const LaneGroup &group);
/// Returns whether the second group can be compared with the first: a run beside the prediction of its own plan.
[[nodiscard]] bool isMeasuredBesidePredicted(const TimelineContent &content);

} // namespace stagelens::ui
