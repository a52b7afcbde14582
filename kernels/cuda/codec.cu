// Rows of numbers as codes of 8 or 16 bits. A warp packs or unpacks a tile of 128 numbers. Bytes per number: 2 or 4 read, 1 or
// 2 written, and a float for each tile; about 20 instructions: memory-bound. Target: 75 % of copy bandwidth.
#include "kernels/include/codec.h"

#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/tile_factors.h"
#include "kernels/include/int8.h"

#include <type_traits>

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kTiles = kThreads / kWarpLanes;                      ///< of a block
constexpr int kOfLane = static_cast<int>(kCodecTile) / kWarpLanes; ///< numbers
static_assert(kOfLane == 4, "the codes of a lane are a word");

template <class Format>
STAGELENS_DEVICE std::uint32_t coded(float value)
{
    if constexpr (std::is_same_v<Format, Int8>)
        return toInt8(value).bits;
    else
        return toFp8<Format>(value).bits;
}
template <class Format>
STAGELENS_DEVICE float decoded(std::uint32_t code)
{
    const Format bits{static_cast<std::uint8_t>(code)};
    if constexpr (std::is_same_v<Format, Int8>)
        return fromInt8(bits);
    else
        return fromFp8(bits);
}

/// The tile of a warp. With W = 4 a lane has four adjacent numbers and an address that is a multiple of their size, else every
/// 32nd.
template <int W>
struct Tile {
    std::int64_t number; ///< of all tiles
    std::int64_t begin;  ///< its first number
    std::int64_t count;
    [[nodiscard]] STAGELENS_DEVICE int place(int i) const
    {
        const int lane = threadIndex() % kWarpLanes;
        return W == 1 ? i * kWarpLanes + lane : lane * W + i;
    }
    [[nodiscard]] STAGELENS_DEVICE bool has(int i) const { return place(i) < count; }
};
template <int W>
STAGELENS_DEVICE Tile<W> tileOf(std::int64_t columns)
{
    const std::int64_t number = std::int64_t{blockIndex()} * kTiles + threadIndex() / kWarpLanes;
    const std::int64_t column = number % tilesOfRow(columns) * kCodecTile;
    return {number, number / tilesOfRow(columns) * columns + column,
            columns - column < kCodecTile ? columns - column : kCodecTile};
}

/// Four numbers of two bytes.
struct alignas(8) Words8 {
    std::uint32_t at[2];
};

template <int W, class T>
STAGELENS_DEVICE Pack<kOfLane> loadTile(const T *from, const Tile<W> &tile)
{
    Pack<kOfLane> numbers{};
    if constexpr (W == 1) {
#pragma unroll
        for (int i = 0; i < kOfLane; ++i)
            if (tile.has(i))
                numbers.at[i] = numberOf(from[tile.begin + tile.place(i)]);
    } else if (tile.has(0)) {
        if constexpr (sizeof(T) == sizeof(float)) {
            numbers = load<W>(from + tile.begin + tile.place(0));
        } else {
            const Words8 words = *reinterpret_cast<const Words8 *>(from + tile.begin + tile.place(0));
            unpackWord(numbers.at, words.at[0], static_cast<const T *>(nullptr));
            unpackWord(numbers.at + 2, words.at[1], static_cast<const T *>(nullptr));
        }
    }
    return numbers;
}
template <int W, class T>
STAGELENS_DEVICE void storeTile(T *to, const Pack<kOfLane> &numbers, const Tile<W> &tile)
{
    if constexpr (W == 1) {
#pragma unroll
        for (int i = 0; i < kOfLane; ++i)
            if (tile.has(i))
                roundTo(to + tile.begin + tile.place(i), numbers.at[i]);
    } else if (tile.has(0)) {
        if constexpr (sizeof(T) == sizeof(float))
            store<W>(to + tile.begin + tile.place(0), numbers);
        else
            *reinterpret_cast<Words8 *>(to + tile.begin + tile.place(0)) = {
                {packPair<T>(numbers.at[0], numbers.at[1]), packPair<T>(numbers.at[2], numbers.at[3])}};
    }
}

