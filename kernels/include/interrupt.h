// Interrupts long kernels.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stagelens::kernels {

/// Checked between the blocks of a long kernel. After it returns true, kernels return early with undefined outputs, so callers
/// must check it before they use them. The default always returns false.
struct Interrupt {
    bool (*asked)(const void *context) = nullptr;
    const void *context = nullptr;
    [[nodiscard]] bool operator()() const { return asked != nullptr && asked(context); }
};

/// Elements per block of inBlocks(): a few milliseconds of a memory-bound kernel.
inline constexpr std::int64_t kInterruptBlock = std::int64_t{1} << 20;

/// Calls `work(first, count)` for consecutive blocks of `total` elements until interrupted.
template <class Work>
void inBlocks(std::int64_t total, const Interrupt &interrupt, const Work &work)
{
    for (std::int64_t first = 0; first < total && !interrupt(); first += kInterruptBlock)
        work(first, std::min(total - first, kInterruptBlock));
}

} // namespace stagelens::kernels
