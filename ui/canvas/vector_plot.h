// A QCustomPlot that stays text and lines where its widget is rendered as a vector picture.
#pragma once

#include "ui/canvas/qcp.h"

#include <QPaintEngine>
#include <QResizeEvent>

namespace stagelens::ui {

/// Whether what is painted stays text and lines.
[[nodiscard]] inline bool isVector(const QPaintEngine *engine)
{
    return engine != nullptr && (engine->type() == QPaintEngine::SVG || engine->type() == QPaintEngine::Pdf ||
                                 engine->type() == QPaintEngine::Picture);
}

class VectorPlot : public QCustomPlot {
public:
    using QCustomPlot::QCustomPlot;

protected:
    /// QCustomPlot cannot make a buffer without pixels: a plot without a size keeps the buffer it had.
    void resizeEvent(QResizeEvent *event) override
    {
        if (!event->size().isEmpty())
            QCustomPlot::resizeEvent(event);
    }
    /// On a screen or an image as QCustomPlot does it, from its buffered pixels; else each layer anew.
    void paintEvent(QPaintEvent *event) override
    {
        {
            QCPPainter painter(this);
            if (!painter.isActive())
                return;
            if (isVector(painter.paintEngine())) {
                painter.setMode(QCPPainter::pmVectorized);
                painter.setMode(QCPPainter::pmNoCaching);
                draw(&painter);
                return;
            }
        }
        QCustomPlot::paintEvent(event);
    }
};

} // namespace stagelens::ui
