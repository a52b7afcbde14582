// Live bytes of one device as a plottable of QCustomPlot.
#pragma once

#include "ui/canvas/colours.h"
#include "ui/canvas/qcp.h"
#include "ui/plots/memory_ghost.h"
#include "ui/plots/memory_stack.h"
#include "ui/state/view_state.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

/// The stack of one device, drawn in columns of pixels between two axes.
class StackPlottable : public QCPAbstractPlottable {
public:
    StackPlottable(QCPAxis *time, QCPAxis *bytes) : QCPAbstractPlottable(time, bytes) {}

    const simulate::MemoryProfile *profile = nullptr;
    const Colours *colours = nullptr;
    const ViewState *state = nullptr;
    base::Nanos end = 0;
    base::Bytes capacity = 0;
    base::Bytes baseline = 0;                       ///< peak of the baseline; 0: no line
    const simulate::MemoryProfile *ghost = nullptr; ///< drawn as an outline; null: none

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override
    {
        found = false;
        return {};
    }
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override
    {
        found = profile != nullptr;
        return {0, profile != nullptr ? static_cast<double>(profile->peak()) : 1};
    }

protected:
    void draw(QCPPainter *painter) override
    {
        if (profile == nullptr)
            return;
        painter->setAntialiasing(false);
        const QRect area = keyAxis()->axisRect()->rect();
        const LaneWindow window{state->begin(), state->end(), area.width(), 1, 0};
        for (const MemoryColumn &column : memoryColumns(*profile, window, end)) {
            base::Bytes below = 0;
            int bottom = area.bottom() + 1;
            for (std::size_t i = 0; i < column.step->bytes.size(); ++i) {
                below += column.step->bytes[i];
                const int top = static_cast<int>(std::lround(valueAxis()->coordToPixel(static_cast<double>(below))));
                if (top < bottom)
                    painter->fillRect(QRect(area.left() + column.x, top, column.width, bottom - top), colours->memory[i]);
                bottom = std::min(bottom, top);
            }
        }
        if (ghost != nullptr)
            drawOutline(*painter, window);
        const auto drawLine = [&](base::Bytes bytes, const QColor &colour, Qt::PenStyle style) {
            if (bytes <= 0)
                return;
            painter->setPen(QPen(colour, 1, style));
            const double y = std::floor(valueAxis()->coordToPixel(static_cast<double>(bytes))) + 0.5;
            painter->drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        };
        drawLine(baseline, colours->muted, Qt::SolidLine);
        drawLine(capacity, colours->alarm, Qt::DashLine);
    }
    /// Draws the totals of the ghost as one dotted line.
    void drawOutline(QCPPainter &painter, const LaneWindow &window)
    {
        const QRect area = keyAxis()->axisRect()->rect();
        QPolygonF outline;
        for (const MemoryColumn &column : memoryColumns(*ghost, window, end)) {
            const double y = std::floor(valueAxis()->coordToPixel(static_cast<double>(column.step->total()))) + 0.5;
            outline << QPointF(area.left() + column.x, y) << QPointF(area.left() + column.x + column.width, y);
        }
        painter.setPen(ghostPen(*colours));
        painter.drawPolyline(outline);
    }
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}
};

} // namespace stagelens::ui
