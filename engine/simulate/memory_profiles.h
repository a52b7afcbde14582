// The memory profiles of a timeline's devices, made one at a time.
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

/// What each device holds over time, made when it is looked at: a pass changes memory several times, so that all profiles of a
/// large plan take many times the room of its timeline. Thread-safe.
class MemoryProfiles {
public:
    using Maker = std::function<MemoryProfile(int device)>;
    /// `peaks`: bytes, one a device. `make` is called for a device when its profile is asked for.
    MemoryProfiles(std::vector<base::Bytes> peaks, Maker make) : m_peaks(std::move(peaks)), m_make(std::move(make)) {}
    /// Of a timeline of an experiment with a model. The profile of a device has the peak of `peaks`: those decide.
    MemoryProfiles(std::vector<base::Bytes> peaks, const model::Experiment &experiment,
                   std::shared_ptr<const schedule::Schedule> schedule, timeline::TimelinePtr timeline);

    [[nodiscard]] const std::vector<base::Bytes> &peaks() const { return m_peaks; }
    [[nodiscard]] int devices() const { return static_cast<int>(m_peaks.size()); }
    /// The profile of a device, 0 <= device < devices(). The profiles of a small plan are kept, and of a large one the last.
    [[nodiscard]] std::shared_ptr<const MemoryProfile> of(int device) const;

private:
    std::vector<base::Bytes> m_peaks;
    Maker m_make;
    mutable std::mutex m_mutex;
    mutable std::map<int, std::shared_ptr<const MemoryProfile>> m_kept;
    mutable std::size_t m_keptSteps = 0;
};

} // namespace stagelens::simulate
