#include "engine/service/plans/schedule_repair.h"

#include "engine/exchange/schedule_file.h"
#include "engine/passes/frontier.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/pass_index.h"
#include "engine/service/plans/schedule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace stagelens::service {

namespace {

using schedule::Pass;
using schedule::PassKind;
using schedule::Schedule;
using Order = std::vector<Pass>;

base::Error refused(std::string why)
{
    return base::Error::invalid("schedule.text", std::move(why));
}

base::Error tooFew(std::size_t there, std::size_t all)
{
    return refused(
        fmt::format("only {} of the {} passes of such a schedule are there; write the others, or choose a family", there, all));
}

auto keyOf(const Pass &pass)
{
    return std::tuple(pass.kind, pass.stage, pass.microbatch);
}

/// Whether any backward of the schedule is split into I and W.
bool splits(const Schedule &given)
{
    for (int device = 0; device < given.devices(); ++device)
        if (std::ranges::any_of(given.device(device),
                                [](const Pass &pass) { return pass.kind == PassKind::I || pass.kind == PassKind::W; }))
            return true;
    return false;
}

/// Returns the passes that an order must contain, by device.
std::vector<Order> wanted(const Schedule &given, bool isSplit)
{
    const schedule::PassIndex index(given);
    const std::vector<int> firstStages = given.placement().firstStages();
    std::vector<Order> passes(static_cast<std::size_t>(given.devices()));
    for (const PassKind kind : index.kinds()) {
        if (kind == PassKind::W && !isSplit)
            continue;
        const PassKind written = kind == PassKind::B && isSplit ? PassKind::I : kind;
        for (int unit = 0; unit < index.units(kind); ++unit)
            for (int microbatch = 0; microbatch < given.microbatches(); ++microbatch) {
                const int stage = isVocabularyPass(kind) ? firstStages[static_cast<std::size_t>(unit)] : unit;
                const int device = index.placeOf(kind, unit, microbatch).device;
                passes[static_cast<std::size_t>(device)].push_back(schedule::makePass(written, stage, microbatch));
            }
    }
    return passes;
}

/// How many passes of its kind and stage stand on the wrong side of one.
std::size_t disorderAt(std::span<const Pass> passes, std::size_t at)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < passes.size(); ++i)
        if (passes[i].kind == passes[at].kind && passes[i].stage == passes[at].stage)
            count += i < at ? passes[i].microbatch > passes[at].microbatch : passes[i].microbatch < passes[at].microbatch;
    return count;
}

/// Whether a pass of a device needs the result of another of the same stage and microbatch there.
bool needs(const Pass &pass, const Pass &other)
{
    return pass.stage == other.stage && pass.microbatch == other.microbatch &&
           (other.kind == PassKind::F || (other.kind == PassKind::I && pass.kind == PassKind::W) ||
            (other.kind == PassKind::S && pass.kind == PassKind::T));
}

/// The passes that a device must run, each once: of several copies the one that is most in the order of microbatches; one that
/// is missing before the next microbatch of its kind and stage, and before what needs it there. Counts what it removes and
/// adds.
Order completed(std::span<const Pass> given, const Order &whole, RepairedOrder &counts)
{
    std::map<decltype(keyOf(Pass())), std::optional<std::size_t>> places; // of the copy that stays
    for (const Pass &pass : whole)
        places[keyOf(pass)];
    for (std::size_t at = 0; at < given.size(); ++at)
        if (const auto place = places.find(keyOf(given[at])); place != places.end())
            if (!place->second || disorderAt(given, at) < disorderAt(given, *place->second))
                place->second = at;
    Order order;
    for (std::size_t at = 0; at < given.size(); ++at)
        if (const auto place = places.find(keyOf(given[at])); place != places.end() && place->second == at)
            order.push_back(given[at]);
    counts.removed += given.size() - order.size();
    for (const Pass &pass : whole) {
        if (places[keyOf(pass)])
            continue;
        const auto next = std::ranges::find_if(order, [&pass](const Pass &other) {
            return needs(other, pass) ||
                   (other.stage == pass.stage && other.kind == pass.kind && other.microbatch > pass.microbatch);
        });
        order.insert(next, pass);
        ++counts.added;
    }
    return order;
}

/// The same passes in an order that runs: each device takes the first of its passes that is ready, its own next one if it can.
/// Counts those that were not the next.
std::vector<Order> runnable(const Schedule &given, std::vector<Order> orders, RepairedOrder &counts)
{
    const auto noLatency = [](schedule::Transfer, int, int) { return base::Nanos{0}; };
    schedule::Frontier frontier(schedule::RequirementTable(given.placement(), given.vocabulary(), noLatency), given.placement(),
                                given.microbatches(), 1);
    std::vector<Order> made(orders.size());
    const auto isReady = [&frontier](const Pass &pass) { return !frontier.missing({&pass, 1}); };
    const auto run = [&](std::size_t device, Order::iterator pass) {
        frontier.complete(*pass, 0, [](std::size_t) {});
        made[device].push_back(*pass);
        orders[device].erase(pass);
    };
    for (bool isStuck = false;;) {
        bool any = false;
        for (std::size_t device = 0; device < orders.size(); ++device) {
            Order &left = orders[device];
            while (!left.empty() && isReady(left.front())) {
                run(device, left.begin());
                any = true;
                isStuck = false;
            }
            if (const auto ready = std::ranges::find_if(left, isReady); isStuck && ready != left.end()) {
                run(device, ready);
                ++counts.moved;
                any = true;
                isStuck = false;
            }
        }
        if (any)
            continue;
        if (std::exchange(isStuck, true))
            return made; // with isStuck nothing was ready: all passes have run, or a cycle of the rules would be at fault
    }
}

} // namespace

base::Result<RepairedOrder> repairedOrder(std::string_view text)
{
    const auto read = exchange::readSchedule(text);
    if (!read)
        return read.error();
    const Schedule &given = read->schedule;
    if (given.slices() > 1)
        return refused("orders with split sequences have rules of their own; mend the marked passes");
    // Builds no list for a plan much larger than the schedule: nearly every pass is missing.
    if (const std::size_t planned = schedule::PassIndex::plannedPasses(given); planned > 1'000 + 8 * given.passCount())
        return tooFew(given.passCount(), planned);
    const bool isSplit = splits(given);
    RepairedOrder repaired;
    std::vector<Order> orders;
    for (int device = 0; device < given.devices(); ++device) {
        const auto passes = given.device(device);
        if (std::ranges::any_of(passes, &Pass::pairedWithNext))
            return refused("overlapped pairs stay together; mend the marked passes");
        if (isSplit && std::ranges::any_of(passes, [](const Pass &pass) { return pass.kind == PassKind::B; }))
            return refused("whole and split backwards are mixed; write B, or I and W, for all microbatches");
    }
    const std::vector<Order> whole = wanted(given, isSplit);
    for (int device = 0; device < given.devices(); ++device)
        orders.push_back(completed(given.device(device), whole[static_cast<std::size_t>(device)], repaired));
    if (const std::size_t kept = given.passCount() - repaired.removed; repaired.added > kept)
        return tooFew(kept, kept + repaired.added);
    const Schedule made = Schedule(given.family(), given.placement(), given.microbatches(), given.vocabulary(),
                                   runnable(given, std::move(orders), repaired), given.weightUpdate())
                              .asIterations(given.iterations());
    schedule::ValidationOptions options{.limit = 1};
    options.inMicrobatchOrder = false;
    if (const auto left = schedule::findViolations(made, options); !left.empty())
        return refused(left.front().cause);
    repaired.text = customText(made);
    return repaired;
}

} // namespace stagelens::service
