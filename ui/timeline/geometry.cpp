#include "ui/timeline/geometry.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

constexpr std::size_t kBlock = 64;

int clampedPixel(const LaneWindow &window, base::Nanos time)
{
    // Beyond the window only the side matters; clamping keeps the conversion to int defined.
    return static_cast<int>(std::floor(std::clamp(pixelAt(window, time), -1.0, window.width + 1.0)));
}

/// First index after `from` whose slice ends right of `limit`: doubling steps, then bisection between the last two.
std::size_t gallop(const timeline::Lane &lane, const LaneWindow &window, std::size_t from, int limit)
{
    const base::Nanos bound = timeAt(window, limit + 1);
    std::size_t step = 1;
    std::size_t inside = from;
    while (inside + step < lane.size() && lane.end[inside + step] < bound) {
        inside += step;
        step *= 2;
    }
    const auto begin = lane.end.begin();
    const auto last = begin + static_cast<std::ptrdiff_t>(std::min(inside + step, lane.size()));
    return static_cast<std::size_t>(std::lower_bound(begin + static_cast<std::ptrdiff_t>(inside + 1), last, bound) - begin);
}

/// An F ends with the output layer and, on the first stage, begins with the embedding; backward the other way round.
bool vocabularyStandsAtEnd(const schedule::Pass &pass, int lastStage)
{
    const bool embedding = pass.stage == 0 && lastStage > 0;
    return (pass.kind == schedule::PassKind::F) != embedding;
}

void placeVocabulary(SliceBox &box, const timeline::Lane &lane, const LaneWindow &window)
{
    const std::size_t i = box.first;
    if (i >= lane.vocabulary.size() || lane.vocabulary[i] <= 0 || schedule::isVocabularyPass(box.kind))
        return;
    const base::Nanos share = std::min(lane.vocabulary[i], lane.end[i] - lane.begin[i]);
    const bool atEnd = vocabularyStandsAtEnd(lane.pass[i], window.lastStage);
    const int from = clampedPixel(window, atEnd ? lane.end[i] - share : lane.begin[i]);
    const int to = clampedPixel(window, atEnd ? lane.end[i] : lane.begin[i] + share);
    box.vocabularyX = std::max(from, box.x);
    box.vocabularyWidth = std::max(std::min(to, box.x + box.width) - box.vocabularyX, 0);
}

using Kinds = decltype(WorkShares::kinds);

/// Adds the durations of slices. Two sums in turn: a slice need not wait for the sum of the one before it to be written.
void addDurations(Kinds &kinds, const timeline::Lane &lane, std::size_t first, std::size_t last)
{
    const auto duration = [&lane](std::size_t i) { return lane.end[i] - lane.begin[i]; };
    const auto kind = [&lane](std::size_t i) { return static_cast<std::size_t>(lane.pass[i].kind); };
    Kinds odd{};
    for (; first + 1 < last; first += 2) {
        kinds[kind(first)] += duration(first);
        odd[kind(first + 1)] += duration(first + 1);
    }
    if (first < last)
        kinds[kind(first)] += duration(first);
    for (std::size_t each = 0; each < odd.size(); ++each)
        kinds[each] += odd[each];
}

/// `hides`: whether slices of the lane may hide vocabulary work.
WorkShares workOf(const timeline::Lane &lane, std::size_t first, std::size_t last, bool hides)
{
    WorkShares work;
    addDurations(work.kinds, lane, first, last);
    if (!hides)
        return work;
    for (std::size_t i = first; i < std::min(last, lane.vocabulary.size()); ++i) {
        const schedule::PassKind kind = lane.pass[i].kind;
        if (schedule::isVocabularyPass(kind))
            continue;
        const base::Nanos hidden = std::clamp<base::Nanos>(lane.vocabulary[i], 0, lane.end[i] - lane.begin[i]);
        work.kinds[static_cast<std::size_t>(kind)] -= hidden;
        work.hiddenVocabulary += hidden;
    }
    return work;
}

} // namespace

double pixelAt(const LaneWindow &window, base::Nanos time)
{
    return static_cast<double>(time - window.begin) * window.width / static_cast<double>(window.end - window.begin);
}

base::Nanos timeAt(const LaneWindow &window, double pixel)
{
    const double width = static_cast<double>(window.end - window.begin);
    return window.begin + static_cast<base::Nanos>(std::ceil(pixel * width / std::max(window.width, 1)));
}

