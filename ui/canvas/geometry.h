// Positions of the passes of a lane on the screen: a pure function of (lane, window) whose cost is O(pixels), not O(passes).
#pragma once

#include "engine/base/units.h"
#include "engine/timeline/timeline.h"

#include <QLine>
#include <QRect>
#include <QVector>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace stagelens::ui {

/// The visible part of a lane. Pixels are whatever the painter counts in (device pixels on a screen).
struct LaneWindow {
    base::Nanos begin = 0;
    base::Nanos end = 1;
    int width = 0;     ///< pixels of [begin, end)
    int fold = 2;      ///< passes narrower than this are folded with their neighbours
    int lastStage = 0; ///< tells where in a pass its vocabulary work is drawn
};

/// Returns the pixel of a point in time. The view's origin is subtracted as an integer first: a double holds the difference
/// exactly.
[[nodiscard]] double pixelAt(const LaneWindow &window, base::Nanos time);
[[nodiscard]] base::Nanos timeAt(const LaneWindow &window, double pixel);

/// A pass, or a fold of several that are too narrow to be told apart.
struct SliceBox {
    int x = 0;
    int width = 0;         ///< at least 1
    std::size_t first = 0; ///< index of the (first) slice
    std::size_t count = 1;
    schedule::PassKind kind = schedule::PassKind::F; ///< of the first slice
    int vocabularyX = 0;
    int vocabularyWidth = 0; ///< 0: no vocabulary work, or unknown
    [[nodiscard]] bool isFold() const { return count > 1; }
};

/// The visible boxes of a lane from left to right; clipped one pixel outside the window.
[[nodiscard]] std::vector<SliceBox> laneBoxes(const timeline::Lane &lane, const LaneWindow &window);
/// The box at a pixel, or null.
[[nodiscard]] const SliceBox *boxAt(const std::vector<SliceBox> &boxes, int pixel);

/// Whether most of the time of many boxes is in passes and gaps narrower than `least` pixels on average, and folds hold few of
/// them. Rounded to pixels such boxes would show a rhythm of their own. Gaps of more than twice `least` do not count.
/// With `foldsToo` folds of any number count: for colours that repeat more slowly than kinds.
[[nodiscard]] bool areNarrow(const std::vector<const std::vector<SliceBox> *> &lanes, int least, bool foldsToo = false);

/// First and second of the overlapped pair that a slice belongs to, or nothing.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> pairOf(const timeline::Lane &lane, std::size_t slice);

/// Time by kind of work: the pass kinds without what they hide of vocabulary layers, and that hidden part. Under a colouring by
/// classes (LaneSums) `kinds` holds the time of each class and nothing is hidden.
struct WorkShares {
    std::array<base::Nanos, schedule::kPassKindCount> kinds{};
    base::Nanos hiddenVocabulary = 0;
    WorkShares &operator+=(const WorkShares &other);
    WorkShares &operator-=(const WorkShares &other);
};

/// Sums over blocks of a lane, so that what a fold holds is exact and cheap however many passes it has.
class LaneSums {
public:
    LaneSums() = default;
    explicit LaneSums(const timeline::Lane &lane);
    /// Sums by a class of each slice, below kPassKindCount, and not by its kind.
    LaneSums(const timeline::Lane &lane, std::vector<std::uint8_t> classes);
    [[nodiscard]] bool hasClasses() const { return m_hasClasses; }
    [[nodiscard]] std::size_t classOf(std::size_t slice) const { return m_classes[slice]; }
    /// Work in the slices [first, first + count) of the lane it was made from.
    [[nodiscard]] WorkShares work(const timeline::Lane &lane, std::size_t first, std::size_t count) const;
    /// Work in the whole lane.
    [[nodiscard]] WorkShares total() const { return m_before.empty() ? WorkShares() : m_before.back(); }

private:
    void addBlocks(const timeline::Lane &lane);
    [[nodiscard]] WorkShares workOf(const timeline::Lane &lane, std::size_t first, std::size_t last) const;
    bool m_hasClasses = false;
    std::vector<std::uint8_t> m_classes; ///< of each slice; without classes its kind
    /// Durations of the slices: what folds add up is read here, in 5 bytes a slice instead of the lane's 24. Empty if one is
    /// too long for 32 bits.
    std::vector<std::uint32_t> m_durations;
    std::vector<WorkShares> m_before; ///< work before each block, and at last all of it
    bool m_hides = true;              ///< whether slices may hide vocabulary work
};

/// Work in an equal part of the window; what is left of its span is idle time. `span` may be longer than the column.
struct DensityColumn {
    int x = 0;
    int width = 0;
    base::Nanos span = 0;
    WorkShares work;
};
/// A lane as columns of `step` pixels on a fixed grid, where single passes are too small. Exact at both ends of a column. With
/// `longestGap`, where kinds of passes repeat in nearly equal time, a column counts whole repetitions instead, so that a
/// periodic schedule has the same work in each; a longer gap is never part of a repetition. Of classes
/// each repetition counts as even within its own time.
[[nodiscard]] std::vector<DensityColumn> densityColumns(const timeline::Lane &lane, const LaneSums &sums,
                                                        const LaneWindow &window, int step,
                                                        std::optional<base::Nanos> longestGap = {});

/// Lines at 45 degrees with one phase for the whole picture, clipped to a rectangle by arithmetic: vector formats do not clip.
[[nodiscard]] QVector<QLine> hatchLines(QRect rect, int step);

} // namespace stagelens::ui
