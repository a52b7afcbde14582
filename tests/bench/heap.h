// Counts what a benchmark takes from the heap.
#pragma once

#include <cstddef>

namespace stagelens::bench {

/// Bytes that are allocated now, by operator new of this program.
[[nodiscard]] std::size_t heapNow();
/// Calls of operator new so far, on any thread.
[[nodiscard]] std::size_t allocations();
/// The most since the last call of startPeak().
[[nodiscard]] std::size_t heapPeak();
void startPeak();

} // namespace stagelens::bench
