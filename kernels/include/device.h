// GPU memory, streams, events and device properties. Includes no CUDA header, so that callers also run on tests/cuda_emulator.
#pragma once

#include "kernels/include/stream.h"

#include <cstddef>
#include <string>

namespace stagelens::kernels::gpu {

/// A GPU of this machine.
struct DeviceInfo {
    std::string name;
    std::string address; ///< on the bus: the same for all processes, whichever GPUs they see
    int major = 0;       ///< of the compute capability
    int minor = 0;
    int multiprocessors = 0;
    std::size_t totalBytes = 0;
    std::size_t freeBytes = 0;
};

/// The least supported compute capability.
inline constexpr int kLeastMajor = 8;

/// cudaErrorMemoryAllocation.
inline constexpr Status kMissingMemory{2};

/// Fails if there is no driver or it is too old.
Status countDevices(int &count);
/// Queries free memory without creating a context, if possible.
Status describe(int device, DeviceInfo &info);
/// Returns the versions of driver and runtime library, as 1000 * major + 10 * minor.
Status versions(int &driver, int &runtime);

/// Selects that GPU on the calling thread.
Status use(int device);
/// Lets kernels of the selected GPU access the memory of another one. Succeeds if they already can.
Status reach(int device);

/// Allocates memory of the selected GPU, aligned to 256 bytes. On failure `data` is null.
Status allocate(void *&data, std::size_t bytes);
void release(void *data) noexcept;
/// Allocates pinned host memory, for copies that overlap other work.
Status allocatePinned(void *&data, std::size_t bytes);
void releasePinned(void *data) noexcept;
/// Pins host memory that was allocated otherwise. A copy must not cross the boundary of a block that was pinned.
Status pin(void *data, std::size_t bytes);
void unpin(void *data) noexcept;

/// Creates a stream that does not synchronise with the default stream.
Status makeStream(Stream &stream);
void destroy(Stream stream) noexcept;
/// Blocks until all enqueued work has completed. Returns its error, if any.
Status finish(Stream stream);
/// Copies between any addresses of the host or of GPUs.
Status copy(Stream stream, void *to, const void *from, std::size_t bytes);
/// Copies the first `bytes` of rows that are `toStride` and `fromStride` bytes apart.
Status copyRows(Stream stream, void *to, std::size_t toStride, const void *from, std::size_t fromStride, std::size_t rows,
                std::size_t bytes);
Status setBytes(Stream stream, void *to, int byte, std::size_t bytes);

/// A point in a stream.
struct Event {
    void *handle = nullptr;
};
Status makeEvent(Event &event);
void destroy(Event event) noexcept;
Status record(Event event, Stream stream);
/// Makes the work that is enqueued on the stream from now on wait for the last record() of the event, on any stream.
Status wait(Stream stream, Event event);
/// Returns whether the stream has reached the event, without blocking.
Status query(bool &happened, Event event);
/// Returns the time between two events that were reached.
Status elapsed(double &seconds, Event from, Event to);

} // namespace stagelens::kernels::gpu
