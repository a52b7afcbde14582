// The one way that data crosses from the engine's threads to another's: immutable snapshots in a queue, and a
// wake-up that carries no payload.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace stagelens::base {

/// Many writers, one reader. post() may be called from any thread; drain() belongs to the reader's.
template <class Message>
class Mailbox {
public:
    /// `wake` is called on the writer's thread after a message came into an empty box; it must only poke the reader.
    explicit Mailbox(std::function<void()> wake = {}) : m_wake(std::move(wake)) {}

    void post(Message message)
    {
        bool wasEmpty = false;
        {
            const std::scoped_lock lock(m_mutex);
            wasEmpty = m_messages.empty();
            m_messages.push_back(std::move(message));
        }
        if (wasEmpty && m_wake)
            m_wake();
    }

    /// Everything that has arrived since the last call, oldest first.
    [[nodiscard]] std::vector<Message> drain()
    {
        const std::scoped_lock lock(m_mutex);
        return std::exchange(m_messages, {});
    }

private:
    std::mutex m_mutex;
    std::vector<Message> m_messages;
    std::function<void()> m_wake;
};

} // namespace stagelens::base