/// Returns the factor of a tile, the same in every lane.
template <class Format>
STAGELENS_DEVICE float factorOf(const Pack<kOfLane> &numbers)
{
    std::int32_t largest = 0;
#pragma unroll
    for (int i = 0; i < kOfLane; ++i) {
        const std::int32_t finite = finiteMagnitude(numbers.at[i]);
        largest = finite > largest ? finite : largest;
    }
#pragma unroll
    for (int mask = kWarpLanes / 2; mask > 0; mask /= 2) {
        const std::int32_t other = shuffleXor(largest, mask);
        largest = other > largest ? other : largest;
    }
    return factorOfGreatest<Format>(largest);
}

/// The lane with the last number also clears the bytes after its code in the last float. `IsPower`: the factor is the least
/// power of two that is not less.
template <class Format, bool IsPower, class T, int W>
STAGELENS_KERNEL(kThreads, 4)
packKernel(float *factors, std::uint8_t *codes, const T *from, std::int64_t tiles, std::int64_t columns, std::int64_t count)
{
    const Tile<W> tile = tileOf<W>(columns);
    if (tile.number >= tiles)
        return;
    const Pack<kOfLane> numbers = loadTile<W>(from, tile);
    const float exact = factorOf<Format>(numbers);
    const float factor = IsPower ? powerAbove(exact) : exact;
    const float inverse = 1 / factor;
    if (threadIndex() % kWarpLanes == 0)
        factors[tile.number] = factor;
    if constexpr (W == 1) {
#pragma unroll
        for (int i = 0; i < kOfLane; ++i) {
            if (!tile.has(i))
                continue;
            const std::int64_t at = tile.begin + tile.place(i);
            codes[at] = static_cast<std::uint8_t>(coded<Format>(productOf(numbers.at[i], inverse)));
            for (std::int64_t after = at + 1; at + 1 == count && after % 4 != 0; ++after)
                codes[after] = 0;
        }
    } else if (tile.has(0)) {
        std::uint32_t word = 0;
#pragma unroll
        for (int i = 0; i < kOfLane; ++i)
            word |= coded<Format>(productOf(numbers.at[i], inverse)) << (8 * i);
        *reinterpret_cast<std::uint32_t *>(codes + tile.begin + tile.place(0)) = word;
    }
}

template <class Format, class T, int W>
STAGELENS_KERNEL(kThreads, 4)
unpackKernel(T *to, const float *factors, const std::uint8_t *codes, std::int64_t tiles, std::int64_t columns)
{
    const Tile<W> tile = tileOf<W>(columns);
    if (tile.number >= tiles)
        return;
    const float factor = factors[tile.number];
    Pack<kOfLane> numbers{};
    if constexpr (W == 1) {
#pragma unroll
        for (int i = 0; i < kOfLane; ++i)
            if (tile.has(i))
                numbers.at[i] = factor * decoded<Format>(codes[tile.begin + tile.place(i)]);
    } else if (tile.has(0)) {
        const std::uint32_t word = *reinterpret_cast<const std::uint32_t *>(codes + tile.begin + tile.place(0));
#pragma unroll
        for (int i = 0; i < kOfLane; ++i)
            numbers.at[i] = factor * decoded<Format>(word >> (8 * i) & 0xffU);
    }
    storeTile<W>(to, numbers, tile);
}

/// Numbers of one precision as those of another. `isOdd`: clears the half of a float after the last.
template <class To, class From, int W>
STAGELENS_KERNEL(kElementThreads, 4)
roundKernel(To *to, const From *from, std::int64_t count, bool isOdd)
{
    eachPack<W, kPacksOfThread>(count, [&](std::int64_t at) {
        store<W>(to + at, load<W>(from + at));
        if (isOdd && at + W == count)
            to[count] = {};
    });
}

