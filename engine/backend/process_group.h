// A group of processes that train one plan, one device each.
#pragma once

#include "engine/backend/transport.h"
#include "engine/backend/wire.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::backend {

using Bytes = std::vector<std::byte>;
/// Called on the thread that uses the wire.
using WireMaker = std::function<base::Result<std::unique_ptr<Wire>>()>;

/// One request for the time of another process, in nanoseconds.
struct ClockSample {
    std::int64_t asked = 0;    ///< by the own clock
    std::int64_t answered = 0; ///< by the other's clock
    std::int64_t returned = 0; ///< by the own
};
/// The difference of two clocks: other = own + offset, with an error of at most `error` nanoseconds.
struct ClockOffset {
    std::int64_t offset = 0;
    std::int64_t error = 0;
};
/// Estimates the offset from the fastest request: its answer was given in the middle of the round trip, give or take half of it
/// (F. Cristian, "Probabilistic clock synchronization", 1989).
[[nodiscard]] ClockOffset clockOffset(const std::vector<ClockSample> &samples);

class ProcessLink;

/// Connects the processes of a run and monitors them. A communication thread moves the messages, sends heartbeats and detects
/// lost processes. Rank 0 is the root of collective calls, and the last process to leave. All processes must make collective
/// calls in the same order.
class ProcessGroup {
public:
    /// Blocks until all processes have connected. A process counts as lost after `silence` without a message.
    [[nodiscard]] static base::Result<std::shared_ptr<ProcessGroup>> join(WireMaker maker, std::chrono::milliseconds silence);
    ~ProcessGroup();
    ProcessGroup(const ProcessGroup &) = delete;
    ProcessGroup &operator=(const ProcessGroup &) = delete;

    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;
    [[nodiscard]] bool isFirst() const { return rank() == 0; }
    /// "Open MPI v4.1.4, 4 processes on 2 machines".
    [[nodiscard]] std::string description() const;
    /// Returns the offset from this process's steady clock to that of rank 0; exactly 0 on the same machine.
    [[nodiscard]] ClockOffset clock() const { return m_clock; }
    /// On rank 0: returns the greatest clock error of all processes, in nanoseconds.
    [[nodiscard]] double clockError() const { return m_clockError; }

    /// Creates the transport of this rank. Its waits end when `stop` is requested. Its destructor blocks until everything is
    /// sent; destroy it before the memory of the tensors that it sends.
    [[nodiscard]] std::unique_ptr<Transport> makeTransport(std::stop_token stop);

    /// Collective. Returns the data of all processes in rank order on rank 0, and nothing on other ranks. Cancelled if `stop`
    /// is requested or a process is lost.
    [[nodiscard]] base::Result<std::vector<Bytes>> gather(Bytes own, const std::stop_token &stop);
    /// Collective. Returns the data of rank 0. Cancelled as gather().
    [[nodiscard]] base::Result<Bytes> broadcast(Bytes own, const std::stop_token &stop);

    /// Returns the ranks on this machine in order, including this one.
    [[nodiscard]] std::vector<int> ranksOnThisMachine() const;
    /// Returns a number that changes whenever another process reports passes, which happens once per heartbeat.
    [[nodiscard]] std::int64_t progress() const;
    /// Sets the progress that heartbeats report, for error messages of other processes.
    void note(int step, std::size_t passesDone);
    /// Sends the reason why this process ends to all others. Only the first call has an effect.
    void giveUp(const base::Error &why);
    /// Stop requested when another process gave up or was lost.
    [[nodiscard]] std::stop_token broken() const;
    /// Returns why another process gave up, or how it was lost, which takes precedence. Checks for lost processes first.
    [[nodiscard]] std::optional<base::Error> failure();

    /// Blocks until rank 0 has ended, if it runs on this machine, but at most `limit`.
    void waitForEndOfFirst(std::chrono::milliseconds limit) const;
    /// The last call: blocks until all processes call it. Returns the exit status of rank 0, or nothing if a process was lost.
    [[nodiscard]] std::optional<int> leave(int status);

private:
    explicit ProcessGroup(std::unique_ptr<ProcessLink> link);

    std::unique_ptr<ProcessLink> m_link;
    ClockOffset m_clock;
    double m_clockError = 0;
    std::int64_t m_calls = 0; ///< collective calls so far
};

} // namespace stagelens::backend
