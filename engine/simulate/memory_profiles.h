// The memory profiles of a timeline's devices, computed one at a time.
#pragma once

#include "engine/simulate/memory.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace stagelens::simulate {

/// The memory of each device over time, computed on demand: a pass changes memory several times, so all profiles of a large
/// plan would take many times the memory of its timeline. Thread-safe.
class MemoryProfiles {
public:
    using Maker = std::function<MemoryProfile(int device)>;
    /// `peaks`: bytes by device. `make` is called when the profile of a device is requested.
    MemoryProfiles(std::vector<base::Bytes> peaks, Maker make) : m_peaks(std::move(peaks)), m_make(std::move(make)) {}
    /// Profiles of a timeline of an experiment with a model. The profile of a device is adjusted to its peak in `peaks`.
    MemoryProfiles(std::vector<base::Bytes> peaks, const model::Experiment &experiment,
                   std::shared_ptr<const schedule::Schedule> schedule, timeline::TimelinePtr timeline);

    [[nodiscard]] const std::vector<base::Bytes> &peaks() const { return m_peaks; }
    [[nodiscard]] int devices() const { return static_cast<int>(m_peaks.size()); }
    /// Returns the profile of a device, 0 <= device < devices(). Caches all profiles of a small plan, and the last of a large
    /// one.
    [[nodiscard]] std::shared_ptr<const MemoryProfile> of(int device) const;

private:
    std::vector<base::Bytes> m_peaks;
    Maker m_make;
    mutable std::mutex m_mutex;
    mutable std::map<int, std::shared_ptr<const MemoryProfile>> m_kept;
    mutable std::size_t m_keptSteps = 0;
};

} // namespace stagelens::simulate
