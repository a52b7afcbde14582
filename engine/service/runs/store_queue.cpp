#include "engine/service/runs/store_queue.h"

#include <chrono>
#include <utility>

namespace stagelens::service {

namespace {
constexpr std::chrono::milliseconds kReadPatience{250};
} // namespace

StoreQueue::StoreQueue(std::filesystem::path database) : m_runs(std::make_shared<StoredRuns>(std::move(database))) {}

StoreQueue::~StoreQueue()
{
    m_thread.request_stop();
}

void StoreQueue::add(StoreUse use, Work work)
{
    const std::scoped_lock lock(m_mutex);
    m_items.push_back({use, m_runs, std::move(work)});
    if (!m_thread.joinable())
        m_thread = std::jthread([this](const std::stop_token &stop) { runUntil(stop); });
    m_changed.notify_all();
}

void StoreQueue::useDatabase(std::filesystem::path file)
{
    auto runs = std::make_shared<StoredRuns>(std::move(file));
    const std::scoped_lock lock(m_mutex);
    if (m_thread.joinable()) // closes the connection first, because closing writes to the file
        m_items.push_back({StoreUse::Change, m_runs, [](StoredRuns &) {}});
    m_runs = std::move(runs);
    m_changed.notify_all();
}

std::filesystem::path StoreQueue::file() const
{
    const std::scoped_lock lock(m_mutex);
    return m_runs->file();
}

void StoreQueue::runUntil(const std::stop_token &stop)
{
    for (;;) {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, stop, [this] { return !m_items.empty(); });
        if (m_items.empty())
            return;
        const Item item = std::move(m_items.front());
        m_items.pop_front();
        lock.unlock();
        if (stop.stop_requested() && item.use == StoreUse::Read)
            continue;
        item.runs->setPatience({item.use == StoreUse::Read ? kReadPatience : store::Patience::kUsual, stop});
        item.work(*item.runs);
    }
}

} // namespace stagelens::service
