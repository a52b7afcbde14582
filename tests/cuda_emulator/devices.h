// What a test says of the GPUs that tests/cuda_emulator makes of this machine. C's names, for the plug-in of the tests is
// loaded.
#pragma once

#include <cstddef>

extern "C" {

/// From now on the machine has so many GPUs, with so much memory each. One of 1 GiB before that.
void stagelensSetFibreGpus(int count, std::size_t bytesOfEach);
/// After so many more waits for a stream all of them fail; negative: never.
void stagelensLoseFibreGpusAfter(int waits);
/// Bytes that are taken of one's memory.
[[nodiscard]] std::size_t stagelensTakenOfFibreGpu(int device);
/// Blocks that were given back while work waited in a stream that may have used them.
[[nodiscard]] int stagelensReleasedEarlyOnFibreGpus();
/// Whether a tool listens to the names of ranges, and which it has heard, a line each. Not while a run goes on.
void stagelensListenToFibres(bool listens);
[[nodiscard]] const char *stagelensRangesOfFibres();
}
