#include "engine/backend/process_group.h"

#include "engine/backend/launched_ranks.h"
#include "engine/backend/process_link.h"
#include "engine/base/text.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <thread>
#include <utility>

namespace stagelens::backend {
namespace {

/// Connecting many machines takes longer than a message: limit in multiples of the silence.
constexpr int kLongestJoin = 4;

/// The transport of one rank. Messages to itself stay in this process.
class GroupTransport final : public Transport {
public:
    GroupTransport(ProcessLink &link, std::stop_token stop) : Transport(link.size()), m_link(link), m_stop(std::move(stop)) {}
    GroupTransport(const GroupTransport &) = delete;
    GroupTransport &operator=(const GroupTransport &) = delete;
    ~GroupTransport() override { m_link.drain(); }

    void send(int from, int to, const MessageKey &key, Tensor tensor) override
    {
        if (to == from)
            return m_toSelf.put(from, key, std::move(tensor));
        WireHeader header = headerOf(MessageType::TensorData);
        header.key = key;
        const std::span<std::byte> bytes = std::as_writable_bytes(tensor->values());
        m_link.post(to, header, {bytes, std::move(tensor)});
    }
    Tensor receive(int from, int to, const MessageKey &key) override
    {
        if (to == from)
            return m_toSelf.take(from, key, m_stop);
        return m_link.takeTensor(from, key, m_stop);
    }

private:
    ProcessLink &m_link;
    std::stop_token m_stop;
    ReceiveQueue m_toSelf;
};

} // namespace

ClockOffset clockOffset(const std::vector<ClockSample> &samples)
{
    const auto took = [](const ClockSample &sample) { return sample.returned - sample.asked; };
    const auto best = std::min_element(samples.begin(), samples.end(),
                                       [&](const ClockSample &a, const ClockSample &b) { return took(a) < took(b); });
    if (best == samples.end())
        return {};
    const std::int64_t half = took(*best) / 2;
    return {best->answered - (best->asked + half), took(*best) - half};
}

ProcessGroup::ProcessGroup(std::unique_ptr<ProcessLink> link) : m_link(std::move(link)) {}
ProcessGroup::~ProcessGroup() = default;

base::Result<std::shared_ptr<ProcessGroup>> ProcessGroup::join(WireMaker maker, std::chrono::milliseconds silence)
{
    auto link = std::make_unique<ProcessLink>(std::move(maker), silence);
    const std::chrono::milliseconds limit = kLongestJoin * silence;
    if (!link->waitForWire(limit)) {
        (void)link.release(); // leaked: its thread blocks in MPI and cannot be ended
        return base::Error::failed(absenceText(limit));
    }
    if (auto joined = link->waitForAll(); !joined)
        return joined.error();
    std::shared_ptr<ProcessGroup> group(new ProcessGroup(std::move(link)));
    constexpr int kRounds = 20;
    if (!group->m_link->isOnMachineOf(0))
        group->m_clock = clockOffset(group->m_link->requestTimes(kRounds));
    const auto *error = reinterpret_cast<const std::byte *>(&group->m_clock.error);
    // A process that has joined may give up before the others have joined; only a loss fails here.
    const auto errors = group->gather({error, error + sizeof(group->m_clock.error)}, {});
    if (!errors)
        return group->failure().value_or(errors.error());
    for (const Bytes &bytes : *errors) {
        std::int64_t nanoseconds = 0;
        std::memcpy(&nanoseconds, bytes.data(), sizeof(nanoseconds));
        group->m_clockError = std::max(group->m_clockError, static_cast<double>(nanoseconds));
    }
    return group;
}

int ProcessGroup::rank() const
{
    return m_link->rank();
}
int ProcessGroup::size() const
{
    return m_link->size();
}

std::string ProcessGroup::description() const
{
    const int machines = m_link->machines();
    return fmt::format("{}, {}{}{}{}", m_link->wireDescription(), size(), size() == 1 ? " process on " : " processes on ",
                       machines, machines == 1 ? " machine" : " machines");
}

std::unique_ptr<Transport> ProcessGroup::makeTransport(std::stop_token stop)
{
    return std::make_unique<GroupTransport>(*m_link, std::move(stop));
}

base::Result<std::vector<Bytes>> ProcessGroup::gather(Bytes own, const std::stop_token &stop)
{
    const std::int64_t call = m_calls++;
    if (!isFirst()) {
        const auto kept = std::make_shared<Bytes>(std::move(own));
        m_link->post(0, headerOf(MessageType::CollectiveData, call), {*kept, kept});
        return std::vector<Bytes>();
    }
    std::vector<Bytes> all{std::move(own)};
    for (int from = 1; from < size(); ++from) {
        auto part = m_link->takeBlob(from, call, stop);
        if (!part)
            return base::Error::cancelled();
        all.push_back(*std::move(part));
    }
    return all;
}

base::Result<Bytes> ProcessGroup::broadcast(Bytes own, const std::stop_token &stop)
{
    const std::int64_t call = m_calls++;
    if (isFirst()) {
        m_link->postToOthers(headerOf(MessageType::CollectiveData, call), own);
        return own;
    }
    auto received = m_link->takeBlob(0, call, stop);
    return received ? base::Result<Bytes>(*std::move(received)) : base::Error::cancelled();
}

std::vector<int> ProcessGroup::ranksOnThisMachine() const
{
    std::vector<int> ranks;
    for (int rank = 0; rank < size(); ++rank)
        if (m_link->isOnMachineOf(rank))
            ranks.push_back(rank);
    return ranks;
}

std::int64_t ProcessGroup::progress() const
{
    return m_link->progress();
}

void ProcessGroup::note(int step, std::size_t passesDone)
{
    m_link->note(step, passesDone);
}
void ProcessGroup::giveUp(const base::Error &why)
{
    m_link->giveUp(why);
}
std::stop_token ProcessGroup::broken() const
{
    return m_link->broken();
}
std::optional<base::Error> ProcessGroup::failure()
{
    return m_link->failure();
}
void ProcessGroup::waitForEndOfFirst(std::chrono::milliseconds limit) const
{
    constexpr std::chrono::milliseconds kInterval{5};
    const auto end = std::chrono::steady_clock::now() + limit;
    while (m_link->isRunning(0) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kInterval);
}
std::optional<int> ProcessGroup::leave(int status)
{
    return m_link->leave(status);
}

} // namespace stagelens::backend
