#include "engine/schedule/order/stream_order.h"

#include "engine/schedule/order/squeeze.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace stagelens::schedule {

namespace {

/// Returns the time at which each microbatch enters.
std::vector<std::int64_t> entryTimes(const StreamPlan &plan, Entry entry)
{
    const int directions = plan.placement.directions;
    const std::int64_t interval = plan.interval * directions * (entry == Entry::Slow ? 2 : 1);
    const std::int64_t group = entry == Entry::Groups ? std::max(1, plan.placement.devices / directions) : 1;
    std::array<std::int64_t, 2> entered{}; // microbatches of each direction
    std::vector<std::int64_t> times;
    times.reserve(static_cast<std::size_t>(plan.microbatches));
    for (int microbatch = 0; microbatch < plan.microbatches; ++microbatch) {
        const std::int64_t n = entered[static_cast<std::size_t>(plan.placement.directionOf(microbatch))]++;
        // Two apart within a group, so that forwards and backwards alternate on adjacent devices.
        times.push_back(n / group * group * interval + n % group * 2);
    }
    return times;
}

/// Returns durations under which forwards and backwards alternate without gaps on all devices.
Durations evenDurations()
{
    Durations even;
    even.common[static_cast<std::size_t>(PassKind::F)] = 1;
    even.common[static_cast<std::size_t>(PassKind::B)] = 1;
    return even;
}

/// How to turn a stream into an order.
struct Recipe {
    Entry entry = Entry::Spread;
    bool backwardsFirst = false;
    bool isPatient = true;
    bool isEven = false; ///< made for even durations, and kept
};

// The best of these depends on the numbers of devices, stages and microbatches, and on the durations.
constexpr std::array<Recipe, 13> kRecipes{{
    {Entry::Spread, false, true, false},
    {Entry::Spread, false, false, false},
    {Entry::Spread, true, true, false},
    {Entry::Spread, true, false, false},
    {Entry::Slow, false, true, false},
    {Entry::Slow, false, false, false},
    {Entry::Slow, true, true, false},
    {Entry::Slow, true, false, false},
    {Entry::Groups, false, true, false},
    {Entry::Groups, false, false, false},
    {Entry::Groups, true, true, false},
    {Entry::Groups, true, false, false},
    {Entry::Groups, false, true, true},
}};

TimedOrder make(const StreamPlan &plan, const LayerOrder &stream, const Recipe &recipe, int mostHeld,
                const Durations &durations)
{
    SqueezeOptions options{.mostHeld = std::vector<int>(static_cast<std::size_t>(plan.placement.devices), mostHeld),
                           .backwardsFirst = recipe.backwardsFirst,
                           .isPatient = recipe.isPatient,
                           .barriers = plan.barriers};
    if (!recipe.isEven)
        return squeeze(stream, durations, options);
    const LayerOrder even = squeeze(stream, evenDurations(), options).order;
    options.freedom = Freedom::None;
    return squeeze(even, durations, options);
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
                devices[static_cast<std::size_t>(placement.deviceOf(stage, placement.directionOf(microbatch)))];
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

LayerOrder shortestStream(const StreamPlan &plan, int mostHeld, const Durations &durations)
{
    // The best recipe for a few rounds of microbatches is also good for more rounds.
    constexpr int kTrialRounds = 4;
    StreamPlan trial = plan;
    trial.microbatches = std::min(plan.microbatches, kTrialRounds * plan.placement.devices);
    std::optional<TimedOrder> best;
    Recipe bestRecipe;
    const std::array streams{streamOrder(trial, Entry::Spread), streamOrder(trial, Entry::Slow),
                             streamOrder(trial, Entry::Groups)};
    for (const Recipe &recipe : kRecipes) {
        TimedOrder squeezed = make(trial, streams[static_cast<std::size_t>(recipe.entry)], recipe, mostHeld, durations);
        if (best && best->makespan <= squeezed.makespan)
            continue;
        best = std::move(squeezed);
        bestRecipe = recipe;
    }
    if (trial.microbatches == plan.microbatches)
        return std::move(best->order);
    return make(plan, streamOrder(plan, bestRecipe.entry), bestRecipe, mostHeld, durations).order;
}

} // namespace stagelens::schedule
