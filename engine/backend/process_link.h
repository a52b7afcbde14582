// Moves the messages of a ProcessGroup and watches over its members. Internal to the group.
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

/// What a message is; WireHeader::type.
enum class Word : std::uint8_t {
    Hello,   ///< payload: who the sender is
    Floats,  ///< payload: floats under `key`
    Blob,    ///< payload: bytes of the collective call number `first`
    Beat,    ///< alive; `first` steps and `second` passes done
    Ask,     ///< the time? `first`: asked at
    Answer,  ///< `first`: asked at, `second`: the time
    GiveUp,  ///< payload: why; `first`: 1 where a process is lost
    Goodbye, ///< done; from rank 0 `first` is the status that all leave with
};

[[nodiscard]] inline WireHeader headerOf(Word word, std::int64_t first = 0, std::int64_t second = 0)
{
    return {static_cast<std::uint8_t>(word), {}, first, second, 0};
}

/// One thread owns the wire; everyone else talks to it through what the mutex guards. All public calls are thread-safe.
class ProcessLink final : WireSink {
public:
    using Clock = std::chrono::steady_clock;

    /// Opens the wire on the link's thread.
    ProcessLink(WireMaker maker, std::chrono::milliseconds silence);
    ~ProcessLink() override;

    /// Waits for the wire to be opened, at most so long. False: it may never be, and its thread cannot be ended.
    [[nodiscard]] bool waitForWire(std::chrono::milliseconds limit);
    /// Waits until every process has said hello; then the members below are known.
    [[nodiscard]] base::Result<> waitForAll();
    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] int size() const { return m_size; }
    [[nodiscard]] const std::string &wireDescription() const { return m_description; }
    /// Machines that the processes run on.
    [[nodiscard]] int machines();
    [[nodiscard]] bool isOnMachineOf(int rank);
    /// Changes whenever a process tells of another pass.
    [[nodiscard]] std::int64_t progress();
    /// Asks rank 0 for its time.
    [[nodiscard]] std::vector<ClockSample> askForTime(int rounds);

    void post(int to, const WireHeader &header, WirePayload payload);
    void postToOthers(const WireHeader &header, const Bytes &payload);
    /// Null when `stop` asked first.
    [[nodiscard]] Tensor takeTensor(int from, const MessageKey &key, const std::stop_token &stop);
    [[nodiscard]] std::optional<Bytes> takeBlob(int from, std::int64_t call, const std::stop_token &stop);
    /// Waits until nothing is being sent any more.
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
        bool isVisible = false; ///< its process can be seen from here
        Clock::time_point heard;
        std::int64_t step = 0;
        std::int64_t passesDone = 0;
    };
    struct Outgoing {
        int to;
        WireHeader header;
        WirePayload payload;
    };
    /// While one stands, somebody waits for a message, and the wire is looked at often.
    class Waiting {
    public:
        explicit Waiting(ProcessLink &link) : m_link(link)
        {
            ++m_link.m_waiting;
            m_link.m_called.notify_one();
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
    void lastWords(Wire &wire);
    void rest(Clock::duration idle);
    void tend(Clock::time_point now);
    void lose(base::Error why);
    [[nodiscard]] bool isOver();
    void end();
    WirePayload place(int from, const WireHeader &header) override;
    void arrived(int from, const WireHeader &header, WirePayload payload) override;
    // with the mutex held
    void arrivedControl(int from, const WireHeader &header, const Bytes &payload);
    void greeted(Peer &peer, const Bytes &payload);
    void queue(int to, WireHeader header, WirePayload payload);
    void queueToOthers(const WireHeader &header, const Bytes &payload);
    [[nodiscard]] std::optional<base::Error> findLoss() const;

    std::chrono::milliseconds m_silence;
    int m_rank = 0;
    int m_size = 0;
    std::string m_description;
    Pool m_pool; ///< of what has come: lives longer than any run
    ReceiveQueue m_received;

    std::mutex m_mutex; ///< of all that follows
    std::condition_variable_any m_changed;
    std::condition_variable m_called; ///< the link's thread has something to do
    std::vector<Outgoing> m_outgoing;
    std::vector<Peer> m_peers;
    std::map<std::pair<std::int64_t, int>, Bytes> m_blobs; ///< by call and sender
    std::vector<ClockSample> m_samples;
    std::optional<base::Error> m_failure;
    int m_joined = 0;
    std::optional<int> m_farewell; ///< the status that rank 0 leaves with
    std::size_t m_unsent = 0;
    bool m_isLost = false; ///< a process is lost, or the wire is
    bool m_isLeaving = false;
    bool m_hasEnded = false;
    bool m_gaveUp = false;
    Clock::time_point m_lastBeat;
    Clock::time_point m_lastLook;

    std::atomic<int> m_waiting = 0;
    std::atomic<std::int64_t> m_step = 0;
    std::atomic<std::int64_t> m_passesDone = 0;
    std::stop_source m_broken; ///< asked without the mutex: its callbacks are others' code
    std::jthread m_thread;     ///< joined first
};

/// An error as a payload of Word::GiveUp.
[[nodiscard]] Bytes errorBytes(const base::Error &error);

} // namespace stagelens::backend
