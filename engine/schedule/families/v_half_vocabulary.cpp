#include "engine/schedule/families/v_half_vocabulary.h"

#include "engine/schedule/order/list_schedule.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

namespace stagelens::schedule {

namespace {

using base::Nanos;

constexpr Nanos kUnit = 1; ///< of F, I and W alike

/// A vocabulary pass (of whatever device), and when it is due. At one time what belongs to an earlier slot goes first: slot n
/// has S of microbatch n and T of the one before.
struct Stamp {
    Nanos time = 0;
    int slot = 0;
    PassKind kind = PassKind::S;
    int microbatch = 0;
};

/// Within a slot T comes before S, so that few softmaxes are held; EF and EB belong to no slot.
int rankOf(PassKind kind)
{
    switch (kind) {
    case PassKind::T: return 0;
    case PassKind::U: return 1;
    case PassKind::S: return 2;
    case PassKind::EF: return 3;
    default: return 4;
    }
}

ListOutcome timesOf(const LayerOrder &pattern, int microbatches)
{
    Durations equal;
    for (const PassKind kind : {PassKind::F, PassKind::I, PassKind::W})
        equal.common[static_cast<std::size_t>(kind)] = kUnit;
    ListTask task{.placement = pattern.placement, .microbatches = microbatches, .devices = {}};
    for (const std::vector<Pass> &passes : pattern.devices)
        task.devices.push_back({{PassQueue{passes, 0, false, {}}}});
    return listSchedule(task, equal);
}

/// Ends of the first device's passes of a kind and stage, by microbatch.
std::vector<Nanos> endsOf(const ListOutcome &times, PassKind kind, int stage)
{
    std::vector<Nanos> ends;
    for (std::size_t i = 0; i < times.devices.front().size(); ++i)
        if (times.devices.front()[i].kind == kind && times.devices.front()[i].stage == stage)
            ends.push_back(times.ends.front()[i]);
    return ends;
}

std::vector<Stamp> stampsOf(const ListOutcome &times, int devices, int microbatches, int barriers)
{
    const int last = 2 * devices - 1;
    const int lagOfT = std::max(1, barriers - 1); // slots from S to T, with U in the one between
    const std::vector<Nanos> firstForward = endsOf(times, PassKind::F, 0);
    const std::vector<Nanos> firstBackward = endsOf(times, PassKind::I, 0);
    const std::vector<Nanos> lastForward = endsOf(times, PassKind::F, last);
    const std::vector<Nanos> lastBackward = endsOf(times, PassKind::I, last);
    const auto at = [](int microbatch) { return static_cast<std::size_t>(microbatch); };
    // Behind the last microbatch slots go on, two forwards and two backwards apart.
    const auto slotTime = [&](int slot) {
        const int within = std::min(slot, microbatches - 1);
        return lastForward[at(within)] + kUnit + 4 * kUnit * (slot - within);
    };
    std::vector<Stamp> stamps;
    for (int i = 0; i < microbatches; ++i) {
        // A short pattern may run a pass before the time that a long one has for what it needs.
        const Nanos latest = lastBackward[at(i)] - kUnit;
        stamps.push_back({std::min(slotTime(i), latest), i, PassKind::S, i});
        if (lagOfT > 1)
            stamps.push_back({std::min(slotTime(i + 1), latest), i + 1, PassKind::U, i});
        const Nanos timeOfT = slotTime(i + lagOfT);
        // With one barrier, that of S, no backward waits for T.
        stamps.push_back({barriers == 1 ? timeOfT : std::min(timeOfT, latest), i + lagOfT, PassKind::T, i});
        const int slotOfInput = i - (devices / 2 + 1);
        stamps.push_back({slotOfInput < 0 ? Nanos{0} : std::min(slotTime(slotOfInput), firstForward[at(i)] - kUnit),
                          std::max(slotOfInput, -1), PassKind::EF, i});
        const int slotOfGradient = i + devices / 2 + 1 + barriers;
        stamps.push_back({slotOfGradient < microbatches ? std::max(slotTime(slotOfGradient), firstBackward[at(i)])
                                                        : std::numeric_limits<Nanos>::max(),
                          slotOfGradient, PassKind::EB, i});
    }
    std::ranges::stable_sort(stamps, {}, [](const Stamp &stamp) {
        return std::tuple(stamp.time, stamp.slot, rankOf(stamp.kind), stamp.microbatch);
    });
    return stamps;
}

} // namespace

std::vector<std::vector<Pass>> vHalfWithStamps(const LayerOrder &pattern, int microbatches, int barriers)
{
    const int devices = pattern.placement.devices;
    const ListOutcome times = timesOf(pattern, microbatches);
    assert(times.isComplete);
    const std::vector<Stamp> stamps = stampsOf(times, devices, microbatches, barriers);
    std::vector<std::vector<Pass>> orders(times.devices.size());
    for (std::size_t device = 0; device < orders.size(); ++device) {
        std::vector<Pass> &order = orders[device];
        order.reserve(times.devices[device].size() + stamps.size());
        auto stamp = stamps.begin();
        const auto putUntil = [&](Nanos time) {
            for (; stamp != stamps.end() && stamp->time <= time; ++stamp)
                order.push_back(makePass(stamp->kind, static_cast<int>(device), stamp->microbatch));
        };
        for (std::size_t i = 0; i < times.devices[device].size(); ++i) {
            putUntil(times.ends[device][i] - kUnit);
            order.push_back(times.devices[device][i]);
        }
        putUntil(std::numeric_limits<Nanos>::max());
    }
    return orders;
}

} // namespace stagelens::schedule
