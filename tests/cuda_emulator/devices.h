// Configures the emulated GPUs. Has C linkage, because the plug-in of the tests is loaded at run time.
#pragma once

#include <cstddef>

extern "C" {

/// Sets the number of GPUs and their memory; initially one with 1 GiB.
void stagelensSetFibreGpus(int count, std::size_t bytesOfEach);
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
