#include "engine/schedule/stream_order.h"

#include "engine/schedule/squeeze.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace stagelens::schedule {

namespace {

/// When each microbatch enters.
std::vector<std::int64_t> entryTimes(const StreamPlan &plan, Entry entry)
{
    const int replicas = plan.placement.replicas;
    const std::int64_t interval = plan.interval * replicas * (entry == Entry::Slow ? 2 : 1);
    const std::int64_t group = entry == Entry::Groups ? std::max(1, plan.placement.devices / replicas) : 1;
    std::array<std::int64_t, 2> entered{}; // microbatches of each replica
    std::vector<std::int64_t> times;
    times.reserve(static_cast<std::size_t>(plan.microbatches));
    for (int microbatch = 0; microbatch < plan.microbatches; ++microbatch) {
        const std::int64_t n = entered[static_cast<std::size_t>(plan.placement.replicaOf(microbatch))]++;
        // Two apart in a group: where devices lie side by side, a forward and a backward take turns.
        times.push_back(n / group * group * interval + n % group * 2);
    }
    return times;
}

/// Durations under which forwards and backwards can take turns everywhere without a gap.
Durations evenDurations()
{
    Durations even;
    even.common[static_cast<std::size_t>(PassKind::F)] = 1;
    even.common[static_cast<std::size_t>(PassKind::B)] = 1;
    return even;
}

} // namespace

LayerOrder streamOrder(const StreamPlan &plan, Entry entry)
{
    struct Timed {
        std::int64_t begin;
        Pass pass;
    };
    const Placement &placement = plan.placement;
    const int stages = placement.stages();
    const std::vector<std::int64_t> entries = entryTimes(plan, entry);
    std::vector<std::vector<Timed>> devices(static_cast<std::size_t>(placement.devices));
    for (int microbatch = 0; microbatch < plan.microbatches; ++microbatch) {
        const auto at = [&](int later) { return entries[static_cast<std::size_t>(std::min(later, plan.microbatches - 1))]; };
        const std::int64_t begin = at(microbatch);
        const std::int64_t turn = std::max(begin, at(microbatch + plan.barriers)) + stages;
        for (int stage = 0; stage < stages; ++stage) {
            std::vector<Timed> &own =
                devices[static_cast<std::size_t>(placement.deviceOf(stage, placement.replicaOf(microbatch)))];
            own.push_back({begin + stage, makePass(PassKind::F, stage, microbatch)});
            own.push_back({turn + 2 * (stages - 1 - stage), makePass(PassKind::B, stage, microbatch)});
        }
    }
    LayerOrder order{placement, {}};
    for (std::vector<Timed> &own : devices) {
        std::ranges::sort(own, {}, [](const Timed &t) { return std::tuple(t.begin, t.pass.microbatch, t.pass.stage); });
        std::vector<Pass> &passes = order.devices.emplace_back();
        passes.reserve(own.size());
        for (const Timed &timed : own)
            passes.push_back(timed.pass);
    }
    return order;
}

LayerOrder shortestStream(const StreamPlan &plan, int mostHeldByAny, const Durations &durations)
{
    std::optional<Squeezed> best;
    const auto consider = [&](Squeezed &&squeezed) {
        if (!best || squeezed.makespan < best->makespan)
            best = std::move(squeezed);
    };
    // None of these is the best everywhere: which one is depends on the numbers of devices, stages and microbatches, and on the
    // durations.
    const std::vector<int> caps(static_cast<std::size_t>(plan.placement.devices), mostHeldByAny);
    for (const Entry entry : {Entry::Spread, Entry::Slow, Entry::Groups}) {
        const LayerOrder order = streamOrder(plan, entry);
        for (const bool backwardsFirst : {false, true}) {
            SqueezeOptions options{.mostHeld = caps, .backwardsFirst = backwardsFirst, .barriers = plan.barriers};
            consider(squeeze(order, durations, options));
            options.isPatient = false;
            consider(squeeze(order, durations, options));
        }
    }
    SqueezeOptions options{.mostHeld = caps, .barriers = plan.barriers};
    const LayerOrder even = squeeze(streamOrder(plan, Entry::Groups), evenDurations(), options).order;
    options.freedom = Freedom::None;
    consider(squeeze(even, durations, options));
    return std::move(best->order);
}

} // namespace stagelens::schedule
