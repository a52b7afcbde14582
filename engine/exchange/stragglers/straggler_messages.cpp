#include "engine/exchange/stragglers/straggler_messages.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>

namespace stagelens::exchange {

using base::Result;
using schedule::Pass;
using schedule::PassKind;
using simulate::JobOperation;

namespace {

/// By how much a row's time may be on the wrong side of a pass's; nanoseconds.
constexpr double kSlack = 50'000;

/// One end of the messages of one device in one direction.
class EndMatcher {
public:
    EndMatcher(const StragglerGroups &groups, const schedule::Schedule &schedule, int device, JobOperation operation,
               RowKind kind)
        : m_groups(groups), m_schedule(schedule), m_device(device), m_operation(operation), m_kind(kind)
    {
        const WorkerRows &worker = groups.workerOf(0, 0, device);
        groups.rowsOf(worker, operation, kind, m_rows);
        groups.passesOf(worker, m_passRows);
    }

    /// Returns for each pass of the device the number of its row, or -1.
    Result<std::vector<std::int32_t>> match() const
    {
        std::vector<std::int32_t> rowOf(m_passRows.size(), -1);
        if (m_rows.empty())
            return rowOf;
        if (matchByMicrobatch(rowOf))
            return rowOf;
        std::ranges::fill(rowOf, -1);
        std::vector<std::size_t> passes;
        std::vector<std::size_t> crossing;
        for (std::size_t i = 0; i < m_passRows.size(); ++i)
            if (pass(i).kind == passKind()) {
                passes.push_back(i);
                if (hasPeer(pass(i)))
                    crossing.push_back(i);
            }
        const std::vector<std::int32_t> launched = launchedRows(passes);
        const auto assign = [&](std::span<const std::size_t> to) {
            for (std::size_t i = 0; i < std::min(to.size(), launched.size()); ++i)
                if (hasPeer(pass(to[i])))
                    rowOf[to[i]] = launched[i];
        };
        if (launched.size() == passes.size())
            assign(passes);
        else if (launched.size() == crossing.size())
            assign(crossing);
        else if (m_kind == RowKind::Receive && launched.size() + 1 == passes.size()) // the first is not recorded
            assign(std::span(passes).subspan(1));
        else if (!crossing.empty())
            return m_groups.error(
                m_groups.rows[m_rows.front()],
                fmt::format("{} has {} rows {} for {} passes; record all of a step, give their microbatches in "
                            "mb_id, or remove all sends and receives",
                            m_groups.nameOf(m_groups.rows[m_rows.front()]), launched.size(), rowName(), passes.size()));
        return rowOf;
    }

private:
    [[nodiscard]] Pass pass(std::size_t position) const { return m_groups.passOf(m_passRows[position]); }
    [[nodiscard]] PassKind passKind() const { return m_operation == JobOperation::ForwardTransfer ? PassKind::F : PassKind::B; }
    [[nodiscard]] std::string_view rowName() const
    {
        return m_kind == RowKind::Send ? traits(m_operation).sends : traits(m_operation).receives;
    }
    /// Whether the message of a pass has another end on another device.
    [[nodiscard]] bool hasPeer(const Pass &pass) const
    {
        const int down = passKind() == PassKind::F ? 1 : -1;
        const int peer = pass.stage + (m_kind == RowKind::Send ? down : -down);
        return peer >= 0 && peer < m_schedule.stages() && m_schedule.placement().deviceOf(peer) != m_device;
    }
    /// Returns whether each row names a pass of its own.
    bool matchByMicrobatch(std::vector<std::int32_t> &rowOf) const
    {
        std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> crossing; // by microbatch and stage
        for (std::size_t i = 0; i < rowOf.size(); ++i)
            if (const Pass of = pass(i); of.kind == passKind() && hasPeer(of))
                crossing.emplace(std::pair(of.microbatch, std::int32_t{of.stage}), i);
        for (std::size_t number = 0; number < m_rows.size(); ++number) {
            const StragglerRow &row = m_groups.rows[m_rows[number]];
            const auto found = crossing.find({row.microbatch, row.stage});
            if (found == crossing.end() || rowOf[found->second] >= 0)
                return false;
            rowOf[found->second] = static_cast<std::int32_t>(number);
        }
        return true;
    }
    /// Leaves out receives after the last pass begins, and sends before the first one ends.
    [[nodiscard]] std::vector<std::int32_t> launchedRows(const std::vector<std::size_t> &passes) const
    {
        std::vector<std::int32_t> launched;
        for (std::size_t number = 0; number < m_rows.size() && !passes.empty(); ++number) {
            const StragglerRow &row = m_groups.rows[m_rows[number]];
            const StragglerRow &first = m_groups.rows[m_passRows[passes.front()]];
            const StragglerRow &last = m_groups.rows[m_passRows[passes.back()]];
            const bool isLaunched = m_kind == RowKind::Receive
                                        ? static_cast<double>(row.start) <= static_cast<double>(last.start) + kSlack
                                        : row.end() >= first.end() - kSlack;
            if (isLaunched)
                launched.push_back(static_cast<std::int32_t>(number));
        }
        return launched;
    }

