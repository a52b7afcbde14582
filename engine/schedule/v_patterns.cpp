#include "engine/schedule/v_patterns.h"

#include "engine/schedule/squeeze.h"
#include "engine/schedule/v_half_vocabulary.h"
#include "engine/schedule/vocabulary_insertion.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace stagelens::schedule {

namespace {

using base::Nanos;

/// The work of one microbatch on a device, in units of a stage's F (of I, of W; a whole B counts two).
constexpr int kInterval = 6;

/// When the passes of microbatch 0 begin on a device, in units; each further microbatch comes an interval later.
struct Offsets {
    int forwardDown = 0;
    int forwardUp = 0;
    int backwardUp = 0; ///< of the stage on the way up, which is the later one in the model
    int backwardDown = 0;
};

struct Pattern {
    std::vector<Offsets> devices;
    bool splitsBackward = true;
};

/// Tables 8 and 9 of the paper as sums: on each way a step a device, and turns such that no two passes of a device meet.
Pattern vMinPattern(int devices, int barriers)
{
    Pattern pattern;
    const int late = (devices % 3 == 0 ? 2 : 0) + kInterval * barriers;
    for (int i = 0; i < devices; ++i)
        pattern.devices.push_back({i, 2 * devices - 1 - i, 2 * devices + late + i, 4 * devices + late - 1 - i});
    return pattern;
}

Pattern vHalfPattern(int devices, int barriers)
{
    Pattern pattern;
    const int late = (devices % 2 == 0 ? 3 : 0) + kInterval * barriers;
    for (int i = 0; i < devices; ++i)
        pattern.devices.push_back({2 * i, 3 * devices - 2 - i, 3 * devices + late + 2 * i - 1, 6 * devices + late - 2 - i});
    return pattern;
}

/// Steps of 4 down and 2 up, so that residues are the same on every device.
Pattern vZbPattern(int devices, int barriers)
{
    Pattern pattern;
    const int late = kInterval * barriers;
    for (int i = 0; i < devices; ++i) {
        const int up = 2 * (devices - 1 - i);
        pattern.devices.push_back({4 * i, 4 * devices - 3 + up, 6 * devices - 4 + late + 4 * i, 10 * devices - 7 + late + up});
    }
    return pattern;
}

/// The first time from `earliest` on with that residue modulo the interval.
int firstWithResidue(int earliest, int residue)
{
    return earliest + ((residue - earliest) % kInterval + kInterval) % kInterval;
}

/// Forwards a unit apart on both ways. Between a device's two forwards an even number of units is left, which is two places for
/// a whole backward; on its way each microbatch takes the first that it finds.
Pattern oneForwardOneBackwardPattern(int devices, int barriers)
{
    Pattern pattern;
    pattern.splitsBackward = false;
    int time = 2 * devices + kInterval * barriers;
    std::vector<int> rest;
    for (int i = 0; i < devices; ++i) {
        Offsets own{i, 2 * devices - 1 - i, 0, 0};
        // The units after the two forwards begin a place each, or both places lie behind the later one of neighbours.
        const int apart = ((own.forwardUp - own.forwardDown) % kInterval + kInterval) % kInterval;
        const int first = apart == 1 ? own.forwardUp + 1 : own.forwardDown + 1;
        const int second = apart == 3 ? own.forwardUp + 1 : first + 2;
        const int here = std::min(firstWithResidue(time, first), firstWithResidue(time, second));
        own.backwardUp = here;
        rest.push_back((here - first) % kInterval == 0 ? second : first);
        time = here + 2;
        pattern.devices.push_back(own);
    }
    for (int i = devices; i-- > 0;) {
        const int here = firstWithResidue(time, rest[static_cast<std::size_t>(i)]);
        pattern.devices[static_cast<std::size_t>(i)].backwardDown = here;
        time = here + 2;
    }
    return pattern;
}

/// The order of a device: the pattern repeated, and each W in the first idle unit after its I, the oldest first.
std::vector<Pass> deviceOrder(const Pattern &pattern, int device, int microbatches)
{
    const int up = 2 * static_cast<int>(pattern.devices.size()) - 1 - device;
    const Offsets &own = pattern.devices[static_cast<std::size_t>(device)];
    const PassKind backward = pattern.splitsBackward ? PassKind::I : PassKind::B;
    struct Repeated {
        int begin;
        PassKind kind;
        int stage;
    };
    const std::array<Repeated, 4> repeated{{{own.forwardDown, PassKind::F, device},
                                            {own.forwardUp, PassKind::F, up},
                                            {own.backwardUp, backward, up},
                                            {own.backwardDown, backward, device}}};
    const auto passAt = [&](int time) -> std::optional<Pass> {
        for (const auto &[begin, kind, stage] : repeated)
            if (time >= begin && (time - begin) % kInterval == 0 && (time - begin) / kInterval < microbatches)
                return makePass(kind, stage, (time - begin) / kInterval);
        return std::nullopt;
    };
    std::vector<Pass> passes;
    passes.reserve(static_cast<std::size_t>(microbatches) * kInterval);
    std::vector<Pass> weights;
    std::size_t nextWeight = 0;
    const int end = own.backwardDown + microbatches * kInterval;
    for (int time = 0; time < end || nextWeight < weights.size(); ++time) {
        if (const std::optional<Pass> pass = passAt(time)) {
            passes.push_back(*pass);
            if (pass->kind == PassKind::I)
                weights.push_back(makePass(PassKind::W, pass->stage, pass->microbatch));
        } else if (nextWeight < weights.size()) {
            passes.push_back(weights[nextWeight++]);
        }
    }
    return passes;
}

/// Whether F, I and W of all stages take equally long and messages no time.
bool areEqual(const Durations &durations)
{
    const Nanos forward = durations.common[static_cast<std::size_t>(PassKind::F)];
    return durations.ofStage.empty() && durations.common[static_cast<std::size_t>(PassKind::I)] == forward &&
           durations.common[static_cast<std::size_t>(PassKind::W)] == forward && durations.transfer(Transfer::Send) == 0;
}

void takeIfShorter(Squeezed &best, Squeezed &&other)
{
    if (other.makespan < best.makespan)
        best = std::move(other);
}

/// The pattern is made for F, I and W of equal length. An order that keeps to it may be worth more than one that follows the
/// durations, and the other way round.
LayerOrder shortestSplit(const LayerOrder &order, const Durations &durations, int barriers)
{
    Durations equal;
    for (const PassKind kind : {PassKind::F, PassKind::I, PassKind::W})
        equal.common[static_cast<std::size_t>(kind)] = 1;
    Squeezed regular = squeeze(order, equal, {.barriers = barriers});
    takeIfShorter(regular, squeeze(order, equal, {.weightsFill = false, .barriers = barriers}));
    if (areEqual(durations))
        return std::move(regular.order);
    Squeezed best = squeeze(order, durations, {.barriers = barriers});
    takeIfShorter(best, squeeze(regular.order, durations, {.freedom = Freedom::None, .barriers = barriers}));
    return std::move(best.order);
}

/// Whole backwards leave no short passes to even things out with: in steady state the pattern is kept.
LayerOrder shortestWhole(const LayerOrder &order, const Durations &durations, int barriers)
{
    Squeezed best = squeeze(order, durations, {.freedom = Freedom::Ends, .barriers = barriers});
    takeIfShorter(best, squeeze(order, durations, {.freedom = Freedom::None, .barriers = barriers}));
    return std::move(best.order);
}

LayerOrder orderOf(const Pattern &pattern, int microbatches)
{
    const int devices = static_cast<int>(pattern.devices.size());
    LayerOrder order{Placement::zigzag(devices, 2), {}};
    for (int device = 0; device < devices; ++device)
        order.devices.push_back(deviceOrder(pattern, device, microbatches));
    return order;
}

Schedule repeated(std::string_view family, const Pattern &pattern, const model::Experiment &experiment,
                  const Durations &durations)
{
    const LayerOrder order = orderOf(pattern, experiment.parallel.microbatches);
    const int barriers = model::barrierCount(experiment.schedule.vocabulary);
    const LayerOrder shortest =
        pattern.splitsBackward ? shortestSplit(order, durations, barriers) : shortestWhole(order, durations, barriers);
    return placeVocabulary(family, shortest, experiment, durations);
}

} // namespace

