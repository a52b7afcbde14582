// The memory that the devices of a schedule need, for many cuts of the layers.
#pragma once

#include "engine/simulate/memory.h"

#include <map>
#include <vector>

namespace stagelens::simulate {

/// memoryNeeds() of the devices of a schedule for any cut of the plan's layers. Caches the results of devices with the same
/// numbers of layers and stages.
class DeviceNeeds {
public:
    /// The schedule must outlive it.
    DeviceNeeds(const model::Experiment &experiment, const schedule::Schedule &schedule);
    /// `cut` is the number of layers of each stage.
    [[nodiscard]] MemoryNeeds of(int device, const std::vector<int> &cut);

private:
    model::Experiment m_experiment;
    const schedule::Schedule &m_schedule;
    std::vector<std::vector<int>> m_stages;          ///< of each device
    std::map<std::vector<int>, MemoryNeeds> m_known; ///< by what they depend on
};

} // namespace stagelens::simulate
