#include "engine/simulate/memory_profiles.h"

#include <algorithm>
#include <utility>

namespace stagelens::simulate {

namespace {
constexpr std::size_t kKeptSteps = 100'000; ///< of all cached profiles, 64 bytes each

/// Sets the memory of messages to the rest of a known peak. A run measures their lifetimes; a profile only bounds them.
MemoryProfile withPeak(MemoryProfile profile, base::Bytes peak)
{
    constexpr auto kMessages = static_cast<std::size_t>(MemoryCategory::Communication);
    const base::Bytes missing = peak - profile.peak();
    for (MemoryStep &step : profile.steps)
        step.bytes[kMessages] = std::max<base::Bytes>(step.bytes[kMessages] + missing, 0);
    return profile;
}
} // namespace

MemoryProfiles::MemoryProfiles(std::vector<base::Bytes> peaks, const model::Experiment &experiment,
                               std::shared_ptr<const schedule::Schedule> schedule, timeline::TimelinePtr timeline)
    : MemoryProfiles(peaks, [peaks, experiment, schedule = std::move(schedule), timeline = std::move(timeline)](int device) {
          return withPeak(memoryProfile(experiment, *schedule, *timeline, device), peaks[static_cast<std::size_t>(device)]);
      })
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
