#include "engine/service/plans/schedule_repair.h"

#include "engine/exchange/schedule_file.h"
#include "engine/passes/frontier.h"
#include "engine/schedule/check/validator.h"
#include "engine/service/plans/schedule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
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

auto keyOf(const Pass &pass)
{
    return std::tuple(pass.kind, pass.stage, pass.microbatch);
}

/// Whether any backward of the schedule is split into I and W.
bool splits(const Schedule &given)
{
    for (int device = 0; device < given.devices(); ++device)
        if (std::ranges::any_of(given.device(device),
                                [](const Pass &pass) { return pass.kind != PassKind::F && pass.kind != PassKind::B; }))
            return true;
    return false;
}

/// Returns the passes that an order must contain: F and the backward of each stage and microbatch of the device.
std::vector<Pass> wanted(const Schedule &given, int device, bool isSplit)
{
    std::vector<Pass> passes;
    for (int stage = 0; stage < given.stages(); ++stage)
        for (int microbatch = 0; microbatch < given.microbatches(); ++microbatch) {
            Pass pass = schedule::makePass(PassKind::F, stage, microbatch);
            if (given.placement().deviceOf(pass) != device)
                continue;
            for (const PassKind kind :
                 isSplit ? std::vector{PassKind::F, PassKind::I, PassKind::W} : std::vector{PassKind::F, PassKind::B}) {
                pass.kind = kind;
                passes.push_back(pass);
            }
        }
    return passes;
}

/// The device's passes, each once; one that is missing comes before the next microbatch of its kind and stage, and before what
/// needs it there. Counts what it
/// removes and adds.
Order completed(const Schedule &given, int device, bool isSplit, RepairedOrder &counts)
{
    const std::vector<Pass> whole = wanted(given, device, isSplit);
    std::set<std::tuple<PassKind, decltype(Pass::stage), decltype(Pass::microbatch)>> open;
    for (const Pass &pass : whole)
        open.insert(keyOf(pass));
    Order order;
    for (const Pass &pass : given.device(device))
        if (open.erase(keyOf(pass)) > 0)
            order.push_back(pass);
    counts.removed += given.device(device).size() - order.size();
    counts.added += open.size();
    for (const Pass &pass : whole) {
        if (!open.contains(keyOf(pass)))
            continue;
        const auto next = std::ranges::find_if(order, [&pass](const Pass &other) {
            const bool needsIt = other.microbatch == pass.microbatch && (pass.kind == PassKind::F || other.kind == PassKind::W);
            return other.stage == pass.stage && (needsIt || (other.kind == pass.kind && other.microbatch > pass.microbatch));
        });
        order.insert(next, pass);
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
    if (given.slices() > 1 || given.runs(PassKind::S))
        return refused("orders with split vocabulary layers or sequences have rules of their own; mend the marked passes");
    const bool isSplit = splits(given);
    RepairedOrder repaired;
    std::vector<Order> orders;
    for (int device = 0; device < given.devices(); ++device) {
        const auto passes = given.device(device);
        if (std::ranges::any_of(passes, &Pass::pairedWithNext))
            return refused("overlapped pairs stay together; mend the marked passes");
        if (isSplit && std::ranges::any_of(passes, [](const Pass &pass) { return pass.kind == PassKind::B; }))
            return refused("whole and split backwards are mixed; write B, or I and W, for all microbatches");
        orders.push_back(completed(given, device, isSplit, repaired));
    }
    if (const std::size_t kept = given.passCount() - repaired.removed; repaired.added > kept)
        return refused(
            fmt::format("only {} of the {} passes of such a schedule are there; write the others, or choose a family", kept,
                        kept + repaired.added));
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
