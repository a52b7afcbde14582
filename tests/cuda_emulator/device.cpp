// Emulated GPUs. A stream executes its work when a thread waits for it (streams.h).
#include "kernels/include/device.h"

#include "tests/cuda_emulator/devices.h"
#include "tests/cuda_emulator/streams.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace stagelens::kernels::gpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Status kNoDevice{100};
constexpr Status kLost{46}; ///< cudaErrorDevicesUnavailable
constexpr std::size_t kAlignment = 256;

struct Machine {
    std::mutex mutex;
    int devices = 1;
    std::size_t bytesOfEach = std::size_t{1} << 30U;
    struct Block {
        int device = 0;
        std::size_t bytes = 0;
    };
    std::map<void *, Block> blocks;
    std::map<int, std::size_t> taken;
    int releasedEarly = 0;
    // Host memory.
    std::size_t mostPinned = ~std::size_t{0};  ///< bytes in all
    std::size_t refusedFrom = ~std::size_t{0}; ///< bytes of an allocation that is refused
    std::size_t refusedTo = ~std::size_t{0};
    std::size_t pinned = 0;
    std::map<const std::byte *, std::size_t> pinnedBlocks;

    /// Counts a block, unless it is refused.
    bool pin(const void *data, std::size_t bytes)
    {
        if ((bytes >= refusedFrom && bytes < refusedTo) || pinned + bytes > mostPinned)
            return false;
        pinned += bytes;
        pinnedBlocks[static_cast<const std::byte *>(data)] = bytes;
        return true;
    }
    void unpin(const void *data)
    {
        if (const auto block = pinnedBlocks.extract(static_cast<const std::byte *>(data)))
            pinned -= block.mapped();
    }
    /// Returns whether a range that begins in a pinned block also ends in it, as copies require.
    [[nodiscard]] bool isInOneBlock(const void *data, std::size_t bytes) const
    {
        const auto *begin = static_cast<const std::byte *>(data);
        const auto after = pinnedBlocks.upper_bound(begin);
        if (after == pinnedBlocks.begin())
            return true;
        const auto &[first, size] = *std::prev(after);
        return begin >= first + size || begin + bytes <= first + size;
    }
};

Machine &machine()
{
    static Machine one;
    return one;
}

thread_local int inUse = 0;

/// Remaining waits before the GPUs fail; negative: never.
std::atomic<int> waitsLeft = -1;

bool isLost()
{
    int left = waitsLeft;
    while (left > 0 && !waitsLeft.compare_exchange_weak(left, left - 1)) {
    }
    return left == 0;
}

/// The object behind an event.
struct Moment {
    Clock::time_point time;
    bool hasPassed = true; ///< the work of the stream before it has completed
    host::Queue *queue = nullptr;
    std::int64_t after = 0; ///< completes after that many operations of the mock
    std::int64_t end = 0;   ///< and when that many pieces of the stream's own work were executed
};

Moment &momentOf(Event event)
{
    return *static_cast<Moment *>(event.handle);
}

std::size_t rounded(std::size_t bytes)
{
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

} // namespace

Status countDevices(int &count)
{
    count = machine().devices;
    return count > 0 ? Status{} : kNoDevice;
}

Status describe(int device, DeviceInfo &info)
{
    const std::scoped_lock lock(machine().mutex);
    if (device < 0 || device >= machine().devices)
        return kNoDevice;
    info = {"fibres on the host",
            "0000:" + std::to_string(device),
            9,
            0,
            1,
            machine().bytesOfEach,
            machine().bytesOfEach - machine().taken[device]};
    return {};
}

Status versions(int &driver, int &runtime)
{
    driver = runtime = 13000;
    return {};
}

Status use(int device)
{
    inUse = device;
    return device >= 0 && device < machine().devices ? Status{} : kNoDevice;
}

Status reach(int device)
{
    return device < machine().devices ? Status{} : kNoDevice;
}

Status allocate(void *&data, std::size_t bytes)
{
    const std::scoped_lock lock(machine().mutex);
    data = nullptr;
    const std::size_t size = rounded(bytes);
    if (machine().taken[inUse] + size > machine().bytesOfEach)
        return kMissingMemory;
    data = std::aligned_alloc(kAlignment, size);
    if (data == nullptr)
        return kMissingMemory;
    std::memset(data, 0xFF, size); // NaN, as unknown as what a GPU has there
    machine().blocks[data] = {inUse, size};
    machine().taken[inUse] += size;
    return {};
}

void release(void *data) noexcept
{
    const std::scoped_lock lock(machine().mutex);
    if (const auto block = machine().blocks.extract(data)) {
        machine().taken[block.mapped().device] -= block.mapped().bytes;
        machine().releasedEarly += host::Queue::busy > 0 ? 1 : 0;
        std::free(data);
    }
}

Status allocatePinned(void *&data, std::size_t bytes)
{
    const std::scoped_lock lock(machine().mutex);
    data = nullptr;
    data = std::aligned_alloc(kAlignment, rounded(bytes));
    if (data != nullptr && machine().pin(data, rounded(bytes)))
        return {};
    std::free(std::exchange(data, nullptr));
    return kMissingMemory;
}

