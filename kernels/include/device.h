// What is asked of a GPU beside kernels: memory, the order of work, and time. Without a CUDA header, so that the same callers
// run on tests/cuda_emulator.
#pragma once

#include "kernels/include/stream.h"

#include <cstddef>
#include <string>

namespace stagelens::kernels::gpu {

/// A GPU of this machine.
struct DeviceInfo {
    std::string name;
    int major = 0; ///< of the compute capability
    int minor = 0;
    int multiprocessors = 0;
    std::size_t totalBytes = 0;
    std::size_t freeBytes = 0;
};

/// The least compute capability that the kernels are written for.
inline constexpr int kLeastMajor = 8;

/// cudaErrorMemoryAllocation.
inline constexpr Status kMissingMemory{2};

/// Fails where there is no driver, or one that is too old.
Status countDevices(int &count);
/// Free memory is asked for without taking a context, where that can be.
Status describe(int device, DeviceInfo &info);
/// Versions of the driver and of the runtime library, as 1000 * major + 10 * minor.
Status versions(int &driver, int &runtime);

/// The calling thread works with that GPU from now on.
Status use(int device);
/// Lets kernels of the GPU in use read and write the memory of another one. Success where that was so already.
Status reach(int device);

/// Memory of the GPU in use, at an address that is a multiple of 256. What is taken last, while there is none, is null.
Status allocate(void *&data, std::size_t bytes);
void release(void *data) noexcept;
/// Memory of the host that a GPU copies from and to while others work.
Status allocatePinned(void *&data, std::size_t bytes);
void releasePinned(void *data) noexcept;

/// A stream that waits for no other one.
Status makeStream(Stream &stream);
void destroy(Stream stream) noexcept;
/// Waits until all that was queued is done; answers what went wrong in it.
Status finish(Stream stream);
/// Between any two places, of the host or of any GPU.
Status copy(Stream stream, void *to, const void *from, std::size_t bytes);
Status setBytes(Stream stream, void *to, int byte, std::size_t bytes);

/// A moment in a stream.
struct Event {
    void *handle = nullptr;
};
Status makeEvent(Event &event);
void destroy(Event event) noexcept;
Status record(Event event, Stream stream);
/// Whether it has happened, without waiting.
Status query(bool &happened, Event event);
/// Between two events that have happened.
Status elapsed(double &seconds, Event from, Event to);

} // namespace stagelens::kernels::gpu
