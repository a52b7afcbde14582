#include "engine/runtime/state/host_update.h"

#include "engine/runtime/offload/copy_thread.h"
#include "engine/runtime/plan/shape.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace stagelens::runtime {

HostUpdate::HostUpdate(const model::ScheduleChoice &schedule, backend::Pool *host, backend::Compute &compute)
    : m_schedule(schedule), m_host(host), m_compute(compute)
{
    if (m_host != nullptr)
        m_lane = compute.makeHostLane();
    if (m_lane)
        m_kernels = compute.precision() == base::Precision::Fp32 ? backend::makeCpuCompute()
                                                                 : backend::makeNarrowCpuCompute(compute.precision());
}

void HostUpdate::reserve(const std::vector<std::unique_ptr<Parameter>> &parameters)
{
    std::int64_t largest = 0;
    for (const auto &parameter : parameters)
        largest = std::max(largest, parameter->count());
    if (m_host != nullptr && largest > 0)
        m_gradient = m_host->allocate(size(largest), category(simulate::MemoryCategory::Gradients));
}

void HostUpdate::run(Parameter &parameter, const Update &update)
{
    if (m_host == nullptr)
        return update(parameter, m_compute);
    const layout::Interval updated = parameter.updated();
    if (m_lane)
        copyGradient(parameter);
    else
        m_compute.copy(m_gradient.data() + updated.begin, parameter.gradient.data() + updated.begin, updated.size());
    updateOnHost(parameter, update);
    const std::span<float> onDevice = parameter.liveGradient();
    m_compute.zero(onDevice.data(), std::ssize(onDevice));
    if (m_lane)
        copyWeights(parameter);
    else
        m_compute.finish();
    const base::Bytes back = parameter.isFetched ? 0 : base::elementBytes(parameter.precision);
    const base::Bytes bytes = updated.size() * (static_cast<base::Bytes>(sizeof(float)) + back);
    if (const base::Nanos least = leastTime(bytes, copyRate(m_schedule)); least > 0)
        std::this_thread::sleep_for(std::chrono::nanoseconds(least));
}

/// The host of a GPU cannot write what passes read on it.
void HostUpdate::updateOnHost(Parameter &parameter, const Update &update)
{
    backend::Buffer onDevice;
    const bool isBeyondHost = m_lane && !parameter.isFetched;
    if (isBeyondHost)
        std::swap(parameter.rounded, onDevice);
    std::swap(parameter.gradient, m_gradient);
    update(parameter, updater());
    std::swap(parameter.gradient, m_gradient);
    if (isBeyondHost)
        std::swap(parameter.rounded, onDevice);
}

void HostUpdate::copyGradient(Parameter &parameter)
{
    const layout::Interval updated = parameter.updated();
    const auto part = [&updated](backend::Buffer &buffer) {
        return buffer.values().subspan(size(updated.begin), size(updated.size()));
    };
    (void)m_lane->launch({Move{part(m_gradient), part(parameter.gradient)}, {}});
    m_lane->finish();
    m_lane->beginStep();
}

/// Of shares, passes read what replicas gather next.
void HostUpdate::copyWeights(Parameter &parameter)
{
    const std::int64_t count = parameter.count();
    if (parameter.isFetched || count == 0 || parameter.updated().size() < count)
        return;
    std::span<const float> from = parameter.value.values().first(size(count));
    if (parameter.precision != base::Precision::Fp32) { // in the place of the gradient, which the update has used
        const std::span<float> rounded = m_gradient.values().first(size(base::floatsOf(count, parameter.precision)));
        rounded.back() = 0; // its second half may be of the padding
        m_kernels->round({rounded.data(), parameter.precision}, from.data(), count);
        from = rounded;
    }
    m_lane->join(m_lane->launch({Move{parameter.rounded.values().first(from.size()), from}, {}}));
}

} // namespace stagelens::runtime
