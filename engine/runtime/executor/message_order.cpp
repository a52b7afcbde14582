#include "engine/runtime/executor/message_order.h"

#include "engine/base/text.h"
#include "engine/runtime/evaluation.h"
#include "engine/schedule/devices_in_order.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace stagelens::runtime {
namespace {

using backend::Message;
using backend::MessageKey;
using schedule::Pass;
using schedule::PassKind;
using schedule::Transfer;

/// Any positive duration gives a valid order; these give one close to that of a run.
std::int64_t nominalTime(PassKind kind)
{
    switch (kind) {
    case PassKind::F:
    case PassKind::I:
    case PassKind::W: return 4;
    case PassKind::B: return 8;
    default: return 1;
    }
}

/// Passes that send their results together.
struct Unit {
    std::int64_t end = 0;
    int microbatch = 0;
    int device = 0;
    std::size_t position = 0; ///< of its first pass in the device's order
    std::size_t passes = 1;
};

/// Returns the units of a step sorted by end, if messages take no time.
std::vector<Unit> unitsInTime(const schedule::Schedule &schedule)
{
    std::vector<Unit> units;
    schedule::DevicesInOrder devices(schedule);
    devices.run([&](int device, std::span<const Pass> unit, std::int64_t end) {
        for (const Pass &pass : unit)
            end += nominalTime(pass.kind);
        units.push_back({end, unit.front().microbatch, device, devices.next(device), unit.size()});
        return end;
    });
    std::ranges::sort(units, {}, [](const Unit &unit) { return std::tuple(unit.end, unit.microbatch, unit.device); });
    return units;
}

void addForeign(std::vector<Message> &order, const std::vector<Message> &made)
{
    std::ranges::copy_if(made, std::back_inserter(order), [](const Message &each) { return each.from != each.to; });
}

/// Returns what a message contains.
std::string contentOf(const RunPlan &plan, const MessageKey &key)
{
    const int stages = plan.schedule.stages();
    if (key.kind >= schedule::kTransferCount) // not sent by a pass
        return base::concat("tensor ", key.microbatch);
    switch (static_cast<Transfer>(key.kind)) {
    case Transfer::Send:
        return key.slot < stages ? base::concat("the output of F", key.microbatch, '@', key.slot - 1)
                                 : base::concat("the gradient of B", key.microbatch, '@', key.slot - stages + 1);
    case Transfer::BroadcastX: return base::concat("the last stage's output of F", key.microbatch);
    case Transfer::Statistics:
        return base::concat(key.slot == kExponentials || key.slot == kTargets ? "the weighted rows of S"
                            : key.slot == kSums                               ? "the softmax sums of U"
                                                                              : "the softmax statistics of S",
                            key.microbatch);
    case Transfer::ReduceGradient: return base::concat("the last stage's gradient of T", key.microbatch);
    case Transfer::EmbedReduce: return base::concat("the embeddings of EF", key.microbatch);
    case Transfer::EmbedBroadcast: return base::concat("the embeddings' gradient of B", key.microbatch, "@0");
    case Transfer::Local: break;
    }
    return "a tensor";
}

} // namespace

MessageKey keyOf(Transfer transfer, int slot, int microbatch)
{
    return {static_cast<std::uint8_t>(transfer), static_cast<std::uint16_t>(slot), microbatch};
}

std::vector<Message> messagesOf(const RunPlan &plan, int device, const Pass &pass)
{
    const std::int64_t tokens = plan.shape.tokens();
    const std::int64_t boundary = plan.shape.floats(plan.shape.boundary());
    const int microbatch = pass.microbatch;
    const model::VocabularyTraits &method = plan.vocabulary();
    const int lastDevice = plan.lastDevice(microbatch);
    std::vector<Message> made;
    const auto send = [&](int to, Transfer transfer, int slot, std::int64_t count) {
        made.push_back({device, to, keyOf(transfer, slot, microbatch), count});
    };
    const auto sendToAll = [&](Transfer transfer, int slot, std::int64_t count) {
        for (int to = 0; to < plan.schedule.devices(); ++to)
            send(to, transfer, slot, count);
    };
    switch (pass.kind) {
    case PassKind::F:
        if (pass.stage < plan.schedule.placement().lastStage())
            send(plan.deviceOf(pass.stage + 1, microbatch), Transfer::Send, pass.stage + 1, boundary);
        else if (plan.isSharded())
            sendToAll(Transfer::BroadcastX, 0, boundary);
        break;
    case PassKind::B:
    case PassKind::I:
        if (pass.stage > 0)
            send(plan.deviceOf(pass.stage - 1, microbatch), Transfer::Send, plan.schedule.stages() + pass.stage - 1, boundary);
        else if (plan.isSharded())
            sendToAll(Transfer::EmbedBroadcast, 0, boundary);
        break;
    case PassKind::S:
        sendToAll(Transfer::Statistics, kStatistics, (method.hasPassU ? 1 : 3) * tokens);
        if (method.isGradientFromS)
            for (const Round round : {kExponentials, kTargets})
                send(lastDevice, Transfer::Statistics, round, boundary);
        break;
    case PassKind::U: sendToAll(Transfer::Statistics, kSums, 2 * tokens); break;
    case PassKind::T:
        if (!method.isGradientFromS)
            send(lastDevice, Transfer::ReduceGradient, 0, boundary);
        break;
    case PassKind::EF: send(plan.firstDevice(microbatch), Transfer::EmbedReduce, 0, boundary); break;
    default: break;
    }
    return made;
}

std::vector<Message> messageOrder(const RunPlan &plan)
{
    std::vector<Message> order;
    for (const Unit &unit : unitsInTime(plan.schedule))
        for (const Pass &pass : plan.schedule.device(unit.device).subspan(unit.position, unit.passes))
            addForeign(order, messagesOf(plan, unit.device, pass));
    return order;
}

std::vector<Message> forwardMessageOrder(const RunPlan &plan)
{
    std::vector<int> devices(size(plan.schedule.devices()));
    for (std::size_t device = 0; device < devices.size(); ++device)
        devices[device] = static_cast<int>(device);
    std::vector<Message> order;
    for (const auto &[place, pass] : forwardPasses(plan.schedule, devices))
        addForeign(order, messagesOf(plan, static_cast<int>(place), pass));
    return order;
}

std::string messageText(const RunPlan &plan, const Message &message)
{
    return base::concat(contentOf(plan, message.key), " from device ", message.from, " to device ", message.to);
}

} // namespace stagelens::runtime
