// The operators inside a pass, along its foot, where the view is close enough to tell them apart. Each of an overlapped pair
// has them in its half, over the time of both.
#pragma once

#include "engine/simulate/costs/pass_legs.h"
#include "ui/timeline/scene.h"

#include <QString>

#include <optional>

namespace stagelens::ui {

struct Hit;

/// Draws the operators of all passes that are wide enough. Clipped to the axis by the caller.
void paintLegs(QPainter &painter, const Scene &scene);
/// Returns the height that the operators of a pass take of it, in logical pixels; 0 where none are drawn.
[[nodiscard]] int legsHeight(const Scene &scene, const TimelineLayout::Row &row, std::size_t slice);
/// Returns the operator of the pass at a point, where operators are drawn.
[[nodiscard]] std::optional<simulate::PassLeg> legAt(const Scene &scene, const Hit &hit);
/// "Operator layer 3 qkv: 0.31 ms of the pass (predicted)" or "(measured, typical of such passes)"; empty where no operators
/// are drawn.
[[nodiscard]] QString describeLeg(const Scene &scene, const Hit &hit);

} // namespace stagelens::ui
