// Executes a schedule: the loop of the simulator, the validator, the message order and the virtual clock.
#pragma once

#include "engine/passes/frontier.h"
#include "engine/schedule/schedule.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagelens::schedule {

/// The state of a schedule in execution: each device runs its units (a pass, or an overlapped pair) in order.
class DevicesInOrder {
public:
    DevicesInOrder(const Schedule &schedule, const RequirementTable &table)
        : m_schedule(&schedule), m_frontier(table, schedule.placement(), schedule.microbatches(), size()), m_next(size()),
          m_free(size())
    {}
    /// Transfers take no time.
    explicit DevicesInOrder(const Schedule &schedule)
        : DevicesInOrder(schedule, {schedule.placement(), schedule.vocabulary(), [](Transfer, int, int) { return 0; }})
    {}

    [[nodiscard]] Frontier &frontier() { return m_frontier; }
    [[nodiscard]] const Frontier &frontier() const { return m_frontier; }
    /// Returns the position of the device's next pass, which equals the number of passes that it has run.
    [[nodiscard]] std::size_t next(int device) const { return m_next[static_cast<std::size_t>(device)]; }
    [[nodiscard]] const std::vector<std::size_t> &done() const { return m_next; }
    [[nodiscard]] bool isDone(int device) const { return next(device) == m_schedule->device(device).size(); }
    [[nodiscard]] std::span<const Pass> nextUnit(int device) const
    {
        return unitOf(m_schedule->device(device).subspan(next(device)));
    }
    /// End of the device's last unit.
    [[nodiscard]] base::Nanos free(int device) const { return m_free[static_cast<std::size_t>(device)]; }

    /// Returns whether the device's next unit can begin and raises `ready` to its earliest time; otherwise the device waits.
    bool isReady(int device, base::Nanos &ready)
    {
        return m_frontier.isReady(static_cast<std::size_t>(device), nextUnit(device), ready);
    }
    /// Ends the device's next unit at that time. Calls `wake(device)` for each device that waited for its results.
    template <class Wake>
    void finish(int device, base::Nanos end, Wake wake)
    {
        const std::span<const Pass> unit = nextUnit(device);
        m_next[static_cast<std::size_t>(device)] += unit.size();
        m_free[static_cast<std::size_t>(device)] = end;
        for (const Pass &pass : unit)
            m_frontier.complete(pass, end, [&](std::size_t waiter) { wake(static_cast<int>(waiter)); });
    }

    /// Runs all devices until each has finished or waits. `run(device, unit, ready)` executes a unit that may begin at `ready`
    /// and returns its end; a negative end stops the loop. `mayGoOn(device, ready)` can hold a device before its requirements
    /// are checked; if it returns false, it must make sure that the device is woken later.
    template <class Run, class MayGoOn>
    void run(Run run, MayGoOn mayGoOn)
    {
        for (int device = m_schedule->devices() - 1; device >= 0; --device)
            wake(device);
        while (!m_runnable.empty()) {
            const int device = m_runnable.back();
            m_runnable.pop_back();
            while (!isDone(device)) {
                base::Nanos ready = free(device);
                if (!mayGoOn(device, ready) || !isReady(device, ready))
                    break;
                const base::Nanos end = run(device, nextUnit(device), ready);
                if (end < 0)
                    return;
                finish(device, end, [this](int waiting) { wake(waiting); });
            }
        }
    }
    template <class Run>
    void run(Run run)
    {
        this->run(run, [](int, base::Nanos &) { return true; });
    }
    /// Makes run() check the device again.
    void wake(int device) { m_runnable.push_back(device); }

private:
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(m_schedule->devices()); }

    const Schedule *m_schedule;
    Frontier m_frontier;
    std::vector<std::size_t> m_next;
    std::vector<base::Nanos> m_free;
    std::vector<int> m_runnable;
};

} // namespace stagelens::schedule
