// The passes of lanes as rectangles, hatches and labels.
#pragma once

#include "ui/timeline/scene.h"

#include <QFontMetrics>

#include <array>
#include <map>

namespace stagelens::ui {

/// Collects the rectangles of any number of lanes and draws them at once.
class BoxPainter {
public:
    BoxPainter(const Scene &scene, const Colours &colours);
    /// Adds the lane of a row of the layout.
    void add(std::size_t index);
    void draw(QPainter &painter) const;

private:
    struct Label {
        QPointF baseline;
        QString text;
        QColor ink;
        int size; ///< pixels
    };
    void drawLabels(QPainter &painter) const;
    void addPass(const SliceBox &box, const timeline::Lane &lane, QRect rect);
    void addFold(const WorkShares &work, base::Nanos span, QRect rect);
    /// Pixels of a duration before rounding, so that equal passes are treated alike wherever they fall on the grid of pixels.
    [[nodiscard]] double exactWidth(base::Nanos duration) const;
    void addFill(QRect rect, schedule::PassKind kind);
    void addLabel(const SliceBox &box, const timeline::Lane &lane, QRect rect);
    bool addDensity(const TimelineLayout::Row &row, std::size_t boxes, QRect place);
    void addHatch(QRect rect, const QColor &colour);
    void addDots(QRect rect);
    /// Chooses the font of labels for lanes of that height; 0 where none fits.
    void setLabelSize(int height, const timeline::Lane &lane);

    const Scene &m_scene;
    const Colours &m_colours;
    int m_unit;   ///< thickness of edges in device pixels
    QRect m_axis; ///< left and width of the axis in device pixels
    QFontMetrics m_metrics;
    int m_labelSize = 0;
    int m_numberWidth = 0; ///< of the greatest microbatch's number
    int m_kindWidth = 0;   ///< of a kind before it
    std::array<QColor, schedule::kPassKindCount> m_inks;
    std::array<QColor, schedule::kPassKindCount> m_edgeColours;
    QColor m_vocabularyInk;
    std::array<QVector<QRect>, schedule::kPassKindCount> m_edges;
    std::array<QVector<QRect>, schedule::kPassKindCount> m_fills;
    std::map<QRgb, QVector<QRect>> m_marks; ///< vocabulary shares and dots: above the fills
    std::map<QRgb, QVector<QLine>> m_lines;
    std::map<QRgb, QVector<QRect>> m_patches; ///< under labels on hatches
    std::vector<Label> m_labels;
};

} // namespace stagelens::ui
