#include "engine/schedule/families/v_patterns.h"

#include "engine/schedule/families/v_half_vocabulary.h"
#include "engine/schedule/order/squeeze.h"
#include "engine/schedule/order/v_slots.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace stagelens::schedule {

namespace {

using base::Nanos;

/// Tables 8 and 9 of the paper as sums: on each way a step a device, and turns such that no two passes of a device meet.
VPattern vMinPattern(int devices, int barriers)
{
    VPattern pattern;
    const int late = (devices % 3 == 0 ? 2 : 0) + VPattern::kInterval * barriers;
    for (int i = 0; i < devices; ++i)
        pattern.devices.push_back({i, 2 * devices - 1 - i, 2 * devices + late + i, 4 * devices + late - 1 - i});
    return pattern;
}

VPattern vHalfPattern(int devices, int barriers)
{
    VPattern pattern;
    const int late = (devices % 2 == 0 ? 3 : 0) + VPattern::kInterval * barriers;
    for (int i = 0; i < devices; ++i)
        pattern.devices.push_back({2 * i, 3 * devices - 2 - i, 3 * devices + late + 2 * i - 1, 6 * devices + late - 2 - i});
    return pattern;
}

/// Steps of 4 down and 2 up, so that residues are the same on every device.
VPattern vZbPattern(int devices, int barriers)
{
    VPattern pattern;
    const int late = VPattern::kInterval * barriers;
    for (int i = 0; i < devices; ++i) {
        const int up = 2 * (devices - 1 - i);
        pattern.devices.push_back({4 * i, 4 * devices - 3 + up, 6 * devices - 4 + late + 4 * i, 10 * devices - 7 + late + up});
    }
    return pattern;
}

/// The first slot from `earliest` on with that residue modulo the interval.
int firstWithResidue(int earliest, int residue)
{
    constexpr int kInterval = VPattern::kInterval;
    return earliest + ((residue - earliest) % kInterval + kInterval) % kInterval;
}

/// Where backwards lie between the forwards, which are a slot apart on both ways.
enum class Backwards : unsigned char {
    AsPublished, ///< one after the other, but for three slots after every third, where forwards lie
    FirstPlace,  ///< each in the first of its device's two places, on the way down in the other
};

void placePublished(std::vector<VOffsets> &devices, int turn)
{
    const int count = static_cast<int>(devices.size());
    int time = turn + (count % 3 == 0 ? 3 : 0);
    int inRow = (3 - (count + 2) % 3) % 3;
    const auto next = [&] {
        inRow = (inRow + 1) % 3;
        return std::exchange(time, time + (inRow == 0 ? 5 : 2));
    };
    for (VOffsets &own : devices)
        own.backwardUp = next();
    for (auto own = devices.rbegin(); own != devices.rend(); ++own)
        own->backwardDown = next();
}

void placeFirst(std::vector<VOffsets> &devices, int turn)
{
    constexpr int kInterval = VPattern::kInterval;
    int time = turn;
    std::vector<int> rest;
    for (VOffsets &own : devices) {
        // The units after the two forwards begin a place each, or both places lie behind the later one of neighbours.
        const int apart = ((own.forwardUp - own.forwardDown) % kInterval + kInterval) % kInterval;
        const int first = apart == 1 ? own.forwardUp + 1 : own.forwardDown + 1;
        const int second = apart == 3 ? own.forwardUp + 1 : first + 2;
        own.backwardUp = std::min(firstWithResidue(time, first), firstWithResidue(time, second));
        rest.push_back((own.backwardUp - first) % kInterval == 0 ? second : first);
        time = own.backwardUp + 2;
    }
    for (std::size_t i = devices.size(); i-- > 0;) {
        devices[i].backwardDown = firstWithResidue(time, rest[i]);
        time = devices[i].backwardDown + 2;
    }
}

/// Between a device's two forwards an even number of slots is left, which is two places for a whole backward.
VPattern oneForwardOneBackwardPattern(int devices, int barriers, Backwards backwards)
{
    VPattern pattern;
    pattern.splitsBackward = false;
    for (int i = 0; i < devices; ++i)
        pattern.devices.push_back({i, 2 * devices - 1 - i, 0, 0});
    const int turn = 2 * devices + VPattern::kInterval * barriers;
    if (backwards == Backwards::AsPublished)
        placePublished(pattern.devices, turn);
    else
        placeFirst(pattern.devices, turn);
    return pattern;
}

int greatestHeld(const LayerOrder &order)
{
    const std::vector<int> held = mostHeld(order);
    return *std::ranges::max_element(held);
}

/// The pattern is made for F, I and W of equal length. An order that keeps to it may be worth more than one that follows the
/// durations, and the other way round.
LayerOrder shortestSplit(const VPattern &pattern, int microbatches, const Durations &durations, int barriers)
{
    const LayerOrder order = repeatedOrder(pattern, microbatches);
    Durations equal;
    for (const PassKind kind : {PassKind::F, PassKind::I, PassKind::W})
        equal.common[static_cast<std::size_t>(kind)] = 1;
    TimedOrder regular = squeeze(order, equal, {.barriers = barriers});
    takeIfShorter(regular, squeeze(order, equal, {.weightsFill = false, .barriers = barriers}));
    TimedOrder best = squeeze(order, durations, {.barriers = barriers});
    takeIfShorter(best, squeeze(regular.order, durations, {.freedom = Freedom::None, .barriers = barriers}));
    if (barriers > 0) // reordered passes may stand too early for the vocabulary passes
        return std::move(best.order);
    const LayerOrder published = reorderedOrder(pattern, microbatches);
    takeIfShorter(best, squeeze(published, durations, {.freedom = Freedom::None}));
    takeIfShorter(best, squeeze(published, durations));
    return std::move(best.order);
}

/// Whole backwards leave no short passes to even things out with: in steady state the pattern is kept.
TimedOrder shortestWhole(const VPattern &pattern, int microbatches, const Durations &durations, int barriers)
{
    const LayerOrder order = repeatedOrder(pattern, microbatches);
    TimedOrder best = squeeze(order, durations, {.freedom = Freedom::Ends, .barriers = barriers});
    if (barriers > 0) {
        takeIfShorter(best, squeeze(order, durations, {.freedom = Freedom::None, .barriers = barriers}));
        return best;
    }
    const LayerOrder published = reorderedOrder(pattern, microbatches);
    takeIfShorter(best, squeeze(published, durations, {.freedom = Freedom::None}));
    takeIfShorter(best, squeeze(published, durations, {.freedom = Freedom::Ends}));
    return best;
}

/// Returns the order of a family that repeats a pattern.
OrderOfBarriers repeated(VPattern (*pattern)(int devices, int barriers), const model::Experiment &experiment,
                         const Durations &durations)
{
    return [pattern, &experiment, &durations](int barriers) {
        return shortestSplit(pattern(experiment.parallel.devices, barriers), experiment.parallel.microbatches, durations,
                             barriers);
    };
}

} // namespace

