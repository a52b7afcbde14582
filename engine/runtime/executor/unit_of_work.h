// What a device runs without looking up: a pass, or an overlapped pair.
#pragma once

#include "engine/runtime/executor/device.h"

#include <array>
#include <span>

namespace stagelens::runtime {

/// Takes a unit of passes through the three parts of Device. A pair has the times that the simulator gives it: it begins when
/// both can, one half follows the other, and what both make appears at its end.
class UnitOfWork {
public:
    UnitOfWork(Device &device, std::span<const schedule::Pass> unit) : m_device(device), m_unit(unit) {}

    /// False if the run was stopped meanwhile.
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
    /// The i-th pass.
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
