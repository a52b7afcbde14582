// Where tensors wait for the rank that they were sent to.
#pragma once

#include "engine/backend/activity.h"
#include "engine/backend/transport.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace stagelens::backend {

/// What lies at one rank's door, by sender and key. Thread-safe, with one reader: the rank itself.
class Doorstep {
public:
    /// Whom to tell when the rank waits; must live longer.
    void tell(Activity &activity) { m_activity = &activity; }
    /// The rank has a core to itself: it looks again for that long before it sleeps, since waking up takes about 10 us.
    void lookAgainFor(std::chrono::nanoseconds time) { m_looking = time; }

    void put(int from, const MessageKey &key, Tensor tensor)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_tensors.emplace(std::pair(key, from), std::move(tensor));
            m_arrivals.fetch_add(1, std::memory_order_release);
            if (m_awaited == std::pair(key, from))
                endWait();
        }
        m_arrived.notify_one();
    }

    /// Null when the run was stopped before the tensor came.
    Tensor take(int from, const MessageKey &key, const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        auto found = find(from, key);
        if (found == m_tensors.end() && m_looking.count() > 0)
            found = lookAgain(lock, from, key);
        if (found == m_tensors.end()) {
            m_awaited = std::pair(key, from);
            if (m_activity != nullptr)
                m_activity->beginWait();
            m_arrived.wait(lock, stop, [this] { return !m_awaited; });
            if (m_awaited) {
                endWait();
                return nullptr;
            }
            found = find(from, key);
        }
        return m_tensors.extract(found).mapped();
    }

private:
    /// Equal ones stand in the order of their coming.
    using Tensors = std::pmr::multimap<std::pair<MessageKey, int>, Tensor>;

    Tensors::iterator find(int from, const MessageKey &key)
    {
        const auto first = m_tensors.lower_bound(std::pair(key, from));
        return first != m_tensors.end() && first->first == std::pair(key, from) ? first : m_tensors.end();
    }
    /// Looks whenever something comes, without sleeping.
    Tensors::iterator lookAgain(std::unique_lock<std::mutex> &lock, int from, const MessageKey &key)
    {
        const auto end = std::chrono::steady_clock::now() + m_looking;
        auto found = m_tensors.end();
        while (found == m_tensors.end() && std::chrono::steady_clock::now() < end) {
            const unsigned seen = m_arrivals.load(std::memory_order_relaxed);
            lock.unlock();
            while (m_arrivals.load(std::memory_order_acquire) == seen && std::chrono::steady_clock::now() < end) {
            }
            lock.lock();
            found = find(from, key);
        }
        return found;
    }
    void endWait()
    {
        m_awaited.reset();
        if (m_activity != nullptr)
            m_activity->endWait();
    }

    Activity *m_activity = nullptr;
    std::chrono::nanoseconds m_looking{0};
    std::atomic<unsigned> m_arrivals = 0; ///< so far
    std::mutex m_mutex;
    std::condition_variable_any m_arrived;
    std::pmr::unsynchronized_pool_resource m_nodes; ///< of the map: kept, so that a message asks the machine for nothing
    Tensors m_tensors{&m_nodes};
    std::optional<std::pair<MessageKey, int>> m_awaited; ///< that the rank waits for
};

} // namespace stagelens::backend
