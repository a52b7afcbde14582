// Utilities of row kernels: packs of consecutive elements as floats, and sums and maxima over a block in a fixed order.
#pragma once

#include "kernels/cuda/gpu.h"

#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace stagelens::kernels::gpu {

inline constexpr int kWarpLanes = 32;
inline constexpr float kLog2E = 1.4426950408889634F;
inline constexpr float kMinusInfinity = -__builtin_huge_valf();

/// Elements of T in 16 bytes, the widest load of a thread.
template <class T>
inline constexpr int kWide = 16 / static_cast<int>(sizeof(T));

/// W elements in memory: 16 bytes, or one element.
template <class T, int W>
struct Raw {
    static constexpr int kLoads = W * static_cast<int>(sizeof(T)) / 16;
    static_assert(kLoads * 16 == W * static_cast<int>(sizeof(T)));
    Words16 words[kLoads];
};
template <class T>
struct Raw<T, 1> {
    T value;
};

/// W elements as floats.
template <int W>
struct Pack {
    float at[W];
};

template <int W, class T>
STAGELENS_DEVICE Raw<T, W> loadRaw(const T *from)
{
    Raw<T, W> raw;
    if constexpr (W == 1)
        raw.value = *from;
    else
#pragma unroll
        for (int i = 0; i < Raw<T, W>::kLoads; ++i)
            raw.words[i] = load16(from + i * kWide<T>);
    return raw;
}
template <int W, class T>
STAGELENS_DEVICE void storeRaw(T *to, const Raw<T, W> &raw)
{
    if constexpr (W == 1)
        *to = raw.value;
    else
#pragma unroll
        for (int i = 0; i < Raw<T, W>::kLoads; ++i)
            store16(to + i * kWide<T>, raw.words[i]);
}

STAGELENS_DEVICE void unpackWord(float *to, std::uint32_t word, const float *)
{
    *to = std::bit_cast<float>(word);
}
template <class T>
STAGELENS_DEVICE void unpackWord(float *to, std::uint32_t word, const T *)
{
    to[0] = lowerOf<T>(word);
    to[1] = upperOf<T>(word);
}
STAGELENS_DEVICE std::uint32_t packWord(const float *from, const float *)
{
    return std::bit_cast<std::uint32_t>(*from);
}
template <class T>
STAGELENS_DEVICE std::uint32_t packWord(const float *from, const T *)
{
    return packPair<T>(from[0], from[1]);
}
/// toFloat() by an instruction of the GPU.
template <class T>
STAGELENS_DEVICE float numberOf(T value)
{
    if constexpr (std::is_same_v<T, float>)
        return value;
    else
        return lowerOf<T>(value.bits);
}
STAGELENS_DEVICE void roundTo(float *to, float value)
{
    *to = value;
}
template <class T>
STAGELENS_DEVICE void roundTo(T *to, float value)
{
    to->bits = static_cast<std::uint16_t>(packPair<T>(value, 0));
}

template <class T, int W>
STAGELENS_DEVICE Pack<W> unpack(const Raw<T, W> &raw)
{
    Pack<W> pack;
    if constexpr (W == 1) {
        pack.at[0] = numberOf(raw.value);
    } else {
        constexpr int kInWord = 4 / static_cast<int>(sizeof(T));
#pragma unroll
        for (int i = 0; i < W / kInWord; ++i)
            unpackWord(pack.at + i * kInWord, raw.words[i / 4].at[i % 4], static_cast<const T *>(nullptr));
    }
    return pack;
}
/// Rounds the floats to T.
template <class T, int W>
STAGELENS_DEVICE Raw<T, W> repack(const Pack<W> &pack)
{
    Raw<T, W> raw;
    if constexpr (W == 1) {
        roundTo(&raw.value, pack.at[0]);
    } else {
        constexpr int kInWord = 4 / static_cast<int>(sizeof(T));
#pragma unroll
        for (int i = 0; i < W / kInWord; ++i)
            raw.words[i / 4].at[i % 4] = packWord(pack.at + i * kInWord, static_cast<const T *>(nullptr));
    }
    return raw;
}

