// Attention with numbers of 16 bits on a processor.
#pragma once

#include "engine/backend/compute.h"
#include "engine/backend/cpu/narrow_scratch.h"

#include <array>

namespace stagelens::backend {

/// What the backward reads; see Compute::attentionBackward().
struct AttentionInputs {
    ConstValues qkv;
    ConstValues keys;
    ConstValues out;
    ConstValues outGradient;
    const float *logSumExp = nullptr;
    ConstValues probabilities;
};

/// Computes the query heads of one head of keys after the other, which bounds the floats that exist at a time.
template <class T>
class NarrowAttention {
public:
    NarrowAttention(NarrowScratch<T> &scratch, const kernels::AttentionShape &shape, const kernels::Interrupt &interrupt)
        : m_scratch(scratch), m_shape(shape), m_one(shape), m_interrupt(interrupt)
    {
        m_one.batch = 1;
        m_one.heads = shape.heads / shape.kvHeads;
        m_one.kvHeads = 1;
    }
    void forward(const Values &out, float *logSumExp, const Values &probabilities, const ConstValues &qkv,
                 const ConstValues &keys)
    {
        eachHead([&] {
            const Part part = outPart();
            const float *const queries = gather(qkv, m_one.qkvWidth(), rowParts());
            const float *const separate = gather(keys, 2 * m_one.kvWidth(), keyParts());
            float *const rows = m_scratch.widened(out + part.offset, part.block); // earlier parts of a ring
            float *const kept = probabilities ? m_scratch.take(keptCount()) : nullptr;
            kernels::attentionForward(rows, logSumExp + sumOffset(), queries, m_one, kernelScratch(), m_interrupt, kept,
                                      {separate});
            m_scratch.store(out + part.offset, rows, part.block);
            if (kept != nullptr)
                m_scratch.store(probabilities + keptOffset(), kept, keptCount());
        });
    }
    void backward(const Values &qkvGradient, const Values &keyGradient, const AttentionInputs &in)
    {
        eachHead([&] {
            const Part part = outPart();
            const float *const queries = gather(in.qkv, m_one.qkvWidth(), rowParts());
            const float *const separate = gather(in.keys, 2 * m_one.kvWidth(), keyParts());
            const float *const kept = m_scratch.widened(from(in.probabilities, keptOffset()), keptCount());
            float *const gradient = gather(qkvGradient, m_one.qkvWidth(), rowParts());
            float *const separateGradient = gather(keyGradient, 2 * m_one.kvWidth(), keyParts());
            kernels::attentionBackward(gradient, m_scratch.widened(in.outGradient + part.offset, part.block), queries,
                                       m_scratch.widened(in.out + part.offset, part.block), in.logSumExp + sumOffset(), m_one,
                                       kernelScratch(), m_interrupt, kept, {separate, separateGradient});
            scatter(qkvGradient, gradient, m_one.qkvWidth(), rowParts());
            scatter(keyGradient, separateGradient, 2 * m_one.kvWidth(), keyParts());
        });
    }

private:
    /// Columns of a tensor that belong to the head.
    struct Part {
        std::int64_t offset = 0; ///< in the tensor
        Block block;
        std::int64_t column = 0; ///< in the rows that the kernel gets
    };

    template <class Work>
    void eachHead(const Work &work)
    {
        for (m_index = 0; m_index < m_shape.batch; ++m_index)
            for (m_head = 0; m_head < m_shape.kvHeads && !m_interrupt(); ++m_head) {
                m_scratch.restart();
                work();
            }
    }

    [[nodiscard]] Part outPart() const
    {
        const std::int64_t width = m_shape.width();
        return {m_index * m_shape.sequence * width + m_head * m_one.width(), {m_shape.sequence, m_one.width(), width}, 0};
    }
    /// Returns where queries, keys and values of the head are in the fused rows.
    [[nodiscard]] std::array<Part, 3> rowParts() const
    {
        const std::int64_t stride = m_shape.qkvWidth();
        const std::int64_t row = m_index * m_shape.sequence * stride;
        const std::int64_t keys = row + m_shape.width() + m_head * m_shape.size;
        const Block one{m_shape.sequence, m_shape.size, stride};
        return {{{row + m_head * m_one.width(), {m_shape.sequence, m_one.width(), stride}, 0},
                 {keys, one, m_one.width()},
                 {keys + m_shape.kvWidth(), one, m_one.width() + m_shape.size}}};
    }
    /// Returns the same of separate keys.
    [[nodiscard]] std::array<Part, 2> keyParts() const
    {
        const std::int64_t stride = 2 * m_shape.kvWidth();
        const std::int64_t keys = m_index * m_shape.positions() * stride + m_head * m_shape.size;
        const Block one{m_shape.positions(), m_shape.size, stride};
        return {{{keys, one, 0}, {keys + m_shape.kvWidth(), one, m_shape.size}}};
    }
    template <std::size_t N>
    [[nodiscard]] float *gather(const ConstValues &values, std::int64_t width, const std::array<Part, N> &parts)
    {
        if (!values)
            return nullptr;
        float *const to = m_scratch.take(parts[0].block.rows * width);
        for (const Part &part : parts)
            for (std::int64_t row = 0; row < part.block.rows; ++row)
                NarrowScratch<T>::widen(to + row * width + part.column, values + (part.offset + row * part.block.stride),
                                        {1, part.block.columns, part.block.columns});
        return to;
    }
    template <std::size_t N>
    void scatter(const Values &values, const float *rows, std::int64_t width, const std::array<Part, N> &parts)
    {
        if (!values)
            return;
        for (const Part &part : parts)
            for (std::int64_t row = 0; row < part.block.rows; ++row)
                NarrowScratch<T>::store(values + (part.offset + row * part.block.stride), rows + row * width + part.column,
                                        part.block.columns);
    }

    [[nodiscard]] std::int64_t sumOffset() const { return (m_index * m_shape.heads + m_head * m_one.heads) * m_shape.sequence; }
    [[nodiscard]] std::int64_t keptCount() const { return m_one.heads * m_shape.sequence * m_shape.positions(); }
    [[nodiscard]] std::int64_t keptOffset() const { return (m_index * m_shape.kvHeads + m_head) * keptCount(); }
    [[nodiscard]] float *kernelScratch() { return m_scratch.take(kernels::attentionScratch(m_one)); }

    NarrowScratch<T> &m_scratch;
    const kernels::AttentionShape &m_shape;
    kernels::AttentionShape m_one; ///< of the head of keys
    const kernels::Interrupt &m_interrupt;
    std::int64_t m_index = 0; ///< of the sequence
    std::int64_t m_head = 0;
};

} // namespace stagelens::backend
