#include "kernels/include/matmul.h"

#include "kernels/cpu/tile_product.h"

#include <algorithm>
#include <vector>

namespace stagelens::kernels {
namespace {

/// Panels of B that are packed at a time, and rows of A that use them while they are in a cache.
constexpr std::int64_t kPanels = 8;
constexpr std::int64_t kRows = 64;

/// Packs columns [first, first + count) of op(B).
void packB(float *panels, const Product &p, std::int64_t first, std::int64_t count)
{
    if (p.b.form == Form::Transposed)
        packRows(panels, p.b.data + first * p.b.stride, p.b.stride, count, p.inner);
    else
        packColumns(panels, p.inner * kPanel, p.b.data + first, p.b.stride, p.inner, count);
}

} // namespace

void multiplyRows(const Product &p, const Interrupt &interrupt)
{
    thread_local std::vector<float> packed;
    thread_local std::vector<float> tile; // C of columns that do not fill a panel
    packed.resize(static_cast<std::size_t>(kPanels * kPanel * p.inner));
    tile.resize(static_cast<std::size_t>(kRows * kPanel));
    for (std::int64_t column = 0; column < p.columns && !interrupt(); column += kPanels * kPanel) {
        const std::int64_t columns = std::min(kPanels * kPanel, p.columns - column);
        packB(packed.data(), p, column, columns);
        const std::int64_t whole = columns / kPanel;
        const std::int64_t rest = columns - whole * kPanel;
        for (std::int64_t row = 0; row < p.rows; row += kRows) {
            TileProduct product{.rows = std::min(kRows, p.rows - row),
                                .panels = whole,
                                .inner = p.inner,
                                .a = p.a.data + row * p.a.stride,
                                .rowStep = p.a.stride,
                                .innerStep = 1,
                                .b = packed.data(),
                                .panelStep = p.inner * kPanel,
                                .c = p.c + row * p.stride + column,
                                .stride = p.stride,
                                .adds = p.beta != 0};
            multiplyTile(product);
            if (rest == 0)
                continue;
            float *const edge = product.c + whole * kPanel;
            for (std::int64_t i = 0; i < product.rows && product.adds; ++i)
                std::copy_n(edge + i * p.stride, rest, tile.data() + i * kPanel);
            product.panels = 1;
            product.b += whole * product.panelStep;
            product.c = tile.data();
            product.stride = kPanel;
            multiplyTile(product);
            for (std::int64_t i = 0; i < product.rows; ++i)
                std::copy_n(tile.data() + i * kPanel, rest, edge + i * p.stride);
        }
    }
}

} // namespace stagelens::kernels