template <int W, class T>
STAGELENS_DEVICE Pack<W> load(const T *from)
{
    return unpack<T, W>(loadRaw<W>(from));
}
template <int W, class T>
STAGELENS_DEVICE void store(T *to, const Pack<W> &pack)
{
    storeRaw<W>(to, repack<T, W>(pack));
}

/// Calls use(column, raw) for the packs of this thread: every blockThreads()-th, with four loads in flight.
template <int W, class T, class Use>
STAGELENS_DEVICE void forEachPack(const T *row, std::int64_t columns, const Use &use)
{
    constexpr int kAhead = 4;
    const std::int64_t step = std::int64_t{W} * blockThreads();
    std::int64_t column = std::int64_t{W} * threadIndex();
    for (; column + (kAhead - 1) * step < columns; column += kAhead * step) {
        Raw<T, W> raw[kAhead];
#pragma unroll
        for (int i = 0; i < kAhead; ++i)
            raw[i] = loadRaw<W>(row + column + i * step);
#pragma unroll
        for (int i = 0; i < kAhead; ++i)
            use(column + i * step, raw[i]);
    }
    for (; column < columns; column += step)
        use(column, loadRaw<W>(row + column));
}

/// Returns whether all rows can be read 16 bytes at a time: `elements` are their width and strides.
template <class T>
bool isWide(std::initializer_list<const void *> addresses, std::initializer_list<std::int64_t> elements)
{
    for (const void *address : addresses)
        if (reinterpret_cast<std::uintptr_t>(address) % 16 != 0)
            return false;
    for (const std::int64_t count : elements)
        if (count % kWide<T> != 0)
            return false;
    return true;
}

/// Returns the threads for a row of `packs` packs: about four packs each, a multiple of the warp size, at most `most`.
inline int threadsForRow(std::int64_t packs, int most)
{
    const std::int64_t warps = (packs + 4 * kWarpLanes - 1) / (4 * kWarpLanes);
    const std::int64_t all = most / kWarpLanes;
    return kWarpLanes * static_cast<int>(warps < 1 ? 1 : warps > all ? all : warps);
}

/// Returns the sum over a warp, with the same bits in every lane.
template <class T>
STAGELENS_DEVICE T warpSum(T value)
{
#pragma unroll
    for (int mask = kWarpLanes / 2; mask > 0; mask /= 2)
        value += shuffleXor(value, mask);
    return value;
}
STAGELENS_DEVICE float warpMaximum(float value)
{
#pragma unroll
    for (int mask = kWarpLanes / 2; mask > 0; mask /= 2)
        value = std::fmax(value, shuffleXor(value, mask));
    return value;
}

/// Combines the values of the warps in order; every thread gets the same bits. Each thread passes the value of its warp.
/// `parts` (one per warp) is shared memory that no thread may still read, so two calls without a barrier in between need
/// different ones.
template <class T, class Combine>
STAGELENS_DEVICE T blockCombined(T value, T *parts, Combine combine)
{
    if (threadIndex() % kWarpLanes == 0)
        parts[threadIndex() / kWarpLanes] = value;
    syncBlock();
    T all = parts[0];
    for (int warp = 1; warp < blockThreads() / kWarpLanes; ++warp)
        all = combine(all, parts[warp]);
    return all;
}
template <class T>
STAGELENS_DEVICE T blockSum(T value, T *parts)
{
    return blockCombined(warpSum(value), parts, [](T a, T b) { return a + b; });
}
STAGELENS_DEVICE float blockMaximum(float value, float *parts)
{
    return blockCombined(warpMaximum(value), parts, [](float a, float b) { return std::fmax(a, b); });
}

} // namespace stagelens::kernels::gpu
