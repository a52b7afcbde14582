#include "engine/backend/process_link.h"

#include "engine/base/text.h"

#include <array>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

namespace stagelens::backend {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Polling intervals of the wire. While a thread waits for a message: continuously for kSpinTime, then every kShortSleep.
/// Otherwise every kLongSleep, to leave the processor to the passes; a message to send or a new waiter cuts it short.
constexpr microseconds kSpinTime{100};
constexpr microseconds kShortSleep{50};
constexpr microseconds kLongSleep{1000};
/// How long to send pending messages after a process is lost.
constexpr milliseconds kSendRemaining{100};

std::int64_t nanoseconds(ProcessLink::Clock::time_point time)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

std::string hostName()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unnamed machine";
}

Bytes bytesOf(const std::string &text)
{
    const auto *begin = reinterpret_cast<const std::byte *>(text.data());
    return {begin, begin + text.size()};
}
std::string textOf(const Bytes &bytes)
{
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// Separators of the kind, the problems, and the halves of a problem. Messages contain no control characters.
constexpr char kBetweenProblems = '\x1e';
constexpr char kBetweenHalves = '\x1f';

base::Error errorOf(const Bytes &bytes, int from)
{
    const std::string text = textOf(bytes);
    const std::vector<std::string_view> parts = base::split(text, kBetweenProblems);
    base::Error error;
    error.kind = static_cast<base::ErrorKind>(parts[0].empty() ? 1 : parts[0][0] - '0');
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto halves = base::split(parts[i], kBetweenHalves);
        error.problems.push_back({std::string(halves.front()), base::concat("process ", from, ": ", halves.back())});
    }
    return error.kind == base::ErrorKind::Cancelled ? base::Error::cancelled() : error;
}

} // namespace

Bytes errorBytes(const base::Error &error)
{
    std::string text(1, static_cast<char>('0' + static_cast<int>(error.kind)));
    for (const base::Problem &problem : error.problems)
        text += kBetweenProblems + problem.field + kBetweenHalves + problem.message;
    return bytesOf(text);
}

ProcessLink::ProcessLink(WireMaker maker, std::chrono::milliseconds silence)
    : m_silence(silence), m_thread([this, make = std::move(maker)] { run(make); })
{}

ProcessLink::~ProcessLink()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isLost = m_isLost || !m_isLeaving; // without leave(), others must detect the loss
    }
    m_wake.notify_one();
}

bool ProcessLink::waitForWire(std::chrono::milliseconds limit)
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, limit, [&] { return m_size > 0 || m_hasEnded; });
}

base::Result<> ProcessLink::waitForAll()
{
    const Waiting waiting(*this);
    std::unique_lock lock(m_mutex);
    // A process that joined may have given up since; that is reported later.
    const auto haveJoined = [this] { return m_size > 0 && m_joined == m_size - 1; };
    m_changed.wait(lock, [&] { return m_isLost || m_hasEnded || haveJoined(); });
    return haveJoined() ? base::Result<>() : *m_failure;
}

void ProcessLink::run(const WireMaker &maker)
{
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); // a sleep of 50 us must not take 100
    auto wire = maker();
    if (!wire) {
        {
            const std::scoped_lock lock(m_mutex);
            m_failure = wire.error();
        }
        return end();
    }
    open(**wire);
    for (Clock::time_point moved = Clock::now(); !isDone();) {
        const auto any = move(**wire);
        const Clock::time_point now = Clock::now();
        if (!any)
            lose(any.error());
        monitor(now);
        if (any && *any)
            moved = now;
        else
            sleep(now - moved);
    }
    bool isInOrder = false;
    {
        const std::scoped_lock lock(m_mutex);
        isInOrder = !m_isLost;
    }
    if (isInOrder)
        (*wire)->leave();
    else
        sendRemaining(**wire);
    end();
}

void ProcessLink::open(const Wire &wire)
{
    const base::ProcessMark own = base::ownProcess();
    const std::scoped_lock lock(m_mutex);
    m_rank = wire.rank();
    m_size = wire.size();
    m_description = wire.description();
    m_peers.resize(static_cast<std::size_t>(m_size));
    for (Peer &peer : m_peers)
        peer.lastHeard = Clock::now();
    Peer &self = m_peers[static_cast<std::size_t>(m_rank)];
    self.host = hostName();
    self.mark = own;
    queueToOthers(headerOf(MessageType::Join),
                  bytesOf(base::concat(self.host, '\n', own.bootId, '\n', own.pid, '\n', own.startTicks)));
    m_changed.notify_all();
}

