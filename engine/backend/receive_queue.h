// Tensors that have arrived for a rank and are not received yet.
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

/// Arrived tensors of one rank, matched by sender and key; equal ones in order of arrival. Thread-safe; one thread may take().
class ReceiveQueue {
public:
    /// Counts waits of the rank in `activity`, which must outlive the queue.
    void countWaits(Activity &activity) { m_activity = &activity; }
    /// Makes take() spin for that long before it sleeps, because a wake-up costs about 10 us. Use it if each rank has a core.
    void spinFor(std::chrono::nanoseconds time) { m_spinTime = time; }

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

    /// Blocks until a tensor with that sender and key has arrived, and removes it. Returns null if `stop` was requested first.
    Tensor take(int from, const MessageKey &key, const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        auto found = find(from, key);
        if (found == m_tensors.end() && m_spinTime.count() > 0)
            found = spin(lock, from, key);
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
    /// A multimap keeps equal keys in order of insertion.
    using Tensors = std::pmr::multimap<std::pair<MessageKey, int>, Tensor>;

    Tensors::iterator find(int from, const MessageKey &key)
    {
        const auto first = m_tensors.lower_bound(std::pair(key, from));
        return first != m_tensors.end() && first->first == std::pair(key, from) ? first : m_tensors.end();
    }
    /// Looks after each arrival, without sleeping, for at most m_spinTime.
    Tensors::iterator spin(std::unique_lock<std::mutex> &lock, int from, const MessageKey &key)
    {
        const auto end = std::chrono::steady_clock::now() + m_spinTime;
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
    std::chrono::nanoseconds m_spinTime{0};
    std::atomic<unsigned> m_arrivals = 0; ///< so far
    std::mutex m_mutex;
    std::condition_variable_any m_arrived;
    std::pmr::unsynchronized_pool_resource m_nodes; ///< of the map; reused, so that a message does not call malloc
    Tensors m_tensors{&m_nodes};
    std::optional<std::pair<MessageKey, int>> m_awaited; ///< by the rank's take()
};

} // namespace stagelens::backend
