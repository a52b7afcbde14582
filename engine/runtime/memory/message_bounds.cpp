#include "engine/runtime/memory/message_bounds.h"

#include "engine/schedule/devices_in_order.h"
#include "engine/schedule/pass_index.h"

#include <algorithm>
#include <memory>
#include <span>

namespace stagelens::runtime {
namespace {

using schedule::Pass;
using schedule::PassIndex;
using schedule::PassKind;
using schedule::PassStep;
using schedule::PassStepKind;
using schedule::PassValue;
using schedule::Route;

/// Greatest size of all vector clocks: 80 MB, which takes a quarter of a second while the window waits.
constexpr std::size_t kMostTicks = 20'000'000;

/// Tensors that a pass sends, and the pass that uses them.
struct PassMessage {
    std::int64_t floats = 0;
    Pass user = {};     ///< of every device for a vocabulary pass
    bool isOwn = false; ///< used only by the pass itself
};

/// Runs a schedule without durations. Stores for every pass how many passes of each device certainly end before it begins.
class PassClocks {
public:
    explicit PassClocks(const schedule::Schedule &schedule)
        : m_schedule(schedule), m_index(indexOf(schedule)), m_devices(static_cast<std::size_t>(schedule.devices())),
          m_known(schedule.passCount() * m_devices)
    {
        schedule::DevicesInOrder devices(schedule);
        devices.run([&](int device, std::span<const Pass> unit, base::Nanos) {
            const std::size_t position = devices.next(device);
            const std::size_t number = schedule.firstIndex(device) + position;
            std::uint32_t *own = known(number);
            if (position > 0)
                std::copy_n(known(number - 1), m_devices, own);
            for (const Pass &pass : unit)
                mergeNeeds(devices.frontier(), pass, own);
            own[device] = static_cast<std::uint32_t>(position);
            if (unit.size() > 1)
                std::copy_n(own, m_devices, known(number + 1));
            return 0;
        });
    }

    /// Returns the last pass of `device` that may begin before the message of its pass `from` is used.
    [[nodiscard]] std::size_t lastPass(int device, std::size_t from, const PassMessage &message) const
    {
        const std::size_t passes = m_schedule.device(device).size();
        std::size_t last = from;
        if (message.isOwn)
            return last;
        for (const int unit : m_index.makersOf(message.user)) {
            const auto [on, position] = m_index.placeOf(message.user.kind, unit, message.user.microbatch);
            if (!position)
                return passes - 1;
            while (last + 1 < passes && known(m_schedule.firstIndex(device) + last)[on] <= *position)
                ++last;
        }
        return last;
    }

private:
    [[nodiscard]] const std::uint32_t *known(std::size_t number) const { return m_known.data() + number * m_devices; }
    std::uint32_t *known(std::size_t number) { return m_known.data() + number * m_devices; }

