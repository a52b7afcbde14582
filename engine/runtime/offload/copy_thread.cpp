#include "engine/runtime/offload/copy_thread.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace stagelens::runtime {
namespace {

using Clock = std::chrono::steady_clock;

base::Nanos steadyNow()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

} // namespace

base::Bytes bytesOf(const Moves &moves)
{
    return std::accumulate(moves.begin(), moves.end(), base::Bytes{0}, [](base::Bytes sum, const Move &move) {
        return sum + static_cast<base::Bytes>(move.from.size_bytes());
    });
}

void copyNow(const Moves &moves)
{
    for (const Move &move : moves)
        std::ranges::copy(move.from, move.to.begin());
}

double copyRate(const model::ScheduleChoice &schedule)
{
    constexpr double kGiga = 1e9;
    return schedule.hostBandwidth.value_or(0) * kGiga;
}

base::Nanos leastTime(base::Bytes bytes, double bytesPerSecond)
{
    if (bytesPerSecond <= 0)
        return 0;
    constexpr auto kLongest = static_cast<double>(base::kLongestPass);
    const double nanos = static_cast<double>(bytes) / bytesPerSecond * static_cast<double>(base::kNanosPerSecond);
    return std::llround(std::min(nanos, kLongest));
}

CopyThread::CopyThread(double bytesPerSecond, std::function<void(const Moves &)> copy)
    : m_rate(bytesPerSecond), m_copy(std::move(copy)), m_thread([this](const std::stop_token &stop) { run(stop); })
{}

std::size_t CopyThread::launch(const Moves &moves)
{
    std::size_t number = 0;
    {
        const std::scoped_lock lock(m_mutex);
        number = m_jobs.size();
        m_jobs.push_back({moves, {}});
    }
    m_changed.notify_all();
    return number;
}

bool CopyThread::wait(std::size_t copy, const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    const bool hasEnded = m_changed.wait(lock, stop, [this, copy] { return m_done > copy; });
    if (m_failure)
        std::rethrow_exception(m_failure);
    return hasEnded;
}

void CopyThread::drop()
{
    std::unique_lock lock(m_mutex);
    m_jobs.resize(std::min(m_jobs.size(), m_done + 1)); // the one in progress, if any
    m_isDropping = true;
    m_changed.notify_all();
    m_changed.wait(lock, [this] { return m_done == m_jobs.size(); });
    m_isDropping = false;
    m_jobs.clear();
    m_done = 0;
    m_failure = nullptr;
}

CopyTimes CopyThread::times(std::size_t copy) const
{
    const std::scoped_lock lock(m_mutex);
    return m_jobs[copy].times;
}

void CopyThread::run(const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, stop, [this] { return m_done < m_jobs.size(); })) {
        Job &job = m_jobs[m_done]; // launch() and drop() do not move it
        const Moves moves = job.moves;
        lock.unlock();
        const base::Nanos begin = steadyNow();
        std::exception_ptr failure;
        try {
            m_copy(moves);
        } catch (...) {
            failure = std::current_exception();
        }
        const Clock::time_point earliest{std::chrono::nanoseconds(begin + leastTime(bytesOf(moves), m_rate))};
        lock.lock();
        if (!m_failure)
            m_failure = failure;
        m_changed.wait_until(lock, stop, earliest, [this] { return m_isDropping; });
        job.times = {begin, steadyNow()};
        ++m_done;
        m_changed.notify_all();
    }
}

} // namespace stagelens::runtime
