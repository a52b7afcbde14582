// kernels/cuda/gpu.h for nvcc. Needs compute capability 8.0.
#pragma once

#include "kernels/include/bf16.h"
#include "kernels/include/stream.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#define STAGELENS_DEVICE __device__ __forceinline__
/// A kernel of blocks of `threads`, of which at least `blocks` shall fit a multiprocessor: what bounds its registers.
#define STAGELENS_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)

namespace stagelens::kernels::gpu {

STAGELENS_DEVICE int threadIndex()
{
    return static_cast<int>(threadIdx.x);
}
STAGELENS_DEVICE int blockThreads()
{
    return static_cast<int>(blockDim.x);
}
STAGELENS_DEVICE int blockIndex()
{
    return static_cast<int>(blockIdx.x);
}
STAGELENS_DEVICE int blockIndexY()
{
    return static_cast<int>(blockIdx.y);
}
STAGELENS_DEVICE int blockIndexZ()
{
    return static_cast<int>(blockIdx.z);
}
STAGELENS_DEVICE int gridBlocks()
{
    return static_cast<int>(gridDim.x);
}
STAGELENS_DEVICE int gridBlocksZ()
{
    return static_cast<int>(gridDim.z);
}

/// All threads of the block wait for each other.
STAGELENS_DEVICE void syncBlock()
{
    __syncthreads();
}
/// The value of the lane whose number differs by `mask`. All 32 lanes take part.
template <class T>
STAGELENS_DEVICE T shuffleXor(T value, int mask)
{
    return __shfl_xor_sync(0xffffffffU, value, mask);
}

/// The value of one lane. All 32 lanes take part.
template <class T>
STAGELENS_DEVICE T shuffleFrom(T value, int lane)
{
    return __shfl_sync(0xffffffffU, value, lane);
}

/// Whether it is true in any lane. All 32 lanes take part.
STAGELENS_DEVICE bool anyOf(bool value)
{
    return __any_sync(0xffffffffU, value) != 0;
}

/// The block's shared memory, as many bytes as its launch asked for, of unknown content.
STAGELENS_DEVICE unsigned char *sharedBytes()
{
    extern __shared__ __align__(16) unsigned char bytes[];
    return bytes;
}

/// 2 to the power of x, within 2 ulp; 0 of -infinity.
STAGELENS_DEVICE float exp2Fast(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
/// Quotient within 2 ulp, of a divisor between 2^-126 and 2^126.
STAGELENS_DEVICE float divideFast(float a, float b)
{
    return __fdividef(a, b);
}

/// a b, rounded before anything is added to it.
STAGELENS_DEVICE float productOf(float a, float b)
{
    return __fmul_rn(a, b);
}

/// Sixteen bytes at an address that is a multiple of 16.
struct alignas(16) Words16 {
    std::uint32_t at[4];
};
STAGELENS_DEVICE Words16 load16(const void *from)
{
    const uint4 words = *static_cast<const uint4 *>(from);
    return {{words.x, words.y, words.z, words.w}};
}
STAGELENS_DEVICE void store16(void *to, const Words16 &words)
{
    *static_cast<uint4 *>(to) = make_uint4(words.at[0], words.at[1], words.at[2], words.at[3]);
}

/// Begins to bring the line of memory there into the L2; it shall be memory of the device.
STAGELENS_DEVICE void prefetch(const void *at)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/// Two bfloat16 in one word, the first in its lower half.
STAGELENS_DEVICE std::uint32_t packBf16(float first, float second)
{
    std::uint32_t word;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
    return word;
}

STAGELENS_DEVICE std::uint32_t sharedAddress(const void *shared)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
// Places in shared memory are the address of an array there and a distance in bytes from it, for addresses of 32 bits take half
// the registers of pointers.

/// Begins to copy 16 bytes into shared memory, or to fill them with zeros where `valid` is false; both addresses are multiples
/// of 16. The copy is there for this thread after waitForCopies(), for others after a barrier behind that.
STAGELENS_DEVICE void copyAsync16(void *shared, int distance, const void *global, bool valid)
{
    const int bytes = valid ? 16 : 0;
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sharedAddress(shared) + static_cast<std::uint32_t>(distance)),
        "l"(global), "r"(bytes)
        : "memory");
}
/// Ends a group of copies.
STAGELENS_DEVICE void commitCopies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits for all of this thread's groups but the last `Pending`.
template <int Pending>
STAGELENS_DEVICE void waitForCopies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

