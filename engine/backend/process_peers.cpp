#include "engine/backend/process_peers.h"

#include "engine/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

namespace stagelens::backend {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kHeartbeatInterval{1000};
constexpr milliseconds kCheckInterval{100};

} // namespace

void ProcessPeers::open(int rank, int size, ProcessPlace own)
{
    m_rank = rank;
    m_peers.resize(static_cast<std::size_t>(size));
    for (Peer &peer : m_peers)
        peer.lastHeard = Clock::now();
    at(rank).place = std::move(own);
}

void ProcessPeers::join(int from, ProcessPlace place)
{
    Peer &peer = at(from);
    if (peer.hasJoined)
        return;
    peer.place = std::move(place);
    peer.isVisible = base::isRunning(peer.place.mark);
    peer.hasJoined = true;
    ++m_joined;
}

void ProcessPeers::setProgress(int from, std::int64_t step, std::int64_t passesDone)
{
    at(from).step = step;
    at(from).passesDone = passesDone;
}

bool ProcessPeers::haveLeft() const
{
    return std::all_of(m_peers.begin() + 1, m_peers.end(), [](const Peer &peer) { return peer.hasLeft; });
}

bool ProcessPeers::takeHeartbeat(Clock::time_point now)
{
    if (now - m_lastHeartbeat < std::min(kHeartbeatInterval, m_silence / 5))
        return false;
    if (now - m_lastHeartbeat >= m_silence / 2)
        for (Peer &peer : m_peers)
            peer.lastHeard = now;
    m_lastHeartbeat = now;
    return true;
}

bool ProcessPeers::takeCheck(Clock::time_point now)
{
    if (now - m_lastCheck < kCheckInterval)
        return false;
    m_lastCheck = now;
    return true;
}

std::optional<base::Error> ProcessPeers::findLoss() const
{
    const Clock::time_point now = Clock::now();
    for (int rank = 0; rank < size(); ++rank) {
        const Peer &peer = at(rank);
        const auto &[host, mark] = peer.place;
        if (rank == m_rank)
            continue;
        if (peer.isVisible && !base::isRunning(mark))
            return base::Error::failed(fmt::format(
                "process {} (pid {} on {}) ended unexpectedly in step {} after {} passes; see its output or the system log{}",
                rank, mark.pid, host, peer.step, peer.passesDone,
                rank == 0 ? "; it stores the run, so `runs list` shows it as interrupted, or not at all if it had not begun"
                          : ""));
        if (now - peer.lastHeard > m_silence)
            return base::Error::failed(fmt::format("process {}{} has not answered for {:.1f} s; it was last seen in step {} "
                                                   "after {} passes; check its machine and the network",
                                                   rank, peer.hasJoined ? " on " + host : std::string(),
                                                   std::chrono::duration<double>(m_silence).count(), peer.step,
                                                   peer.passesDone));
    }
    return std::nullopt;
}

int ProcessPeers::machines() const
{
    std::set<std::string> machines;
    for (const Peer &peer : m_peers)
        machines.insert(peer.place.mark.bootId);
    return static_cast<int>(machines.size());
}

bool ProcessPeers::isOnMachineOf(int other) const
{
    return at(other).place.mark.bootId == at(m_rank).place.mark.bootId;
}

bool ProcessPeers::isRunning(int other) const
{
    return at(other).isVisible && base::isRunning(at(other).place.mark);
}

std::int64_t ProcessPeers::progress(std::int64_t ownStep, std::int64_t ownPasses) const
{
    constexpr std::int64_t kMostPasses = std::int64_t{1} << 24U; // bound of a step's passes
    std::int64_t sum = ownStep * kMostPasses + ownPasses;
    for (const Peer &peer : m_peers)
        sum += peer.step * kMostPasses + peer.passesDone;
    return sum;
}

} // namespace stagelens::backend
