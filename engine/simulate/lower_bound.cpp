// A lower bound for every order of the passes. If devices could run any number of passes at once, each pass would have an
// earliest begin (head) and a shortest time from its end to the end of the iteration (tail). A device that must run a set of
// passes one after another needs at least min head + sum of durations + min tail of that set (Jackson's bound of one machine).
// The result is the maximum over all sets defined by a threshold on head and one on tail.

#include "engine/simulate/simulate.h"
#include "engine/simulate/wait_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stagelens::simulate {

using base::Nanos;
using schedule::Pass;
using schedule::PassKind;

namespace {

/// A class of passes with its head and tail.
struct Node {
    PassClass passes;
    Nanos duration = 0; ///< of one pass, the shortest if microbatches differ
    Nanos busy = 0;     ///< of all passes of the class, at least
    Nanos head = 0;
    Nanos tail = 0;
};

/// Returns the topological rank of a class: down the stages, through the output layer, up again.
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

/// Returns whether any passes of the schedule are in overlapped pairs.
bool hasPairs(const schedule::Schedule &schedule)
{
    for (int device = 0; device < schedule.devices(); ++device)
        if (std::ranges::any_of(schedule.device(device), &Pass::pairedWithNext))
            return true;
    return false;
}

/// Returns the nodes in topological order.
std::vector<Node> nodesOf(const std::vector<PassClass> &classes, int stages, const CostModel &costs, bool hasPairs)
{
    std::vector<Node> nodes;
    for (const PassClass &passes : classes) {
        const PassCost &cost = costs.pass(passes.device, passes.kind, passes.stage);
        const Nanos own = costs.least(cost, hasPairs);
        const bool isOfAll = costs.work && passes.count == static_cast<Nanos>(costs.work->tokens.size());
        nodes.push_back({passes, own, isOfAll ? costs.sum(cost, hasPairs) : passes.count * own, 0, 0});
    }
    std::ranges::stable_sort(nodes, {}, [&](const Node &node) { return rank(node.passes, stages); });
    return nodes;
}

/// Families may split only some backwards: limits I + W to the shorter of the split and the whole backward.
void shortenSplit(Node &node, const CostModel &costs)
{
    const auto own = [&](PassKind kind) { return costs.least(costs.pass(node.passes.device, kind, node.passes.stage), true); };
    const Nanos first = std::min(own(PassKind::I), own(PassKind::B));
    const Nanos rest = std::min(own(PassKind::I) + own(PassKind::W), own(PassKind::B)) - first;
    if (node.passes.kind != PassKind::I && node.passes.kind != PassKind::W)
        return;
    node.duration = node.passes.kind == PassKind::I ? first : rest;
    node.busy = node.passes.count * node.duration;
}

/// Longest paths to and from each class of passes.
class Ways {
public:
    Ways(std::vector<Nanos> microbatchesOfDirection, const WaitPlan &plan);
    void find(std::vector<Node> &nodes);

private:
    static constexpr Nanos kUnset = std::numeric_limits<Nanos>::max();

    void findHead(Node &node);
    void findTail(Node &node);
    [[nodiscard]] std::size_t at(ResultRow row, int direction) const
    {
        return static_cast<std::size_t>(direction) * m_plan.rows().count() + static_cast<std::size_t>(row);
    }
    [[nodiscard]] const PassNeeds &needsOf(const Node &node, int direction) const
    {
        return m_plan.of(node.passes.kind, static_cast<std::size_t>(node.passes.stage), direction);
    }
    /// Returns the directions whose microbatches a class serves: its own, or all for vocabulary passes.
    [[nodiscard]] std::pair<int, int> directionsOf(const Node &node) const
    {
        return isVocabularyPass(node.passes.kind) ? std::pair(0, m_directions)
                                                  : std::pair(node.passes.direction, node.passes.direction + 1);
    }

