// How much work of which kind or colour stands in each column of a lane.
#include "ui/canvas/geometry.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagelens::ui {
namespace {

constexpr std::size_t kBlock = 64;

using Kinds = decltype(WorkShares::kinds);

/// Adds the durations of slices to those of their classes. Two sums in turn: a slice need not wait for the sum of the one
/// before it to be written.
template <class Duration>
void addDurations(Kinds &kinds, const std::vector<std::uint8_t> &classes, std::size_t first, std::size_t last,
                  Duration duration)
{
    Kinds odd{};
    for (; first + 1 < last; first += 2) {
        kinds[classes[first]] += duration(first);
        odd[classes[first + 1]] += duration(first + 1);
    }
    if (first < last)
        kinds[classes[first]] += duration(first);
    for (std::size_t each = 0; each < odd.size(); ++each)
        kinds[each] += odd[each];
}

/// Takes what slices hide of vocabulary layers out of their kinds.
void moveHidden(WorkShares &work, const timeline::Lane &lane, std::size_t first, std::size_t last)
{
    for (std::size_t i = first; i < std::min(last, lane.vocabulary.size()); ++i) {
        const schedule::PassKind kind = lane.pass[i].kind;
        if (schedule::isVocabularyPass(kind))
            continue;
        const base::Nanos hidden = std::clamp<base::Nanos>(lane.vocabulary[i], 0, lane.end[i] - lane.begin[i]);
        work.kinds[static_cast<std::size_t>(kind)] -= hidden;
        work.hiddenVocabulary += hidden;
    }
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

/// Whether three groups of `period` slices from `first` on are alike and take nearly equal time.
template <class Alike>
bool isRepeated(const timeline::Lane &lane, std::size_t first, std::size_t period, Alike areAlike)
{
    if (first + 3 * period > lane.size())
        return false;
    for (std::size_t i = first; i < first + 2 * period; ++i)
        if (!areAlike(i, i + period))
            return false;
    const auto time = [&](std::size_t group) {
        return beginOf(lane, first + (group + 1) * period) - beginOf(lane, first + group * period);
    };
    const auto [least, most] = std::minmax({time(0), time(1), time(2)});
    return most - least <= most / 4;
}

/// Number of slices, at most `longest`, after which they repeat from a slice on; 0 where they do not, or with too long a gap
/// between.
template <class Alike>
std::size_t periodAt(const timeline::Lane &lane, std::size_t slice, base::Nanos longestGap, std::size_t longest, Alike areAlike)
{
    const auto find = [&]() -> std::size_t {
        // What follows counts before what was: a slice between two phases belongs to the one that it begins.
        for (const std::size_t before : {0, 1, 2})
            for (std::size_t period = 1; period <= longest && before * period <= slice; ++period)
                if (isRepeated(lane, slice - before * period, period, areAlike))
                    return period;
        return 0;
    };
    const std::size_t period = find();
    for (std::size_t i = slice; i < slice + period; ++i)
        if (beginOf(lane, i + 1) - lane.end[i] > longestGap)
            return 0;
    return period;
}

/// The period of the kinds of work.
std::size_t kindPeriodAt(const timeline::Lane &lane, std::size_t slice, base::Nanos longestGap)
{
    constexpr std::size_t kLongestPeriod = 16;
    return periodAt(lane, slice, longestGap, kLongestPeriod,
                    [&lane](std::size_t a, std::size_t b) { return lane.pass[a].kind == lane.pass[b].kind; });
}

/// Number of slices after which classes or kinds repeat from a slice on: of the classes where a column of `span`, in which
/// `inside` slices begin, holds at least half a repetition of theirs, else of the kinds, so that the classes are seen one after
/// another. 0: nothing repeats.
std::size_t classPeriodAt(const timeline::Lane &lane, const LaneSums &sums, std::size_t slice, std::size_t inside,
                          base::Nanos longestGap, base::Nanos span)
{
    constexpr std::size_t kLongestPeriod = 64; // six passes of each microbatch in eight colours are 48
    constexpr std::size_t kFew = 4;            // slices of a column that is too narrow for it
    if (inside >= kFew) {
        const std::size_t longest = std::min(kLongestPeriod, 2 * inside + 2);
        const std::size_t period = periodAt(lane, slice, longestGap, longest, [&sums](std::size_t a, std::size_t b) {
            return sums.classOf(a) == sums.classOf(b);
        });
        if (period > 0 && beginOf(lane, slice + period) - lane.begin[slice] <= 2 * span)
            return period;
    }
    return kindPeriodAt(lane, slice, longestGap);
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

/// Takes `part` of the work of some slices out of a sum.
void cut(WorkShares &work, const timeline::Lane &lane, const LaneSums &sums, std::size_t first, std::size_t count, double part)
{
    if (part <= 0)
        return;
    const WorkShares whole = sums.work(lane, first, count);
    for (std::size_t kind = 0; kind < work.kinds.size(); ++kind)
        work.kinds[kind] -= std::llround(static_cast<double>(whole.kinds[kind]) * part);
    work.hiddenVocabulary -= std::llround(static_cast<double>(whole.hiddenVocabulary) * part);
}

/// The work of the column [from, to), before which `finished` slices have ended and `last` have begun.
WorkShares workWithin(const timeline::Lane &lane, const LaneSums &sums, base::Nanos from, base::Nanos to, std::size_t finished,
                      std::size_t last)
{
    WorkShares work = sums.work(lane, finished, last - finished);
    const auto share = [&lane](base::Nanos beyond, std::size_t slice) {
        return static_cast<double>(beyond) / static_cast<double>(std::max<base::Nanos>(lane.end[slice] - lane.begin[slice], 1));
    };
    cut(work, lane, sums, finished, 1, share(from - lane.begin[finished], finished));
    cut(work, lane, sums, last - 1, 1, share(lane.end[last - 1] - to, last - 1));
    return work;
}

/// The same where slices repeat after `period` of them: each repetition counts as even, so that its passes show no rhythm
/// against the grid of columns. Nothing where repetitions cannot be told.
std::optional<WorkShares> evenWork(const timeline::Lane &lane, const LaneSums &sums, base::Nanos from, base::Nanos to,
                                   std::size_t slice, std::size_t last, std::size_t period, base::Nanos longestGap)
{
    const std::size_t first = slice - slice % period; // the same for every column
    const std::size_t count = (last - first + period - 1) / period * period;
    if (first + count > lane.size())
        return std::nullopt;
    for (std::size_t i = first; i < slice; ++i)
        if (beginOf(lane, i + 1) - lane.end[i] > longestGap)
            return std::nullopt;
    WorkShares work = sums.work(lane, first, count);
    const auto share = [&](base::Nanos beyond, std::size_t begin) {
        const base::Nanos time = beginOf(lane, begin + period) - lane.begin[begin];
        return static_cast<double>(beyond) / static_cast<double>(std::max<base::Nanos>(time, 1));
    };
    const std::size_t end = first + count;
    cut(work, lane, sums, first, period, share(from - lane.begin[first], first));
    cut(work, lane, sums, end - period, period, share(beginOf(lane, end) - to, end - period));
    return work;
}

} // namespace

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
        const std::size_t period = !longestGap || begun == 0 || to == from ? 0
                                   : sums.hasClasses()
                                       ? classPeriodAt(lane, sums, begun - 1, last - (begun - 1), *longestGap, to - from)
                                       : kindPeriodAt(lane, begun - 1, *longestGap);
        const auto even = period > 0 && sums.hasClasses() ? evenWork(lane, sums, from, to, begun - 1, last, period, *longestGap)
                                                          : std::nullopt;
        if (even) {
            column.work = *even;
            columns.push_back(column);
        } else if (period > 0 && !sums.hasClasses() && addRepetitions(column, lane, sums, begun - 1, last, period, to)) {
            columns.push_back(column);
        } else if (finished < last && to > from) {
            column.work = workWithin(lane, sums, from, to, finished, last);
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
    m_classes.reserve(lane.size());
    for (const schedule::Pass &pass : lane.pass)
        m_classes.push_back(static_cast<std::uint8_t>(pass.kind));
    addBlocks(lane);
    m_hides = total().hiddenVocabulary > 0;
}

LaneSums::LaneSums(const timeline::Lane &lane, std::vector<std::uint8_t> classes)
    : m_hasClasses(true), m_classes(std::move(classes)), m_hides(false)
{
    addBlocks(lane);
}

void LaneSums::addBlocks(const timeline::Lane &lane)
{
    m_durations.reserve(lane.size());
    for (std::size_t i = 0; i < lane.size() && i == m_durations.size(); ++i)
        if (const base::Nanos duration = lane.end[i] - lane.begin[i]; std::in_range<std::uint32_t>(duration))
            m_durations.push_back(static_cast<std::uint32_t>(duration));
    if (m_durations.size() < lane.size())
        m_durations = {};
    m_before.reserve(lane.size() / kBlock + 2);
    WorkShares sum;
    for (std::size_t begin = 0; begin < lane.size(); begin += kBlock) {
        m_before.push_back(sum);
        sum += workOf(lane, begin, std::min(begin + kBlock, lane.size()));
    }
    m_before.push_back(sum);
}

WorkShares LaneSums::workOf(const timeline::Lane &lane, std::size_t first, std::size_t last) const
{
    WorkShares work;
    if (m_durations.empty())
        addDurations(work.kinds, m_classes, first, last, [&lane](std::size_t i) { return lane.end[i] - lane.begin[i]; });
    else
        addDurations(work.kinds, m_classes, first, last, [this](std::size_t i) { return base::Nanos{m_durations[i]}; });
    if (m_hides)
        moveHidden(work, lane, first, last);
    return work;
}

WorkShares LaneSums::work(const timeline::Lane &lane, std::size_t first, std::size_t count) const
{
    const std::size_t last = first + count;
    if (count <= 2 * kBlock)
        return workOf(lane, first, last);
    // Whole blocks by difference, the two ragged ends one by one.
    const std::size_t beginBlock = (first + kBlock - 1) / kBlock;
    const std::size_t endBlock = last / kBlock;
    WorkShares work = m_before[endBlock];
    work -= m_before[beginBlock];
    work += workOf(lane, first, beginBlock * kBlock);
    work += workOf(lane, endBlock * kBlock, last);
    return work;
}

} // namespace stagelens::ui
