#include "engine/runtime/worker/parent_watch.h"

#include "engine/base/environment.h"

#include <algorithm>

namespace stagelens::runtime {
namespace {

constexpr std::chrono::seconds kPatience{5};

std::chrono::milliseconds silence()
{
    constexpr double kSeconds = 15;
    const auto given = base::secondsFromEnvironment("STAGELENS_HOST_SILENCE_SECONDS", kSeconds);
    return std::max<std::chrono::milliseconds>(given, 2 * kHeartbeat); // a heartbeat may be late
}

} // namespace

void ParentWatch::begin()
{
    hear();
    m_thread = std::jthread([this](const std::stop_token &ended) { watch(ended); });
}

void ParentWatch::hear()
{
    const std::scoped_lock lock(m_mutex);
    m_heard = Clock::now();
    m_changed.notify_all();
}

void ParentWatch::lose()
{
    const std::scoped_lock lock(m_mutex);
    m_isLost = true;
    m_changed.notify_all();
}

void ParentWatch::watch(const std::stop_token &ended)
{
    const auto limit = silence();
    std::unique_lock lock(m_mutex);
    while (!m_isLost && Clock::now() - m_heard < limit) {
        (void)m_changed.wait_until(lock, ended, m_heard + limit, [&] { return m_isLost; });
        if (ended.stop_requested())
            return;
    }
    lock.unlock();
    m_stop.request_stop(); // interrupts kernels and waits; its callbacks take other locks
    lock.lock();
    (void)m_changed.wait_for(lock, ended, kPatience, [] { return false; });
    if (!ended.stop_requested())
        m_abandon();
}

} // namespace stagelens::runtime
