// Tiles of 16-bit numbers in shared memory and their tensor core products, shared by the attention kernels.
//
// A tile has rows of Size elements, 128 or 256 bytes. The 16-byte chunk c of row r is stored at chunk c ^ (r % 8), so that the
// eight rows that one ldmatrix reads, and the eight threads that write one row, access all 32 banks once.
#pragma once

#include "kernels/cuda/rows.h"

namespace stagelens::kernels::gpu {

/// Returns the offset of a chunk in bytes. For an even chunk at this offset, the chunk 2 i chunks and 16 j rows further is at
/// (offset ^ 32 i) + j * kBytesOf16; the products below use that.
template <int Size>
STAGELENS_DEVICE int chunkAt(int row, int chunk)
{
    return row * Size * 2 + ((chunk ^ (row % 8)) * 16);
}
template <int Size>
inline constexpr int kBytesOf16 = 16 * Size * 2; ///< rows

/// Starts to copy rows of `from`, `stride` elements apart; rows from `valid` on become zeros.
template <int Size, int Rows, int Threads, class T>
STAGELENS_DEVICE void copyTile(T *tile, const T *from, std::int64_t stride, int valid)
{
    constexpr int kChunks = Size / 8;
    static_assert(Rows * kChunks % Threads == 0 && Threads % kChunks == 0);
    const int chunk = threadIndex() % kChunks;
    int row = threadIndex() / kChunks;
    const T *source = from + row * stride + chunk * 8;
#pragma unroll
    for (int i = 0; i < Rows * kChunks / Threads; ++i) {
        const bool isValid = row < valid;
        copyAsync16(tile, chunkAt<Size>(row, chunk), isValid ? source : from, isValid);
        row += Threads / kChunks;
        source += Threads / kChunks * stride;
    }
}

/// 16 rows by Columns of sums, in the layout of multiplyMatrices(): tile j has columns 8j to 8j + 7.
template <int Columns>
struct Sums {
    float at[Columns / 8][4];
    STAGELENS_DEVICE void clear()
    {
#pragma unroll
        for (int j = 0; j < Columns / 8; ++j)
#pragma unroll
            for (int i = 0; i < 4; ++i)
                at[j][i] = 0;
    }
};
/// Returns the first of the two rows of a lane in 16 (the second is 8 below), or the first of its two columns in 8.
STAGELENS_DEVICE int laneRow()
{
    return threadIndex() % kWarpLanes / 4;
}
STAGELENS_DEVICE int laneColumn()
{
    return threadIndex() % 4 * 2;
}

/// sums[m] += rows firstRow + 16 m of `a` times the transpose of the first Columns rows of `b`.
template <int Size, int Columns, int Blocks, class T>
STAGELENS_DEVICE void addProductTransposed(Sums<Columns> (&sums)[Blocks], T *a, int firstRow, T *b)
{
    const int lane = threadIndex() % kWarpLanes;
    const int aAt = chunkAt<Size>(firstRow + lane % 16, lane / 16);
    const int bAt = chunkAt<Size>(lane / 16 * 8 + lane % 8, lane / 8 % 2);
#pragma unroll
    for (int k = 0; k < Size / 16; ++k) {
        std::uint32_t as[Blocks][4];
#pragma unroll
        for (int m = 0; m < Blocks; ++m)
            loadMatrices(as[m], a, (aAt ^ (32 * k)) + m * kBytesOf16<Size>);
#pragma unroll
        for (int n = 0; n < Columns / 16; ++n) {
            std::uint32_t bs[4];
            loadMatrices(bs, b, (bAt ^ (32 * k)) + n * kBytesOf16<Size>);
#pragma unroll
            for (int m = 0; m < Blocks; ++m) {
                multiplyMatrices<T>(sums[m].at[2 * n], as[m], bs[0], bs[1]);
                multiplyMatrices<T>(sums[m].at[2 * n + 1], as[m], bs[2], bs[3]);
            }
        }
    }
}

/// sums[m] += a[m], rounded to T, times the first Inner rows of `b`.
template <int Size, int Inner, int Blocks, class T>
STAGELENS_DEVICE void addProduct(Sums<Size> (&sums)[Blocks], const Sums<Inner> (&a)[Blocks], T *b)
{
    const int lane = threadIndex() % kWarpLanes;
    const int bAt = chunkAt<Size>(lane / 8 % 2 * 8 + lane % 8, lane / 16);
#pragma unroll
    for (int k = 0; k < Inner / 16; ++k) {
        std::uint32_t as[Blocks][4];
#pragma unroll
        for (int m = 0; m < Blocks; ++m)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float(&four)[4] = a[m].at[2 * k + i / 2];
                as[m][i] = packPair<T>(four[i % 2 * 2], four[i % 2 * 2 + 1]);
            }
#pragma unroll
        for (int n = 0; n < Size / 16; ++n) {
            std::uint32_t bs[4];
            loadMatricesTransposed(bs, b, (bAt ^ (32 * n)) + k * kBytesOf16<Size>);
#pragma unroll
            for (int m = 0; m < Blocks; ++m) {
                multiplyMatrices<T>(sums[m].at[2 * n], as[m], bs[0], bs[1]);
                multiplyMatrices<T>(sums[m].at[2 * n + 1], as[m], bs[2], bs[3]);
            }
        }
    }
}

/// Writes factor[row / 8] * sums, rounded, into rows firstRow to firstRow + 15 of a tile.
template <int Size, class T>
STAGELENS_DEVICE void putSums(T *tile, int firstRow, const Sums<Size> &sums, const float (&factor)[2])
{
#pragma unroll
    for (int j = 0; j < Size / 8; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int at = chunkAt<Size>(firstRow + laneRow() + 8 * half, j) / 2 + laneColumn();
            *reinterpret_cast<std::uint32_t *>(tile + at) =
                packPair<T>(factor[half] * sums.at[j][2 * half], factor[half] * sums.at[j][2 * half + 1]);
        }
}

/// Writes the first `valid` rows of a tile to `to`, `stride` elements apart.
template <int Size, int Rows, int Threads, class T>
STAGELENS_DEVICE void writeTile(T *to, T *tile, std::int64_t stride, int valid)
{
    constexpr int kChunks = Size / 8;
    for (int i = threadIndex(); i < Rows * kChunks; i += Threads)
        if (const int row = i / kChunks; row < valid)
            store16(to + row * stride + i % kChunks * 8, load16(tile + chunkAt<Size>(row, i % kChunks) / 2));
}

} // namespace stagelens::kernels::gpu
