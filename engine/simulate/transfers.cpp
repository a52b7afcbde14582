#include "engine/simulate/simulate.h"
#include "engine/simulate/wait_plan.h"

#include <algorithm>
#include <limits>

namespace stagelens::simulate {

using base::Nanos;
using schedule::Pass;
using schedule::PassKind;
using schedule::Transfer;
using timeline::TransferSlice;

namespace {

/// A way that a result travels, the same for every microbatch.
struct Route {
    ResultRow row = kNoRow;
    Transfer transfer = Transfer::Local;
    std::int16_t peer = -1;
    int replica = 0; ///< of the microbatches that go this way; collectives serve all
    Nanos duration = 0;
    friend bool operator==(const Route &, const Route &) = default;
};

/// When a result was complete and on which device its last pass ended.
struct Completion {
    Nanos end = std::numeric_limits<Nanos>::min();
    int missing = 1;
    std::int16_t device = 0;
};

/// Every route once, whoever asks for it.
std::vector<Route> routesOf(const schedule::Schedule &schedule, const WaitPlan &plan)
{
    std::vector<Route> routes;
    if (schedule.devices() == 1)
        return routes;
    for (const PassClass &passes : passClasses(schedule)) {
        const PassPlan &needs = plan.plan(passes.kind, static_cast<std::size_t>(passes.stage), passes.replica);
        for (const Wait &wait : std::span(needs.waits).first(needs.waitCount)) {
            const bool send = wait.transfer == Transfer::Send;
            const int maker = plan.rows().makerOf(wait.row).stage;
            const bool stays = send && schedule.placement().deviceOf(maker, passes.replica) == passes.device;
            if (wait.transfer == Transfer::Local || stays)
                continue;
            const Route route{wait.row, wait.transfer, static_cast<std::int16_t>(send ? passes.device : -1),
                              send ? passes.replica : 0, wait.latency};
            if (std::ranges::find(routes, route) == routes.end())
                routes.push_back(route);
        }
    }
    return routes;
}

std::vector<Completion> completionsOf(const timeline::Timeline &timeline, const WaitPlan &plan, std::size_t microbatches)
{
    std::vector<Completion> completions(plan.rows().count() * microbatches);
    for (std::size_t at = 0; at < completions.size(); ++at)
        completions[at].missing = plan.rows().makersOf(static_cast<ResultRow>(at / microbatches));
    for (std::size_t device = 0; device < timeline.lanes.size(); ++device) {
        const timeline::Lane &lane = timeline.lanes[device];
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const ResultRow row = plan.plan(lane.pass[i].kind, lane.pass[i].stage).result;
            if (row == kNoRow)
                continue;
            // The outputs of an overlapped pair appear at the pair's end.
            const Nanos end = lane.pass[i].pairedWithNext && i + 1 < lane.size() ? lane.end[i + 1] : lane.end[i];
            Completion &done =
                completions[static_cast<std::size_t>(row) * microbatches + static_cast<std::size_t>(lane.pass[i].microbatch)];
            --done.missing;
            if (end >= done.end) {
                done.end = end;
                done.device = static_cast<std::int16_t>(device);
            }
        }
    }
    return completions;
}

} // namespace

std::vector<TransferSlice> transfersOf(const timeline::Timeline &timeline, const schedule::Schedule &schedule,
                                       const CostModel &costs)
{
    const WaitPlan plan(schedule, costs);
    const auto microbatches = static_cast<std::size_t>(schedule.microbatches());
    const std::vector<Completion> completions = completionsOf(timeline, plan, microbatches);
    const std::vector<Route> routes = routesOf(schedule, plan);
    std::vector<TransferSlice> slices;
    slices.reserve(routes.size() * microbatches);
    for (const Route &route : routes) {
        for (std::size_t microbatch = 0; microbatch < microbatches; ++microbatch) {
            const Completion &done = completions[static_cast<std::size_t>(route.row) * microbatches + microbatch];
            const bool isRoute = route.transfer != Transfer::Send ||
                                 schedule.placement().replicaOf(static_cast<int>(microbatch)) == route.replica;
            if (isRoute && done.missing <= 0)
                slices.push_back({done.end, done.end + route.duration, static_cast<std::int32_t>(microbatch), done.device,
                                  route.peer, route.transfer});
        }
    }
    std::ranges::stable_sort(slices, {}, &TransferSlice::begin);
    return slices;
}

} // namespace stagelens::simulate
