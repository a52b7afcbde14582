#include "engine/backend/cpu/cpu_compute.h"
#include "engine/backend/cpu/narrow_attention.h"
#include "engine/backend/cpu/narrow_product.h"

#include <stdexcept>

namespace stagelens::backend {
namespace {

/// Stores values as T and computes in fp32: each call converts what it reads, and rounds what it writes once. Its own scratch
/// holds the floats of one call, block by block; that of experts holds all their rows.
template <class T>
class NarrowCompute final : public CpuCompute {
public:
    using CpuCompute::CpuCompute;

    base::Precision precision() const override { return precisionOf<T>(); }

    void write(Values to, std::int64_t count, const std::function<void(std::span<float>, std::int64_t)> &make) override
    {
        if (isFloat(to))
            return CpuCompute::write(to, count, make);
        forBlocks(count, [&](std::int64_t first, std::int64_t length) {
            float *const block = m_scratch.take(length);
            make({block, static_cast<std::size_t>(length)}, first);
            m_scratch.store(to + first, block, length);
        });
    }
    void read(std::span<float> to, ConstValues from) override
    {
        const auto count = static_cast<std::int64_t>(to.size());
        m_scratch.widen(to.data(), from, {1, count, count});
    }
    void copy(Values to, ConstValues from, std::int64_t count) override
    {
        if (isFloat(to))
            CpuCompute::copy(to, from, count);
        else
            std::copy_n(from.as<T>(), count, to.as<T>());
    }
    void zero(Values to, std::int64_t count) override
    {
        if (isFloat(to))
            CpuCompute::zero(to, count);
        else
            std::fill_n(to.as<T>(), count, T{});
    }
    void round(Values to, const float *from, std::int64_t count) override { m_scratch.store(to, from, count); }
    void scale(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        forBlocks(count, [&](std::int64_t first, std::int64_t length) {
            float *const block = m_scratch.widened(from + first, length);
            kernels::scale(block, block, factor, length);
            m_scratch.store(to + first, block, length);
        });
    }
    void addScaled(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        forBlocks(count, [&](std::int64_t first, std::int64_t length) {
            float *const block = m_scratch.widened(to + first, length);
            kernels::addScaled(block, m_scratch.widened(from + first, length), factor, length);
            m_scratch.store(to + first, block, length);
        });
    }
    void sumParts(std::span<const Values> parts, std::int64_t count) override
    {
        forBlocks(count, [&](std::int64_t first, std::int64_t length) {
            float *const sum = m_scratch.widened(parts[0] + first, length);
            for (const Values &part : parts.subspan(1))
                kernels::add(sum, m_scratch.widened(part + first, length), length);
            m_scratch.store(parts[0] + first, sum, length);
        });
    }
    void sumScaledParts(std::span<const Values> parts, const float *factors, std::int64_t rows, std::int64_t width) override
    {
        forRows(rows, width, [&](std::int64_t row, std::int64_t count) {
            float *const sum = m_scratch.widened(parts[0] + row * width, count * width);
            kernels::scaleRows(sum, sum, factors + row, nullptr, {0, 0, width}, nullptr, 0, count);
            for (std::size_t i = 1; i < parts.size(); ++i)
                kernels::addScaledRows(sum, m_scratch.widened(parts[i] + row * width, count * width),
                                       factors + static_cast<std::int64_t>(i) * rows + row, count, width);
            m_scratch.store(parts[0] + row * width, sum, count * width);
        });
    }
    void addColumnSums(float *sums, ConstValues in, std::int64_t rows, std::int64_t width) override
    {
        forRows(rows, width, [&](std::int64_t row, std::int64_t count) {
            kernels::addColumnSums(sums, m_scratch.widened(in + row * width, count * width), count, width);
        });
    }
    void adamwStep(float *values, Values rounded, float *gradient, float *first, float *second, const kernels::AdamW &settings,
                   std::int64_t count) override
    {
        CpuCompute::adamwStep(values, {}, gradient, first, second, settings, count);
        m_scratch.store(rounded, values, count);
    }

    void multiply(const Product &product) override
    {
        if (isFloat(product.a.data)) // of an optimizer
            return CpuCompute::multiply(product);
        NarrowProduct<T>::run(m_scratch, product, interrupt(),
                              [this](const kernels::Product &tile) { kernels::multiply(tile, interrupt()); });
    }
    void multiplyExperts(const ExpertProduct &product) override
    {
        forExperts(
            product,
            [this](const Product &each) {
                NarrowProduct<T>::run(m_scratch, each, interrupt(),
                                      [this](const kernels::Product &tile) { kernels::multiplyRows(tile, interrupt()); });
            },
            [this](const Product &each) { multiply(each); });
    }

