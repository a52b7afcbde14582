// What a process knows of the other processes of its group, and when one of them counts as lost.
#pragma once

#include "engine/backend/process_frames.h"
#include "engine/base/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace stagelens::backend {

/// Not thread-safe: ProcessLink calls it with its mutex held.
class ProcessPeers {
public:
    using Clock = std::chrono::steady_clock;

    /// A process is lost after `silence` without a message.
    explicit ProcessPeers(std::chrono::milliseconds silence) : m_silence(silence) {}
    /// Begins with `size` processes, of which this one is `rank`.
    void open(int rank, int size, ProcessPlace own);
    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] int size() const { return static_cast<int>(m_peers.size()); }

    void heard(int from) { at(from).lastHeard = Clock::now(); }
    /// Only the first call for a process counts.
    void join(int from, ProcessPlace place);
    void setProgress(int from, std::int64_t step, std::int64_t passesDone);
    void leave(int from) { at(from).hasLeft = true; }
    /// Returns whether all others have joined; false before open().
    [[nodiscard]] bool haveJoined() const { return size() > 0 && m_joined == size() - 1; }
    /// Returns whether all others have left; for rank 0.
    [[nodiscard]] bool haveLeft() const;

    /// Returns whether this process should send a heartbeat now, and records that it does. After a suspension of this process,
    /// which has received nothing meanwhile, the silence of all others begins again.
    [[nodiscard]] bool takeHeartbeat(Clock::time_point now);
    /// Returns whether to look for losses now, and records that the caller does.
    [[nodiscard]] bool takeCheck(Clock::time_point now);
    /// Returns the error that names a lost process, if there is one.
    [[nodiscard]] std::optional<base::Error> findLoss() const;

    /// Returns the number of machines that the processes run on.
    [[nodiscard]] int machines() const;
    [[nodiscard]] bool isOnMachineOf(int other) const;
    /// Returns whether that process is visible from here and has not ended.
    [[nodiscard]] bool isRunning(int other) const;
    /// Returns a number that changes whenever a process reports another pass, given those of this one.
    [[nodiscard]] std::int64_t progress(std::int64_t ownStep, std::int64_t ownPasses) const;

private:
    struct Peer {
        ProcessPlace place;
        bool hasJoined = false;
        bool hasLeft = false;
        bool isVisible = false; ///< its process runs on this machine, so its end is detected at once
        Clock::time_point lastHeard;
        std::int64_t step = 0;
        std::int64_t passesDone = 0;
    };
    [[nodiscard]] Peer &at(int rank) { return m_peers[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const Peer &at(int rank) const { return m_peers[static_cast<std::size_t>(rank)]; }

    std::chrono::milliseconds m_silence;
    int m_rank = 0;
    std::vector<Peer> m_peers;
    int m_joined = 0;
    Clock::time_point m_lastHeartbeat;
    Clock::time_point m_lastCheck;
};

} // namespace stagelens::backend
