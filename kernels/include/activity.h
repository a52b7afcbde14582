// What tools and recorders of a GPU are told, and what they tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stagelens::kernels::gpu {

/// Whether a tool (Nsight Systems, say) listens to the names of ranges.
[[nodiscard]] bool isWatched() noexcept;
/// Until endRange(), what the calling thread asks of a GPU stands under that name in the tool.
void beginRange(const char *name) noexcept;
void endRange() noexcept;

/// A kernel or a copy that a GPU carried out.
struct ActivityRecord {
    std::uint64_t owner = 0;
    std::string name;
    std::int64_t begin = 0; ///< by the steady clock, in nanoseconds
    std::int64_t end = 0;
};

/// From now on every kernel and copy of this process' GPUs is recorded, which costs time. Why not, where that cannot be.
[[nodiscard]] std::string startRecording();
/// What the calling thread asks for until endOwner() belongs to `owner`.
void beginOwner(std::uint64_t owner) noexcept;
void endOwner() noexcept;
/// When all that was asked for is done: what had an owner, by begin. Recording ends.
[[nodiscard]] std::vector<ActivityRecord> stopRecording();

} // namespace stagelens::kernels::gpu