void releasePinned(void *data) noexcept
{
    const std::scoped_lock lock(machine().mutex);
    if (data != nullptr)
        machine().unpin(data);
    std::free(data);
}

Status pin(void *data, std::size_t bytes)
{
    const std::scoped_lock lock(machine().mutex);
    return machine().pin(data, bytes) ? Status{} : kMissingMemory;
}

void unpin(void *data) noexcept
{
    const std::scoped_lock lock(machine().mutex);
    machine().unpin(data);
}

Status makeStream(Stream &stream)
{
    stream.handle = new host::Queue;
    return {};
}

void destroy(Stream stream) noexcept
{
    delete host::queueOf(stream);
}

Status finish(Stream stream)
{
    host::Queue *queue = host::queueOf(stream);
    const Status status = queue != nullptr ? queue->finish() : Status{};
    return isLost() ? kLost : status;
}

Status copy(Stream stream, void *to, const void *from, std::size_t bytes)
{
    {
        const std::scoped_lock lock(machine().mutex);
        if (!machine().isInOneBlock(to, bytes) || !machine().isInOneBlock(from, bytes))
            return kUnsupported;
    }
    return host::submit(stream, [=]() -> Status {
        std::memcpy(to, from, bytes);
        return {};
    });
}

Status copyRows(Stream stream, void *to, std::size_t toStride, const void *from, std::size_t fromStride, std::size_t rows,
                std::size_t bytes)
{
    return host::submit(stream, [=]() -> Status {
        for (std::size_t row = 0; row < rows; ++row)
            std::memcpy(static_cast<std::byte *>(to) + row * toStride, static_cast<const std::byte *>(from) + row * fromStride,
                        bytes);
        return {};
    });
}

Status setBytes(Stream stream, void *to, int byte, std::size_t bytes)
{
    return host::submit(stream, [=]() -> Status {
        std::memset(to, byte, bytes);
        return {};
    });
}

Status makeEvent(Event &event)
{
    event.handle = new Moment;
    return {};
}

void destroy(Event event) noexcept
{
    delete &momentOf(event);
}

Status record(Event event, Stream stream)
{
    host::Queue *queue = host::queueOf(stream);
    Moment &moment = momentOf(event);
    const bool hasPassed = queue == nullptr || !queue->hasWork();
    moment = {Clock::now(), hasPassed, queue, queue != nullptr ? queue->queued.load() : 0,
              queue != nullptr ? queue->added() + (hasPassed ? 0 : 1) : 0};
    if (!hasPassed)
        queue->add([&moment]() -> Status {
            moment.time = Clock::now();
            moment.hasPassed = true;
            return {};
        });
    return {};
}

Status wait(Stream stream, Event event)
{
    const Moment &moment = momentOf(event);
    if (moment.queue == nullptr)
        return {};
    // Of this record(), not of a later one.
    return host::submit(stream, [queue = moment.queue, end = moment.end, after = moment.after]() -> Status {
        queue->executeUntil(end);
        queue->waitForMock(after);
        return {};
    });
}

Status query(bool &happened, Event event)
{
    const Moment &moment = momentOf(event);
    happened = moment.hasPassed && (moment.queue == nullptr || moment.queue->over >= moment.after);
    return {};
}

Status elapsed(double &seconds, Event from, Event to)
{
    seconds = std::chrono::duration<double>(momentOf(to).time - momentOf(from).time).count();
    return {};
}

} // namespace stagelens::kernels::gpu

using stagelens::kernels::gpu::machine;

void stagelensSetFibreGpus(int count, std::size_t bytesOfEach)
{
    const std::scoped_lock lock(machine().mutex);
    machine().devices = count;
    machine().bytesOfEach = bytesOfEach;
}

void stagelensSetFibreStreams(std::uint64_t seed)
{
    stagelens::kernels::gpu::host::streamSeed = seed;
}

void stagelensLimitPinnedOfFibres(std::size_t bytes)
{
    const std::scoped_lock lock(machine().mutex);
    machine().mostPinned = bytes;
}

void stagelensRefusePinnedOfFibres(std::size_t from, std::size_t to)
{
    const std::scoped_lock lock(machine().mutex);
    machine().refusedFrom = from;
    machine().refusedTo = to;
}

std::size_t stagelensPinnedOfFibres()
{
    const std::scoped_lock lock(machine().mutex);
    return machine().pinned;
}

void stagelensLoseFibreGpusAfter(int waits)
{
    stagelens::kernels::gpu::waitsLeft = waits;
}

std::size_t stagelensTakenOfFibreGpu(int device)
{
    const std::scoped_lock lock(machine().mutex);
    return machine().taken[device];
}

int stagelensReleasedEarlyOnFibreGpus()
{
    const std::scoped_lock lock(machine().mutex);
    return machine().releasedEarly;
}
