// How a long kernel learns that nobody waits for its result any more.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stagelens::kernels {

/// Asked between the blocks of a long kernel. Once it says yes, kernels return early and their outputs are worthless: the
/// caller asks as well before it uses them. The default never says yes.
struct Interrupt {
    bool (*asked)(const void *context) = nullptr;
    const void *context = nullptr;
    [[nodiscard]] bool operator()() const { return asked != nullptr && asked(context); }
};

/// Elements that inBlocks() does between two questions: a few milliseconds of a kernel that memory bounds.
inline constexpr std::int64_t kInterruptBlock = std::int64_t{1} << 20;

/// Calls `work(first, count)` for one block of `total` elements after another, until the interrupt says yes.
template <class Work>
void inBlocks(std::int64_t total, const Interrupt &interrupt, const Work &work)
{
    for (std::int64_t first = 0; first < total && !interrupt(); first += kInterruptBlock)
        work(first, std::min(total - first, kInterruptBlock));
}

} // namespace stagelens::kernels
