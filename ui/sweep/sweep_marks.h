// The signs of a sweep's points: shape by series, filling by how the figure came about.
#pragma once

#include "engine/timeline/timeline.h"
#include "ui/canvas/colours.h"

#include <QPointF>

class QPainter;

namespace stagelens::ui {

inline constexpr double kMarkRadius = 5;

void paintMark(QPainter &painter, QPointF centre, std::size_t series, timeline::Provenance kind, const QColor &colour,
               const QColor &background);
/// The sign of an impossible point.
void paintCross(QPainter &painter, QPointF centre, const QColor &colour);
/// The sign beside a point that is further away in this direction, one of (1, 0) and (0, -1).
void paintBeyond(QPainter &painter, QPointF centre, QPointF direction, const QColor &colour);

} // namespace stagelens::ui
