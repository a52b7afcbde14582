// Rows of numbers as codes of 8 or 16 bits.
#pragma once

#include "kernels/include/fp8.h"
#include "kernels/include/rounding.h"
#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

/// Formats of packed rows. Those of 8 bits have a float for every tile of a row, by which its codes are multiplied.
enum class Codec : unsigned char {
    Bf16,
    E4m3, ///< the largest magnitude of a tile becomes 448
    E5m2, ///< 57344
    Int8, ///< 127
    /// As E4m3, with the factors of roundTiles(), which are powers of two: unpacked numbers are those of roundTiles() for tiles
    /// of one row.
    E4m3ByPowers,
};

/// Columns of a tile; the last tile of a row may be shorter.
inline constexpr std::int64_t kCodecTile = 128;

[[nodiscard]] constexpr std::int64_t tilesOfRow(std::int64_t columns)
{
    return (columns + kCodecTile - 1) / kCodecTile;
}
/// Returns the floats of packed rows. The factors of all tiles come first, then the codes, row after row.
[[nodiscard]] constexpr std::int64_t packedFloats(Codec codec, std::int64_t rows, std::int64_t columns)
{
    const std::int64_t numbers = rows * columns;
    return codec == Codec::Bf16 ? (numbers + 1) / 2 : rows * tilesOfRow(columns) + (numbers + 3) / 4;
}

/// Packs `from` [rows, columns] into `to`, packedFloats() of them. Numbers are rounded to nearest, ties to even. A number that
/// is not finite is unpacked as such, as NaN if the format has no infinity, and does not change the factor of its tile.
void pack(float *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec);
void pack(float *to, const Bf16 *from, std::int64_t rows, std::int64_t columns, Codec codec);
void pack(float *to, const Fp16 *from, std::int64_t rows, std::int64_t columns, Codec codec);

/// Unpacks what pack() wrote; numbers of 16 bits are rounded once more.
void unpack(float *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec);
void unpack(Bf16 *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec);
void unpack(Fp16 *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec);

/// Rows and columns of a tile whose numbers share a factor.
struct TileShape {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
};

/// Rounds dense numbers [rows, columns] to what e4m3 with a factor for each tile represents, to nearest, ties to even. A factor
/// is the least power of two that is not below the greatest finite magnitude of the tile / 448 (DeepSeek-V3, arXiv 2412.19437,
/// section 3.3), so that a result has no more bits than e4m3 has. Infinity becomes NaN. Tiles begin at
/// the first row and column; the last ones may be smaller.
void roundTiles(float *values, std::int64_t rows, std::int64_t columns, const TileShape &tile);

namespace gpu {

/// As above, with the CPU's bits.
template <class T>
Status pack(Stream stream, float *to, const T *from, std::int64_t rows, std::int64_t columns, Codec codec);
template <class T>
Status unpack(Stream stream, T *to, const float *from, std::int64_t rows, std::int64_t columns, Codec codec);

/// Matrices that follow one another, each [rows, columns], with rows `stride` numbers apart. Their tiles have kCodecTile rows
/// and one column or as many columns as rows, or those of a single matrix one row and kCodecTile columns.
struct TiledMatrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t stride = 0;
    TileShape tile;
    std::int64_t matrices = 1;
    [[nodiscard]] std::int64_t numbers() const { return matrices * rows * columns; }
};

/// Writes the numbers, rounded as above, densely to `to`, with the CPU's bits. Bfloat16 represents them.
Status roundTiles(Stream stream, Bf16 *to, const Bf16 *from, const TiledMatrix &of);

} // namespace gpu

} // namespace stagelens::kernels
