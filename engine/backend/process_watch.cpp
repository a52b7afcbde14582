// Heartbeats and loss detection of a ProcessLink, and its functions for other threads.
#include "engine/backend/process_link.h"
#include "engine/base/text.h"

#include <algorithm>
#include <set>

namespace stagelens::backend {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kHeartbeatInterval{1000};
constexpr milliseconds kCheckInterval{100};

} // namespace

void ProcessLink::monitor(Clock::time_point now)
{
    std::optional<base::Error> loss;
    {
        const std::scoped_lock lock(m_mutex);
        if (now - m_lastHeartbeat >= std::min(kHeartbeatInterval, m_silence / 5)) {
            // A process that was suspended itself has received nothing meanwhile.
            if (now - m_lastHeartbeat >= m_silence / 2)
                for (Peer &peer : m_peers)
                    peer.lastHeard = now;
            m_lastHeartbeat = now;
            queueToOthers(headerOf(MessageType::Heartbeat, m_step, m_passesDone), {});
        }
        if (now - m_lastCheck < kCheckInterval)
            return;
        m_lastCheck = now;
        loss = findLoss();
    }
    if (loss)
        lose(*std::move(loss));
}

std::optional<base::Error> ProcessLink::findLoss() const
{
    const Clock::time_point now = Clock::now();
    for (int rank = 0; rank < m_size; ++rank) {
        const Peer &peer = m_peers[static_cast<std::size_t>(rank)];
        if (rank == m_rank)
            continue;
        if (peer.isVisible && !base::isRunning(peer.mark))
            return base::Error::failed(base::concat("process ", rank, " (pid ", peer.mark.pid, " on ", peer.host,
                                                    ") ended unexpectedly in step ", peer.step, " after ", peer.passesDone,
                                                    " passes; see its output or the system log"));
        if (now - peer.lastHeard > m_silence)
            return base::Error::failed(base::concat(
                "process ", rank, peer.hasJoined ? " on " + peer.host : std::string(), " has not answered for ",
                base::fixedText(std::chrono::duration<double>(m_silence).count(), 1), " s; it was last seen in step ",
                peer.step, " after ", peer.passesDone, " passes; check its machine and the network"));
    }
    return std::nullopt;
}

void ProcessLink::lose(base::Error why)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_isLost)
            return;
        m_isLost = true;
        queueToOthers(headerOf(MessageType::GiveUp, 1), errorBytes(why));
        m_failure = std::move(why);
    }
    m_changed.notify_all();
    m_broken.request_stop();
}

void ProcessLink::giveUp(const base::Error &why)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (std::exchange(m_gaveUp, true) || m_hasEnded)
            return;
        queueToOthers(headerOf(MessageType::GiveUp), errorBytes(why));
    }
    m_wake.notify_one();
}

std::optional<base::Error> ProcessLink::failure()
{
    std::optional<base::Error> loss;
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_isLost && !m_hasEnded)
            loss = findLoss();
    }
    if (loss)
        lose(*std::move(loss));
    const std::scoped_lock lock(m_mutex);
    return m_failure;
}

std::optional<int> ProcessLink::leave(int status)
{
    const Waiting waiting(*this);
    const WireHeader leaving = headerOf(MessageType::Leave, status);
    std::unique_lock lock(m_mutex);
    if (m_rank != 0)
        queue(0, leaving, {});
    m_changed.wait(lock, [this] {
        const auto hasLeft = [](const Peer &peer) { return peer.hasLeft; };
        return m_hasEnded || m_exitStatus || (m_rank == 0 && std::all_of(m_peers.begin() + 1, m_peers.end(), hasLeft));
    });
    if (m_rank == 0 && !m_hasEnded) {
        m_exitStatus = status;
        queueToOthers(leaving, {});
    }
    m_isLeaving = true;
    m_wake.notify_one();
    m_changed.wait(lock, [this] { return m_hasEnded; });
    return m_isLost ? std::nullopt : m_exitStatus;
}

void ProcessLink::note(int step, std::size_t passesDone)
{
    m_step = step;
    m_passesDone = static_cast<std::int64_t>(passesDone);
}

void ProcessLink::queue(int to, WireHeader header, WirePayload payload)
{
    header.bytes = payload.bytes.size();
    m_outgoing.push_back({to, header, std::move(payload)});
}

void ProcessLink::queueToOthers(const WireHeader &header, const Bytes &payload)
{
    const auto shared = std::make_shared<Bytes>(payload);
    for (int rank = 0; rank < m_size; ++rank)
        if (rank != m_rank)
            queue(rank, header, {*shared, shared});
}

void ProcessLink::post(int to, const WireHeader &header, WirePayload payload)
{
    {
        const std::scoped_lock lock(m_mutex);
        queue(to, header, std::move(payload));
    }
    m_wake.notify_one();
}

void ProcessLink::postToOthers(const WireHeader &header, const Bytes &payload)
{
    {
        const std::scoped_lock lock(m_mutex);
        queueToOthers(header, payload);
    }
    m_wake.notify_one();
}

Tensor ProcessLink::takeTensor(int from, const MessageKey &key, const std::stop_token &stop)
{
    const Waiting waiting(*this);
    return m_received.take(from, key, stop);
}

std::optional<Bytes> ProcessLink::takeBlob(int from, std::int64_t call, const std::stop_token &stop)
{
    const Waiting waiting(*this);
    std::unique_lock lock(m_mutex);
    auto found = m_blobs.end();
    m_changed.wait(lock, stop, [&] {
        found = m_blobs.find(std::pair(call, from));
        return found != m_blobs.end() || m_isLost || m_hasEnded;
    });
    return found != m_blobs.end() ? std::optional(std::move(m_blobs.extract(found).mapped())) : std::nullopt;
}

void ProcessLink::drain()
{
    const Waiting waiting(*this);
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_hasEnded || (m_outgoing.empty() && m_unsent == 0); });
}

std::vector<ClockSample> ProcessLink::requestTimes(int rounds)
{
    const Waiting waiting(*this);
    std::unique_lock lock(m_mutex);
    for (int round = 1; round <= rounds && !m_isLost; ++round) {
        queue(0, headerOf(MessageType::TimeRequest), {});
        m_wake.notify_one();
        m_changed.wait(lock, [&] { return m_isLost || m_samples.size() == static_cast<std::size_t>(round); });
    }
    return m_samples;
}

int ProcessLink::machines()
{
    const std::scoped_lock lock(m_mutex);
    std::set<std::string> machines;
    for (const Peer &peer : m_peers)
        machines.insert(peer.mark.bootId);
    return static_cast<int>(machines.size());
}

bool ProcessLink::isOnMachineOf(int rank)
{
    const std::scoped_lock lock(m_mutex);
    return m_peers[static_cast<std::size_t>(rank)].mark.bootId == m_peers[static_cast<std::size_t>(m_rank)].mark.bootId;
}

std::int64_t ProcessLink::progress()
{
    constexpr std::int64_t kMostPasses = std::int64_t{1} << 24U; // bound of a step's passes
    const std::scoped_lock lock(m_mutex);
    std::int64_t sum = m_step * kMostPasses + m_passesDone;
    for (const Peer &peer : m_peers)
        sum += peer.step * kMostPasses + peer.passesDone;
    return sum;
}

} // namespace stagelens::backend