/// Four matrices of 8 x 8 bfloat16 from shared memory: lane l names row l % 8 of matrix l / 8 (16 bytes); of each matrix it
/// gets elements 2 (l % 4) and the next of row l / 4.
STAGELENS_DEVICE void loadMatrices(std::uint32_t (&to)[4], const void *shared, int distance)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(sharedAddress(shared) + static_cast<std::uint32_t>(distance))
                 : "memory");
}
/// The same, each matrix transposed.
STAGELENS_DEVICE void loadMatricesTransposed(std::uint32_t (&to)[4], const void *shared, int distance)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(sharedAddress(shared) + static_cast<std::uint32_t>(distance))
                 : "memory");
}
/// c[16, 8] += a[16, 16] b[16, 8] of bfloat16 in float. With g = lane / 4 and t = lane % 4, a lane holds of c (g, 2t), (g,
/// 2t+1), (g+8, 2t), (g+8, 2t+1); of a, in pairs, (g, 2t), (g+8, 2t), (g, 2t+8), (g+8, 2t+8); of b (2t, g), (2t+8, g).
STAGELENS_DEVICE void multiplyMatrices(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

inline Status statusOf(cudaError_t code)
{
    if (code != cudaSuccess)
        (void)cudaGetLastError(); // one that can be forgotten shall not be met again by the next launch
    return {static_cast<int>(code)};
}

/// The shared memory that a block may ask for on the device in use: 99 KiB on some, 163 or 227 KiB on others.
inline std::int64_t mostSharedBytes()
{
    int device = 0;
    int bytes = 0;
    const bool isKnown = cudaGetDevice(&device) == cudaSuccess &&
                         cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess;
    return isKnown ? bytes : 0;
}

/// What a kernel is started with.
struct Launch {
    std::int64_t blocks = 1;
    int threads = 32;
    std::int64_t sharedBytes = 0;
    Stream stream{};
    std::int64_t blocksY = 1;
    std::int64_t blocksZ = 1;
};

template <class... Parameters>
Status launchWith(const Launch &how, void (*kernel)(Parameters...), std::type_identity_t<Parameters>... arguments)
{
    if (how.blocks <= 0 || how.blocksY <= 0 || how.blocksZ <= 0)
        return {};
    const auto *entry = reinterpret_cast<const void *>(kernel);
    constexpr std::int64_t kAlwaysThere = 48 * 1024;
    if (how.sharedBytes > kAlwaysThere)
        if (const Status status = statusOf(
                cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(how.sharedBytes)));
            status.failed())
            return status;
    cudaLaunchConfig_t config{};
    config.gridDim =
        dim3(static_cast<unsigned>(how.blocks), static_cast<unsigned>(how.blocksY), static_cast<unsigned>(how.blocksZ));
    config.blockDim = dim3(static_cast<unsigned>(how.threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(how.sharedBytes);
    config.stream = static_cast<cudaStream_t>(how.stream.handle);
    void *addresses[] = {&arguments...};
    return statusOf(cudaLaunchKernelExC(&config, entry, addresses));
}

/// Queues `Kernel` with these arguments; a grid without blocks is no work. The only place where kernels are started.
template <auto Kernel, class... Arguments>
Status launch(const Launch &how, Arguments... arguments)
{
    return launchWith(how, Kernel, arguments...);
}

} // namespace stagelens::kernels::gpu
