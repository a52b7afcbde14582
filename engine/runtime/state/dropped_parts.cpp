#include "engine/runtime/state/dropped_parts.h"

#include "engine/runtime/plan/shape.h"

namespace stagelens::runtime {

void DroppedParts::dropGradient(Parameter &parameter)
{
    if (parameter.isGradientDropped)
        return;
    parameter.isGradientDropped = true;
    poison(parameter.gradient, parameter.share, parameter.count());
    poison(parameter.outputGradient, {}, std::ssize(parameter.outputGradient.values()));
    count(simulate::MemoryCategory::Gradients,
          parameter.share.size() - parameter.count() - std::ssize(parameter.outputGradient.values()));
}

void DroppedParts::restoreGradient(Parameter &parameter)
{
    if (!parameter.isGradientDropped)
        return;
    parameter.isGradientDropped = false;
    const layout::Interval &share = parameter.share;
    m_compute.zero(parameter.gradient.data(), share.begin);
    m_compute.zero(parameter.gradient.data() + share.end, parameter.count() - share.end);
    m_compute.zero(parameter.outputGradient.data(), std::ssize(parameter.outputGradient.values()));
    count(simulate::MemoryCategory::Gradients,
          parameter.count() - share.size() + std::ssize(parameter.outputGradient.values()));
}

void DroppedParts::dropValue(Parameter &parameter)
{
    if (parameter.isValueDropped)
        return;
    parameter.isValueDropped = true;
    poison(parameter.value, parameter.share, parameter.count());
    poison(parameter.rounded, {parameter.share.begin / 2, (parameter.share.end + 1) / 2},
           parameter.count() / 2); // two numbers in a float
    countValues(parameter, -1);
}

void DroppedParts::restoreValue(Parameter &parameter)
{
    if (!parameter.isValueDropped)
        return;
    parameter.isValueDropped = false;
    countValues(parameter, 1);
}

void DroppedParts::poison(backend::Buffer &buffer, const layout::Interval &kept, std::int64_t count)
{
    if (!backend::checksMemory() || buffer.size() == 0)
        return;
    m_compute.finish(); // kernels may still read it
    m_compute.memory().poison(buffer.values().first(size(kept.begin)));
    if (count > kept.end)
        m_compute.memory().poison(buffer.values().subspan(size(kept.end), size(count - kept.end)));
}

void DroppedParts::countValues(const Parameter &parameter, int sign)
{
    const base::Bytes each = base::elementBytes(base::Precision::Fp32) +
                             (parameter.rounded.size() > 0 ? base::elementBytes(parameter.precision) : 0);
    m_meter.add(runtime::category(simulate::MemoryCategory::Parameters),
                sign * each * (parameter.count() - parameter.share.size()));
}

void DroppedParts::count(simulate::MemoryCategory category, std::int64_t floats)
{
    m_meter.add(runtime::category(category), floats * static_cast<base::Bytes>(sizeof(float)));
}

} // namespace stagelens::runtime
