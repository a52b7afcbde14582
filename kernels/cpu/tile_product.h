// Products of small cached matrices, for kernels that work in tiles. Neither packs nor blocks.
#pragma once

#include <cstdint>

namespace stagelens::kernels {

/// Columns of a panel.
inline constexpr std::int64_t kPanel = 16;
[[nodiscard]] constexpr std::int64_t paddedToPanels(std::int64_t length)
{
    return (length + kPanel - 1) / kPanel * kPanel;
}

/// C[rows, panels * kPanel] = A[rows, inner] B (+ C). Element (i, k) of A is a[i * rowStep + k * innerStep]; panel j of B is
/// dense [inner, kPanel] at b + j * panelStep. Each element of C is one chain of sums in the order of k. AVX2 and AVX-512 give
/// equal bits; the baseline has no fused multiply-add and gives others.
struct TileProduct {
    std::int64_t rows = 0;
    std::int64_t panels = 0;
    std::int64_t inner = 0;
    const float *a = nullptr;
    std::int64_t rowStep = 0;
    std::int64_t innerStep = 0;
    const float *b = nullptr;
    std::int64_t panelStep = 0;
    float *c = nullptr;
    std::int64_t stride = 0; ///< between rows of C
    bool adds = false;
};
void multiplyTile(const TileProduct &product);

/// Packs in[rows, columns] into panels of columns, each dense [rows, kPanel] and `panelStep` after the previous one; pads
/// columns with 0.
void packColumns(float *panels, std::int64_t panelStep, const float *in, std::int64_t stride, std::int64_t rows,
                 std::int64_t columns);
/// The same for the transpose: panels of kPanel rows of `in`, each dense [columns, kPanel], consecutive.
void packRows(float *panels, const float *in, std::int64_t stride, std::int64_t rows, std::int64_t columns);

} // namespace stagelens::kernels
