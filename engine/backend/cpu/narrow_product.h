// Products of matrices of 16 bits on a processor.
#pragma once

#include "engine/backend/compute.h"
#include "engine/backend/cpu/narrow_scratch.h"
#include "kernels/include/codec.h"
#include "kernels/include/elementwise.h"

#include <algorithm>

namespace stagelens::backend {

/// Computes a product tile by tile: sums accumulate in float over the whole of `inner`, and an element of C is rounded once,
/// except that an activation function reads its input as it is stored, so that a recomputed output has the same bits. The tiles
/// depend only on the shape.
template <class T>
class NarrowProduct {
public:
    /// `multiply(product)` computes a tile in fp32.
    template <class Multiply>
    static void run(NarrowScratch<T> &scratch, const Product &product, const kernels::Interrupt &interrupt,
                    const Multiply &multiply)
    {
        for (std::int64_t row = 0; row < product.rows; row += kSide)
            for (std::int64_t column = 0; column < product.columns; column += kSide) {
                if (interrupt())
                    return;
                scratch.restart();
                NarrowProduct tile(scratch, product, row, column);
                tile.begin();
                tile.sum(multiply);
                tile.end();
            }
    }

private:
    // The tiles of A and B have 1 MiB, and converting an element costs little beside its 512 operations.
    static constexpr std::int64_t kSide = 256;
    static constexpr std::int64_t kInner = 1024;
    static_assert(kSide % kernels::kCodecTile == 0 && kInner % kernels::kCodecTile == 0, "they contain whole tiles of 8 bits");

    NarrowProduct(NarrowScratch<T> &scratch, const Product &product, std::int64_t row, std::int64_t column)
        : m_scratch(scratch), m_product(product), m_row(row),
          m_column(column), m_block{std::min(kSide, product.rows - row), std::min(kSide, product.columns - column),
                                    product.stride},
          m_offset(row * product.stride + column), m_sum(scratch.take(m_block.rows * m_block.columns))
    {}

    /// Writes what the product is added to.
    void begin()
    {
        using kernels::Epilogue;
        const bool hasBias = m_product.epilogue == Epilogue::Bias || m_product.epilogue == Epilogue::Activation;
        const float *addend = m_scratch.widened(from(m_product.addend, m_offset), m_block);
        if (hasBias) {
            const float *const bias = m_scratch.widened(from(m_product.bias, m_column), m_block.columns);
            kernels::fillRows(m_sum, bias, addend, m_block.rows, m_block.columns);
        } else if (addend != nullptr) {
            std::copy_n(addend, m_block.rows * m_block.columns, m_sum);
        } else if (m_product.beta != 0) {
            m_scratch.widen(m_sum, m_product.c + m_offset, m_block);
            m_beta = m_product.beta;
            return;
        } else {
            m_beta = 0;
            return;
        }
        m_beta = 1;
    }

    template <class Multiply>
    void sum(const Multiply &multiply)
    {
        float *const a = m_scratch.take(m_block.rows * std::min(kInner, m_product.inner));
        float *const b = m_scratch.take(m_block.columns * std::min(kInner, m_product.inner));
        std::int64_t first = 0;
        do {
            const std::int64_t count = std::min(kInner, m_product.inner - first);
            multiply(kernels::Product{.rows = m_block.rows,
                                      .columns = m_block.columns,
                                      .inner = count,
                                      .a = operandOf(a, m_product.a, m_row, m_block.rows, first, count, {1, kTile}),
                                      .b = operandOf(b, m_product.b, first, count, m_column, m_block.columns,
                                                     {kTile, m_product.rounding == Rounding::ByWeight ? kTile : 1}),
                                      .c = m_sum,
                                      .stride = m_block.columns,
                                      .beta = m_beta});
            m_beta = 1;
            first += kInner;
        } while (first < m_product.inner);
    }

    static constexpr std::int64_t kTile = kernels::kCodecTile;

    /// Returns the tile of op(operand) with those rows and columns, in the form that the operand is stored in. `eightBits` are
    /// the tiles in which the product rounds it, if it does.
    kernels::Operand operandOf(float *to, const Operand &operand, std::int64_t row, std::int64_t rows, std::int64_t column,
                               std::int64_t columns, kernels::TileShape eightBits) const
    {
        if (operand.form == kernels::Form::Transposed) {
            std::swap(row, column);
            std::swap(rows, columns);
            std::swap(eightBits.rows, eightBits.columns);
        }
        if (rows > 0 && columns > 0) {
            NarrowScratch<T>::widen(to, operand.data + (row * operand.stride + column), {rows, columns, operand.stride});
            if (m_product.rounding != Rounding::None)
                kernels::roundTiles(to, rows, columns, eightBits);
        }
        return {to, columns, operand.form};
    }

    void end()
    {
        using kernels::Epilogue;
        const std::int64_t count = m_block.rows * m_block.columns;
        if (m_product.epilogue == Epilogue::Activation) {
            m_scratch.store(m_product.between + m_offset, m_sum, m_block);
            const float *const stored = m_scratch.widened(m_product.between + m_offset, m_block);
            kernels::activationForward(m_product.activation, m_sum, stored, count);
        } else if (m_product.epilogue == Epilogue::ActivationBackward) {
            const float *const between = m_scratch.widened(m_product.between + m_offset, m_block);
            kernels::activationBackward(m_product.activation, m_sum, between, count);
        }
        m_scratch.store(m_product.c + m_offset, m_sum, m_block);
    }

    NarrowScratch<T> &m_scratch;
    const Product &m_product;
    std::int64_t m_row;
    std::int64_t m_column;
    Block m_block;         ///< of C
    std::int64_t m_offset; ///< of the block in C
    float *m_sum;          ///< dense
    float m_beta = 0;
};

} // namespace stagelens::backend