    /// Merges the clocks of the passes that the pass depends on.
    void mergeNeeds(const schedule::Frontier &frontier, const Pass &pass, std::uint32_t *own)
    {
        for (const schedule::Need &need : frontier.needsOf(pass)) {
            const Pass maker = frontier.table().rows().makerOf(need.row);
            for (const int unit : m_index.makersOf(maker)) {
                const auto [on, position] = m_index.placeOf(maker.kind, unit, pass.microbatch);
                const std::uint32_t *theirs = known(m_schedule.firstIndex(on) + *position);
                std::transform(theirs, theirs + m_devices, own, own,
                               [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
                own[on] = std::max(own[on], static_cast<std::uint32_t>(*position + 1));
            }
        }
    }

    const schedule::Schedule &m_schedule;
    PassIndex m_index;
    std::size_t m_devices;
    std::vector<std::uint32_t> m_known;
};

/// Lists the messages of passes, and the tensors that a pass makes for itself.
class PassMessages {
public:
    PassMessages(const schedule::Schedule &schedule, std::span<const operators::EngineFloats> floats,
                 const schedule::RecipeChoice &choice)
        : m_schedule(schedule), m_book(schedule::recipeBook(schedule.vocabulary(), choice)), m_floats(floats)
    {}

    [[nodiscard]] std::vector<PassMessage> of(const Pass &pass, int device) const
    {
        // Layers have no messages of their own.
        const schedule::PassRole role = schedule::roleOf(pass, m_schedule.placement(), true, device);
        std::vector<PassValue> own;
        std::vector<PassValue> arrived; // the sum of received parts is not counted
        std::vector<PassMessage> all;
        for (const PassStep &step : m_book.of(role).steps) {
            if (step.kind == PassStepKind::Send) {
                if (!isPacked(step.in.front(), pass)) // else what was packed ends with the pass
                    std::erase(own, step.in.front());
                all.push_back(sent(step.in.front(), pass));
            }
            std::vector<PassValue> &made = step.kind == PassStepKind::Receive && !step.copies ? arrived : own;
            for (const PassValue value : step.out)
                if (schedule::isMessage(value) && std::ranges::count(own, value) + std::ranges::count(arrived, value) == 0)
                    made.push_back(value);
        }
        for (const PassValue value : own)
            all.push_back({.floats = floats(value, pass), .isOwn = true});
        return all;
    }

private:
    [[nodiscard]] std::int64_t floats(PassValue message, const Pass &pass) const
    {
        const operators::EngineFloats &each = m_floats[static_cast<std::size_t>(pass.microbatch) % m_floats.size()];
        return messageFloats(
            message, {each.statisticRows, each.outputInput, each.outputRows, each.gathered, each.tableRows, each.boundary});
    }

    [[nodiscard]] std::int64_t packedFloats(const Pass &pass) const
    {
        return m_floats[static_cast<std::size_t>(pass.microbatch) % m_floats.size()].packed;
    }

    /// Returns whether a message leaves the device in fewer bits.
    [[nodiscard]] bool isPacked(PassValue message, const Pass &pass) const
    {
        return packedFloats(pass) > 0 && schedule::isBetweenStages(message) && m_schedule.placement().crossesDevices(pass);
    }

    [[nodiscard]] PassMessage sent(PassValue message, const Pass &pass) const
    {
        const auto stage = destinationOf(schedule::traits(message).route, pass.stage, m_schedule.placement().lastStage());
        return {.floats = isPacked(message, pass) ? packedFloats(pass) : floats(message, pass),
                .user = makePass(m_book.receiverOf(message), stage.value_or(0), pass.microbatch)};
    }

    const schedule::Schedule &m_schedule;
    const schedule::RecipeBook &m_book;
    std::span<const operators::EngineFloats> m_floats; ///< of each slice
};

/// Changes of the live messages at the passes of a device.
class Balance {
public:
    explicit Balance(std::size_t passes) : m_bytes(passes + 1) {}
    void add(const PassMessage &message, std::size_t first, std::size_t last)
    {
        std::vector<int> &changes = m_changes[message.floats];
        changes.resize(m_bytes.size());
        ++changes[first];
        --changes[last + 1];
        const base::Bytes bytes = message.floats * static_cast<base::Bytes>(sizeof(float));
        m_bytes[first] += bytes;
        m_bytes[last + 1] -= bytes;
    }
    [[nodiscard]] MessageBound most() const
    {
        MessageBound bound;
        bound.bytes = greatestSum(m_bytes);
        for (const auto &[floats, changes] : m_changes)
            bound.blocks[floats] = greatestSum(changes);
        return bound;
    }

private:
    template <class Number>
    [[nodiscard]] static Number greatestSum(const std::vector<Number> &changes)
    {
        Number sum = 0;
        Number greatest = 0;
        for (const Number change : changes)
            greatest = std::max(greatest, sum += change);
        return greatest;
    }
    std::vector<base::Bytes> m_bytes;
    std::map<std::int64_t, std::vector<int>> m_changes; ///< of the number of messages, by size in floats
};

} // namespace

std::int64_t messageFloats(PassValue message, const TensorFloats &floats)
{
    const int statistics = schedule::traits(message).statistics;
    if (statistics > 0)
        return statistics * floats.statisticRows;
    if (message == PassValue::Partial)
        return floats.outputInput;
    if (message == PassValue::TokenPartial)
        return floats.gathered;
    switch (schedule::rowsOf(message)) {
    case schedule::RowsOf::InputTable: return floats.tableRows;
    case schedule::RowsOf::OutputTable: return floats.outputRows;
    case schedule::RowsOf::Layers: break;
    }
    return floats.boundary;
}

std::vector<MessageBound> messageBounds(const schedule::Schedule &schedule, std::span<const operators::EngineFloats> floats,
                                        const schedule::RecipeChoice &choice)
{
    const bool isSmall = schedule.passCount() * static_cast<std::size_t>(schedule.devices()) <= kMostTicks;
    const auto clocks = isSmall ? std::make_unique<const PassClocks>(schedule) : nullptr;
    const PassMessages messages(schedule, floats, choice);
    std::vector<MessageBound> bounds;
    for (int device = 0; device < schedule.devices(); ++device) {
        const std::span<const Pass> order = schedule.device(device);
        Balance balance(order.size());
        std::size_t begin = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const bool isSecond = i > 0 && order[i - 1].pairedWithNext;
            begin = isSecond ? begin : i;
            for (const PassMessage &message : messages.of(order[i], device)) {
                const std::size_t from = order[i].pairedWithNext ? i + 1 : i; // sent at the end of the pair
                const std::size_t last = clocks          ? clocks->lastPass(device, std::min(from, order.size() - 1), message)
                                         : message.isOwn ? i
                                                         : order.size() - 1;
                balance.add(message, begin, std::max(i, last));
            }
        }
        bounds.push_back(balance.most());
    }
    return bounds;
}

} // namespace stagelens::runtime
