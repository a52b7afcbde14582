#include "ui/timeline/colour_batches.h"

#include "ui/canvas/pass_pattern.h"

#include <QPainter>

namespace stagelens::ui {
namespace {

constexpr int kFullEdgeFrom = 8; ///< a narrower rectangle keeps its colour: an edge on one side tells neighbours apart

} // namespace

ColourBatches::Batch &ColourBatches::batch(const QColor &fill)
{
    Batch *&known = m_batchOf[fill.rgb()];
    if (known == nullptr) {
        m_batches.push_back({fill, edgeOf(fill), inkOn(fill), {}, {}});
        known = &m_batches.back();
    }
    return *known;
}

void ColourBatches::addFill(QRect rect, Batch &batch)
{
    if (rect.width() < kEdgeFrom * m_unit || rect.height() < kDensityBelow * m_unit) {
        batch.fills.push_back(rect);
        return;
    }
    batch.edges.push_back(rect);
    const int rim = rect.width() < kFullEdgeFrom * m_unit ? 0 : m_unit;
    batch.fills.push_back(rect.adjusted(rim, rim, -m_unit, -rim));
}

void ColourBatches::addHatch(QRect rect, const QColor &colour)
{
    m_lines[colour.rgb()] += hatchLines(rect, kPatternStep * m_unit);
}

void ColourBatches::addDots(QRect rect, const QColor &colour)
{
    marks(colour) += dotRects(rect, m_unit);
}

void ColourBatches::draw(QPainter &painter, const QColor &dashColour) const
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto drawRects = [&painter](const QColor &colour, const QVector<QRect> &rects) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawRects(rects);
    };
    for (const Batch &batch : m_batches)
        drawRects(batch.edge, batch.edges);
    for (const Batch &batch : m_batches)
        drawRects(batch.fill, batch.fills);
    for (const auto &[colour, rects] : m_marks)
        drawRects(QColor::fromRgb(colour), rects);
    for (const auto &[colour, lines] : m_lines) {
        painter.setPen(QPen(QColor::fromRgb(colour), m_unit));
        painter.drawLines(lines);
    }
    for (const auto &[colour, rects] : m_patches)
        drawRects(QColor::fromRgb(colour), rects);
    if (!m_dashes.isEmpty()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(dashColour, m_unit, Qt::DashLine));
        for (const QRect &rect : m_dashes)
            painter.drawRect(rect.adjusted(0, 0, -m_unit, -m_unit));
    }
}

} // namespace stagelens::ui
