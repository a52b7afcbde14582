// The pin left of a lane's name: a click keeps the lane at the top while the others scroll, or lets it go back.
#pragma once

#include "ui/timeline/scene.h"

#include <QString>

namespace stagelens::ui {

/// By how much the name of a pinned lane moves for its pin.
inline constexpr int kPinRoom = 4;
/// Returns the lane whose pin is at a point; null if there is none.
[[nodiscard]] const TimelineLayout::Row *pinAskedAt(const Scene &scene, QPoint point);
/// The filled pin of a pinned lane.
void paintPin(QPainter &painter, const Scene &scene, const TimelineLayout::Row &row);
/// The line between pinned and scrolled lanes.
void paintFixedEdge(QPainter &painter, const Scene &scene);
/// The outline of the pin that a click at the pointer would set; nothing elsewhere.
void paintPinOffer(QPainter &painter, const Scene &scene, QPoint pointer);
/// The line of the hover panel of a pin; empty where there is none.
[[nodiscard]] QString describePin(const Scene &scene, QPoint point);

} // namespace stagelens::ui
