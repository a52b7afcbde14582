#include "ui/canvas/geometry.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

int clampedPixel(const LaneWindow &window, base::Nanos time)
{
    // Beyond the window only the side matters; clamping keeps the conversion to int defined.
    const double pixel = std::clamp(pixelAt(window, time), -1.0, window.width + 1.0);
    const int towardsZero = static_cast<int>(pixel); // and down, without a call of the library
    return towardsZero > pixel ? towardsZero - 1 : towardsZero;
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
    // The halves of an overlapped pair are as wide as both: one is seen while the other's own time is beside the window.
    const auto addBeside = [&](std::size_t partner) {
        SliceBox box;
        box.x = clampedPixel(window, lane.begin[partner]);
        box.width = 1;
        box.first = partner;
        box.kind = lane.pass[partner].kind;
        boxes.push_back(box);
    };
    if (i > 0 && i < lane.size() && lane.begin[i] < window.end && lane.pass[i - 1].pairedWithNext)
        addBeside(i - 1);
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
    if (!boxes.empty() && i < lane.size() && lane.pass[i - 1].pairedWithNext)
        addBeside(i);
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

bool areNarrow(const std::vector<const std::vector<SliceBox> *> &lanes, int least, bool foldsToo)
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
    return count >= kFewest * lanes.size() && (foldsToo || count < kMany * drawn) && weighted < pixels * least;
}

QVector<QLine> hatchLines(QRect rect, int step)
{
    QVector<QLine> lines;
    for (int sum = (rect.left() + rect.top()) / step * step; sum <= rect.right() + rect.bottom(); sum += step) {
        const int from = std::max(rect.left(), sum - rect.bottom());
        const int to = std::min(rect.right(), sum - rect.top());
        if (from <= to)
            lines.push_back(QLine(from, sum - from, to, sum - to));
    }
    return lines;
}

} // namespace stagelens::ui