    void layerNormForward(Values out, float *mean, float *rstd, ConstValues in, ConstValues weight, ConstValues bias,
                          std::int64_t rows, std::int64_t width) override
    {
        forRows(rows, width, [&](std::int64_t row, std::int64_t count) {
            float *const values = m_scratch.take(count * width);
            kernels::layerNormForward(values, mean + row, rstd + row, m_scratch.widened(in + row * width, count * width),
                                      m_scratch.widened(weight, width), m_scratch.widened(bias, width), count, width);
            m_scratch.store(out + row * width, values, count * width);
        });
    }
    void layerNormBackward(Values inGradient, float *weightGradient, float *biasGradient, ConstValues outGradient,
                           ConstValues in, const float *mean, const float *rstd, ConstValues weight, std::int64_t rows,
                           std::int64_t width) override
    {
        forRows(rows, width, [&](std::int64_t row, std::int64_t count) {
            float *const gradient = m_scratch.widened(inGradient + row * width, count * width);
            kernels::layerNormBackward(gradient, weightGradient, biasGradient,
                                       m_scratch.widened(outGradient + row * width, count * width),
                                       m_scratch.widened(in + row * width, count * width), mean + row, rstd + row,
                                       m_scratch.widened(weight, width), count, width);
            m_scratch.store(inGradient + row * width, gradient, count * width);
        });
    }
    void rmsNormForward(Values out, float *rstd, ConstValues in, ConstValues weight, std::int64_t rows, std::int64_t width,
                        float epsilon) override
    {
        forRows(rows, width, [&](std::int64_t row, std::int64_t count) {
            float *const values = m_scratch.take(count * width);
            kernels::rmsNormForward(values, rstd + row, m_scratch.widened(in + row * width, count * width),
                                    m_scratch.widened(weight, width), count, width, epsilon);
            m_scratch.store(out + row * width, values, count * width);
        });
    }
    void rmsNormBackward(Values inGradient, float *weightGradient, ConstValues outGradient, ConstValues in, const float *rstd,
                         ConstValues weight, std::int64_t rows, std::int64_t width) override
    {
        forRows(rows, width, [&](std::int64_t row, std::int64_t count) {
            float *const gradient = m_scratch.widened(inGradient + row * width, count * width);
            kernels::rmsNormBackward(gradient, weightGradient, m_scratch.widened(outGradient + row * width, count * width),
                                     m_scratch.widened(in + row * width, count * width), rstd + row,
                                     m_scratch.widened(weight, width), count, width);
            m_scratch.store(inGradient + row * width, gradient, count * width);
        });
    }
    void activationForward(kernels::Activation activation, Values out, ConstValues in, std::int64_t count) override
    {
        forBlocks(count, [&](std::int64_t first, std::int64_t length) {
            float *const values = m_scratch.take(length);
            kernels::activationForward(activation, values, m_scratch.widened(in + first, length), length);
            m_scratch.store(out + first, values, length);
        });
    }
    void swigluForward(Values out, ConstValues gate, ConstValues up, std::int64_t count) override
    {
        forBlocks(count, [&](std::int64_t first, std::int64_t length) {
            float *const values = m_scratch.take(length);
            kernels::swigluForward(values, m_scratch.widened(gate + first, length), m_scratch.widened(up + first, length),
                                   length);
            m_scratch.store(out + first, values, length);
        });
    }
    void swigluBackward(Values gate, Values up, ConstValues outGradient, std::int64_t count) override
    {
        forBlocks(count, [&](std::int64_t first, std::int64_t length) {
            float *const gates = m_scratch.widened(gate + first, length);
            float *const ups = m_scratch.widened(up + first, length);
            kernels::swigluBackward(gates, ups, m_scratch.widened(outGradient + first, length), length);
            m_scratch.store(gate + first, gates, length);
            m_scratch.store(up + first, ups, length);
        });
    }
    void rotate(Values rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) override
    {
        const std::int64_t width = shape.heads * shape.size;
        for (std::int64_t row = 0; row < shape.rows; ++row) {
            m_scratch.restart();
            const Values line = rows + row * shape.stride;
            float *const values = m_scratch.widened(line, width);
            kernels::rotate(values, angles + row % shape.sequence * shape.size, {1, 1, shape.heads, shape.size, width}, turn);
            m_scratch.store(line, values, width);
        }
    }
    void attentionForward(Values out, float *logSumExp, Values probabilities, ConstValues qkv, ConstValues keys,
                          const kernels::AttentionShape &shape, float * /*scratch*/) override
    {
        NarrowAttention<T>(m_scratch, shape, interrupt()).forward(out, logSumExp, probabilities, qkv, keys);
    }
    void attentionBackward(Values qkvGradient, Values keyGradient, ConstValues outGradient, ConstValues qkv, ConstValues keys,
                           ConstValues out, const float *logSumExp, ConstValues probabilities,
                           const kernels::AttentionShape &shape, float * /*scratch*/) override
    {
        const AttentionInputs inputs{qkv, keys, out, outGradient, logSumExp, probabilities};
        NarrowAttention<T>(m_scratch, shape, interrupt()).backward(qkvGradient, keyGradient, inputs);
    }

