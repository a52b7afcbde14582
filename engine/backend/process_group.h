// The processes that train one plan together, one device each.
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
/// Called on the thread that will use the wire.
using WireMaker = std::function<base::Result<std::unique_ptr<Wire>>()>;

/// One round of asking another process for its time, in nanoseconds.
struct ClockSample {
    std::int64_t asked = 0;    ///< by the own clock
    std::int64_t answered = 0; ///< by the other's
    std::int64_t returned = 0; ///< by the own
};
/// What is added to the own clock to read the other's, and how wrong that may be, in nanoseconds.
struct ClockOffset {
    std::int64_t offset = 0;
    std::int64_t error = 0;
};
/// The round that took least time says most: the answer was given in its middle, give or take half of it (F. Cristian,
/// "Probabilistic clock synchronization", 1989).
[[nodiscard]] ClockOffset clockOffset(const std::vector<ClockSample> &samples);

class ProcessLink;

/// Joins the processes that were started together and keeps in touch with them: a thread of its own moves the messages, tells
/// the others that this process is alive, and watches them. Rank 0 is the first among equals: collective calls meet there, and
/// it is the one that all wait for at the end. Collective calls are made by all processes in the same order.
class ProcessGroup {
public:
    /// Waits for all processes to join. A process counts as lost after so much `silence`.
    [[nodiscard]] static base::Result<std::shared_ptr<ProcessGroup>> join(WireMaker maker, std::chrono::milliseconds silence);
    ~ProcessGroup();
    ProcessGroup(const ProcessGroup &) = delete;
    ProcessGroup &operator=(const ProcessGroup &) = delete;

    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;
    [[nodiscard]] bool isFirst() const { return rank() == 0; }
    /// "Open MPI v4.1.4, 4 processes on 2 machines".
    [[nodiscard]] std::string description() const;
    /// From this process's steady clock to rank 0's; exactly 0 on one machine.
    [[nodiscard]] ClockOffset clock() const { return m_clock; }
    /// On rank 0: how wrong the clock of any process may be, in nanoseconds.
    [[nodiscard]] double clockError() const { return m_clockError; }

    /// Tensors between the devices, this rank's end of it. Its waits end when `stop` asks. It is destroyed when all that it
    /// sends has gone, and before the memory of what it sends.
    [[nodiscard]] std::unique_ptr<Transport> makeTransport(std::stop_token stop);

    /// Collective: what every process gives, in rank order, on rank 0; nothing elsewhere. Cancelled when `stop` asks, or one of
    /// them is lost.
    [[nodiscard]] base::Result<std::vector<Bytes>> gather(Bytes own, const std::stop_token &stop);
    /// Collective: what rank 0 gives. Cancelled likewise.
    [[nodiscard]] base::Result<Bytes> broadcast(Bytes own, const std::stop_token &stop);

    /// The ranks whose processes run on this machine, in their order, this one among them.
    [[nodiscard]] std::vector<int> ranksOnThisMachine() const;
    /// A number that changes whenever a process has told of another pass, which takes it up to a second.
    [[nodiscard]] std::int64_t progress() const;
    /// How far this process is, for the others to know should it fall silent.
    void note(int step, std::size_t passesDone);
    /// Tells all others that this process gives up, and why; only the first call does.
    void giveUp(const base::Error &why);
    /// Asked to stop when another process gave up or was lost.
    [[nodiscard]] std::stop_token broken() const;
    /// Why another process gave up, or how it was lost, which weighs more. Looks once more for lost ones.
    [[nodiscard]] std::optional<base::Error> failure();

    /// The last call: waits for all to be done. The status that rank 0 leaves with; nothing where one of them was lost.
    [[nodiscard]] std::optional<int> leave(int status);

private:
    explicit ProcessGroup(std::unique_ptr<ProcessLink> link);

    std::unique_ptr<ProcessLink> m_link;
    ClockOffset m_clock;
    double m_clockError = 0;
    std::int64_t m_calls = 0; ///< collective ones so far
};

} // namespace stagelens::backend
