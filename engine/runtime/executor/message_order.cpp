#include "engine/runtime/executor/message_order.h"

#include "engine/runtime/executor/evaluation.h"
#include "engine/runtime/memory/message_bounds.h"
#include "engine/schedule/devices_in_order.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <tuple>

namespace stagelens::runtime {
namespace {

using backend::Message;
using backend::MessageKey;
using schedule::Pass;
using schedule::PassKind;
using schedule::PassValue;
using schedule::Route;

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
    if (key.kind >= schedule::kMessageKinds) // not sent by a pass
        return fmt::format("tensor {}", key.microbatch);
    const auto message = static_cast<PassValue>(schedule::kKeptValues + key.kind);
    const std::string content = fmt::format("the {} of {}{}", schedule::description(message),
                                            schedule::name(plan.recipes().senderOf(message)), key.microbatch);
    switch (schedule::traits(message).route) {
    case Route::Next: return fmt::format("{}@{}", content, key.slot - 1);
    case Route::Previous: return fmt::format("{}@{}", content, key.slot + 1);
    case Route::FromFirst: return content + "@0";
    default: return content;
    }
}

} // namespace

MessageKey keyOf(PassValue message, int stage, int microbatch)
{
    return {static_cast<std::uint8_t>(schedule::messageIndex(message)),
            static_cast<std::uint16_t>(schedule::isBetweenStages(message) ? stage : 0), microbatch};
}

std::int64_t messageFloats(PassValue message, const Shape &shape)
{
    return messageFloats(message, {.statisticRows = shape.statisticRows(),
                                   .outputInput = shape.floats(shape.outputInput()),
                                   .outputRows = shape.floats(shape.outputRows()),
                                   .gathered = shape.floats(shape.gathered()),
                                   .tableRows = shape.floats(shape.tableRows()),
                                   .boundary = shape.floats(shape.boundary())});
}

std::optional<kernels::Codec> codecOf(const RunPlan &plan, PassValue message, int from, int to)
{
    if (from == to || !schedule::isBetweenStages(message))
        return std::nullopt;
    return operators::codecOf(plan.experiment.parallel.messagePrecision, message == PassValue::Gradient);
}

std::vector<Message> messagesOf(const RunPlan &plan, int device, const Pass &pass)
{
    const int microbatch = pass.microbatch;
    const auto floatsOf = [&](PassValue message, int to) {
        const auto codec = codecOf(plan, message, device, to);
        const auto inShape = [&](const Shape &shape) {
            return codec ? kernels::packedFloats(*codec, shape.ownTokens(), shape.hidden) : messageFloats(message, shape);
        };
        if (plan.shape.slices.empty())
            return inShape(plan.shape);
        Shape shape = plan.shape;
        shape.choose(microbatch);
        return inShape(shape);
    };
    std::vector<Message> made;
    for (const schedule::PassStep &step : plan.recipeOf(pass, device).steps) {
        if (step.kind != schedule::PassStepKind::Send)
            continue;
        const PassValue message = step.in.front();
        const std::optional<int> stage = plan.destinationOf(message, pass);
        const int first = stage ? plan.deviceOf(*stage, microbatch) : 0;
        const int last = stage ? first : plan.schedule.devices() - 1;
        for (int to = first; to <= last; ++to)
            made.push_back({device, to, keyOf(message, stage.value_or(0), microbatch), floatsOf(message, to)});
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
    return fmt::format("{} from device {} to device {}", contentOf(plan, message.key), message.from, message.to);
}

} // namespace stagelens::runtime