    void routeForward(float *gates, std::int32_t *routes, ConstValues logits, const float *bias,
                      const kernels::RoutingShape &shape, const kernels::RouterRule &rule) override
    {
        m_scratch.restart();
        kernels::routeForward(gates, routes, m_scratch.widened(logits, shape.tokens * shape.experts), bias, shape, rule);
    }
    void routeBackward(Values logits, ConstValues gateGradient, const float *gates, const std::int32_t *routes,
                       const kernels::RoutingShape &shape, const kernels::RouterRule &rule,
                       const kernels::RouterLosses &losses) override
    {
        m_scratch.restart();
        const std::int64_t count = shape.tokens * shape.experts;
        float *const values = m_scratch.widened(logits, count);
        kernels::routeBackward(values, m_scratch.widened(gateGradient, shape.rows()), gates, routes, shape, rule, losses);
        m_scratch.store(logits, values, count);
    }
    void addRouterTotals(double *totals, const std::int32_t *routes, ConstValues logits, const kernels::RoutingShape &shape,
                         bool isSigmoid) override
    {
        m_scratch.restart();
        kernels::addRouterTotals(totals, routes, m_scratch.widened(logits, shape.tokens * shape.experts), shape, isSigmoid);
    }
    void dispatchRows(Values out, ConstValues in, const std::int32_t *routes, const kernels::RoutingShape &shape,
                      std::int64_t width) override
    {
        const std::int32_t *const slots = routes + 2 * shape.rows();
        for (std::int64_t row = 0; row < shape.rows() && slots[row] >= 0; ++row)
            copy(out + row * width, in + slots[row] / shape.topK * width, width);
    }
    void combineRows(Values out, ConstValues rows, ConstValues addend, const std::int32_t *routes,
                     const kernels::RoutingShape &shape, std::int64_t width) override
    {
        m_scratch.restart();
        float *const sums = m_scratch.take(shape.tokens * width);
        kernels::combineRows(sums, m_scratch.widened(rows, shape.rows() * width),
                             m_scratch.widened(addend, shape.tokens * width), routes, shape, width);
        m_scratch.store(out, sums, shape.tokens * width);
    }
    void expertSwigluForward(Values out, ConstValues gate, ConstValues up, const float *gates, const std::int32_t *routes,
                             const kernels::RoutingShape &shape, std::int64_t width) override
    {
        m_scratch.restart();
        const std::int64_t count = shape.rows() * width;
        float *const values = m_scratch.widened(out, count); // dropped rows stay
        kernels::expertSwigluForward(values, m_scratch.widened(gate, count), m_scratch.widened(up, count), gates, routes, shape,
                                     width);
        m_scratch.store(out, values, count);
    }
    void expertSwigluBackward(Values gate, Values up, Values gateGradient, ConstValues outGradient, const float *gates,
                              const std::int32_t *routes, const kernels::RoutingShape &shape, std::int64_t width) override
    {
        m_scratch.restart();
        const std::int64_t count = shape.rows() * width;
        float *const gateValues = m_scratch.widened(gate, count);
        float *const upValues = m_scratch.widened(up, count);
        float *const gradients = m_scratch.widened(gateGradient, shape.rows());
        kernels::expertSwigluBackward(gateValues, upValues, gradients, m_scratch.widened(outGradient, count), gates, routes,
                                      shape, width);
        m_scratch.store(gate, gateValues, count);
        m_scratch.store(up, upValues, count);
        m_scratch.store(gateGradient, gradients, shape.rows());
    }

