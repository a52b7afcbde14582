// Rectangles and lines gathered by colour, so that a picture of many passes takes few calls of the painter.
#pragma once

#include "ui/timeline/scene.h"

#include <QColor>
#include <QLine>
#include <QRect>
#include <QVector>

#include <deque>
#include <map>
#include <unordered_map>

class QPainter;

namespace stagelens::ui {

/// Narrower rectangles, in logical pixels, have no edge.
inline constexpr int kEdgeFrom = 3;
/// Passes narrower and lanes lower than this, in logical pixels, show density.
inline constexpr int kDensityBelow = 6;

/// Adds a rectangle, or lengthens the last one: in a steady phase neighbours are alike.
inline void append(QVector<QRect> &rects, QRect rect)
{
    if (!rects.isEmpty()) // inline, and constLast(): tens of thousands in a redraw
        if (const QRect &last = rects.constLast();
            last.right() + 1 == rect.left() && last.top() == rect.top() && last.bottom() == rect.bottom())
            return rects.last().setRight(rect.right());
    rects.push_back(rect);
}

/// Coordinates are device pixels, so that edges are sharp at any scaling. Draws from below: edges, fills, marks, lines,
/// patches, dashes.
class ColourBatches {
public:
    /// The rectangles that are filled with one colour.
    struct Batch {
        QColor fill;
        QColor edge;
        QColor ink; ///< of labels on the fill
        QVector<QRect> edges;
        QVector<QRect> fills;
    };
    /// `unit` is the thickness of edges and lines.
    explicit ColourBatches(int unit) : m_unit(unit) {}

    /// Returns the batch of a colour. The reference stays valid.
    [[nodiscard]] Batch &batch(const QColor &fill);
    /// Adds a rectangle, with an edge if it has room for one.
    void addFill(QRect rect, Batch &batch);
    /// Returns the rectangles of a colour that are drawn above the fills.
    [[nodiscard]] QVector<QRect> &marks(const QColor &colour) { return m_marks[colour.rgb()]; }
    void addHatch(QRect rect, const QColor &colour);
    void addDots(QRect rect, const QColor &colour);
    /// Adds a rectangle that hides the hatch under a label.
    void addPatch(QRect rect, const QColor &colour) { m_patches[colour.rgb()].push_back(rect); }
    /// Adds a dashed edge.
    void addDashes(QRect rect) { m_dashes.push_back(rect); }

    /// Draws on a painter that counts in device pixels.
    void draw(QPainter &painter, const QColor &dashColour) const;

private:
    int m_unit;
    std::deque<Batch> m_batches; ///< in the order of their first use; a deque keeps references valid
    std::unordered_map<QRgb, Batch *> m_batchOf;
    std::map<QRgb, QVector<QRect>> m_marks;
    std::map<QRgb, QVector<QLine>> m_lines;
    std::map<QRgb, QVector<QRect>> m_patches;
    QVector<QRect> m_dashes;
};

} // namespace stagelens::ui
