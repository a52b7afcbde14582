// The unit of execution: a pass, or an overlapped pair.
#pragma once

#include "engine/runtime/executor/device.h"

#include <algorithm>
#include <array>
#include <span>

namespace stagelens::runtime {

/// Runs a unit on a device. A pair is timed as in the simulator: it begins when both passes are ready, the passes run one after
/// the other, and the results of both appear at its end.
class UnitOfWork {
public:
    UnitOfWork(Device &device, std::span<const schedule::Pass> unit) : m_device(device), m_unit(unit), m_count(unit.size())
    {
        for (std::size_t i = 0; i < m_count; ++i)
            m_runs[i] = device.makeRun(unit[i]);
    }

    /// Begins the copies and the memory of the unit. Returns false if the run was stopped.
    [[nodiscard]] bool begin() { return m_device.hostCopies().beginUnit(m_unit); }
    /// Receives the inputs of its passes and waits for its reloads. Returns false if the run was stopped.
    [[nodiscard]] bool receive()
    {
        return std::all_of(m_runs.begin(), m_runs.begin() + m_count, [this](PassRun &run) { return m_device.receive(run); }) &&
               m_device.hostCopies().joinReloads();
    }
    [[nodiscard]] PassRun &run(std::size_t i) { return m_runs[i]; }
    /// Computes the i-th pass.
    [[nodiscard]] base::Result<> compute(std::size_t i) { return m_device.compute(m_runs[i]); }
    void publish()
    {
        std::for_each_n(m_runs.begin(), m_count, [this](PassRun &run) { m_device.publish(run); });
    }

private:
    Device &m_device;
    std::span<const schedule::Pass> m_unit;
    std::size_t m_count;
    std::array<PassRun, 2> m_runs;
};

} // namespace stagelens::runtime