base::Result<bool> ProcessLink::move(Wire &wire)
{
    std::vector<Outgoing> outgoing;
    {
        const std::scoped_lock lock(m_mutex);
        outgoing.swap(m_outgoing);
        m_unsent += outgoing.size();
    }
    const bool hasSent = !outgoing.empty();
    for (Outgoing &message : outgoing) {
        if (message.header.type == static_cast<std::uint8_t>(MessageType::TimeRequest))
            message.header.first = nanoseconds(Clock::now());
        if (auto sent = wire.send(message.to, message.header, std::move(message.payload)); !sent)
            return sent.error();
    }
    auto moved = wire.progress(*this);
    if (!moved)
        return moved;
    const std::size_t unsent = wire.unsent();
    {
        const std::scoped_lock lock(m_mutex);
        m_unsent = unsent;
    }
    if (hasSent || *moved)
        m_changed.notify_all();
    return hasSent || *moved;
}

void ProcessLink::sendRemaining(Wire &wire)
{
    const Clock::time_point until = Clock::now() + kSendRemaining;
    bool areSent = false;
    while (!areSent && Clock::now() < until && move(wire)) {
        std::this_thread::yield();
        const std::scoped_lock lock(m_mutex);
        areSent = m_outgoing.empty() && m_unsent == 0;
    }
}

void ProcessLink::sleep(Clock::duration idle)
{
    if (m_waiting > 0 && idle < kSpinTime)
        return std::this_thread::yield();
    std::unique_lock lock(m_mutex);
    const int waiting = m_waiting;
    m_wake.wait_for(lock, waiting > 0 || m_unsent > 0 ? kShortSleep : kLongSleep,
                    [this, waiting] { return !m_outgoing.empty() || m_isLost || m_isLeaving || m_waiting > waiting; });
}

bool ProcessLink::isDone()
{
    const std::scoped_lock lock(m_mutex);
    return m_isLost || (m_isLeaving && m_outgoing.empty() && m_unsent == 0);
}

void ProcessLink::end()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_hasEnded = true;
    }
    m_changed.notify_all();
}

WirePayload ProcessLink::place(int /*from*/, const WireHeader &header)
{
    if (header.type == static_cast<std::uint8_t>(MessageType::TensorData)) {
        auto tensor = std::make_shared<Buffer>(m_pool.allocate(header.bytes / sizeof(float), 0));
        return {std::as_writable_bytes(tensor->values()), tensor};
    }
    auto bytes = std::make_shared<Bytes>(header.bytes);
    return {*bytes, bytes};
}

void ProcessLink::arrived(int from, const WireHeader &header, WirePayload payload)
{
    bool isBroken = false;
    {
        const std::scoped_lock lock(m_mutex);
        m_peers[static_cast<std::size_t>(from)].lastHeard = Clock::now();
        if (header.type != static_cast<std::uint8_t>(MessageType::TensorData))
            onControlMessage(from, header, payload.owner ? *std::static_pointer_cast<Bytes>(payload.owner) : Bytes());
        isBroken = m_failure.has_value();
    }
    if (header.type == static_cast<std::uint8_t>(MessageType::TensorData))
        m_received.put(from, header.key,
                       std::static_pointer_cast<Buffer>(std::move(payload.owner))); // the receiver gets the only reference
    m_changed.notify_all();
    if (isBroken)
        m_broken.request_stop();
}

void ProcessLink::onControlMessage(int from, const WireHeader &header, const Bytes &payload)
{
    Peer &peer = m_peers[static_cast<std::size_t>(from)];
    switch (static_cast<MessageType>(header.type)) {
    case MessageType::Join: return onJoin(peer, payload);
    case MessageType::CollectiveData: m_blobs.emplace(std::pair(header.first, from), payload); return;
    case MessageType::Heartbeat:
        peer.step = header.first;
        peer.passesDone = header.second;
        return;
    case MessageType::TimeRequest:
        return queue(from, headerOf(MessageType::TimeReply, header.first, nanoseconds(Clock::now())), {});
    case MessageType::TimeReply: m_samples.push_back({header.first, header.second, nanoseconds(Clock::now())}); return;
    case MessageType::GiveUp:
        if (!m_failure || m_failure->kind == base::ErrorKind::Cancelled)
            m_failure = errorOf(payload, from);
        m_isLost = m_isLost || header.first != 0;
        return;
    case MessageType::Leave:
        peer.hasLeft = true;
        if (from == 0)
            m_exitStatus = static_cast<int>(header.first);
        return;
    case MessageType::TensorData: return;
    }
}

void ProcessLink::onJoin(Peer &peer, const Bytes &payload)
{
    const std::string text = textOf(payload);
    const auto lines = base::split(text, '\n');
    constexpr std::size_t kLines = 4;
    if (lines.size() != kLines || peer.hasJoined)
        return;
    peer.host = lines[0];
    peer.mark = {std::string(lines[1]), base::parseInteger(lines[2]).value_or(0), base::parseInteger(lines[3]).value_or(0)};
    peer.isVisible = base::isRunning(peer.mark);
    peer.hasJoined = true;
    ++m_joined;
}

} // namespace stagelens::backend