    const WaitPlan &m_plan;
    std::vector<Nanos> m_microbatches; ///< of each direction
    int m_directions;
    std::vector<Nanos> m_complete; ///< by direction and row
    std::vector<Nanos> m_after;    ///< likewise: the time after each result of the row
};

Ways::Ways(std::vector<Nanos> microbatchesOfDirection, const WaitPlan &plan)
    : m_plan(plan), m_microbatches(std::move(microbatchesOfDirection)), m_directions(static_cast<int>(m_microbatches.size())),
      m_complete(m_microbatches.size() * plan.rows().count(), kUnset), m_after(m_complete.size(), 0)
{}

/// If microbatches arrive on different paths (B or I, or either direction), the shortest counts.
void Ways::findHead(Node &node)
{
    const auto [first, end] = directionsOf(node);
    node.head = kUnset;
    for (int direction = first; direction < end; ++direction) {
        Nanos head = 0;
        for (const Need &wait : needsOf(node, direction)) {
            const Nanos complete = m_complete[at(wait.row, direction)];
            head = std::max(head, complete == kUnset ? 0 : complete + wait.latency);
        }
        node.head = std::min(node.head, head);
    }
    const ResultRow result = needsOf(node, first).result;
    if (result == kNoRow)
        return;
    const Nanos own = node.head + node.duration;
    for (int direction = first; direction < end; ++direction) {
        Nanos &complete = m_complete[at(result, direction)];
        complete = complete == kUnset               ? own
                   : m_plan.rows().isShared(result) ? std::max(complete, own)
                                                    : std::min(complete, own);
    }
}

/// Only passes that every microbatch runs may lengthen a tail.
void Ways::findTail(Node &node)
{
    const auto [first, end] = directionsOf(node);
    if (const ResultRow result = needsOf(node, first).result; result != kNoRow) {
        node.tail = kUnset;
        for (int direction = first; direction < end; ++direction)
            node.tail = std::min(node.tail, m_after[at(result, direction)]);
    }
    Nanos served = 0;
    for (int direction = first; direction < end; ++direction)
        served += m_microbatches[static_cast<std::size_t>(direction)];
    if (node.passes.count < served)
        return;
    for (int direction = first; direction < end; ++direction) {
        for (const Need &wait : needsOf(node, direction)) {
            Nanos &rest = m_after[at(wait.row, direction)];
            rest = std::max(rest, wait.latency + node.duration + node.tail);
        }
    }
}

void Ways::find(std::vector<Node> &nodes)
{
    std::ranges::for_each(nodes, [this](Node &node) { findHead(node); });
    std::for_each(nodes.rbegin(), nodes.rend(), [this](Node &node) { findTail(node); });
}

Nanos boundOfDevice(std::span<const Node *const> nodes)
{
    Nanos bound = 0;
    for (const Node *first : nodes) {
        for (const Node *last : nodes) {
            Nanos busy = 0;
            for (const Node *node : nodes) {
                if (node->head >= first->head && node->tail >= last->tail)
                    busy += node->busy;
            }
            if (busy > 0)
                bound = std::max(bound, first->head + busy + last->tail);
        }
    }
    return bound;
}

Nanos boundOf(std::vector<Node> nodes, std::vector<Nanos> microbatchesOfDirection, int devices, const WaitPlan &plan)
{
    Ways(std::move(microbatchesOfDirection), plan).find(nodes);
    std::vector<std::vector<const Node *>> ofDevice(static_cast<std::size_t>(devices));
    Nanos bound = 0;
    for (const Node &node : nodes) {
        bound = std::max(bound, node.head + node.duration + node.tail);
        ofDevice[static_cast<std::size_t>(node.passes.device)].push_back(&node);
    }
    for (const std::vector<const Node *> &device : ofDevice)
        bound = std::max(bound, boundOfDevice(device));
    return bound;
}

} // namespace

Nanos lowerBound(const schedule::Schedule &schedule, const CostModel &costs)
{
    if (schedule.drainsBetweenSteps())
        return lowerBound(schedule.firstStep(), costs) * schedule.iterations();
    const schedule::Placement &placement = schedule.placement();
    std::vector<Nanos> microbatches(static_cast<std::size_t>(placement.directions));
    for (int microbatch = 0; microbatch < schedule.microbatches(); ++microbatch)
        ++microbatches[static_cast<std::size_t>(placement.directionOf(microbatch))];
    return boundOf(nodesOf(passClasses(schedule), schedule.stages(), costs, hasPairs(schedule)), std::move(microbatches),
                   schedule.devices(), WaitPlan(schedule, costs));
}

Nanos lowerBoundOfShape(const schedule::Schedule &outline, const CostModel &costs, int microbatches, OrderTraits traits)
{
    // Microbatches alternate between the directions (Placement::twoWay()).
    const int directions = outline.placement().directions;
    std::vector<Nanos> ofDirection;
    for (int direction = 0; direction < directions; ++direction)
        ofDirection.push_back((microbatches + directions - 1 - direction) / directions);
    std::vector<PassClass> classes;
    for (PassClass passes : passClasses(outline)) {
        const bool isVocabulary = isVocabularyPass(passes.kind);
        if (!isVocabulary && passes.kind != PassKind::F)
            continue;
        passes.count = isVocabulary ? microbatches : ofDirection[static_cast<std::size_t>(passes.direction)];
        classes.push_back(passes);
        if (isVocabulary)
            continue;
        for (const PassKind kind : traits.splitsBackward ? std::vector{PassKind::I, PassKind::W} : std::vector{PassKind::B}) {
            classes.push_back(passes);
            classes.back().kind = kind;
        }
    }
    std::vector<Node> nodes = nodesOf(classes, outline.stages(), costs, traits.splitsBackward || traits.hasPairs);
    if (traits.splitsBackward)
        std::ranges::for_each(nodes, [&](Node &node) { shortenSplit(node, costs); });
    return boundOf(std::move(nodes), std::move(ofDirection), outline.devices(), WaitPlan(outline, costs));
}

} // namespace stagelens::simulate
