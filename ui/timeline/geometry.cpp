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

/// Index of the first value of a sorted row that is not below `bound`, searched from a place before it.
std::size_t firstAfter(const std::vector<base::Nanos> &values, std::size_t from, base::Nanos bound)
{
    std::size_t step = 1;
    std::size_t below = from;
    for (; below + step < values.size() && values[below + step] < bound; step *= 2)
        below += step;
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(below + step + 1, values.size()));
    return static_cast<std::size_t>(std::lower_bound(values.begin() + static_cast<std::ptrdiff_t>(below), end, bound) -
                                    values.begin());
}

/// When a slice of the lane begins; behind the last one, when that ends.
base::Nanos beginOf(const timeline::Lane &lane, std::size_t slice)
{
    return slice < lane.size() ? lane.begin[slice] : lane.end.back();
}

/// Whether three groups of `period` slices from `first` on are of equal kinds and take nearly equal time.
bool isRepeated(const timeline::Lane &lane, std::size_t first, std::size_t period)
{
    if (first + 3 * period > lane.size())
        return false;
    for (std::size_t i = first; i < first + 2 * period; ++i)
        if (lane.pass[i].kind != lane.pass[i + period].kind)
            return false;
    const auto time = [&](std::size_t group) {
        return beginOf(lane, first + (group + 1) * period) - beginOf(lane, first + group * period);
    };
    const auto [least, most] = std::minmax({time(0), time(1), time(2)});
    return most - least <= most / 4;
}

/// Number of slices after which the kinds of work repeat from a slice on; 0 where they do not, or with too long a gap between.
std::size_t periodAt(const timeline::Lane &lane, std::size_t slice, base::Nanos longestGap)
{
    constexpr std::size_t kLongestPeriod = 16;
    const auto find = [&]() -> std::size_t {
        // What follows counts before what was: a slice between two phases belongs to the one that it begins.
        for (const std::size_t before : {0, 1, 2})
            for (std::size_t period = 1; period <= kLongestPeriod && before * period <= slice; ++period)
                if (isRepeated(lane, slice - before * period, period))
                    return period;
        return 0;
    };
    const std::size_t period = find();
    for (std::size_t i = slice; i < slice + period; ++i)
        if (beginOf(lane, i + 1) - lane.end[i] > longestGap)
            return 0;
    return period;
}

/// Sets a column's work and span to those of whole repetitions that begin with `first` and reach behind the column's end `to`,
/// before which `last` slices begin. False where they reach too far behind it.
bool addRepetitions(DensityColumn &column, const timeline::Lane &lane, const LaneSums &sums, std::size_t first,
                    std::size_t last, std::size_t period, base::Nanos to)
{
    const std::size_t count = (std::max(last - first, std::size_t{1}) + period - 1) / period * period;
    const base::Nanos single = beginOf(lane, first + period) - lane.begin[first];
    const base::Nanos end = beginOf(lane, first + count);
    if (first + count > lane.size() || end < to || end - to > single)
        return false;
    column.span = end - lane.begin[first];
    column.work = sums.work(lane, first, count);
    return column.span > 0;
}

/// Takes out of a sum what one of its slices does beyond the edge of a column.
void cutBeyond(WorkShares &work, const timeline::Lane &lane, std::size_t slice, base::Nanos beyond)
{
    if (beyond <= 0)
        return;
    const WorkShares whole = workOf(lane, slice, slice + 1, true);
    const double part = static_cast<double>(beyond) / static_cast<double>(lane.end[slice] - lane.begin[slice]);
    for (std::size_t kind = 0; kind < work.kinds.size(); ++kind)
        work.kinds[kind] -= std::llround(static_cast<double>(whole.kinds[kind]) * part);
    work.hiddenVocabulary -= std::llround(static_cast<double>(whole.hiddenVocabulary) * part);
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

bool areNarrow(const std::vector<const std::vector<SliceBox> *> &lanes, int least)
{
    constexpr std::size_t kFewest = 16; // passes that can show a rhythm
    constexpr std::size_t kMany = 24;   // passes of a box: what is cut off at its ends does not show
    std::size_t count = 0;
    std::size_t drawn = 0;
    double pixels = 0;
    double weighted = 0; // of each pixel the width of what it belongs to
    const auto add = [&](int width, double single) {
        pixels += width;
        weighted += width * std::min(single, 2.0 * least);
    };
    for (const std::vector<SliceBox> *boxes : lanes) {
        std::optional<int> right;
        for (const SliceBox &box : *boxes) {
            if (const int gap = right ? box.x - *right : 0; gap > 0 && gap <= 2 * least)
                add(gap, gap);
            add(box.width, box.width / static_cast<double>(box.count));
            right = box.x + box.width;
            count += box.count;
        }
        drawn += boxes->size();
    }
    return count >= kFewest * lanes.size() && count < kMany * drawn && weighted < pixels * least;
}

std::vector<DensityColumn> densityColumns(const timeline::Lane &lane, const LaneSums &sums, const LaneWindow &window, int step,
                                          std::optional<base::Nanos> longestGap)
{
    std::vector<DensityColumn> columns;
    if (lane.size() == 0)
        return columns;
    std::size_t begun = 0;    // slices that have begun at the column's left edge
    std::size_t finished = 0; // and those that have ended
    std::size_t last = 0;     // slices that have begun at its right edge
    for (int x = 0; x < window.width; x += step) {
        const base::Nanos from = timeAt(window, x);
        const base::Nanos to = timeAt(window, std::min(x + step, window.width));
        begun = firstAfter(lane.begin, begun, from + 1);
        finished = firstAfter(lane.end, finished, from + 1);
        last = firstAfter(lane.begin, std::max(last, begun), to);
        if (begun == lane.size() && finished == lane.size())
            break;
        DensityColumn column{x, std::min(step, window.width - x), to - from, {}};
        const std::size_t period = longestGap && begun > 0 && to > from ? periodAt(lane, begun - 1, *longestGap) : 0;
        if (period > 0 && addRepetitions(column, lane, sums, begun - 1, last, period, to)) {
            columns.push_back(column);
        } else if (finished < last && to > from) {
            column.work = sums.work(lane, finished, last - finished);
            cutBeyond(column.work, lane, finished, from - lane.begin[finished]);
            cutBeyond(column.work, lane, last - 1, lane.end[last - 1] - to);
            columns.push_back(column);
        }
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
