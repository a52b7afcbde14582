// The communication thread of a ProcessLink, which owns the wire and monitors the other processes.
#pragma once

#include "engine/backend/link_state.h"

#include <thread>

namespace stagelens::backend {

class LinkThread final : WireSink {
public:
    /// Starts the thread, which opens the wire. `state` must outlive it. The destructor joins the thread; set
    /// LinkState::isLost or isLeaving before.
    LinkThread(LinkState &state, WireMaker maker);

private:
    using Clock = ProcessPeers::Clock;

    void run(const WireMaker &maker);
    void open(const Wire &wire);
    [[nodiscard]] base::Result<bool> move(Wire &wire);
    /// Sends pending messages after a loss, for at most kSendRemaining.
    void sendRemaining(Wire &wire);
    void sleep(Clock::duration idle);
    /// Sends heartbeats and checks for lost processes.
    void monitor(Clock::time_point now);
    [[nodiscard]] bool isDone();
    void end();
    WirePayload place(int from, const WireHeader &header) override;
    void arrived(int from, const WireHeader &header, WirePayload payload) override;
    /// Call with the mutex held.
    void onControlMessage(int from, const WireHeader &header, const Bytes &payload);

    LinkState &m_state;
    std::jthread m_thread; ///< last member: joined first
};

} // namespace stagelens::backend
