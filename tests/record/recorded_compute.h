// Records each kernel call of a device before it makes it.
#pragma once

#include "engine/backend/compute.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stagelens::test {

/// The calls of all devices since restartRecording().
struct Recording {
    std::int64_t calls = 0;
    std::uint64_t hash = 0; ///< of each device's calls in their order: name, shapes, epilogue, buffers
};

/// Drops all devices and calls. With `isTraced` each call is stored as a line of text. Recordings of two runs are equal only on
/// the virtual clock: with a thread for each device, the order in which messages are allocated varies.
void restartRecording(bool isTraced);
[[nodiscard]] Recording recorded();
/// Returns the lines of each device.
[[nodiscard]] std::vector<std::string> recordedTraces();

/// Records each call and forwards it to `inner`. Addresses are recorded as `device:block+offset`, where blocks are numbered in
/// order of allocation, so that two runs of one plan give equal recordings.
[[nodiscard]] std::unique_ptr<backend::Compute> recordedCompute(std::unique_ptr<backend::Compute> inner);

} // namespace stagelens::test
