#include "engine/backend/compute.h"

#include "kernels/include/elementwise.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/rmsnorm.h"
#include "kernels/include/swiglu.h"

#include <algorithm>
#include <chrono>

namespace stagelens::backend {
namespace {

using kernels::inBlocks;
using kernels::SoftmaxStatistics;

/// Calls the kernels of kernels/cpu, long ones in blocks between which it asks.
class CpuCompute final : public Compute {
public:
    explicit CpuCompute(const kernels::Interrupt &interrupt) : m_interrupt(interrupt) {}

    Memory &memory() override { return hostMemory(); }
    void beginStep() override {}
    Mark mark() override
    {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    }
    void finish() override {}
    base::Nanos timeOf(Mark mark) override { return mark; }

    void write(float *to, std::int64_t count, const std::function<void(std::span<float>, std::int64_t)> &make) override
    {
        inBlocks(count, m_interrupt, [&](std::int64_t first, std::int64_t length) {
            make({to + first, static_cast<std::size_t>(length)}, first);
        });
    }
    void read(std::span<float> to, const float *from) override { std::copy_n(from, to.size(), to.data()); }
    const std::int32_t *tokens(std::span<const std::int32_t> ids) override { return ids.data(); }

    void copy(float *to, const float *from, std::int64_t count) override { std::copy_n(from, count, to); }
    void zero(float *to, std::int64_t count) override
    {
        inBlocks(count, m_interrupt, [&](std::int64_t first, std::int64_t length) { std::fill_n(to + first, length, 0.0F); });
    }
    void add(float *to, const float *from, std::int64_t count) override
    {
        inBlocks(count, m_interrupt,
                 [&](std::int64_t first, std::int64_t length) { kernels::add(to + first, from + first, length); });
    }
    void scale(float *to, const float *from, float factor, std::int64_t count) override
    {
        kernels::scale(to, from, factor, count);
    }
    void addScaled(float *to, const float *from, float factor, std::int64_t count) override
    {
        kernels::addScaled(to, from, factor, count);
    }
    void addScaledRows(float *to, const float *from, const float *factor, std::int64_t rows, std::int64_t width) override
    {
        kernels::addScaledRows(to, from, factor, rows, width);
    }
    void fillRows(float *out, const float *bias, const float *residual, std::int64_t rows, std::int64_t width) override
    {
        kernels::fillRows(out, bias, residual, rows, width);
    }
    void addColumnSums(float *sums, const float *in, std::int64_t rows, std::int64_t width) override
    {
        kernels::addColumnSums(sums, in, rows, width);
    }
    double sumOfSquares(const float *values, std::int64_t count) override
    {
        double sum = 0;
        inBlocks(count, m_interrupt,
                 [&](std::int64_t first, std::int64_t length) { sum += kernels::sumOfSquares(values + first, length); });
        return sum;
    }
    void adamwStep(float *values, float *gradient, float *first, float *second, const kernels::AdamW &settings,
                   std::int64_t count) override
    {
        inBlocks(count, m_interrupt, [&](std::int64_t i, std::int64_t length) {
            kernels::adamwStep(values + i, gradient + i, first + i, second + i, settings, length);
        });
    }

    void multiply(const kernels::Product &product) override { kernels::multiply(product, m_interrupt); }

