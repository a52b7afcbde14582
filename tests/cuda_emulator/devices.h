// Configures the emulated GPUs. Has C linkage, because the plug-in of the tests is loaded at run time.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// Sets the number of GPUs and their memory; initially one with 1 GiB.
void stagelensSetFibreGpus(int count, std::size_t bytesOfEach);
/// Sets when streams execute their work: 0: as late as possible, which is the beginning; otherwise the seed of random choices.
void stagelensSetFibreStreams(std::uint64_t seed);
/// Limits the pinned host memory.
void stagelensLimitPinnedOfFibres(std::size_t bytes);
/// Refuses to pin blocks of at least `from` and less than `to` bytes.
void stagelensRefusePinnedOfFibres(std::size_t from, std::size_t to);
/// Returns the bytes of pinned host memory.
[[nodiscard]] std::size_t stagelensPinnedOfFibres();
/// Makes all waits for streams fail after that many more; negative: never.
void stagelensLoseFibreGpusAfter(int waits);
/// Returns the allocated bytes of a GPU.
[[nodiscard]] std::size_t stagelensTakenOfFibreGpu(int device);
/// Returns how many blocks were freed while enqueued work could use them.
[[nodiscard]] int stagelensReleasedEarlyOnFibreGpus();
/// Sets whether a profiler records ranges, and returns the recorded ones, one per line. Not during a run.
void stagelensListenToFibres(bool listens);
[[nodiscard]] const char *stagelensRangesOfFibres();
}
