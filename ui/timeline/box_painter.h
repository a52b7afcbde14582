// The passes of lanes as rectangles, hatches and labels.
#pragma once

#include "ui/timeline/colour_batches.h"
#include "ui/timeline/pass_labels.h"
#include "ui/timeline/scene.h"

#include <array>
#include <tuple>

namespace stagelens::ui {

/// Collects what the lanes of a group look like, and draws them at once: what each pass, fold or column is, as colours.
class BoxPainter {
public:
    /// `faded`: the colours are those of a faded group.
    BoxPainter(const Scene &scene, int group, const Colours &colours, bool faded);
    /// Returns whether the passes of a row are all too narrow for a label: then add() needs no font.
    [[nodiscard]] bool isUnlabelled(std::size_t index) const;
    /// Adds the lane of a row of the layout.
    void add(std::size_t index);
    void draw(QPainter &painter) const;

private:
    using Batch = ColourBatches::Batch;
    void addPass(const SliceBox &box, const timeline::Lane &lane, QRect rect);
    int addRecomputed(const SliceBox &box, const timeline::Lane &lane, QRect inner);
    void addMessages(std::size_t index, int left);
    /// Returns the half of an overlapped pair's rectangle that a slice of it has.
    [[nodiscard]] QRect halfOfPair(const timeline::Lane &lane, std::size_t slice, QRect rect) const;
    /// Returns the part of hidden vocabulary work, which may be empty.
    QRect addFold(const WorkShares &work, base::Nanos span, QRect rect);
    /// Hatches what neighbouring folds have in common of their vocabulary work: a single one is too narrow for a pattern.
    void hatchFolds(QRect vocabulary);
    [[nodiscard]] Batch &kindBatch(schedule::PassKind kind, int chunk = 0);
    /// Returns the batch of an index into the colours of the colouring: a kind, or a class of LaneSums.
    [[nodiscard]] Batch &partBatch(std::size_t part);
    /// Returns the batch of a pass in the chosen colouring.
    [[nodiscard]] Batch &batchOf(const timeline::Lane &lane, std::size_t slice);
    /// Returns the colour of a column in a lane that is too low to stack its parts.
    [[nodiscard]] QColor colourOfColumn(const DensityColumn &column) const;
    void addDensity(const TimelineLayout::Row &row, QRect place);
    void addBoxes(std::size_t index, QRect place);
    void addAnchored(const timeline::Lane &lane, QRect place);
    void addTail(base::Nanos begin, base::Nanos end, QRect place);

    const Scene &m_scene;
    const Colours &m_colours;
    bool m_faded;
    QRect m_hatched;      ///< of the folds so far that touch
    bool m_dense = false; ///< the group's passes are too narrow to be told apart
    int m_unit;           ///< thickness of edges in device pixels
    QRect m_axis;         ///< left and width of the axis in device pixels
    ColourBatches m_batches;
    PassLabels m_labels;
    static constexpr int kChunks = 5;
    std::array<std::array<Batch *, kChunks>, schedule::kPassKindCount> m_kindBatches{};
    std::array<QVector<QRect> *, std::tuple_size_v<decltype(WorkShares::kinds)>> m_foldFills{}; ///< of parts already met
    const TimelineLayout::Row *m_row = nullptr;                                                 ///< that is being added
};

} // namespace stagelens::ui