base::Result<Schedule> vMin(const model::Experiment &experiment, const Durations &durations)
{
    const int barriers = model::barrierCount(experiment.schedule.vocabulary);
    return repeated("v-min", vMinPattern(experiment.parallel.devices, barriers), experiment, durations);
}

base::Result<Schedule> vHalf(const model::Experiment &experiment, const Durations &durations)
{
    const int barriers = model::barrierCount(experiment.schedule.vocabulary);
    const Pattern pattern = vHalfPattern(experiment.parallel.devices, barriers);
    if (!model::isSharded(experiment.schedule.vocabulary))
        return repeated("v-half", pattern, experiment, durations);
    Schedule published = vHalfWithStamps(orderOf(pattern, experiment.parallel.microbatches), experiment);
    if (experiment.schedule.vocabularyOrder == model::VocabularyOrder::Published)
        return published;
    return shorterOf(std::move(published), repeated("v-half", pattern, experiment, durations), durations);
}

base::Result<Schedule> vZb(const model::Experiment &experiment, const Durations &durations)
{
    const int barriers = model::barrierCount(experiment.schedule.vocabulary);
    return repeated("v-zb", vZbPattern(experiment.parallel.devices, barriers), experiment, durations);
}

base::Result<Schedule> oneForwardOneBackwardV(const model::Experiment &experiment, const Durations &durations)
{
    const int barriers = model::barrierCount(experiment.schedule.vocabulary);
    return repeated("1f1b-v", oneForwardOneBackwardPattern(experiment.parallel.devices, barriers), experiment, durations);
}

} // namespace stagelens::schedule
