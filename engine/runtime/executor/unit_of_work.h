// The unit of execution: a pass, or an overlapped pair.
#pragma once

#include "engine/runtime/executor/device.h"

#include <array>
#include <span>

namespace stagelens::runtime {

/// Runs a unit on a device. A pair is timed as in the simulator: it begins when both passes are ready, the passes run one after
/// the other, and the results of both appear at its end.
class UnitOfWork {
public:
    UnitOfWork(Device &device, std::span<const schedule::Pass> unit) : m_device(device), m_unit(unit) {}

    /// Returns false if the run was stopped.
    [[nodiscard]] bool receive()
    {
        for (std::size_t i = 0; i < m_unit.size(); ++i) {
            auto payload = m_device.receive(m_unit[i]);
            if (!payload)
                return false;
            m_payloads[i] = std::move(*payload);
        }
        return true;
    }
    /// Computes the i-th pass.
    [[nodiscard]] base::Result<> compute(std::size_t i)
    {
        auto made = m_device.compute(m_unit[i], std::move(m_payloads[i]));
        if (!made)
            return made.error();
        m_payloads[i] = std::move(made).value();
        return {};
    }
    void publish()
    {
        for (std::size_t i = 0; i < m_unit.size(); ++i)
            m_device.publish(m_unit[i], std::move(m_payloads[i]));
    }

private:
    Device &m_device;
    std::span<const schedule::Pass> m_unit;
    std::array<Payload, 2> m_payloads;
};

} // namespace stagelens::runtime
