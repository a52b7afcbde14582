#include "engine/simulate/memory_profiles.h"

#include <utility>

namespace stagelens::simulate {

namespace {
constexpr std::size_t kKeptSteps = 100'000; ///< of all profiles that are kept, 64 bytes each
}

MemoryProfiles::MemoryProfiles(std::vector<base::Bytes> peaks, const model::Experiment &experiment,
                               std::shared_ptr<const schedule::Schedule> schedule, timeline::TimelinePtr timeline)
    : MemoryProfiles(std::move(peaks), [experiment, schedule = std::move(schedule), timeline = std::move(timeline)](
                                           int device) { return memoryProfile(experiment, *schedule, *timeline, device); })
{}

std::shared_ptr<const MemoryProfile> MemoryProfiles::of(int device) const
{
    const std::scoped_lock lock(m_mutex);
    if (const auto known = m_kept.find(device); known != m_kept.end())
        return known->second;
    auto made = std::make_shared<const MemoryProfile>(m_make(device));
    if (m_keptSteps + made->steps.size() > kKeptSteps) {
        m_kept.clear();
        m_keptSteps = 0;
    }
    m_keptSteps += made->steps.size();
    m_kept.emplace(device, made);
    return made;
}

} // namespace stagelens::simulate
