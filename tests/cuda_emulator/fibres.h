// Runs the threads of a GPU kernel on the host: one fibre each, block after block, in an order that a seed shuffles. Blocks and
// threads that do not wait for each other run in any order and as far ahead as they can, so a missing barrier shows as a wrong
// result under some seed; threads that wait at different barriers, or for one that has ended, are a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>

namespace stagelens::kernels::gpu::host {

inline constexpr int kWarp = 32;
inline constexpr std::int64_t kMostBlocks = 65535; ///< in y or in z; in x there may be 2^31 - 1

/// A launch as fibres see it.
struct Grid {
    std::int64_t blocks = 1;
    std::int64_t blocksY = 1;
    std::int64_t blocksZ = 1;
    int threads = kWarp;
    std::size_t sharedBytes = 0;
    std::string kernel; ///< its name, for faults
};

/// Where the running thread stands.
struct Position {
    int thread = 0;
    int block = 0;
    int blockY = 0;
    int blockZ = 0;
    int threads = 0;
    int blocks = 0;
    int blocksZ = 0;
};

/// The order of fibres in launches from now on, on this thread.
void setSeed(std::uint64_t seed);
/// The shared memory that a block may have in launches from now on, on this thread; at first 227 KiB, a Hopper's.
void setSharedLimit(std::size_t bytes);
[[nodiscard]] std::size_t sharedLimit();
/// What was wrong with the last launch that failed on this thread: kernel, threads and places.
[[nodiscard]] const std::string &lastFault();
/// Runs `kernel` once for each thread of the grid; false after a fault. It must not call run().
[[nodiscard]] bool run(const Grid &grid, const std::function<void()> &kernel);

// What follows may be called by a running thread only.

[[nodiscard]] const Position &position();
/// The block's shared memory; every byte is 0xff (NaN as float and as bfloat16) when the block begins.
[[nodiscard]] std::byte *sharedMemory();
/// Waits until every thread of the block waits here.
void waitForBlock(const std::source_location &where);

/// What a lane gives to its warp.
struct alignas(16) Deposit {
    std::byte bytes[32];
};
/// Waits until all lanes of the warp are here; answers their 32 deposits, which stay until this lane exchanges again.
[[nodiscard]] const Deposit *exchange(const Deposit &mine, const std::source_location &where);

/// A copy of 16 bytes (zeros where `from` is null) that is made no sooner than it is waited for.
void queueCopy(void *to, const void *from);
void endCopyGroup();
void finishCopies(int pendingGroups);

/// Ends the launch with a fault of this thread.
[[noreturn]] void fail(const std::string &why, const std::source_location &where);

} // namespace stagelens::kernels::gpu::host
