#include "engine/simulate/simulate.h"
#include "engine/simulate/wait_graph.h"

#include <algorithm>

namespace stagelens::simulate {

using base::Nanos;
using schedule::Pass;
using schedule::PassKind;
using schedule::Transfer;
using timeline::TransferSlice;

namespace {

/// The route of a result, the same for every microbatch.
struct Route {
    ResultRow row = kNoRow;
    Transfer transfer = Transfer::Local;
    std::int16_t peer = -1;
    int direction = 0; ///< of the microbatches on this route; collectives serve all directions
    Nanos duration = 0;
    friend bool operator==(const Route &, const Route &) = default;
};

/// Returns every route once, independent of the number of its receivers.
std::vector<Route> routesOf(const schedule::Schedule &schedule, const WaitPlan &plan)
{
    std::vector<Route> routes;
    if (schedule.devices() == 1)
        return routes;
    for (const PassClass &passes : passClasses(schedule)) {
        for (const Need &wait : plan.of(passes.kind, static_cast<std::size_t>(passes.stage), passes.direction)) {
            const bool send = wait.transfer == Transfer::Send;
            const int maker = plan.rows().makerOf(wait.row).stage;
            const bool stays = send && schedule.placement().deviceOf(maker, passes.direction) == passes.device;
            if (wait.transfer == Transfer::Local || stays)
                continue;
            const Route route{wait.row, wait.transfer, static_cast<std::int16_t>(send ? passes.device : -1),
                              send ? passes.direction : 0, wait.latency};
            if (std::ranges::find(routes, route) == routes.end())
                routes.push_back(route);
        }
    }
    return routes;
}

} // namespace

std::vector<TransferSlice> transfersOf(const timeline::Timeline &timeline, const schedule::Schedule &schedule,
                                       const CostModel &costs)
{
    const WaitGraph graph(timeline, schedule, costs);
    const auto microbatches = static_cast<std::size_t>(schedule.microbatches());
    const std::vector<Route> routes = routesOf(schedule, graph.plan());
    std::vector<TransferSlice> slices;
    slices.reserve(routes.size() * microbatches);
    for (const Route &route : routes) {
        for (std::size_t microbatch = 0; microbatch < microbatches; ++microbatch) {
            const Completion &done = graph.completion(graph.resultOf(route.row, static_cast<int>(microbatch)));
            const bool isRoute = route.transfer != Transfer::Send ||
                                 schedule.placement().directionOf(static_cast<int>(microbatch)) == route.direction;
            if (isRoute && done.missing <= 0)
                slices.push_back({done.end, done.end + route.duration, static_cast<std::int32_t>(microbatch),
                                  static_cast<std::int16_t>(done.maker.device), route.peer, route.transfer});
        }
    }
    std::ranges::stable_sort(slices, {}, &TransferSlice::begin);
    return slices;
}

} // namespace stagelens::simulate
