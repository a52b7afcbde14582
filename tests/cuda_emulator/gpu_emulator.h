// Implements kernels/cuda/gpu.h on the host, with the functions of gpu_device.h.
#pragma once

#include "kernels/cuda/types.h"
#include "kernels/include/rounding.h"
#include "kernels/include/stream.h"
#include "tests/cuda_emulator/fibres.h"
#include "tests/cuda_emulator/streams.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

#define STAGELENS_DEVICE inline
#define STAGELENS_KERNEL(threads, blocks) inline void

namespace stagelens::kernels::gpu {

using Where = std::source_location;

STAGELENS_DEVICE int threadIndex()
{
    return host::position().thread;
}
STAGELENS_DEVICE int blockThreads()
{
    return host::position().threads;
}
STAGELENS_DEVICE int blockIndex()
{
    return host::position().block;
}
STAGELENS_DEVICE int blockIndexY()
{
    return host::position().blockY;
}
STAGELENS_DEVICE int blockIndexZ()
{
    return host::position().blockZ;
}
STAGELENS_DEVICE int gridBlocks()
{
    return host::position().blocks;
}
STAGELENS_DEVICE int gridBlocksZ()
{
    return host::position().blocksZ;
}

STAGELENS_DEVICE void syncBlock(const Where &where = Where::current())
{
    host::waitForBlock(where);
}

/// Returns the values of all lanes at this point.
template <class T>
class WarpValues {
public:
    WarpValues(const T &mine, const Where &where)
    {
        static_assert(sizeof(T) <= sizeof(host::Deposit));
        host::Deposit deposit;
        std::memcpy(&deposit, &mine, sizeof(T));
        m_all = host::exchange(deposit, where);
    }
    [[nodiscard]] T operator[](int lane) const
    {
        T value;
        std::memcpy(&value, m_all + lane, sizeof(T));
        return value;
    }

private:
    const host::Deposit *m_all;
};

STAGELENS_DEVICE void syncWarp(const Where &where = Where::current())
{
    (void)WarpValues<bool>(true, where);
    host::countWarpBarrier();
}
template <class T>
STAGELENS_DEVICE T shuffleXor(T value, int mask, const Where &where = Where::current())
{
    const WarpValues<T> all(value, where);
    return all[(threadIndex() % host::kWarp) ^ mask];
}

template <class T>
STAGELENS_DEVICE T shuffleFrom(T value, int lane, const Where &where = Where::current())
{
    const WarpValues<T> all(value, where);
    return all[lane];
}

STAGELENS_DEVICE bool anyOf(bool value, const Where &where = Where::current())
{
    const WarpValues<bool> all(value, where);
    bool any = false;
    for (int lane = 0; lane < host::kWarp; ++lane)
        any = any || all[lane];
    return any;
}

STAGELENS_DEVICE unsigned char *sharedBytes()
{
    return reinterpret_cast<unsigned char *>(host::sharedMemory());
}

STAGELENS_DEVICE float exp2Fast(float x)
{
    return std::exp2(x);
}
STAGELENS_DEVICE float divideFast(float a, float b)
{
    return a / b;
}

STAGELENS_DEVICE float productOf(float a, float b)
{
    return a * b;
}
STAGELENS_DEVICE double productOf(double a, double b)
{
    return a * b;
}

struct alignas(16) Words16 {
    std::uint32_t at[4];
};
STAGELENS_DEVICE void checkAligned(const void *address, const Where &where)
{
    if (reinterpret_cast<std::uintptr_t>(address) % 16 != 0)
        host::fail("accesses 16 bytes at an address that is no multiple of 16", where);
}
STAGELENS_DEVICE Words16 load16(const void *from, const Where &where = Where::current())
{
    checkAligned(from, where);
    Words16 words;
    std::memcpy(&words, from, sizeof(words));
    return words;
}
STAGELENS_DEVICE void store16(void *to, const Words16 &words, const Where &where = Where::current())
{
    checkAligned(to, where);
    std::memcpy(to, &words, sizeof(words));
}

STAGELENS_DEVICE void prefetch(const void *) {}

template <class T>
STAGELENS_DEVICE std::uint32_t packPair(float first, float second)
{
    return rounded<T>(first).bits | static_cast<std::uint32_t>(rounded<T>(second).bits) << 16U;
}
template <class T>
STAGELENS_DEVICE float lowerOf(std::uint32_t word)
{
    return toFloat(T{static_cast<std::uint16_t>(word & 0xffffU)});
}
template <class T>
STAGELENS_DEVICE float upperOf(std::uint32_t word)
{
    return toFloat(T{static_cast<std::uint16_t>(word >> 16U)});
}

STAGELENS_DEVICE void copyAsync16(void *shared, int distance, const void *global, bool valid,
                                  const Where &where = Where::current())
{
    auto *to = static_cast<std::byte *>(shared) + distance;
    checkAligned(to, where);
    if (valid)
        checkAligned(global, where);
    host::queueCopy(to, valid ? global : nullptr);
}
STAGELENS_DEVICE void commitCopies()
{
    host::endCopyGroup();
}
template <int Pending>
STAGELENS_DEVICE void waitForCopies()
{
    host::finishCopies(Pending);
}

/// Returns element (row, column) of matrix m of the four whose rows the lanes address. On a GPU the addressing lane reads the
/// row.
[[gnu::no_sanitize("thread")]] STAGELENS_DEVICE std::uint32_t matrixElement(const WarpValues<const void *> &rows, int matrix,
                                                                            int row, int column)
{
    std::uint16_t element;
    std::memcpy(&element, static_cast<const std::uint16_t *>(rows[matrix * 8 + row]) + column, sizeof(element));
    return element;
}
STAGELENS_DEVICE void loadMatrices(std::uint32_t (&to)[4], const void *shared, int distance,
                                   const Where &where = Where::current())
{
    const void *row = static_cast<const std::byte *>(shared) + distance;
    checkAligned(row, where);
    host::onAccess(row, 16, false);
    const WarpValues<const void *> rows(row, where);
    const int lane = threadIndex() % host::kWarp;
    for (int matrix = 0; matrix < 4; ++matrix)
        to[matrix] = matrixElement(rows, matrix, lane / 4, lane % 4 * 2) |
                     matrixElement(rows, matrix, lane / 4, lane % 4 * 2 + 1) << 16U;
}
STAGELENS_DEVICE void loadMatricesTransposed(std::uint32_t (&to)[4], const void *shared, int distance,
                                             const Where &where = Where::current())
{
    const void *row = static_cast<const std::byte *>(shared) + distance;
    checkAligned(row, where);
    host::onAccess(row, 16, false);
    const WarpValues<const void *> rows(row, where);
    const int lane = threadIndex() % host::kWarp;
    for (int matrix = 0; matrix < 4; ++matrix)
        to[matrix] = matrixElement(rows, matrix, lane % 4 * 2, lane / 4) |
                     matrixElement(rows, matrix, lane % 4 * 2 + 1, lane / 4) << 16U;
}

template <class T>
STAGELENS_DEVICE void multiplyMatrices(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1,
                                       const Where &where = Where::current())
{
    struct Operands {
        std::uint32_t a[4];
        std::uint32_t b[2];
    };
    const WarpValues<Operands> all({{a[0], a[1], a[2], a[3]}, {b0, b1}}, where);
    const int lane = threadIndex() % host::kWarp;
    for (int pair = 0; pair < 8; ++pair) {
        const int half = pair / 4;
        const Operands row = all[lane / 4 * 4 + pair % 4];
        for (int column = 0; column < 2; ++column) {
            const std::uint32_t b = all[(lane % 4 * 2 + column) * 4 + pair % 4].b[half];
            for (int lower = 0; lower < 2; ++lower)
                c[lower * 2 + column] +=
                    lowerOf<T>(row.a[lower + 2 * half]) * lowerOf<T>(b) + upperOf<T>(row.a[lower + 2 * half]) * upperOf<T>(b);
        }
    }
}

inline std::int64_t mostSharedBytes()
{
    return static_cast<std::int64_t>(host::sharedLimit());
}

struct Launch {
    std::int64_t blocks = 1;
    int threads = host::kWarp;
    std::int64_t sharedBytes = 0;
    Stream stream{};
    std::int64_t blocksY = 1;
    std::int64_t blocksZ = 1;
};

template <class... Parameters>
Status launchWith(const Launch &how, const char *name, void (*kernel)(Parameters...),
                  std::type_identity_t<Parameters>... arguments)
{
    if (how.blocks <= 0 || how.blocksY <= 0 || how.blocksZ <= 0)
        return {};
    const host::Grid grid{how.blocks, how.blocksY, how.blocksZ, how.threads, static_cast<std::size_t>(how.sharedBytes), name};
    return host::submit(how.stream, [=]() -> Status {
        return {host::run(
                    grid, [&]() __attribute__((no_sanitize("thread"))) { kernel(arguments...); })
                    ? 0
                    : 1};
    });
}

template <auto Kernel, class... Arguments>
Status launch(const Launch &how, Arguments... arguments)
{
    return launchWith(how, __PRETTY_FUNCTION__, Kernel, arguments...);
}

} // namespace stagelens::kernels::gpu