template <class To, class From>
Status roundAll(Stream stream, To *to, const From *from, std::int64_t count, bool isOdd)
{
    if (isWide<Bf16>({to, from}, {count}))
        return launch<roundKernel<To, From, kWide<Bf16>>>(overElements(count, kWide<Bf16>, stream), to, from, count, isOdd);
    return launch<roundKernel<To, From, 1>>(overElements(count, 1, stream), to, from, count, isOdd);
}

template <class T>
bool hasWords(const T *numbers, std::int64_t columns)
{
    return columns % kOfLane == 0 && reinterpret_cast<std::uintptr_t>(numbers) % (kOfLane * sizeof(T)) == 0;
}

Launch overTiles(std::int64_t tiles, Stream stream)
{
    return {(tiles + kTiles - 1) / kTiles, kThreads, 0, stream};
}

template <class Format, bool IsPower = false, class T = float>
Status packAs(Stream stream, float *to, const T *from, std::int64_t rows, std::int64_t columns)
{
    const std::int64_t tiles = rows * tilesOfRow(columns);
    auto *const codes = reinterpret_cast<std::uint8_t *>(to + tiles);
    if (hasWords(from, columns))
        return launch<packKernel<Format, IsPower, T, kOfLane>>(overTiles(tiles, stream), to, codes, from, tiles, columns,
                                                               rows * columns);
    return launch<packKernel<Format, IsPower, T, 1>>(overTiles(tiles, stream), to, codes, from, tiles, columns, rows * columns);
}
template <class Format, class T>
Status unpackAs(Stream stream, T *to, const float *from, std::int64_t rows, std::int64_t columns)
{
    const std::int64_t tiles = rows * tilesOfRow(columns);
    const auto *const codes = reinterpret_cast<const std::uint8_t *>(from + tiles);
    if (hasWords(to, columns))
        return launch<unpackKernel<Format, T, kOfLane>>(overTiles(tiles, stream), to, from, codes, tiles, columns);
    return launch<unpackKernel<Format, T, 1>>(overTiles(tiles, stream), to, from, codes, tiles, columns);
}

} // namespace

template <class T>
Status pack(Stream stream, float *to, const T *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    const std::int64_t count = rows * columns;
    switch (codec) {
    case Codec::Bf16: return roundAll(stream, reinterpret_cast<Bf16 *>(to), from, count, count % 2 != 0);
    case Codec::E4m3: return packAs<E4m3>(stream, to, from, rows, columns);
    case Codec::E5m2: return packAs<E5m2>(stream, to, from, rows, columns);
    case Codec::Int8: return packAs<Int8>(stream, to, from, rows, columns);
    case Codec::E4m3ByPowers: return packAs<E4m3, true>(stream, to, from, rows, columns);
    }
    return kUnsupported;
}

template <class T>
Status unpack(Stream stream, T *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    switch (codec) {
    case Codec::Bf16: return roundAll(stream, to, reinterpret_cast<const Bf16 *>(from), rows * columns, false);
    case Codec::E4m3:
    case Codec::E4m3ByPowers: return unpackAs<E4m3>(stream, to, from, rows, columns);
    case Codec::E5m2: return unpackAs<E5m2>(stream, to, from, rows, columns);
    case Codec::Int8: return unpackAs<Int8>(stream, to, from, rows, columns);
    }
    return kUnsupported;
}

#define STAGELENS_CODEC_OF(T)                                                                                                  \
    template Status pack(Stream, float *, const T *, std::int64_t, std::int64_t, Codec);                                       \
    template Status unpack(Stream, T *, const float *, std::int64_t, std::int64_t, Codec);
STAGELENS_EVERY_TYPE(STAGELENS_CODEC_OF)
#undef STAGELENS_CODEC_OF

} // namespace stagelens::kernels::gpu
