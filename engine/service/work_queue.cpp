#include "engine/service/work_queue.h"

#include <utility>

namespace stagelens::service {

namespace {
/// More than one, so that a short job need not wait for a long one that cannot be stopped.
constexpr std::size_t kMostThreads = 4;
} // namespace

WorkQueue::~WorkQueue()
{
    for (std::jthread &thread : m_threads)
        thread.request_stop();
    const std::scoped_lock lock(m_mutex);
    for (auto &[job, stop] : m_running)
        stop.request_stop();
}

void WorkQueue::add(std::uint64_t job, Work work)
{
    const std::scoped_lock lock(m_mutex);
    m_items.push_back({job, std::move(work)});
    if (m_running.size() + m_items.size() > m_threads.size() && m_threads.size() < kMostThreads)
        m_threads.emplace_back([this](const std::stop_token &stop) { runUntil(stop); });
    m_changed.notify_one();
}

void WorkQueue::cancel(std::uint64_t job)
{
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_items, [job](const Item &item) { return item.job == job; });
    if (const auto running = m_running.find(job); running != m_running.end())
        running->second.request_stop();
}

void WorkQueue::runUntil(const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, stop, [this] { return !m_items.empty(); }) && !stop.stop_requested()) {
        const Item item = std::move(m_items.front());
        m_items.pop_front();
        const std::stop_token stopOfJob = m_running[item.job].get_token();
        lock.unlock();
        item.work(stopOfJob);
        lock.lock();
        m_running.erase(item.job);
    }
}

} // namespace stagelens::service
