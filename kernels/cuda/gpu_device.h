// kernels/cuda/gpu.h for nvcc. Needs compute capability 8.0.
#pragma once

#include "kernels/cuda/types.h"
#include "kernels/include/stream.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#define STAGELENS_DEVICE __device__ __forceinline__
/// Declares a kernel with blocks of `threads` threads, at least `blocks` of which must fit on a multiprocessor; bounds its
/// registers.
#define STAGELENS_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)
/// Ten times the compute capability that the code is compiled for; 0 in the part of the host.
#ifdef __CUDA_ARCH__
#define STAGELENS_ARCHITECTURE (__CUDA_ARCH__ / 10)
#else
#define STAGELENS_ARCHITECTURE 0
#endif

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

/// A barrier of all threads of the block.
STAGELENS_DEVICE void syncBlock()
{
    __syncthreads();
}
/// A barrier of the 32 lanes of a warp. It orders their earlier accesses to shared memory before their later ones.
STAGELENS_DEVICE void syncWarp()
{
    __syncwarp();
}
/// Returns the value of the lane whose number differs by `mask`. All 32 lanes must call it.
template <class T>
STAGELENS_DEVICE T shuffleXor(T value, int mask)
{
    return __shfl_xor_sync(0xffffffffU, value, mask);
}

/// Returns the value of one lane. All 32 lanes must call it.
template <class T>
STAGELENS_DEVICE T shuffleFrom(T value, int lane)
{
    return __shfl_sync(0xffffffffU, value, lane);
}

/// Returns whether it is true in any lane. All 32 lanes must call it.
STAGELENS_DEVICE bool anyOf(bool value)
{
    return __any_sync(0xffffffffU, value) != 0;
}

/// Returns the dynamic shared memory of the block, uninitialised.
STAGELENS_DEVICE unsigned char *sharedBytes()
{
    extern __shared__ __align__(16) unsigned char bytes[];
    return bytes;
}

/// Returns 2^x with an error of at most 2 ulp; 0 for -infinity.
STAGELENS_DEVICE float exp2Fast(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
/// Returns the quotient with an error of at most 2 ulp, for divisors between 2^-126 and 2^126.
STAGELENS_DEVICE float divideFast(float a, float b)
{
    return __fdividef(a, b);
}

/// Returns a b, rounded (not fused with a later addition).
STAGELENS_DEVICE float productOf(float a, float b)
{
    return __fmul_rn(a, b);
}
STAGELENS_DEVICE double productOf(double a, double b)
{
    return __dmul_rn(a, b);
}

/// 16 bytes at an address aligned to 16.
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

/// Prefetches the cache line of device memory at that address into L2.
STAGELENS_DEVICE void prefetch(const void *at)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/// Returns two numbers rounded to T, of 16 bits, in one word, the first in its lower half.
template <class T>
STAGELENS_DEVICE std::uint32_t packPair(float first, float second)
{
    std::uint32_t word;
    if constexpr (std::is_same_v<T, Bf16>)
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
    else
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
    return word;
}
/// Returns the number of T in the lower half of a word, or in the upper half.
template <class T>
STAGELENS_DEVICE float lowerOf(std::uint32_t word)
{
    float number = __uint_as_float(word << 16U);
    if constexpr (std::is_same_v<T, Fp16>)
        asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low;}" : "=f"(number) : "r"(word));
    return number;
}
template <class T>
STAGELENS_DEVICE float upperOf(std::uint32_t word)
{
    float number = __uint_as_float(word & 0xffff0000U);
    if constexpr (std::is_same_v<T, Fp16>)
        asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high;}" : "=f"(number) : "r"(word));
    return number;
}

STAGELENS_DEVICE std::uint32_t sharedAddress(const void *shared)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
// Addresses in shared memory are an array and an offset in bytes, because 32-bit addresses take half the registers of pointers.

/// Starts an asynchronous copy of 16 bytes to shared memory, or fills them with zeros if `valid` is false; both addresses must
/// be aligned to 16. The copy is visible to this thread after waitForCopies(), to others after a subsequent barrier.
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
/// Waits for all copy groups of this thread except the last `Pending`.
template <int Pending>
STAGELENS_DEVICE void waitForCopies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

/// Loads four 8 x 8 matrices of 16-bit numbers from shared memory: lane l addresses row l % 8 of matrix l / 8 (16 bytes) and
/// receives elements 2 (l % 4) and the next one of row l / 4 of each matrix.
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
/// c[16, 8] += a[16, 16] b[16, 8] of T, of 16 bits, in float. With g = lane / 4 and t = lane % 4, a lane holds of c (g, 2t),
/// (g, 2t+1), (g+8, 2t), (g+8, 2t+1); of a, in pairs, (g, 2t), (g+8, 2t), (g, 2t+8), (g+8, 2t+8); of b (2t, g), (2t+8, g).
template <class T>
STAGELENS_DEVICE void multiplyMatrices(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1)
{
    if constexpr (std::is_same_v<T, Bf16>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

inline Status statusOf(cudaError_t code)
{
    if (code != cudaSuccess)
        (void)cudaGetLastError(); // clears the error, so that the next launch does not report it
    return {static_cast<int>(code)};
}

/// Returns the greatest shared memory of a block on the selected device: 99, 163 or 227 KiB.
inline std::int64_t mostSharedBytes()
{
    int device = 0;
    int bytes = 0;
    const bool isKnown = cudaGetDevice(&device) == cudaSuccess &&
                         cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess;
    return isKnown ? bytes : 0;
}

/// The launch configuration of a kernel.
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

/// Enqueues `Kernel`; does nothing for an empty grid. All kernels are launched here.
template <auto Kernel, class... Arguments>
Status launch(const Launch &how, Arguments... arguments)
{
    return launchWith(how, Kernel, arguments...);
}

} // namespace stagelens::kernels::gpu
