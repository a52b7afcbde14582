#include "engine/backend/link_thread.h"

#include <memory>
#include <sys/prctl.h>
#include <utility>

namespace stagelens::backend {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Polling intervals of the wire. While a thread waits for a message: continuously for kThreadSpinTime, then every kShortSleep.
/// Otherwise every kLongSleep, to leave the processor to the passes; a message to send or a new waiter cuts it short.
constexpr microseconds kThreadSpinTime{100};
constexpr microseconds kShortSleep{50};
constexpr microseconds kLongSleep{1000};
/// How long to send pending messages after a process is lost.
constexpr milliseconds kSendRemaining{100};

std::int64_t nanoseconds(ProcessPeers::Clock::time_point time)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

} // namespace

LinkThread::LinkThread(LinkState &state, WireMaker maker)
    : m_state(state), m_thread([this, make = std::move(maker)] { run(make); })
{}

void LinkThread::run(const WireMaker &maker)
{
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); // a sleep of 50 us must not take 100
    auto wire = maker();
    if (!wire) {
        {
            const std::scoped_lock lock(m_state.mutex);
            m_state.failure = wire.error();
        }
        return end();
    }
    open(**wire);
    for (Clock::time_point moved = Clock::now(); !isDone();) {
        const auto any = move(**wire);
        const Clock::time_point now = Clock::now();
        if (!any)
            m_state.lose(any.error());
        monitor(now);
        if (any && *any)
            moved = now;
        else
            sleep(now - moved);
    }
    bool isInOrder = false;
    {
        const std::scoped_lock lock(m_state.mutex);
        isInOrder = !m_state.isLost;
    }
    if (isInOrder)
        (*wire)->leave();
    else
        sendRemaining(**wire);
    wire->reset(); // what it has not sent keeps memory of the run, which is freed after the end
    end();
}

void LinkThread::open(const Wire &wire)
{
    const ProcessPlace own = ownPlace();
    const std::scoped_lock lock(m_state.mutex);
    m_state.description = wire.description();
    m_state.peers.open(wire.rank(), wire.size(), own);
    m_state.queueToOthers(headerOf(MessageType::Join), placeBytes(own));
    m_state.changed.notify_all();
}

base::Result<bool> LinkThread::move(Wire &wire)
{
    std::vector<LinkState::Outgoing> outgoing;
    {
        const std::scoped_lock lock(m_state.mutex);
        outgoing.swap(m_state.outgoing);
        m_state.unsent += outgoing.size();
    }
    const bool hasSent = !outgoing.empty();
    for (LinkState::Outgoing &message : outgoing) {
        if (typeOf(message.header) == MessageType::TimeRequest)
            message.header.first = nanoseconds(Clock::now());
        if (auto sent = wire.send(message.to, message.header, std::move(message.payload)); !sent)
            return sent.error();
    }
    auto moved = wire.progress(*this);
    if (!moved)
        return moved;
    const std::size_t unsent = wire.unsent();
    {
        const std::scoped_lock lock(m_state.mutex);
        m_state.unsent = unsent;
    }
    if (hasSent || *moved)
        m_state.changed.notify_all();
    return hasSent || *moved;
}

void LinkThread::sendRemaining(Wire &wire)
{
    const Clock::time_point until = Clock::now() + kSendRemaining;
    bool areSent = false;
    while (!areSent && Clock::now() < until && move(wire)) {
        std::this_thread::yield();
        const std::scoped_lock lock(m_state.mutex);
        areSent = m_state.outgoing.empty() && m_state.unsent == 0;
    }
}

void LinkThread::sleep(Clock::duration idle)
{
    if (m_state.waiting > 0 && idle < kThreadSpinTime)
        return std::this_thread::yield();
    std::unique_lock lock(m_state.mutex);
    const int waiting = m_state.waiting;
    m_state.wake.wait_for(lock, waiting > 0 || m_state.unsent > 0 ? kShortSleep : kLongSleep, [this, waiting] {
        return !m_state.outgoing.empty() || m_state.isLost || m_state.isLeaving || m_state.waiting > waiting;
    });
}

void LinkThread::monitor(Clock::time_point now)
{
    std::optional<base::Error> loss;
    {
        const std::scoped_lock lock(m_state.mutex);
        if (m_state.peers.takeHeartbeat(now))
            m_state.queueToOthers(headerOf(MessageType::Heartbeat, m_state.step, m_state.passesDone), {});
        if (!m_state.peers.takeCheck(now))
            return;
        loss = m_state.peers.findLoss();
    }
    if (loss)
        m_state.lose(*std::move(loss));
}

bool LinkThread::isDone()
{
    const std::scoped_lock lock(m_state.mutex);
    return m_state.isLost || (m_state.isLeaving && m_state.outgoing.empty() && m_state.unsent == 0);
}

void LinkThread::end()
{
    std::vector<LinkState::Outgoing> unsent; // likewise
    {
        const std::scoped_lock lock(m_state.mutex);
        m_state.hasEnded = true;
        unsent.swap(m_state.outgoing);
    }
    unsent.clear();
    m_state.changed.notify_all();
}

WirePayload LinkThread::place(int /*from*/, const WireHeader &header)
{
    if (typeOf(header) == MessageType::TensorData) {
        auto tensor = std::make_shared<Buffer>(m_state.pool.allocate(header.bytes / sizeof(float), 0));
        return {std::as_writable_bytes(tensor->values()), tensor};
    }
    auto bytes = std::make_shared<Bytes>(header.bytes);
    return {*bytes, bytes};
}

void LinkThread::arrived(int from, const WireHeader &header, WirePayload payload)
{
    bool isBroken = false;
    {
        const std::scoped_lock lock(m_state.mutex);
        m_state.peers.heard(from);
        if (typeOf(header) != MessageType::TensorData)
            onControlMessage(from, header, payload.owner ? *std::static_pointer_cast<Bytes>(payload.owner) : Bytes());
        isBroken = m_state.failure.has_value();
    }
    if (typeOf(header) == MessageType::TensorData)
        m_state.received.put(
            from, header.key,
            std::static_pointer_cast<Buffer>(std::move(payload.owner))); // the receiver gets the only reference
    m_state.changed.notify_all();
    if (isBroken)
        m_state.broken.request_stop();
}

void LinkThread::onControlMessage(int from, const WireHeader &header, const Bytes &payload)
{
    switch (typeOf(header)) {
    case MessageType::Join:
        if (auto place = placeOf(payload))
            m_state.peers.join(from, *std::move(place));
        return;
    case MessageType::CollectiveData: m_state.blobs.emplace(std::pair(header.first, from), payload); return;
    case MessageType::Heartbeat: return m_state.peers.setProgress(from, header.first, header.second);
    case MessageType::TimeRequest:
        return m_state.queue(from, headerOf(MessageType::TimeReply, header.first, nanoseconds(Clock::now())), {});
    case MessageType::TimeReply: m_state.samples.push_back({header.first, header.second, nanoseconds(Clock::now())}); return;
    case MessageType::GiveUp:
        if (!m_state.failure || m_state.failure->kind == base::ErrorKind::Cancelled)
            m_state.failure = errorOf(payload, from);
        m_state.isLost = m_state.isLost || header.first != 0;
        return;
    case MessageType::Leave:
        m_state.peers.leave(from);
        if (from == 0)
            m_state.exitStatus = static_cast<int>(header.first);
        return;
    case MessageType::TensorData: return;
    }
}

} // namespace stagelens::backend
