// Numbers of 16 bits as the floats that kernels of a processor read and write.
#pragma once

#include "engine/backend/values.h"
#include "kernels/include/rounding.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagelens::backend {

/// Returns values from an offset on; null stays null.
template <bool IsConst>
[[nodiscard]] BasicValues<IsConst> from(const BasicValues<IsConst> &values, std::int64_t offset)
{
    return values ? values + offset : values;
}

/// A block of a matrix.
struct Block {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t stride = 0; ///< of the matrix
};

/// Memory for one call after another. It grows to what the largest call needs.
template <class T>
class NarrowScratch {
public:
    /// Frees all arrays for the next call.
    void restart() { m_next = 0; }
    [[nodiscard]] float *take(std::int64_t count)
    {
        if (m_next == m_arrays.size())
            m_arrays.emplace_back();
        std::vector<float> &array = m_arrays[m_next++];
        if (array.size() < static_cast<std::size_t>(count))
            array.resize(static_cast<std::size_t>(count));
        return array.data();
    }

    /// Returns a copy as floats; null for null.
    [[nodiscard]] float *widened(const ConstValues &values, std::int64_t count)
    {
        return widened(values, Block{1, count, count});
    }
    /// The same of a block, which becomes dense.
    [[nodiscard]] float *widened(const ConstValues &values, const Block &block)
    {
        if (!values)
            return nullptr;
        float *const to = take(block.rows * block.columns);
        widen(to, values, block);
        return to;
    }
    static void widen(float *to, const ConstValues &values, const Block &block)
    {
        const bool isFloat = values.precision() == base::Precision::Fp32;
        for (std::int64_t row = 0; row < block.rows; ++row) {
            const ConstValues line = values + row * block.stride;
            if (isFloat)
                std::copy_n(line.floats(), block.columns, to + row * block.columns);
            else
                kernels::convert(to + row * block.columns, line.as<T>(), block.columns);
        }
    }
    /// Rounds a dense block of floats to where it belongs; null discards it.
    static void store(const Values &to, const float *values, const Block &block)
    {
        if (!to)
            return;
        const bool isFloat = to.precision() == base::Precision::Fp32;
        for (std::int64_t row = 0; row < block.rows; ++row) {
            const Values line = to + row * block.stride;
            if (isFloat)
                std::copy_n(values + row * block.columns, block.columns, line.floats());
            else
                kernels::convert(line.as<T>(), values + row * block.columns, block.columns);
        }
    }
    static void store(const Values &to, const float *values, std::int64_t count) { store(to, values, Block{1, count, count}); }

private:
    std::vector<std::vector<float>> m_arrays;
    std::size_t m_next = 0;
};

} // namespace stagelens::backend