base::Result<Schedule> vMin(const model::Experiment &experiment, const Durations &durations)
{
    return withVocabulary("v-min", repeated(vMinPattern, experiment, durations), experiment, durations);
}

base::Result<Schedule> vHalf(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    const OrderOfBarriers placed = repeated(vHalfPattern, experiment, durations);
    const auto published = [&](int barriers) {
        return barriers == 0
                   ? placed(0).devices
                   : vHalfWithStamps(repeatedOrder(vHalfPattern(devices, barriers), microbatches), microbatches, barriers);
    };
    return publishedOrShorter("v-half", Placement::zigzag(devices, 2), published, placed, experiment, durations);
}

base::Result<Schedule> vZb(const model::Experiment &experiment, const Durations &durations)
{
    return withVocabulary("v-zb", repeated(vZbPattern, experiment, durations), experiment, durations);
}

base::Result<Schedule> oneForwardOneBackwardV(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const auto order = [&](int barriers) {
        const auto shortest = [&](Backwards backwards) {
            return shortestWhole(oneForwardOneBackwardPattern(devices, barriers, backwards), experiment.parallel.microbatches,
                                 durations, barriers);
        };
        TimedOrder best = shortest(barriers > 0 ? Backwards::FirstPlace : Backwards::AsPublished);
        // The published pattern turns three slots late there, and few microbatches do not make up for it.
        if (barriers == 0 && devices % 3 == 0) {
            TimedOrder other = shortest(Backwards::FirstPlace);
            if (greatestHeld(other.order) <= greatestHeld(best.order))
                takeIfShorter(best, std::move(other));
        }
        return std::move(best.order);
    };
    return withVocabulary("1f1b-v", order, experiment, durations);
}

} // namespace stagelens::schedule