    void layerNormForward(float *out, float *mean, float *rstd, const float *in, const float *weight, const float *bias,
                          std::int64_t rows, std::int64_t width) override
    {
        kernels::layerNormForward(out, mean, rstd, in, weight, bias, rows, width);
    }
    void layerNormBackward(float *inGradient, float *weightGradient, float *biasGradient, const float *outGradient,
                           const float *in, const float *mean, const float *rstd, const float *weight, std::int64_t rows,
                           std::int64_t width) override
    {
        kernels::layerNormBackward(inGradient, weightGradient, biasGradient, outGradient, in, mean, rstd, weight, rows, width);
    }
    void rmsNormForward(float *out, float *rstd, const float *in, const float *weight, std::int64_t rows,
                        std::int64_t width) override
    {
        kernels::rmsNormForward(out, rstd, in, weight, rows, width);
    }
    void rmsNormBackward(float *inGradient, float *weightGradient, const float *outGradient, const float *in, const float *rstd,
                         const float *weight, std::int64_t rows, std::int64_t width) override
    {
        kernels::rmsNormBackward(inGradient, weightGradient, outGradient, in, rstd, weight, rows, width);
    }
    void geluForward(float *out, const float *in, std::int64_t count) override { kernels::geluForward(out, in, count); }
    void geluBackward(float *gradient, const float *in, std::int64_t count) override
    {
        kernels::geluBackward(gradient, in, count);
    }
    void swigluForward(float *out, const float *gate, const float *up, std::int64_t count) override
    {
        kernels::swigluForward(out, gate, up, count);
    }
    void swigluBackward(float *gate, float *up, const float *outGradient, std::int64_t count) override
    {
        kernels::swigluBackward(gate, up, outGradient, count);
    }
    void rotate(float *rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) override
    {
        kernels::rotate(rows, angles, shape, turn);
    }
    void attentionForward(float *out, float *logSumExp, const float *qkv, const kernels::AttentionShape &shape,
                          float *scratch) override
    {
        kernels::attentionForward(out, logSumExp, qkv, shape, scratch, m_interrupt);
    }
    void attentionBackward(float *qkvGradient, const float *outGradient, const float *qkv, const float *out,
                           const float *logSumExp, const kernels::AttentionShape &shape, float *scratch) override
    {
        kernels::attentionBackward(qkvGradient, outGradient, qkv, out, logSumExp, shape, scratch, m_interrupt);
    }

    void gatherRows(float *out, const float *table, const kernels::TableShard &shard, const std::int32_t *ids,
                    std::int64_t tokens) override
    {
        kernels::gatherRows(out, table, shard, ids, tokens);
    }
    void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, const float *in, float factor,
                        std::int64_t tokens) override
    {
        kernels::scatterAddRows(table, shard, ids, in, factor, tokens);
    }
    void scaleRows(float *out, const float *in, const float *factor, const float *table, const kernels::TableShard &shard,
                   const std::int32_t *ids, float weight, std::int64_t tokens) override
    {
        kernels::scaleRows(out, in, factor, table, shard, ids, weight, tokens);
    }

    void rowMaxima(float *maximum, float *target, const kernels::LogitShard &shard, const std::int32_t *labels) override
    {
        kernels::rowMaxima(maximum, target, shard, labels, m_interrupt);
    }
    void exponentiate(float *sum, const float *maximum, const kernels::LogitShard &shard) override
    {
        kernels::exponentiate(sum, maximum, shard, m_interrupt);
    }
    void localSoftmax(float *maximum, float *sum, float *target, const kernels::LogitShard &shard,
                      const std::int32_t *labels) override
    {
        kernels::localSoftmax(maximum, sum, target, shard, labels, m_interrupt);
    }
    void combineShards(const SoftmaxStatistics &all, kernels::ShardParts parts) override { kernels::combineShards(all, parts); }
    void combineMaxima(float *maximum, kernels::ShardParts parts, std::int64_t tokens) override
    {
        kernels::combineMaxima(maximum, parts, tokens);
    }
    void combineSums(const SoftmaxStatistics &all, const float *maximum, kernels::ShardParts parts) override
    {
        kernels::combineSums(all, maximum, parts);
    }
    void shardFactors(float *factors, kernels::ShardParts parts, const SoftmaxStatistics &all) override
    {
        kernels::shardFactors(factors, parts, all);
    }
    void tokenFactors(float *factors, const SoftmaxStatistics &shard, const SoftmaxStatistics &all, float weight) override
    {
        kernels::tokenFactors(factors, shard, all, weight);
    }
    double lossSum(const SoftmaxStatistics &all) override { return kernels::lossSum(all); }

private:
    kernels::Interrupt m_interrupt;
};

} // namespace

std::unique_ptr<Compute> makeCpuCompute(const kernels::Interrupt &interrupt)
{
    return std::make_unique<CpuCompute>(interrupt);
}

} // namespace stagelens::backend
