#include "ui/sweep/sweep_marks.h"

#include <QPainter>
#include <QPainterPath>

namespace stagelens::ui {
namespace {

constexpr int kShapes = 4;

QPainterPath shapeOf(QPointF centre, std::size_t series)
{
    QPainterPath path;
    const double r = kMarkRadius;
    switch (series % kShapes) {
    case 0: path.addEllipse(centre, r, r); break;
    case 1: path.addRect(QRectF(centre.x() - r * 0.9, centre.y() - r * 0.9, r * 1.8, r * 1.8)); break;
    case 2:
        path.addPolygon(QPolygonF({centre + QPointF(0, -r * 1.3), centre + QPointF(r * 1.3, 0), centre + QPointF(0, r * 1.3),
                                   centre + QPointF(-r * 1.3, 0)}));
        path.closeSubpath();
        break;
    default:
        path.addPolygon(QPolygonF(
            {centre + QPointF(0, -r * 1.25), centre + QPointF(r * 1.2, r * 0.9), centre + QPointF(-r * 1.2, r * 0.9)}));
        path.closeSubpath();
    }
    return path;
}

} // namespace

void paintMark(QPainter &painter, QPointF centre, std::size_t series, timeline::Provenance kind, const QColor &colour,
               const QColor &background)
{
    using timeline::Provenance;
    const QPainterPath shape = shapeOf(centre, series);
    painter.fillPath(shape, kind == Provenance::MeasuredLive ? colour : background);
    painter.save();
    if (kind == Provenance::MeasuredVirtualClock) {
        painter.setClipRect(
            QRectF(centre.x() - 2 * kMarkRadius, centre.y() - 2 * kMarkRadius, 2 * kMarkRadius, 4 * kMarkRadius),
            Qt::IntersectClip);
        painter.fillPath(shape, colour);
    }
    painter.restore();
    painter.setPen(QPen(colour, 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(shape);
    if (kind == Provenance::Published || kind == Provenance::Imported) {
        painter.drawLine(centre - QPointF(kMarkRadius, 0), centre + QPointF(kMarkRadius, 0));
        painter.drawLine(centre - QPointF(0, kMarkRadius), centre + QPointF(0, kMarkRadius));
    }
}

void paintCross(QPainter &painter, QPointF centre, const QColor &colour)
{
    painter.setPen(QPen(colour, 2));
    const double r = kMarkRadius * 0.9;
    painter.drawLine(centre - QPointF(r, r), centre + QPointF(r, r));
    painter.drawLine(centre - QPointF(r, -r), centre + QPointF(r, -r));
}

void paintBeyond(QPainter &painter, QPointF centre, QPointF direction, const QColor &colour)
{
    constexpr double kGap = 1.8 * kMarkRadius;
    constexpr double kWing = 0.8 * kMarkRadius;
    const QPointF across(-direction.y(), direction.x());
    const QPointF tip = centre + direction * (kGap + kWing);
    painter.setPen(QPen(colour, 2));
    painter.drawLine(tip - (direction + across) * kWing, tip);
    painter.drawLine(tip - (direction - across) * kWing, tip);
}

} // namespace stagelens::ui
