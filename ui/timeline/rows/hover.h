// What the pointer meets at the rows below lanes, and at the sign that shows more or fewer of them.
#pragma once

#include "ui/timeline/scene.h"

#include <QString>

#include <optional>

namespace stagelens::ui {

/// Width that signs take from what follows the names.
inline constexpr int kSignRoom = 16;
/// The place of the sign beside the name of a lane; empty where the group has nothing to show below its lanes.
[[nodiscard]] QRect detailSign(const Scene &scene, const TimelineLayout::Row &row);
void paintDetailSign(QPainter &painter, const Scene &scene, const TimelineLayout::Row &row);
/// Returns what a click on the sign at a point shows; nothing where there is no sign.
[[nodiscard]] std::optional<LaneDetail> detailAskedAt(const Scene &scene, QPoint point);
/// Returns the lines of the hover panel of a sign or a row below a lane; empty where there is neither.
[[nodiscard]] QString describeRows(const Scene &scene, QPoint point);

} // namespace stagelens::ui
