// The passes of lanes as rectangles, hatches and labels.
#pragma once

#include "ui/timeline/scene.h"

#include <QFontMetrics>

#include <array>
#include <deque>
#include <map>
#include <unordered_map>

namespace stagelens::ui {

/// Collects the rectangles of any number of lanes and draws them at once.
class BoxPainter {
public:
    /// Of the lanes of a group. `faded` where the colours are those of a faded group.
    BoxPainter(const Scene &scene, int group, const Colours &colours, bool faded);
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
    int addRecomputed(const SliceBox &box, const timeline::Lane &lane, QRect inner);
    void addMessages(std::size_t index, int left);
    /// The half of an overlapped pair's rectangle that a slice of it has.
    [[nodiscard]] QRect halfOfPair(const timeline::Lane &lane, std::size_t slice, QRect rect) const;
    void addFold(const WorkShares &work, base::Nanos span, QRect rect);
    /// Pixels of a duration before rounding, so that equal passes are treated alike wherever they fall on the grid of pixels.
    [[nodiscard]] double exactWidth(base::Nanos duration) const;
    /// What is filled with one colour.
    struct Batch {
        QColor fill;
        QColor edge;
        QColor ink;
        QVector<QRect> edges;
        QVector<QRect> fills;
    };
    [[nodiscard]] Batch &batch(const QColor &fill);
    [[nodiscard]] Batch &kindBatch(schedule::PassKind kind, int chunk = 0);
    /// Of an index into the colours of the colouring: a kind, or a class of LaneSums.
    [[nodiscard]] Batch &partBatch(std::size_t part);
    /// The batch of a pass, after what its colour is to mean.
    [[nodiscard]] Batch &batchOf(const timeline::Lane &lane, std::size_t slice);
    void addFill(QRect rect, Batch &batch);
    void addLabel(const SliceBox &box, const timeline::Lane &lane, QRect rect);
    /// Of a lane that is too low to stack the parts of a column.
    [[nodiscard]] QColor colourOfColumn(const DensityColumn &column) const;
    void addDensity(const TimelineLayout::Row &row, QRect place);
    void addBoxes(std::size_t index, QRect place);
    void addAnchored(const timeline::Lane &lane, QRect place);
    void addTail(const timeline::Lane &lane, QRect place);
    void addHatch(QRect rect, const QColor &colour);
    void addDots(QRect rect);
    /// Chooses the font of labels for lanes of that height; 0 where none fits.
    void setLabelSize(int height, const timeline::Lane &lane);

    const Scene &m_scene;
    const Colours &m_colours;
    bool m_faded;
    bool m_dense = false; ///< the group's passes are too narrow to be told apart
    int m_unit;           ///< thickness of edges in device pixels
    QRect m_axis;         ///< left and width of the axis in device pixels
    QFontMetrics m_metrics;
    int m_labelSize = 0;
    int m_numberWidth = 0; ///< of the greatest microbatch's number
    int m_kindWidth = 0;   ///< of a kind before it
    QColor m_vocabularyInk;
    std::deque<Batch> m_batches; ///< stays where it is while it grows
    std::unordered_map<QRgb, Batch *> m_batchOf;
    static constexpr int kChunks = 5;
    std::array<std::array<Batch *, kChunks>, schedule::kPassKindCount> m_kindBatches{};
    const TimelineLayout::Row *m_row = nullptr; ///< that is being added
    QVector<QRect> m_dashes;                    ///< edges of forwards that run again
    std::map<QRgb, QVector<QRect>> m_marks;     ///< vocabulary shares and dots: above the fills
    std::map<QRgb, QVector<QLine>> m_lines;
    std::map<QRgb, QVector<QRect>> m_patches; ///< under labels on hatches
    std::vector<Label> m_labels;
};

} // namespace stagelens::ui
