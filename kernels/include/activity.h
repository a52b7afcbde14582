// Names ranges for profilers, and records GPU activity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stagelens::kernels::gpu {

/// Returns whether a profiler (for example Nsight Systems) records ranges.
[[nodiscard]] bool isWatched() noexcept;
/// Names the work that this thread enqueues until endRange().
void beginRange(const char *name) noexcept;
void endRange() noexcept;

/// A kernel or a copy that a GPU executed.
struct ActivityRecord {
    std::uint64_t owner = 0;
    std::string name;
    std::int64_t begin = 0; ///< by the steady clock, in nanoseconds
    std::int64_t end = 0;
};

/// Starts recording every kernel and copy of this process, which costs time. Returns an error message, or an empty string.
[[nodiscard]] std::string startRecording();
/// Attributes the work that this thread enqueues until endOwner() to `owner`.
void beginOwner(std::uint64_t owner) noexcept;
void endOwner() noexcept;
/// Stops recording and returns the activity with an owner, sorted by begin. All work must have completed.
[[nodiscard]] std::vector<ActivityRecord> stopRecording();

} // namespace stagelens::kernels::gpu
