// The GPU kernels against the CPU's on the machine at hand: on a GPU what `stagelens-cli verify --kernels` runs, on fibres a
// test. The CPU's kernels are tested against float64; products are compared with plain loops in double.
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagelens::kernels::gpu::selftest {

/// Where kernels find their arrays: device memory, or the host's for fibres. Addresses are multiples of 256. Calls may wait for
/// the stream; after upload() returns the host's array may change.
class Memory {
public:
    virtual ~Memory() = default;
    /// Null where there is no more.
    [[nodiscard]] virtual void *allocate(std::int64_t bytes) = 0;
    virtual void release(void *array) = 0;
    virtual Status upload(void *to, const void *from, std::int64_t bytes) = 0;
    /// Waits for the kernels before it.
    virtual Status download(void *to, const void *from, std::int64_t bytes) = 0;
};

/// How far a kernel's output is from the CPU's: for float the norm of the difference over that of the reference; for bfloat16,
/// whose kernels must be within 2^-8 (|reference| + root mean square) of each element, the greatest share of that.
struct Result {
    std::string kernel;
    std::string type; ///< float, bf16, or float of bf16
    std::string shape;
    double error = 0;
    double bound = 0;
    std::string fault; ///< why nothing could be compared, or that a second run gave other bits
    [[nodiscard]] bool passed() const { return fault.empty() && error <= bound; }
};

/// Small shapes take a second on fibres; large ones have those of a model with hidden size 4096.
enum class Shapes : unsigned char { Small, Large };

/// Runs every kernel twice with each of its shapes. After a fault of a launch the rest is run all the same.
[[nodiscard]] std::vector<Result> run(Memory &memory, Stream stream, Shapes shapes);

} // namespace stagelens::kernels::gpu::selftest
