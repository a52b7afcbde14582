// Copies between device and host memory on a thread of their own, first in, first out.
#pragma once

#include "engine/backend/host_lane.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace stagelens::runtime {

using backend::CopyTimes;
using backend::Move;
using backend::Moves;

[[nodiscard]] base::Bytes bytesOf(const Moves &moves);
void copyNow(const Moves &moves);
/// Returns the rate that limits the copies of a run, in bytes/s; 0: unlimited.
[[nodiscard]] double copyRate(const model::ScheduleChoice &schedule);
/// Returns the least time that a copy takes at a rate in bytes/s; 0 if the rate is 0, which means unlimited.
[[nodiscard]] base::Nanos leastTime(base::Bytes bytes, double bytesPerSecond);

/// One lane of a link. The memory of a copy must stay valid until wait() or drop(). Used by one thread at a time.
class CopyThread {
public:
    /// Copies by `copy`, on the thread, and no faster than the rate; 0: unlimited.
    explicit CopyThread(double bytesPerSecond, std::function<void(const Moves &)> copy = copyNow);
    /// Drops the copies that have not begun.
    ~CopyThread() = default;
    CopyThread(const CopyThread &) = delete;
    CopyThread &operator=(const CopyThread &) = delete;

    /// Launches a copy; returns its number since drop(), from 0.
    std::size_t launch(const Moves &moves);
    /// Blocks until a copy has ended. Returns false if `stop` was requested first. Throws what a copy has thrown.
    [[nodiscard]] bool wait(std::size_t copy, const std::stop_token &stop);
    /// Ends the copy in progress without regard to the rate, and drops the others.
    void drop();

    /// Returns the times of a copy that has ended.
    [[nodiscard]] CopyTimes times(std::size_t copy) const;

private:
    struct Job {
        Moves moves;
        CopyTimes times;
    };
    void run(const std::stop_token &stop);

    const double m_rate;
    const std::function<void(const Moves &)> m_copy;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Job> m_jobs; ///< since drop()
    std::size_t m_done = 0; ///< of them
    bool m_isDropping = false;
    std::exception_ptr m_failure; ///< of the first copy that has thrown
    std::jthread m_thread;        ///< last: uses all of the above
};

} // namespace stagelens::runtime
