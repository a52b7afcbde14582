#include "engine/backend/cuda/gpu_rounding.h"

#include "kernels/include/codec.h"

#include <utility>

namespace stagelens::backend {

namespace gpu = kernels::gpu;
using kernels::Form;
using kernels::kCodecTile;

namespace {

/// op(operand), [rows, columns], as it is stored, and its tiles.
gpu::TiledMatrix stored(const Operand &operand, std::int64_t rows, std::int64_t columns, kernels::TileShape tile,
                        std::int64_t matrices = 1)
{
    if (operand.form == Form::Transposed) {
        std::swap(rows, columns);
        std::swap(tile.rows, tile.columns);
    }
    return {rows, columns, operand.stride, tile, matrices};
}

std::int64_t aligned(std::int64_t numbers)
{
    return (numbers + kAlignedNumbers - 1) / kAlignedNumbers * kAlignedNumbers;
}

Operand denseOf(const kernels::Bf16 *data, const gpu::TiledMatrix &of, Form form)
{
    return {{data, base::Precision::Bf16}, of.columns, form};
}

} // namespace

void GpuRounding::reserveRounded(std::int64_t numbers)
{
    if (!m_operands.holds(numbers))
        m_operands.grow(numbers);
}

kernels::Bf16 *GpuRounding::room(std::int64_t a, std::int64_t b)
{
    reserveRounded(a + b);
    return m_operands.data();
}

void GpuRounding::roundTiles(kernels::Bf16 *to, const Operand &operand, const gpu::TiledMatrix &of)
{
    run([&] { return gpu::roundTiles(stream(), to, operand.data.as<kernels::Bf16>(), of); }, "roundTiles");
}

Product GpuRounding::rounded(const Product &product)
{
    if (product.rounding == Rounding::None)
        return product;
    const std::int64_t side = product.rounding == Rounding::ByWeight ? kCodecTile : 1;
    const gpu::TiledMatrix a = stored(product.a, product.rows, product.inner, {1, kCodecTile});
    const gpu::TiledMatrix b = stored(product.b, product.inner, product.columns, {kCodecTile, side});
    kernels::Bf16 *const left = room(aligned(a.numbers()), b.numbers());
    kernels::Bf16 *const right = left + aligned(a.numbers());
    roundTiles(left, product.a, a);
    roundTiles(right, product.b, b);
    Product same = product;
    same.a = denseOf(left, a, product.a.form);
    same.b = denseOf(right, b, product.b.form);
    return same;
}

ExpertProduct GpuRounding::rounded(const ExpertProduct &product, void *scratch)
{
    const Product &each = product.each;
    if (each.rounding == Rounding::None)
        return product;
    ExpertProduct same = product;
    const std::int64_t rows = product.shape.rows();
    if (product.of == ExpertProduct::Of::Rows) {
        const gpu::TiledMatrix a = stored(each.a, rows, each.inner, {1, kCodecTile});
        const gpu::TiledMatrix b = stored(each.b, each.inner, each.columns, {kCodecTile, kCodecTile}, product.shape.experts);
        kernels::Bf16 *const left = room(aligned(a.numbers()), b.numbers());
        kernels::Bf16 *const right = left + aligned(a.numbers());
        roundTiles(left, each.a, a);
        roundTiles(right, each.b, b);
        same.each.a = denseOf(left, a, each.a.form);
        same.each.b = denseOf(right, b, each.b.form);
        return same;
    }
    kernels::Bf16 *const left = room(aligned(rows * each.rows), rows * each.columns);
    kernels::Bf16 *const right = left + aligned(rows * each.rows);
    const auto round = [&](kernels::Bf16 *to, const Operand &operand, std::int64_t width) {
        run(
            [&] {
                return gpu::roundExpertRows(stream(), to, operand.data.as<kernels::Bf16>(), product.routes, product.shape,
                                            width, scratch);
            },
            "roundExpertRows");
    };
    round(left, each.a, each.rows);
    round(right, each.b, each.columns);
    same.each.a.data = {left, base::Precision::Bf16};
    same.each.b.data = {right, base::Precision::Bf16};
    return same;
}

} // namespace stagelens::backend
