// Watches what the threads of a kernel read and write: races in shared memory, and addresses that no GPU could reach. The
// kernels must be instrumented for it (tests/kernel_accesses).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stagelens::kernels::gpu::host {

/// A thread at an access: two accesses of a block are ordered if a barrier of the block is between them, or if both threads are
/// of one warp and a barrier of the warp is.
struct AccessPoint {
    int thread = -1;
    std::uint32_t blockBarriers = 0; ///< so far
    std::uint32_t warpBarriers = 0;  ///< of its warp so far
};

/// The last accesses to each byte of a block's shared memory.
class SharedAccesses {
public:
    void begin(std::size_t bytes) { m_bytes.assign(bytes, {}); }
    /// Returns the race of an access with an earlier one, "thread 3 writes byte 16 of shared memory, which thread 40 has read
    /// ...", or an empty string.
    [[nodiscard]] std::string add(std::size_t first, std::size_t count, const AccessPoint &at, bool isWrite);

private:
    struct Byte {
        AccessPoint writer;
        AccessPoint reader;      ///< the last
        AccessPoint otherReader; ///< the last of another thread
    };
    std::vector<Byte> m_bytes;
};

} // namespace stagelens::kernels::gpu::host
