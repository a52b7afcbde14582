// A kernel with the pattern of the attention kernels, and with each of the mistakes that the watch must find.
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::test {

enum class Mutant : unsigned char {
    None,
    MovedFetch,         ///< the next tile is fetched before all threads have read the one that it replaces
    MissingBarrier,     ///< a tile is read before the copies of other threads are known to have arrived
    MissingWarpBarrier, ///< a lane overwrites what others of its warp read
    HostPointer,        ///< the kernel is given memory of the processor
    OutOfBounds         ///< the last block reads one row after the end of the array
};

/// Adds up tiles of 32 x 4 floats: out[column] = the sum of the rows of in[rows, 4], a multiple of 32, on two warps that take
/// turns with two stages in shared memory.
[[nodiscard]] kernels::gpu::Status sumTiles(Mutant mutant, kernels::gpu::Stream stream, float *out, const float *in,
                                            std::int64_t rows);

} // namespace stagelens::test
