// Which move a drag along a lane means, and how the drag is drawn.
#pragma once

#include "engine/service/plans/schedule_text.h"
#include "ui/timeline/scene.h"

#include <QPoint>

#include <optional>

namespace stagelens::ui {

/// The pass that is held, the pointer, and the move that letting go would make.
struct PassDrag {
    int group = 0;
    timeline::SliceId slice;
    QPoint at;
    std::optional<service::PassMove> move; ///< nothing: it would stay where it is
    QString refusal;                       ///< why the move is not possible; empty: it is
};

/// The move that brings a slice in front of another of its device, the n-th from its begin (their number: to the end); nothing
/// without a schedule, and where it would change nothing.
[[nodiscard]] std::optional<service::PassMove> moveBefore(const LaneGroup &group, timeline::SliceId slice, std::size_t before);
/// The same for a point in time: in front of the first pass whose middle is later.
[[nodiscard]] std::optional<service::PassMove> moveTo(const LaneGroup &group, timeline::SliceId slice, base::Nanos time);
/// One place earlier or later, past a whole pair; nothing at the end of the lane.
[[nodiscard]] std::optional<service::PassMove> moveByOne(const LaneGroup &group, timeline::SliceId slice, bool later);

/// The pass under the pointer, the place that it would take, and why it cannot.
void paintPassDrag(QPainter &painter, const Scene &scene, const PassDrag &drag);

} // namespace stagelens::ui
