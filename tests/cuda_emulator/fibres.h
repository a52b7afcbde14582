// Runs the threads of a GPU kernel on the host: one fibre each, block by block, in a random order from a seed. Blocks and
// independent threads run in any order and as far ahead as possible, so a missing barrier gives a wrong result for some seed.
// Threads that wait at different barriers, or for a thread that has ended, are a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>

namespace stagelens::kernels::gpu::host {

inline constexpr int kWarp = 32;
inline constexpr std::int64_t kMostBlocks = 65535; ///< in y or z; in x up to 2^31 - 1

/// A launch in the emulator.
struct Grid {
    std::int64_t blocks = 1;
    std::int64_t blocksY = 1;
    std::int64_t blocksZ = 1;
    int threads = kWarp;
    std::size_t sharedBytes = 0;
    std::string kernel; ///< its name, for error messages
};

/// The position of the running thread.
struct Position {
    int thread = 0;
    int block = 0;
    int blockY = 0;
    int blockZ = 0;
    int threads = 0;
    int blocks = 0;
    int blocksZ = 0;
};

/// Sets the seed of the order of fibres in later launches of this thread.
void setSeed(std::uint64_t seed);
/// Sets the greatest shared memory of a block in later launches of this thread; initially 227 KiB, as on Hopper.
void setSharedLimit(std::size_t bytes);
[[nodiscard]] std::size_t sharedLimit();
/// Returns the fault of the last failed launch of this thread: kernel, threads and their positions.
[[nodiscard]] const std::string &lastFault();
/// Runs `kernel` for each thread of the grid. Returns false after a fault. Must not be nested.
[[nodiscard]] bool run(const Grid &grid, const std::function<void()> &kernel);

// The functions below may be called only by a running thread.

[[nodiscard]] const Position &position();
/// Returns the shared memory of the block, initialised with 0xff bytes (NaN as float and as bfloat16).
[[nodiscard]] std::byte *sharedMemory();
/// Blocks until every thread of the block waits here.
void waitForBlock(const std::source_location &where);

/// The value that a lane passes to its warp.
struct alignas(16) Deposit {
    std::byte bytes[32];
};
/// Blocks until all lanes of the warp are here. Returns their 32 values, valid until the next exchange of this lane.
[[nodiscard]] const Deposit *exchange(const Deposit &mine, const std::source_location &where);

/// Counts a barrier of the warp, after its exchange.
void countWarpBarrier();

/// Reports an access of the running thread, if accesses are watched (access_watch.h). The launch fails after its end if it
/// races with another, or if its address is nothing that a kernel can reach.
void onAccess(const void *address, std::size_t bytes, bool isWrite);
/// Watches the accesses of later launches of this thread. Shared memory and stacks are known; `canReach(address, bytes)`
/// decides on all others.
void watchAccesses(std::function<bool(const void *, std::size_t)> canReach);

/// Copies 16 bytes (zeros if `from` is null): with even seeds not before the copy is waited for, with odd ones at once.
void queueCopy(void *to, const void *from);
void endCopyGroup();
void finishCopies(int pendingGroups);

/// Ends the launch with a fault of this thread.
[[noreturn]] void fail(const std::string &why, const std::source_location &where);

} // namespace stagelens::kernels::gpu::host