    void gatherRows(Values out, ConstValues table, const kernels::TableShard &shard, const std::int32_t *ids,
                    std::int64_t tokens) override
    {
        for (std::int64_t token = 0; token < tokens; ++token) {
            const std::int64_t row = ids[token] - shard.first;
            if (row >= 0 && row < shard.count)
                copy(out + token * shard.width, table + row * shard.width, shard.width);
            else
                zero(out + token * shard.width, shard.width);
        }
    }
    void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, ConstValues in, float factor,
                        std::int64_t tokens) override
    {
        forRows(tokens, shard.width, [&](std::int64_t first, std::int64_t count) {
            kernels::scatterAddRows(table, shard, ids + first, m_scratch.widened(in + first * shard.width, count * shard.width),
                                    factor, count);
        });
    }
    void scaleRows(Values out, ConstValues in, const float *factor, ConstValues table, const kernels::TableShard &shard,
                   const std::int32_t *ids, float weight, std::int64_t tokens) override
    {
        const std::int64_t width = shard.width;
        for (std::int64_t token = 0; token < tokens; ++token) {
            m_scratch.restart();
            const std::int64_t row = table ? ids[token] - shard.first : -1;
            const bool isLocal = row >= 0 && row < shard.count;
            const float *const target = isLocal ? m_scratch.widened(table + row * width, width) : nullptr;
            float *const values = m_scratch.widened(in + token * width, width);
            kernels::scaleRows(values, values, factor + token, target, {isLocal ? ids[token] : 0, isLocal ? 1 : 0, width},
                               isLocal ? ids + token : nullptr, weight, 1);
            m_scratch.store(out + token * width, values, width);
        }
    }
    void addPositions(Values rows, ConstValues table, std::int64_t batch, std::int64_t sequence, std::int64_t width) override
    {
        for (std::int64_t i = 0; i < batch; ++i)
            addScaled(rows + i * sequence * width, table, 1, sequence * width);
    }
    void addPositionGradients(float *table, ConstValues rows, std::int64_t batch, std::int64_t sequence,
                              std::int64_t width) override
    {
        for (std::int64_t i = 0; i < batch; ++i)
            addScaled(table, rows + i * sequence * width, 1, sequence * width);
    }

    void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        forLogits(shard, [&](std::int64_t row, const kernels::LogitShard &block) {
            kernels::rowMaxima(maximum + row, target + row, block, labels + row, interrupt());
        });
    }
    void exponentiate(float *sum, const float *maximum, const LogitShard &shard) override
    {
        forLogits(shard, [&](std::int64_t row, const kernels::LogitShard &block) {
            kernels::exponentiate(sum + row, maximum + row, block, interrupt());
        });
    }
    void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        forLogits(shard, [&](std::int64_t row, const kernels::LogitShard &block) {
            kernels::localSoftmax(maximum + row, sum + row, target + row, block, labels + row, interrupt());
        });
    }

private:
    static constexpr std::int64_t kBlock = 1 << 15; ///< numbers that stay in the cache with a few copies

    template <bool IsConst>
    static bool isFloat(const BasicValues<IsConst> &values)
    {
        return values.precision() == base::Precision::Fp32;
    }
    /// Calls work(first, count) for blocks of rows, with empty scratch.
    template <class Work>
    void forRows(std::int64_t rows, std::int64_t width, const Work &work)
    {
        const std::int64_t most = std::max<std::int64_t>(1, kBlock / std::max<std::int64_t>(1, width));
        for (std::int64_t row = 0; row < rows && !interrupt()(); row += most) {
            m_scratch.restart();
            work(row, std::min(most, rows - row));
        }
    }
    template <class Work>
    void forBlocks(std::int64_t count, const Work &work)
    {
        forRows(count, 1, work);
    }
    /// Calls work(first row, block) for blocks of logits, and stores them.
    template <class Work>
    void forLogits(const LogitShard &shard, const Work &work)
    {
        forRows(shard.rows, shard.columns, [&](std::int64_t row, std::int64_t count) {
            const std::int64_t numbers = count * shard.columns;
            float *const block = m_scratch.widened(from(shard.logits, row * shard.columns), numbers);
            work(row, {block, count, shard.columns, shard.first});
            m_scratch.store(from(shard.logits, row * shard.columns), block, numbers);
        });
    }

    NarrowScratch<T> m_scratch;
};

} // namespace

std::unique_ptr<Compute> makeNarrowCpuCompute(base::Precision precision, const kernels::Interrupt &interrupt)
{
    if (precision == base::Precision::Bf16)
        return std::make_unique<NarrowCompute<kernels::Bf16>>(interrupt);
    if (precision == base::Precision::Fp16)
        return std::make_unique<NarrowCompute<kernels::Fp16>>(interrupt);
    throw std::logic_error("fp32 has no emulation");
}

} // namespace stagelens::backend
