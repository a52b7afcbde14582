#include "engine/simulate/device_needs.h"

#include "engine/operators/recompute.h"
#include "engine/operators/sizes.h"

#include <utility>

namespace stagelens::simulate {

DeviceNeeds::DeviceNeeds(const model::Experiment &experiment, const schedule::Schedule &schedule)
    : m_experiment(experiment), m_schedule(schedule)
{
    for (int device = 0; device < schedule.devices(); ++device)
        m_stages.push_back(schedule.placement().stagesOf(device));
}

MemoryNeeds DeviceNeeds::of(int device, const std::vector<int> &cut)
{
    const std::vector<int> whole = operators::recomputedLayers(m_experiment.schedule, cut);
    // The engine's tables have as many rows as they need, so that shards differ.
    std::vector<int> key{operators::isEnginePlan(m_experiment) ? device : 0, weightVersions(m_schedule, device)};
    for (const int each : m_stages[static_cast<std::size_t>(device)]) {
        const auto stage = static_cast<std::size_t>(each);
        const int layers = stage < cut.size() ? cut[stage] : 0;
        const int ends = (each == 0 ? 1 : 0) + (each == m_schedule.placement().lastStage() ? 2 : 0);
        key.insert(key.end(), {ends, layers, stage < whole.size() ? whole[stage] : 0});
    }
    const auto [known, isNew] = m_known.try_emplace(std::move(key));
    if (isNew) {
        m_experiment.parallel.stageLayers = cut;
        known->second = memoryNeeds(m_experiment, m_schedule, device);
    }
    return known->second;
}

} // namespace stagelens::simulate
