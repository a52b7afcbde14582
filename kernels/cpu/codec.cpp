#include "kernels/include/codec.h"

#include "kernels/cpu/dispatch.h"
#include "kernels/include/int8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cstring>
#include <type_traits>

namespace stagelens::kernels {
namespace {

template <class Format>
STAGELENS_INLINE constexpr std::uint32_t coded(float value)
{
    if constexpr (std::is_same_v<Format, Int8>)
        return toInt8(value).bits;
    else
        return toFp8<Format>(value).bits;
}
template <class Format>
STAGELENS_INLINE constexpr float decoded(Format code)
{
    if constexpr (std::is_same_v<Format, Int8>)
        return fromInt8(code);
    else
        return fromFp8(code);
}

/// Returns the factor of a tile. That of zeros, and of numbers whose quotients would overflow, is the smallest normal float.
template <class Format>
STAGELENS_INLINE float factorOf(const float *tile, std::int64_t count)
{
    std::int32_t largest = 0; // as bits, whose order is that of the magnitudes
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int32_t bits = std::bit_cast<std::int32_t>(tile[i]) & 0x7fffffff;
        const std::int32_t finite = bits < 0x7f800000 ? bits : 0;
        largest = finite > largest ? finite : largest;
    }
    return std::max(std::bit_cast<float>(largest) / Format::kLargest, FLT_MIN);
}

/// How a factor is chosen.
enum class Factors : unsigned char {
    Exact, ///< the largest magnitude becomes the largest number of the format
    Powers ///< the least power of two that is not less
};

/// Packs a tile and returns its factor. The steps are loops of their own, so that each becomes vector instructions.
template <class Format, Factors kFactors, class T>
STAGELENS_INLINE float packTile(std::uint8_t *__restrict codes, const T *__restrict from, std::int64_t count)
{
    std::array<float, kCodecTile> numbers;
    std::array<std::uint32_t, kCodecTile> wide;
    for (std::int64_t i = 0; i < count; ++i)
        numbers[static_cast<std::size_t>(i)] = toFloat(from[i]);
    const float exact = factorOf<Format>(numbers.data(), count);
    const float factor = kFactors == Factors::Powers ? powerAbove(exact) : exact;
    const float inverse = 1 / factor;
    for (std::int64_t i = 0; i < count; ++i)
        wide[static_cast<std::size_t>(i)] = coded<Format>(numbers[static_cast<std::size_t>(i)] * inverse);
    for (std::int64_t i = 0; i < count; ++i)
        codes[i] = static_cast<std::uint8_t>(wide[static_cast<std::size_t>(i)]);
    return factor;
}

template <class Format, Factors kFactors, class T>
STAGELENS_INLINE void packLoop(float *__restrict factors, std::uint8_t *__restrict codes, const T *__restrict from,
                               std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t first = 0; first < columns; first += kCodecTile) {
            const std::int64_t at = row * columns + first;
            *factors++ = columns - first >= kCodecTile ? packTile<Format, kFactors>(codes + at, from + at, kCodecTile)
                                                       : packTile<Format, kFactors>(codes + at, from + at, columns - first);
        }
}

template <class Format, class T>
STAGELENS_INLINE void unpackLoop(T *__restrict to, const float *__restrict factors, const std::uint8_t *__restrict codes,
                                 std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t first = 0; first < columns; first += kCodecTile) {
            const std::int64_t end = row * columns + std::min(first + kCodecTile, columns);
            const float factor = *factors++;
            for (std::int64_t i = row * columns + first; i < end; ++i)
                to[i] = rounded<T>(factor * decoded(Format{codes[i]}));
        }
}

STAGELENS_INLINE void roundTilesLoop(float *__restrict values, std::int64_t rows, std::int64_t columns, const TileShape &tile)
{
    for (std::int64_t top = 0; top < rows; top += tile.rows)
        for (std::int64_t left = 0; left < columns; left += tile.columns) {
            const std::int64_t bottom = std::min(top + tile.rows, rows);
            const std::int64_t width = std::min(tile.columns, columns - left);
            float factor = FLT_MIN;
            for (std::int64_t row = top; row < bottom; ++row)
                factor = std::max(factor, factorOf<E4m3>(values + row * columns + left, width));
            factor = powerAbove(factor);
            const float inverse = 1 / factor;
            for (std::int64_t row = top; row < bottom; ++row)
                for (std::int64_t i = row * columns + left; i < row * columns + left + width; ++i)
                    values[i] = factor * fromFp8(toFp8<E4m3>(values[i] * inverse));
        }
}

template <class T>
STAGELENS_INLINE void narrowLoop(Bf16 *__restrict to, const T *__restrict from, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = toBf16(toFloat(from[i]));
}
template <class T>
STAGELENS_INLINE void widenLoop(T *__restrict to, const Bf16 *__restrict from, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = rounded<T>(toFloat(from[i]));
}

/// The bytes after the last code in the last float are 0, so that equal numbers have equal messages.
void clearLast(float *to, Codec codec, std::int64_t rows, std::int64_t columns)
{
    if (const std::int64_t floats = packedFloats(codec, rows, columns); floats > 0)
        std::memset(to + floats - 1, 0, sizeof(float));
}

template <class T>
void packAs(float *to, const T *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    clearLast(to, codec, rows, columns);
    auto *const codes = reinterpret_cast<std::uint8_t *>(to + rows * tilesOfRow(columns));
    switch (codec) {
    case Codec::Bf16: return runBest<narrowLoop<T>>(reinterpret_cast<Bf16 *>(to), from, rows * columns);
    case Codec::E4m3: return runBest<packLoop<E4m3, Factors::Exact, T>>(to, codes, from, rows, columns);
    case Codec::E5m2: return runBest<packLoop<E5m2, Factors::Exact, T>>(to, codes, from, rows, columns);
    case Codec::Int8: return runBest<packLoop<Int8, Factors::Exact, T>>(to, codes, from, rows, columns);
    case Codec::E4m3ByPowers: return runBest<packLoop<E4m3, Factors::Powers, T>>(to, codes, from, rows, columns);
    }
}

template <class T>
void unpackAs(T *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    const auto *const codes = reinterpret_cast<const std::uint8_t *>(from + rows * tilesOfRow(columns));
    switch (codec) {
    case Codec::Bf16: return runBest<widenLoop<T>>(to, reinterpret_cast<const Bf16 *>(from), rows * columns);
    case Codec::E4m3:
    case Codec::E4m3ByPowers: return runBest<unpackLoop<E4m3, T>>(to, from, codes, rows, columns);
    case Codec::E5m2: return runBest<unpackLoop<E5m2, T>>(to, from, codes, rows, columns);
    case Codec::Int8: return runBest<unpackLoop<Int8, T>>(to, from, codes, rows, columns);
    }
}

} // namespace

void pack(float *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    packAs(to, from, rows, columns, codec);
}
void pack(float *to, const Bf16 *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    packAs(to, from, rows, columns, codec);
}
void pack(float *to, const Fp16 *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    packAs(to, from, rows, columns, codec);
}

void unpack(float *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    unpackAs(to, from, rows, columns, codec);
}
void unpack(Bf16 *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    unpackAs(to, from, rows, columns, codec);
}
void unpack(Fp16 *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    unpackAs(to, from, rows, columns, codec);
}

void roundTiles(float *values, std::int64_t rows, std::int64_t columns, const TileShape &tile)
{
    runBest<roundTilesLoop>(values, rows, columns, tile);
}

} // namespace stagelens::kernels
