// What ZeRO-2 and 3 do not keep: gradients after their reduction, and parameters between steps, outside of a replica's share.
#pragma once

#include "engine/backend/compute.h"
#include "engine/runtime/state/parameters.h"
#include "engine/simulate/memory.h"

namespace stagelens::runtime {

/// Drops or restores the elements of gradients or values outside of each parameter's share. Their memory stays in the slab,
/// which is planned for the peak of the step, when all are held; the meter counts them only while they are held. Builds with
/// memory checks fill dropped elements with NaN. Used by the thread of a device.
class DroppedParts {
public:
    DroppedParts(backend::MemoryMeter &meter, backend::Compute &compute) : m_meter(meter), m_compute(compute) {}

    void dropGradient(Parameter &parameter);
    /// Restores a gradient; what was dropped is 0.
    void restoreGradient(Parameter &parameter);
    void dropValue(Parameter &parameter);
    /// Restores a value; what was dropped is undefined.
    void restoreValue(Parameter &parameter);

private:
    /// Fills the first `count` floats but the kept ones: zeros beyond them stay (Parameter::paddingRows).
    void poison(backend::Buffer &buffer, const layout::Interval &kept, std::int64_t count);
    /// Counts the values, and their rounded copies, that other replicas own.
    void countValues(const Parameter &parameter, int sign);
    void count(simulate::MemoryCategory category, std::int64_t floats);

    backend::MemoryMeter &m_meter;
    backend::Compute &m_compute;
};

} // namespace stagelens::runtime
