#include "engine/service/work_queue.h"

#include <utility>

namespace stagelens::service {

WorkQueue::~WorkQueue()
{
    m_thread.request_stop();
    const std::scoped_lock lock(m_mutex);
    m_stopOfJob.request_stop();
}

void WorkQueue::add(std::uint64_t job, Work work)
{
    const std::scoped_lock lock(m_mutex);
    m_items.push_back({job, std::move(work)});
    if (!m_thread.joinable())
        m_thread = std::jthread([this](const std::stop_token &stop) { runUntil(stop); });
    m_changed.notify_all();
}

void WorkQueue::cancel(std::uint64_t job)
{
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_items, [job](const Item &item) { return item.job == job; });
    if (m_running == job)
        m_stopOfJob.request_stop();
}

void WorkQueue::runUntil(const std::stop_token &stop)
{
    for (;;) {
        std::unique_lock lock(m_mutex);
        m_running = 0;
        if (!m_changed.wait(lock, stop, [this] { return !m_items.empty(); }) || stop.stop_requested())
            return;
        const Item item = std::move(m_items.front());
        m_items.pop_front();
        m_running = item.job;
        m_stopOfJob = {};
        const std::stop_token stopOfJob = m_stopOfJob.get_token();
        lock.unlock();
        item.work(stopOfJob);
    }
}

} // namespace stagelens::service
