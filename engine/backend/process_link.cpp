#include "engine/backend/process_link.h"

#include <utility>

namespace stagelens::backend {

ProcessLink::ProcessLink(WireMaker maker, std::chrono::milliseconds silence)
    : m_state(silence), m_thread(m_state, std::move(maker))
{}

ProcessLink::~ProcessLink()
{
    {
        const std::scoped_lock lock(m_state.mutex);
        m_state.isLost = m_state.isLost || !m_state.isLeaving; // without leave(), others must detect the loss
    }
    m_state.wake.notify_one();
}

bool ProcessLink::waitForWire(std::chrono::milliseconds limit)
{
    std::unique_lock lock(m_state.mutex);
    return m_state.changed.wait_for(lock, limit, [&] { return size() > 0 || m_state.hasEnded; });
}

base::Result<> ProcessLink::waitForAll()
{
    const LinkState::Waiting waiting(m_state);
    std::unique_lock lock(m_state.mutex);
    // A process that joined may have given up since; that is reported later.
    m_state.changed.wait(lock, [&] { return m_state.isLost || m_state.hasEnded || m_state.peers.haveJoined(); });
    return m_state.peers.haveJoined() ? base::Result<>() : *m_state.failure;
}

void ProcessLink::giveUp(const base::Error &why)
{
    {
        const std::scoped_lock lock(m_state.mutex);
        if (std::exchange(m_state.gaveUp, true) || m_state.hasEnded)
            return;
        m_state.queueToOthers(headerOf(MessageType::GiveUp), errorBytes(why));
    }
    m_state.wake.notify_one();
}

std::optional<base::Error> ProcessLink::failure()
{
    std::optional<base::Error> loss;
    {
        const std::scoped_lock lock(m_state.mutex);
        if (!m_state.isLost && !m_state.hasEnded)
            loss = m_state.peers.findLoss();
    }
    if (loss)
        m_state.lose(*std::move(loss));
    const std::scoped_lock lock(m_state.mutex);
    return m_state.failure;
}

std::optional<int> ProcessLink::leave(int status)
{
    const LinkState::Waiting waiting(m_state);
    const WireHeader leaving = headerOf(MessageType::Leave, status);
    std::unique_lock lock(m_state.mutex);
    const bool isFirst = rank() == 0;
    if (!isFirst)
        m_state.queue(0, leaving, {});
    m_state.changed.wait(lock, [&] { return m_state.hasEnded || m_state.exitStatus || (isFirst && m_state.peers.haveLeft()); });
    if (isFirst && !m_state.hasEnded) {
        m_state.exitStatus = status;
        m_state.queueToOthers(leaving, {});
    }
    m_state.isLeaving = true;
    m_state.wake.notify_one();
    m_state.changed.wait(lock, [this] { return m_state.hasEnded; });
    return m_state.isLost ? std::nullopt : m_state.exitStatus;
}

void ProcessLink::note(int step, std::size_t passesDone)
{
    m_state.step = step;
    m_state.passesDone = static_cast<std::int64_t>(passesDone);
}

void ProcessLink::post(int to, const WireHeader &header, WirePayload payload)
{
    {
        const std::scoped_lock lock(m_state.mutex);
        m_state.queue(to, header, std::move(payload));
    }
    m_state.wake.notify_one();
}

void ProcessLink::postToOthers(const WireHeader &header, const Bytes &payload)
{
    {
        const std::scoped_lock lock(m_state.mutex);
        m_state.queueToOthers(header, payload);
    }
    m_state.wake.notify_one();
}

Tensor ProcessLink::takeTensor(int from, const MessageKey &key, const std::stop_token &stop)
{
    const LinkState::Waiting waiting(m_state);
    return m_state.received.take(from, key, stop);
}

std::optional<Bytes> ProcessLink::takeBlob(int from, std::int64_t call, const std::stop_token &stop)
{
    const LinkState::Waiting waiting(m_state);
    std::unique_lock lock(m_state.mutex);
    auto found = m_state.blobs.end();
    m_state.changed.wait(lock, stop, [&] {
        found = m_state.blobs.find(std::pair(call, from));
        return found != m_state.blobs.end() || m_state.isLost || m_state.hasEnded;
    });
    return found != m_state.blobs.end() ? std::optional(std::move(m_state.blobs.extract(found).mapped())) : std::nullopt;
}

void ProcessLink::drain()
{
    const LinkState::Waiting waiting(m_state);
    std::unique_lock lock(m_state.mutex);
    m_state.changed.wait(lock, [this] { return m_state.hasEnded || (m_state.outgoing.empty() && m_state.unsent == 0); });
}

std::vector<ClockSample> ProcessLink::requestTimes(int rounds)
{
    const LinkState::Waiting waiting(m_state);
    std::unique_lock lock(m_state.mutex);
    for (int round = 1; round <= rounds && !m_state.isLost; ++round) {
        m_state.queue(0, headerOf(MessageType::TimeRequest), {});
        m_state.wake.notify_one();
        m_state.changed.wait(lock, [&] { return m_state.isLost || m_state.samples.size() == static_cast<std::size_t>(round); });
    }
    return m_state.samples;
}

int ProcessLink::machines()
{
    const std::scoped_lock lock(m_state.mutex);
    return m_state.peers.machines();
}

bool ProcessLink::isOnMachineOf(int other)
{
    const std::scoped_lock lock(m_state.mutex);
    return m_state.peers.isOnMachineOf(other);
}

bool ProcessLink::isRunning(int other)
{
    const std::scoped_lock lock(m_state.mutex);
    return m_state.peers.isRunning(other);
}

std::int64_t ProcessLink::progress()
{
    const std::scoped_lock lock(m_state.mutex);
    return m_state.peers.progress(m_state.step, m_state.passesDone);
}

} // namespace stagelens::backend
