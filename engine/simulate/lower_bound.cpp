// A bound that holds for every order of the passes: with the devices' limits dropped, each pass has an earliest begin (head)
// and a least time from its end to the end of the iteration (tail). A device that must run a set of passes one after another
// needs at least min head + sum of durations + min tail of that set (Jackson's bound of one machine); the greatest over all
// sets that a threshold on head and on tail cuts out is taken.

#include "engine/simulate/simulate.h"
#include "engine/simulate/wait_plan.h"

#include <algorithm>
#include <limits>

namespace stagelens::simulate {

using base::Nanos;
using schedule::Pass;
using schedule::PassKind;

namespace {

/// A class of passes on its way from the iteration's begin to its end.
struct Node {
    PassClass passes;
    Nanos duration = 0; ///< of one pass
    Nanos head = 0;
    Nanos tail = 0;
};

/// An order in which a node stands after all that it can wait for: down the stages, through the output layer, up again.
std::int64_t rank(const PassClass &pass, int stages)
{
    switch (pass.kind) {
    case PassKind::EF: return 0;
    case PassKind::F: return 1 + pass.stage;
    case PassKind::S: return 1 + stages;
    case PassKind::U: return 2 + stages;
    case PassKind::T: return 3 + stages;
    case PassKind::B:
    case PassKind::I: return 4 + 2 * std::int64_t{stages} - pass.stage;
    default: return 5 + 2 * std::int64_t{stages};
    }
}

/// By how much overlapping may shorten a pass.
double leastScale(const schedule::Schedule &schedule, const CostModel &costs)
{
    for (int device = 0; device < schedule.devices(); ++device) {
        if (std::ranges::any_of(schedule.device(device), &Pass::pairedWithNext))
            return std::min(1.0, costs.pairScale);
    }
    return 1.0;
}

std::vector<Node> nodesOf(const schedule::Schedule &schedule, const CostModel &costs)
{
    std::vector<Node> nodes;
    const double scale = leastScale(schedule, costs);
    for (const PassClass &passes : passClasses(schedule)) {
        const Nanos own = costs.pass(passes.device, passes.kind, passes.stage).duration;
        nodes.push_back({passes, static_cast<Nanos>(scale * static_cast<double>(own)), 0, 0});
    }
    std::ranges::stable_sort(nodes, {}, [&](const Node &node) { return rank(node.passes, schedule.stages()); });
    return nodes;
}

/// Longest ways to and from each node. Where some microbatches run B and others I, the lesser way there counts, and none from
/// there: only what every microbatch runs may lengthen a tail.
void findWays(std::vector<Node> &nodes, const WaitPlan &plan, int microbatches)
{
    constexpr Nanos kUnset = std::numeric_limits<Nanos>::max();
    std::vector<Nanos> complete(plan.rows().count(), kUnset);
    for (Node &node : nodes) {
        const PassPlan &needs = plan.plan(node.passes.kind, static_cast<std::size_t>(node.passes.stage), node.passes.replica);
        for (const Wait &wait : std::span(needs.waits).first(needs.waitCount)) {
            const Nanos end = complete[static_cast<std::size_t>(wait.row)];
            node.head = std::max(node.head, end == kUnset ? 0 : end + wait.latency);
        }
        if (needs.result == kNoRow)
            continue;
        Nanos &end = complete[static_cast<std::size_t>(needs.result)];
        const Nanos own = node.head + node.duration;
        end = end == kUnset ? own : plan.rows().isShared(needs.result) ? std::max(end, own) : std::min(end, own);
    }
    std::vector<Nanos> after(plan.rows().count(), 0);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        const PassPlan &needs =
            plan.plan(node->passes.kind, static_cast<std::size_t>(node->passes.stage), node->passes.replica);
        if (needs.result != kNoRow)
            node->tail = after[static_cast<std::size_t>(needs.result)];
        if (node->passes.count < microbatches)
            continue;
        for (const Wait &wait : std::span(needs.waits).first(needs.waitCount)) {
            Nanos &rest = after[static_cast<std::size_t>(wait.row)];
            rest = std::max(rest, wait.latency + node->duration + node->tail);
        }
    }
}

Nanos boundOfDevice(std::span<const Node *const> nodes)
{
    Nanos bound = 0;
    for (const Node *first : nodes) {
        for (const Node *last : nodes) {
            Nanos busy = 0;
            for (const Node *node : nodes) {
                if (node->head >= first->head && node->tail >= last->tail)
                    busy += node->passes.count * node->duration;
            }
            if (busy > 0)
                bound = std::max(bound, first->head + busy + last->tail);
        }
    }
    return bound;
}

} // namespace

Nanos lowerBound(const schedule::Schedule &schedule, const CostModel &costs)
{
    const WaitPlan plan(schedule, costs);
    std::vector<Node> nodes = nodesOf(schedule, costs);
    findWays(nodes, plan, schedule.microbatches());
    std::vector<std::vector<const Node *>> ofDevice(static_cast<std::size_t>(schedule.devices()));
    Nanos bound = 0;
    for (const Node &node : nodes) {
        bound = std::max(bound, node.head + node.duration + node.tail);
        ofDevice[static_cast<std::size_t>(node.passes.device)].push_back(&node);
    }
    for (const std::vector<const Node *> &device : ofDevice)
        bound = std::max(bound, boundOfDevice(device));
    return bound;
}

} // namespace stagelens::simulate
