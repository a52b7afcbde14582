// The communication thread of a ProcessGroup, which also monitors the other processes. Internal to the group.
#pragma once

#include "engine/backend/memory.h"
#include "engine/backend/process_group.h"
#include "engine/backend/receive_queue.h"
#include "engine/base/process_mark.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stagelens::backend {

/// The kind of a message; stored in WireHeader::type.
enum class MessageType : std::uint8_t {
    Join,           ///< payload: host and process id of the sender
    TensorData,     ///< payload: a tensor, identified by `key`
    CollectiveData, ///< payload: bytes of collective call number `first`
    Heartbeat,      ///< `first` steps and `second` passes done
    TimeRequest,    ///< request for the time; `first`: when it was sent
    TimeReply,      ///< `first`: copied from the request, `second`: the time
    GiveUp,         ///< payload: the error; `first`: 1 if a process is lost
    Leave,          ///< the sender leaves; from rank 0, `first` is the exit status of all
};

[[nodiscard]] inline WireHeader headerOf(MessageType type, std::int64_t first = 0, std::int64_t second = 0)
{
    return {static_cast<std::uint8_t>(type), {}, first, second, 0};
}

/// One thread owns the wire; other threads exchange data with it under the mutex. Public functions are thread-safe.
class ProcessLink final : WireSink {
public:
    using Clock = std::chrono::steady_clock;

    /// Starts the thread, which opens the wire. A process counts as lost after `silence` without a message.
    ProcessLink(WireMaker maker, std::chrono::milliseconds silence);
    ~ProcessLink() override;

    /// Blocks until the wire is open, at most `limit`. After false the wire may never open, and the thread cannot be ended.
    [[nodiscard]] bool waitForWire(std::chrono::milliseconds limit);
    /// Blocks until every process has connected. Only then the functions below return valid values.
    [[nodiscard]] base::Result<> waitForAll();
    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] int size() const { return m_size; }
    [[nodiscard]] const std::string &wireDescription() const { return m_description; }
    /// Returns the number of machines that the processes run on.
    [[nodiscard]] int machines();
    [[nodiscard]] bool isOnMachineOf(int rank);
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
    [[nodiscard]] std::stop_token broken() const { return m_broken.get_token(); }
    [[nodiscard]] std::optional<base::Error> failure();
    [[nodiscard]] std::optional<int> leave(int status);

private:
    struct Peer {
        std::string host;
        base::ProcessMark mark;
        bool hasJoined = false;
        bool hasLeft = false;
        bool isVisible = false; ///< its process runs on this machine, so its end is detected at once
        Clock::time_point lastHeard;
        std::int64_t step = 0;
        std::int64_t passesDone = 0;
    };
    struct Outgoing {
        int to;
        WireHeader header;
        WirePayload payload;
    };
    /// While an instance exists a thread waits for a message, so the wire is polled often.
    class Waiting {
    public:
        explicit Waiting(ProcessLink &link) : m_link(link)
        {
            ++m_link.m_waiting;
            m_link.m_wake.notify_one();
        }
        Waiting(const Waiting &) = delete;
        Waiting &operator=(const Waiting &) = delete;
        ~Waiting() { --m_link.m_waiting; }

    private:
        ProcessLink &m_link;
    };

    void run(const WireMaker &maker);
    void open(const Wire &wire);
    [[nodiscard]] base::Result<bool> move(Wire &wire);
    /// Sends pending messages after a loss, for at most kSendRemaining.
    void sendRemaining(Wire &wire);
    void sleep(Clock::duration idle);
    /// Sends heartbeats and checks for lost processes.
    void monitor(Clock::time_point now);
    void lose(base::Error why);
    [[nodiscard]] bool isDone();
    void end();
    WirePayload place(int from, const WireHeader &header) override;
    void arrived(int from, const WireHeader &header, WirePayload payload) override;
    // called with the mutex held
    void onControlMessage(int from, const WireHeader &header, const Bytes &payload);
    void onJoin(Peer &peer, const Bytes &payload);
    void queue(int to, WireHeader header, WirePayload payload);
    void queueToOthers(const WireHeader &header, const Bytes &payload);
    [[nodiscard]] std::optional<base::Error> findLoss() const;

    std::chrono::milliseconds m_silence;
    int m_rank = 0;
    int m_size = 0;
    std::string m_description;
    Pool m_pool; ///< of received tensors; outlives every run
    ReceiveQueue m_received;

    std::mutex m_mutex; ///< guards the members below
    std::condition_variable_any m_changed;
    std::condition_variable m_wake; ///< wakes the link's thread
    std::vector<Outgoing> m_outgoing;
    std::vector<Peer> m_peers;
    std::map<std::pair<std::int64_t, int>, Bytes> m_blobs; ///< by call and sender
    std::vector<ClockSample> m_samples;
    std::optional<base::Error> m_failure;
    int m_joined = 0;
    std::optional<int> m_exitStatus; ///< the exit status of rank 0
    std::size_t m_unsent = 0;
    bool m_isLost = false; ///< a process or the wire is lost
    bool m_isLeaving = false;
    bool m_hasEnded = false;
    bool m_gaveUp = false;
    Clock::time_point m_lastHeartbeat;
    Clock::time_point m_lastCheck;

    std::atomic<int> m_waiting = 0;
    std::atomic<std::int64_t> m_step = 0;
    std::atomic<std::int64_t> m_passesDone = 0;
    std::stop_source m_broken; ///< requested without the mutex held, because callbacks are foreign code
    std::jthread m_thread;     ///< last member: joined first
};

/// Encodes an error as the payload of MessageType::GiveUp.
[[nodiscard]] Bytes errorBytes(const base::Error &error);

} // namespace stagelens::backend
