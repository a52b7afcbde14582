// Updates of parameters whose optimizer state the host keeps.
#pragma once

#include "engine/model/experiment.h"
#include "engine/runtime/state/parameters.h"

#include <functional>
#include <memory>
#include <vector>

namespace stagelens::runtime {

/// Copies the gradient of a parameter to the host, where an update then finds it, and paces the copies. The host of a GPU
/// updates with the kernels of a processor; copies in either direction run on a lane of the GPU. Used by the thread of its
/// device.
class HostUpdate {
public:
    using Update = std::function<void(Parameter &, backend::Compute &)>;
    /// `host`: null if the device updates its parameters. The arguments must outlive this object.
    HostUpdate(const model::ScheduleChoice &schedule, backend::Pool *host, backend::Compute &compute);

    [[nodiscard]] backend::Pool *pool() const { return m_host; }
    /// Returns the pool of the host, or else that of the device.
    [[nodiscard]] backend::Pool &poolOr(backend::Pool &device) const { return m_host != nullptr ? *m_host : device; }
    /// Returns the kernels of the host of a GPU; null on processors, whose kernels are those of the device.
    [[nodiscard]] backend::Compute *kernels() const { return m_kernels.get(); }
    /// Returns the kernels of updates.
    [[nodiscard]] backend::Compute &updater() const { return m_kernels ? *m_kernels : m_compute; }
    /// Allocates memory for the gradient of the largest parameter.
    void reserve(const std::vector<std::unique_ptr<Parameter>> &parameters);
    /// Calls `update` with updater(); with a host, while the parameter's gradient is its copy there, and clears that on the
    /// device.
    void run(Parameter &parameter, const Update &update);

private:
    void updateOnHost(Parameter &parameter, const Update &update);
    // With a lane: waits for the gradient, and launches the copy of the weights that passes read, which kernels then wait for.
    void copyGradient(Parameter &parameter);
    void copyWeights(Parameter &parameter);

    const model::ScheduleChoice &m_schedule;
    backend::Pool *m_host;
    backend::Compute &m_compute;
    backend::Buffer m_gradient;
    std::unique_ptr<backend::Compute> m_kernels;
    std::unique_ptr<backend::HostLane> m_lane;
};

} // namespace stagelens::runtime
