#include "kernels/cpu/tile_product.h"

#include "kernels/include/instruction_set.h"

#include <algorithm>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace stagelens::kernels {
namespace {

/// The addresses of a block of a few rows and one panel.
struct Block {
    const float *a;
    const float *b;
    float *c;
};

/// A block computes as many rows as have their accumulators in registers.
template <int Rows>
void baselineBlock(const TileProduct &p, const Block &at)
{
    float sums[Rows][kPanel];
    for (int i = 0; i < Rows; ++i)
        for (int lane = 0; lane < kPanel; ++lane)
            sums[i][lane] = p.adds ? at.c[i * p.stride + lane] : 0.0F;
    for (std::int64_t k = 0; k < p.inner; ++k)
        for (int i = 0; i < Rows; ++i)
            for (int lane = 0; lane < kPanel; ++lane)
                sums[i][lane] += at.a[i * p.rowStep + k * p.innerStep] * at.b[k * kPanel + lane];
    for (int i = 0; i < Rows; ++i)
        std::copy_n(sums[i], kPanel, at.c + i * p.stride);
}

#ifdef __x86_64__
template <int Rows>
__attribute__((target("avx2,fma"))) void avx2Block(const TileProduct &p, const Block &at)
{
    __m256 low[Rows];
    __m256 high[Rows];
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
        low[i] = p.adds ? _mm256_loadu_ps(at.c + i * p.stride) : _mm256_setzero_ps();
        high[i] = p.adds ? _mm256_loadu_ps(at.c + i * p.stride + 8) : _mm256_setzero_ps();
    }
    const float *a = at.a;
    const float *b = at.b;
    for (std::int64_t k = 0; k < p.inner; ++k, a += p.innerStep, b += kPanel) {
        const __m256 bLow = _mm256_loadu_ps(b);
        const __m256 bHigh = _mm256_loadu_ps(b + 8);
#pragma GCC unroll 8
        for (int i = 0; i < Rows; ++i) {
            const __m256 factor = _mm256_broadcast_ss(a + i * p.rowStep);
            low[i] = _mm256_fmadd_ps(factor, bLow, low[i]);
            high[i] = _mm256_fmadd_ps(factor, bHigh, high[i]);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
        _mm256_storeu_ps(at.c + i * p.stride, low[i]);
        _mm256_storeu_ps(at.c + i * p.stride + 8, high[i]);
    }
}

template <int Rows>
__attribute__((target("avx512f"))) void avx512Block(const TileProduct &p, const Block &at)
{
    __m512 sums[Rows];
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i)
        sums[i] = p.adds ? _mm512_loadu_ps(at.c + i * p.stride) : _mm512_setzero_ps();
    const float *a = at.a;
    const float *b = at.b;
    for (std::int64_t k = 0; k < p.inner; ++k, a += p.innerStep, b += kPanel) {
        const __m512 values = _mm512_loadu_ps(b);
#pragma GCC unroll 8
        for (int i = 0; i < Rows; ++i)
            sums[i] = _mm512_fmadd_ps(_mm512_set1_ps(a[i * p.rowStep]), values, sums[i]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i)
        _mm512_storeu_ps(at.c + i * p.stride, sums[i]);
}
#endif

using BlockFunction = void (*)(const TileProduct &, const Block &);

/// functions[n] computes n + 1 rows.
template <std::size_t Most>
void inBlocks(const TileProduct &p, const BlockFunction (&functions)[Most])
{
    for (std::int64_t panel = 0; panel < p.panels; ++panel) {
        for (std::int64_t row = 0; row < p.rows;) {
            const auto rows = std::min(p.rows - row, static_cast<std::int64_t>(Most));
            functions[rows - 1](p, {p.a + row * p.rowStep, p.b + panel * p.panelStep, p.c + row * p.stride + panel * kPanel});
            row += rows;
        }
    }
}

} // namespace

void multiplyTile(const TileProduct &product)
{
#ifdef __x86_64__
    static constexpr BlockFunction kAvx2[] = {avx2Block<1>, avx2Block<2>, avx2Block<3>, avx2Block<4>};
    static constexpr BlockFunction kAvx512[] = {avx512Block<1>, avx512Block<2>, avx512Block<3>, avx512Block<4>,
                                                avx512Block<5>, avx512Block<6>, avx512Block<7>, avx512Block<8>};
    switch (instructionSet()) {
    case InstructionSet::Avx512: return inBlocks(product, kAvx512);
    case InstructionSet::Avx2: return inBlocks(product, kAvx2);
    case InstructionSet::Baseline: break;
    }
#endif
    static constexpr BlockFunction kBaseline[] = {baselineBlock<1>, baselineBlock<2>};
    inBlocks(product, kBaseline);
}

void packColumns(float *panels, std::int64_t panelStep, const float *in, std::int64_t stride, std::int64_t rows,
                 std::int64_t columns)
{
    for (std::int64_t column = 0; column < columns; column += kPanel, panels += panelStep) {
        const std::int64_t width = std::min(kPanel, columns - column);
        for (std::int64_t row = 0; row < rows; ++row) {
            float *to = panels + row * kPanel;
            if (width == kPanel) {
                std::copy_n(in + row * stride + column, kPanel, to);
                continue;
            }
            std::copy_n(in + row * stride + column, width, to);
            std::fill(to + width, to + kPanel, 0.0F);
        }
    }
}

void packRows(float *panels, const float *in, std::int64_t stride, std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t row = 0; row < rows; row += kPanel, panels += columns * kPanel) {
        const std::int64_t height = std::min(kPanel, rows - row);
        if (height < kPanel)
            std::fill_n(panels, columns * kPanel, 0.0F);
        for (std::int64_t i = 0; i < height; ++i)
            for (std::int64_t column = 0; column < columns; ++column)
                panels[column * kPanel + i] = in[(row + i) * stride + column];
    }
}

} // namespace stagelens::kernels
