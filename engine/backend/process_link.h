// The connection of a ProcessGroup to the other processes. Internal to the group.
#pragma once

#include "engine/backend/link_thread.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::backend {

/// One thread owns the wire; other threads exchange data with it through LinkState. Thread-safe.
class ProcessLink {
public:
    /// Starts the thread, which opens the wire. A process counts as lost after `silence` without a message.
    ProcessLink(WireMaker maker, std::chrono::milliseconds silence);
    ~ProcessLink();
    ProcessLink(const ProcessLink &) = delete;
    ProcessLink &operator=(const ProcessLink &) = delete;

    /// Blocks until the wire is open, at most `limit`. After false the wire may never open, and the thread cannot be ended.
    [[nodiscard]] bool waitForWire(std::chrono::milliseconds limit);
    /// Blocks until every process has connected. Only then the functions below return valid values.
    [[nodiscard]] base::Result<> waitForAll();
    [[nodiscard]] int rank() const { return m_state.peers.rank(); }
    [[nodiscard]] int size() const { return m_state.peers.size(); }
    [[nodiscard]] const std::string &wireDescription() const { return m_state.description; }
    /// Returns the number of machines that the processes run on.
    [[nodiscard]] int machines();
    [[nodiscard]] bool isOnMachineOf(int other);
    /// Returns whether that process is visible from here and has not ended.
    [[nodiscard]] bool isRunning(int other);
    /// Returns a number that changes whenever a heartbeat reports another pass.
    [[nodiscard]] std::int64_t progress();
    /// Requests the time of rank 0, `rounds` times.
    [[nodiscard]] std::vector<ClockSample> requestTimes(int rounds);

    void post(int to, const WireHeader &header, WirePayload payload);
    void postToOthers(const WireHeader &header, const Bytes &payload);
    /// Blocks until the tensor arrives. Returns null if `stop` was requested first.
    [[nodiscard]] Tensor takeTensor(int from, const MessageKey &key, const std::stop_token &stop);
    [[nodiscard]] std::optional<Bytes> takeBlob(int from, std::int64_t call, const std::stop_token &stop);
    /// Blocks until all messages are sent.
    void drain();

    void note(int step, std::size_t passesDone);
    void giveUp(const base::Error &why);
    [[nodiscard]] std::stop_token broken() const { return m_state.broken.get_token(); }
    [[nodiscard]] std::optional<base::Error> failure();
    [[nodiscard]] std::optional<int> leave(int status);

private:
    LinkState m_state;
    LinkThread m_thread; ///< last member: joined first
};

} // namespace stagelens::backend