std::vector<SliceBox> laneBoxes(const timeline::Lane &lane, const LaneWindow &window)
{
    std::vector<SliceBox> boxes;
    if (window.width <= 0 || window.end <= window.begin)
        return boxes;
    const auto first = std::upper_bound(lane.end.begin(), lane.end.end(), window.begin);
    auto i = static_cast<std::size_t>(first - lane.end.begin());
    while (i < lane.size() && lane.begin[i] < window.end) {
        SliceBox box;
        box.x = clampedPixel(window, lane.begin[i]);
        box.first = i;
        box.kind = lane.pass[i].kind;
        std::size_t next = i + 1;
        if (clampedPixel(window, lane.end[i]) - box.x < window.fold)
            next = gallop(lane, window, i, box.x + window.fold);
        box.count = next - i;
        const base::Nanos end = lane.end[next - 1];
        box.width = std::max(clampedPixel(window, end) - box.x, 1);
        if (!box.isFold())
            placeVocabulary(box, lane, window);
        // A pass of no duration is drawn only as part of a fold.
        if (end > lane.begin[i])
            boxes.push_back(box);
        i = next;
    }
    return boxes;
}

const SliceBox *boxAt(const std::vector<SliceBox> &boxes, int pixel)
{
    const auto next = std::partition_point(boxes.begin(), boxes.end(), [pixel](const SliceBox &box) { return box.x <= pixel; });
    if (next == boxes.begin())
        return nullptr;
    const SliceBox &box = *std::prev(next);
    return pixel < box.x + box.width ? &box : nullptr;
}

std::optional<std::pair<std::size_t, std::size_t>> pairOf(const timeline::Lane &lane, std::size_t slice)
{
    if (!timeline::isPaired(lane, slice))
        return std::nullopt;
    const std::size_t first = lane.pass[slice].pairedWithNext ? slice : slice - 1;
    return first + 1 < lane.size() ? std::optional(std::pair(first, first + 1)) : std::nullopt;
}

std::vector<DensityColumn> densityColumns(const timeline::Lane &lane, const LaneSums &sums, const LaneWindow &window, int step)
{
    std::vector<DensityColumn> columns;
    if (lane.size() == 0)
        return columns;
    // Takes out of a column what one of its slices does beyond its edges.
    const auto cut = [&lane](WorkShares &work, std::size_t slice, base::Nanos beyond) {
        if (beyond <= 0)
            return;
        const WorkShares whole = workOf(lane, slice, slice + 1, true);
        const double part = static_cast<double>(beyond) / static_cast<double>(lane.end[slice] - lane.begin[slice]);
        for (std::size_t kind = 0; kind < work.kinds.size(); ++kind)
            work.kinds[kind] -= std::llround(static_cast<double>(whole.kinds[kind]) * part);
        work.hiddenVocabulary -= std::llround(static_cast<double>(whole.hiddenVocabulary) * part);
    };
    for (int x = 0; x < window.width; x += step) {
        const base::Nanos from = timeAt(window, x);
        const base::Nanos to = timeAt(window, std::min(x + step, window.width));
        const auto first = std::upper_bound(lane.end.begin(), lane.end.end(), from);
        const auto last = std::lower_bound(lane.begin.begin(), lane.begin.end(), to);
        const auto begin = static_cast<std::size_t>(first - lane.end.begin());
        const auto end = static_cast<std::size_t>(last - lane.begin.begin());
        if (begin >= end || to <= from)
            continue;
        DensityColumn column{x, std::min(step, window.width - x), to - from, sums.work(lane, begin, end - begin)};
        cut(column.work, begin, from - lane.begin[begin]);
        cut(column.work, end - 1, lane.end[end - 1] - to);
        columns.push_back(column);
    }
    return columns;
}

WorkShares &WorkShares::operator+=(const WorkShares &other)
{
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        kinds[kind] += other.kinds[kind];
    hiddenVocabulary += other.hiddenVocabulary;
    return *this;
}

WorkShares &WorkShares::operator-=(const WorkShares &other)
{
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        kinds[kind] -= other.kinds[kind];
    hiddenVocabulary -= other.hiddenVocabulary;
    return *this;
}

LaneSums::LaneSums(const timeline::Lane &lane)
{
    m_before.reserve(lane.size() / kBlock + 2);
    WorkShares sum;
    for (std::size_t begin = 0; begin < lane.size(); begin += kBlock) {
        m_before.push_back(sum);
        sum += workOf(lane, begin, std::min(begin + kBlock, lane.size()), true);
    }
    m_before.push_back(sum);
    m_hides = sum.hiddenVocabulary > 0;
}

WorkShares LaneSums::work(const timeline::Lane &lane, std::size_t first, std::size_t count) const
{
    const std::size_t last = first + count;
    if (count <= 2 * kBlock)
        return workOf(lane, first, last, m_hides);
    // Whole blocks by difference, the two ragged ends one by one.
    const std::size_t beginBlock = (first + kBlock - 1) / kBlock;
    const std::size_t endBlock = last / kBlock;
    WorkShares work = m_before[endBlock];
    work -= m_before[beginBlock];
    work += workOf(lane, first, beginBlock * kBlock, m_hides);
    work += workOf(lane, endBlock * kBlock, last, m_hides);
    return work;
}

} // namespace stagelens::ui
