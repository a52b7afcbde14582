// A device that notes each call of a kernel before it makes it.
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

/// Forgets all devices and calls. With `isTraced` each call is kept as a line of text. Recordings of two runs are equal only on
/// the virtual clock: with a thread for each device, the order in which messages take their memory varies.
void restartRecording(bool isTraced);
[[nodiscard]] Recording recorded();
/// The lines of each device.
[[nodiscard]] std::vector<std::string> recordedTraces();

/// Passes every call on to `inner` once it is recorded. Addresses are recorded as `device:block+offset`, where blocks are
/// counted in the order in which the device's memory was taken, so that two runs of one plan give equal recordings.
[[nodiscard]] std::unique_ptr<backend::Compute> recordedCompute(std::unique_ptr<backend::Compute> inner);

} // namespace stagelens::test
