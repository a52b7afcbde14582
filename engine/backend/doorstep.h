// Where tensors wait for the rank that they were sent to.
#pragma once

#include "engine/backend/transport.h"

#include <condition_variable>
#include <map>
#include <memory_resource>
#include <mutex>
#include <stop_token>
#include <utility>

namespace stagelens::backend {

/// What lies at one rank's door, by sender and key. Thread-safe.
class Doorstep {
public:
    void put(int from, const MessageKey &key, Tensor tensor)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_tensors.emplace(std::pair(key, from), std::move(tensor));
        }
        m_arrived.notify_one();
    }

    /// Null when the run was stopped before the tensor came.
    Tensor take(int from, const MessageKey &key, const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        auto found = m_tensors.end();
        const bool came = m_arrived.wait(lock, stop, [&] {
            found = m_tensors.find(std::pair(key, from));
            return found != m_tensors.end();
        });
        return came ? m_tensors.extract(found).mapped() : nullptr;
    }

private:
    std::mutex m_mutex;
    std::condition_variable_any m_arrived; ///< one reader: the rank itself
    std::pmr::unsynchronized_pool_resource m_nodes; ///< of the map: kept, so that a message asks the machine for nothing
    std::pmr::map<std::pair<MessageKey, int>, Tensor> m_tensors{&m_nodes};
};

} // namespace stagelens::backend
