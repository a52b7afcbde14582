// A layer of a plot that is painted by a function: what QCustomPlot's own items do not know.
#pragma once

#include "ui/canvas/qcp.h"

#include <functional>
#include <utility>

namespace stagelens::ui {

/// Belongs to its plot. The function is called on every drawing of the layer, with the whole widget as its canvas.
class PaintedLayer : public QCPLayerable {
public:
    PaintedLayer(QCustomPlot *plot, const QString &layer, std::function<void(QPainter &)> paint)
        : QCPLayerable(plot, layer), m_paint(std::move(paint))
    {}

protected:
    void applyDefaultAntialiasingHint(QCPPainter *) const override {}
    void draw(QCPPainter *painter) override { m_paint(*painter); }

private:
    std::function<void(QPainter &)> m_paint;
};

} // namespace stagelens::ui
