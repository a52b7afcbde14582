// Compares the GPU kernels with the CPU kernels: on a GPU in `stagelens-cli verify --kernels`, in the emulator as a test. The
// CPU kernels are tested against float64; products are compared with plain loops in double.
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagelens::kernels::gpu::selftest {

/// The memory of the arrays: device memory, or host memory in the emulator. Aligned to 256 bytes. Calls may wait for the
/// stream. After upload() the host array may change.
class Memory {
public:
    virtual ~Memory() = default;
    /// Returns null if memory is exhausted.
    [[nodiscard]] virtual void *allocate(std::int64_t bytes) = 0;
    virtual void release(void *array) = 0;
    virtual Status upload(void *to, const void *from, std::int64_t bytes) = 0;
    /// Waits for earlier kernels.
    virtual Status download(void *to, const void *from, std::int64_t bytes) = 0;
};

/// The difference between the output of a kernel and that of the CPU. For float: the norm of the difference over that of the
/// reference. For 16 bits, where elements must be within u (|reference| + root mean square), u being 2^-8 for bf16 and 2^-11
/// for fp16: the greatest fraction of that bound.
struct Result {
    std::string kernel;
    std::string type; ///< float, bf16, fp16, or float of bf16 or fp16
    std::string shape;
    double error = 0;
    double bound = 0;
    std::string fault; ///< why the comparison failed, or that a second run gave other bits
    [[nodiscard]] bool passed() const { return fault.empty() && error <= bound; }
};

/// Small shapes take a second in the emulator; large ones are those of a model with hidden size 4096.
enum class Shapes : unsigned char { Small, Large };

/// Runs every kernel twice with each of its shapes. Continues after a failed launch.
[[nodiscard]] std::vector<Result> run(Memory &memory, Stream stream, Shapes shapes);

} // namespace stagelens::kernels::gpu::selftest