    const StragglerGroups &m_groups;
    const schedule::Schedule &m_schedule;
    int m_device;
    JobOperation m_operation;
    RowKind m_kind;
    std::vector<std::size_t> m_rows;
    std::vector<std::size_t> m_passRows;
};

/// The positions of all passes in the orders of their devices.
class Positions {
public:
    explicit Positions(const schedule::Schedule &schedule)
        : m_microbatches(static_cast<std::size_t>(schedule.microbatches())),
          m_places(2 * static_cast<std::size_t>(schedule.stages()) * m_microbatches)
    {
        for (int device = 0; device < schedule.devices(); ++device) {
            std::size_t position = 0;
            for (const Pass &pass : schedule.device(device))
                m_places[place(pass)] = position++;
        }
    }
    [[nodiscard]] std::size_t of(const Pass &pass) const { return m_places[place(pass)]; }

private:
    [[nodiscard]] std::size_t place(const Pass &pass) const
    {
        return (2 * std::size_t{pass.stage} + (pass.kind == PassKind::F ? 0 : 1)) * m_microbatches +
               static_cast<std::size_t>(pass.microbatch);
    }
    std::size_t m_microbatches;
    std::vector<std::size_t> m_places;
};

} // namespace

Result<std::vector<MessageRows>> messagesOf(const StragglerGroups &groups, const schedule::Schedule &schedule)
{
    std::vector<MessageRows> messages;
    const Positions positions(schedule);
    for (const JobOperation operation : {JobOperation::ForwardTransfer, JobOperation::BackwardTransfer}) {
        const bool isForward = operation == JobOperation::ForwardTransfer;
        std::vector<std::vector<std::int32_t>> sends;
        std::vector<std::vector<std::int32_t>> receives;
        for (int device = 0; device < schedule.devices(); ++device) {
            auto sent = EndMatcher(groups, schedule, device, operation, RowKind::Send).match();
            if (!sent)
                return sent.error();
            auto received = EndMatcher(groups, schedule, device, operation, RowKind::Receive).match();
            if (!received)
                return received.error();
            sends.push_back(*std::move(sent));
            receives.push_back(*std::move(received));
        }
        for (int device = 0; device < schedule.devices(); ++device)
            for (const Pass &pass : schedule.device(device)) {
                const int from = pass.stage - (isForward ? 1 : -1);
                if (pass.kind != (isForward ? PassKind::F : PassKind::B) || from < 0 || from >= schedule.stages() ||
                    schedule.placement().deviceOf(from) == device)
                    continue;
                MessageRows message{operation, schedule.placement().deviceOf(from), device};
                message.sendingPass = positions.of(schedule::makePass(pass.kind, from, pass.microbatch));
                message.receivingPass = positions.of(pass);
                message.send = sends[static_cast<std::size_t>(message.sender)][message.sendingPass];
                message.receive = receives[static_cast<std::size_t>(device)][message.receivingPass];
                if (message.send >= 0 || message.receive >= 0)
                    messages.push_back(message);
            }
    }
    return messages;
}

} // namespace stagelens::exchange
