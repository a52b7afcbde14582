// The kernels of a processor.
#pragma once

#include "engine/backend/compute.h"
#include "engine/base/processor_time.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/rmsnorm.h"
#include "kernels/include/swiglu.h"

#include <algorithm>
#include <chrono>

namespace stagelens::backend {

[[nodiscard]] inline kernels::Operand operandOf(const Operand &operand)
{
    return {operand.data.floats(), operand.stride, operand.form};
}

/// Returns the operands of a product that writes to `to`.
[[nodiscard]] inline kernels::Product productOf(const Product &product, float *to, float beta)
{
    return {.rows = product.rows,
            .columns = product.columns,
            .inner = product.inner,
            .a = operandOf(product.a),
            .b = operandOf(product.b),
            .c = to,
            .stride = product.stride,
            .beta = beta};
}

[[nodiscard]] inline kernels::LogitShard shardOf(const LogitShard &shard)
{
    return {shard.logits.floats(), shard.rows, shard.columns, shard.first};
}

/// Calls the kernels of kernels/cpu, in fp32. Splits long calls into blocks and checks the interrupt between them.
class CpuCompute : public Compute {
public:
    explicit CpuCompute(const kernels::Interrupt &interrupt) : m_interrupt(interrupt) {}

    base::Precision precision() const override { return base::Precision::Fp32; }
    Memory &memory() override { return hostMemory(); }
    Memory &linkedMemory() override { return hostMemory(); }
    void beginStep() override {}
    Mark mark() override { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }
    void finish() override {}
    base::Nanos timeOf(Mark mark) override { return mark; }
    std::optional<base::Nanos> processorTime() override { return base::threadProcessorTime(); }

    void write(Values to, std::int64_t count, const std::function<void(std::span<float>, std::int64_t)> &make) override
    {
        kernels::inBlocks(count, m_interrupt, [&](std::int64_t first, std::int64_t length) {
            make({to.floats() + first, static_cast<std::size_t>(length)}, first);
        });
    }
    void read(std::span<float> to, ConstValues from) override { std::copy_n(from.floats(), to.size(), to.data()); }
    const std::int32_t *tokens(std::span<const std::int32_t> ids) override { return ids.data(); }

    void copy(Values to, ConstValues from, std::int64_t count) override { std::copy_n(from.floats(), count, to.floats()); }
    void zero(Values to, std::int64_t count) override
    {
        kernels::inBlocks(count, m_interrupt,
                          [&](std::int64_t first, std::int64_t length) { std::fill_n(to.floats() + first, length, 0.0F); });
    }
    void round(Values to, const float *from, std::int64_t count) override { copy(to, from, count); }
    void pack(float *to, ConstValues from, std::int64_t rows, std::int64_t columns, kernels::Codec codec) override
    {
        ofEither(from, [&](const auto *numbers) { kernels::pack(to, numbers, rows, columns, codec); });
    }
    void unpack(Values to, const float *from, std::int64_t rows, std::int64_t columns, kernels::Codec codec) override
    {
        ofEither(to, [&](auto *numbers) { kernels::unpack(numbers, from, rows, columns, codec); });
    }
    void add(float *to, const float *from, std::int64_t count) override
    {
        kernels::inBlocks(count, m_interrupt,
                          [&](std::int64_t first, std::int64_t length) { kernels::add(to + first, from + first, length); });
    }
    void scale(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        kernels::scale(to.floats(), from.floats(), factor, count);
    }
    void addScaled(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        kernels::addScaled(to.floats(), from.floats(), factor, count);
    }
    void sumParts(std::span<const Values> parts, std::int64_t count) override
    {
        for (const Values &part : parts.subspan(1))
            add(parts[0].floats(), part.floats(), count);
    }
    void sumScaledParts(std::span<const Values> parts, const float *factors, std::int64_t rows, std::int64_t width) override
    {
        float *const sum = parts[0].floats();
        kernels::scaleRows(sum, sum, factors, nullptr, {0, 0, width}, nullptr, 0, rows);
        for (std::size_t i = 1; i < parts.size(); ++i)
            kernels::addScaledRows(sum, parts[i].floats(), factors + static_cast<std::int64_t>(i) * rows, rows, width);
    }
    void addColumnSums(float *sums, ConstValues in, std::int64_t rows, std::int64_t width) override
    {
        kernels::addColumnSums(sums, in.floats(), rows, width);
    }
    double sumOfSquares(const float *values, std::int64_t count) override
    {
        double sum = 0;
        kernels::inBlocks(count, m_interrupt, [&](std::int64_t first, std::int64_t length) {
            sum += kernels::sumOfSquares(values + first, length);
        });
        return sum;
    }
    void adamwStep(float *values, Values /*rounded*/, float *gradient, float *first, float *second,
                   const kernels::AdamW &settings, std::int64_t count) override
    {
        kernels::inBlocks(count, m_interrupt, [&](std::int64_t i, std::int64_t length) {
            kernels::adamwStep(values + i, gradient + i, first + i, second + i, settings, length);
        });
    }
    void sgdStep(float *values, float *gradient, float *momentum, const kernels::Sgd &settings, std::int64_t count) override
    {
        kernels::inBlocks(count, m_interrupt, [&](std::int64_t i, std::int64_t length) {
            kernels::sgdStep(values + i, gradient + i, momentum + i, settings, length);
        });
    }
    void lionStep(float *values, float *gradient, float *momentum, const kernels::Lion &settings, std::int64_t count) override
    {
        kernels::inBlocks(count, m_interrupt, [&](std::int64_t i, std::int64_t length) {
            kernels::lionStep(values + i, gradient + i, momentum + i, settings, length);
        });
    }
    void adam8bitStep(float *values, float *gradient, const kernels::CodedMoments &moments, std::int64_t rows,
                      std::int64_t columns, const kernels::AdamW &settings) override
    {
        kernels::adam8bitStep(values, gradient, moments, rows, columns, settings);
    }
    void adafactorSums(double *sums, const kernels::AdafactorRows &part, const kernels::Adafactor &settings) override
    {
        kernels::adafactorSums(sums, part, settings);
    }
    void adafactorStep(const kernels::AdafactorRows &part, double *sums, const kernels::Adafactor &settings) override
    {
        kernels::adafactorStep(part, sums, settings);
    }
    void adafactorVectorSums(double *sums, const float *values, const float *gradient, float *moments, std::int64_t count,
                             const kernels::Adafactor &settings) override
    {
        kernels::adafactorVectorSums(sums, values, gradient, moments, count, settings);
    }
    void adafactorVectorStep(float *values, float *gradient, const float *moments, std::int64_t count, const double *sums,
                             const kernels::Adafactor &settings) override
    {
        kernels::adafactorVectorStep(values, gradient, moments, count, sums, settings);
    }
    void addDoubles(double *to, const double *from, std::int64_t count) override
    {
        for (std::int64_t i = 0; i < count; ++i)
            to[i] += from[i];
    }

    void encodeSigns(float *message, float *residual, std::int64_t count) override
    {
        kernels::encodeSigns(message, residual, count);
    }
    void encodeSignsOf(float scale, float *message, float *residual, std::int64_t count) override
    {
        kernels::encodeSignsOf(scale, message, residual, count);
    }
    void decodeSigns(float *sum, std::span<float *const> messages, std::int64_t count) override
    {
        kernels::decodeSigns(sum, messages, count);
    }
    void encodeGreatest(float *message, float *residual, std::int64_t count, std::int64_t chosen) override
    {
        kernels::encodeGreatest(message, residual, count, chosen);
    }
    void decodeGreatest(float *sum, std::span<float *const> messages, std::int64_t count, std::int64_t chosen) override
    {
        kernels::decodeGreatest(sum, messages, count, chosen);
    }
    void multiplyByRight(float *left, const float *matrix, const float *right, const kernels::LowRank &shape) override
    {
        kernels::multiplyByRight(left, matrix, right, shape);
    }
    void multiplyByLeft(float *right, const float *matrix, const float *left, const kernels::LowRank &shape) override
    {
        kernels::multiplyByLeft(right, matrix, left, shape);
    }
    void orthonormalise(float *left, const kernels::LowRank &shape) override { kernels::orthonormalise(left, shape); }
    void decodeLowRank(float *sum, float *residual, float *state, const float *left, float *right,
                       const kernels::LowRank &shape, int replicas) override
    {
        kernels::decodeLowRank(sum, residual, state, left, right, shape, replicas);
    }

    void multiply(const Product &product) override
    {
        const std::int64_t count = product.rows * product.columns;
        const bool isActivated = product.epilogue == kernels::Epilogue::Activation;
        float *const to = (isActivated ? product.between : product.c).floats();
        float beta = product.beta;
        if (isActivated || product.epilogue == kernels::Epilogue::Bias) {
            kernels::fillRows(to, product.bias.floats(), product.addend.floats(), product.rows, product.columns);
            beta = 1;
        } else if (product.addend) {
            std::copy_n(product.addend.floats(), count, to);
            beta = 1;
        }
        kernels::multiply(productOf(product, to, beta), m_interrupt);
        if (isActivated)
            kernels::activationForward(product.activation, product.c.floats(), to, count);
        else if (product.epilogue == kernels::Epilogue::ActivationBackward)
            kernels::activationBackward(product.activation, to, product.between.floats(), count);
    }

    void layerNormForward(Values out, float *mean, float *rstd, ConstValues in, ConstValues weight, ConstValues bias,
                          std::int64_t rows, std::int64_t width) override
    {
        kernels::layerNormForward(out.floats(), mean, rstd, in.floats(), weight.floats(), bias.floats(), rows, width);
    }
    void layerNormBackward(Values inGradient, float *weightGradient, float *biasGradient, ConstValues outGradient,
                           ConstValues in, const float *mean, const float *rstd, ConstValues weight, std::int64_t rows,
                           std::int64_t width) override
    {
        kernels::layerNormBackward(inGradient.floats(), weightGradient, biasGradient, outGradient.floats(), in.floats(), mean,
                                   rstd, weight.floats(), rows, width);
    }
    void rmsNormForward(Values out, float *rstd, ConstValues in, ConstValues weight, std::int64_t rows, std::int64_t width,
                        float epsilon) override
    {
        kernels::rmsNormForward(out.floats(), rstd, in.floats(), weight.floats(), rows, width, epsilon);
    }
    void rmsNormBackward(Values inGradient, float *weightGradient, ConstValues outGradient, ConstValues in, const float *rstd,
                         ConstValues weight, std::int64_t rows, std::int64_t width) override
    {
        kernels::rmsNormBackward(inGradient.floats(), weightGradient, outGradient.floats(), in.floats(), rstd, weight.floats(),
                                 rows, width);
    }
    void activationForward(kernels::Activation activation, Values out, ConstValues in, std::int64_t count) override
    {
        kernels::activationForward(activation, out.floats(), in.floats(), count);
    }
    void multiplyExperts(const ExpertProduct &product) override
    {
        forExperts(
            product, [this](const Product &each) { multiplyRows(each); }, [this](const Product &each) { multiply(each); });
    }
    void routeForward(float *gates, std::int32_t *routes, ConstValues logits, const float *bias,
                      const kernels::RoutingShape &shape, const kernels::RouterRule &rule) override
    {
        kernels::routeForward(gates, routes, logits.floats(), bias, shape, rule);
    }
    void addExcess(float *excess, const std::int32_t *routes, const kernels::RoutingShape &shape) override
    {
        kernels::addExcess(excess, routes, shape);
    }
    void balanceStep(float *bias, const float *excess, float rate, std::int64_t count) override
    {
        kernels::balanceStep(bias, excess, rate, count);
    }
    void routeBackward(Values logits, ConstValues gateGradient, const float *gates, const std::int32_t *routes,
                       const kernels::RoutingShape &shape, const kernels::RouterRule &rule,
                       const kernels::RouterLosses &losses) override
    {
        kernels::routeBackward(logits.floats(), gateGradient.floats(), gates, routes, shape, rule, losses);
    }
    void addRouterTotals(double *totals, const std::int32_t *routes, ConstValues logits, const kernels::RoutingShape &shape,
                         bool isSigmoid) override
    {
        kernels::addRouterTotals(totals, routes, logits.floats(), shape, isSigmoid);
    }
    void dispatchRows(Values out, ConstValues in, const std::int32_t *routes, const kernels::RoutingShape &shape,
                      std::int64_t width) override
    {
        kernels::dispatchRows(out.floats(), in.floats(), routes, shape, width);
    }
    void combineRows(Values out, ConstValues rows, ConstValues addend, const std::int32_t *routes,
                     const kernels::RoutingShape &shape, std::int64_t width) override
    {
        kernels::combineRows(out.floats(), rows.floats(), addend.floats(), routes, shape, width);
    }
    void expertSwigluForward(Values out, ConstValues gate, ConstValues up, const float *gates, const std::int32_t *routes,
                             const kernels::RoutingShape &shape, std::int64_t width) override
    {
        kernels::expertSwigluForward(out.floats(), gate.floats(), up.floats(), gates, routes, shape, width);
    }
    void expertSwigluBackward(Values gate, Values up, Values gateGradient, ConstValues outGradient, const float *gates,
                              const std::int32_t *routes, const kernels::RoutingShape &shape, std::int64_t width) override
    {
        kernels::expertSwigluBackward(gate.floats(), up.floats(), gateGradient.floats(), outGradient.floats(), gates, routes,
                                      shape, width);
    }
    void swigluForward(Values out, ConstValues gate, ConstValues up, std::int64_t count) override
    {
        kernels::swigluForward(out.floats(), gate.floats(), up.floats(), count);
    }
    void swigluBackward(Values gate, Values up, ConstValues outGradient, std::int64_t count) override
    {
        kernels::swigluBackward(gate.floats(), up.floats(), outGradient.floats(), count);
    }
    void rotate(Values rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) override
    {
        kernels::rotate(rows.floats(), angles, shape, turn);
    }
    void attentionForward(Values out, float *logSumExp, Values probabilities, ConstValues qkv, ConstValues keys,
                          const kernels::AttentionShape &shape, float *scratch) override
    {
        kernels::attentionForward(out.floats(), logSumExp, qkv.floats(), shape, scratch, m_interrupt, probabilities.floats(),
                                  {keys.floats()});
    }
    void attentionBackward(Values qkvGradient, Values keyGradient, ConstValues outGradient, ConstValues qkv, ConstValues keys,
                           ConstValues out, const float *logSumExp, ConstValues probabilities,
                           const kernels::AttentionShape &shape, float *scratch) override
    {
        kernels::attentionBackward(qkvGradient.floats(), outGradient.floats(), qkv.floats(), out.floats(), logSumExp, shape,
                                   scratch, m_interrupt, probabilities.floats(), {keys.floats(), keyGradient.floats()});
    }

    void gatherRows(Values out, ConstValues table, const kernels::TableShard &shard, const std::int32_t *ids,
                    std::int64_t tokens) override
    {
        kernels::gatherRows(out.floats(), table.floats(), shard, ids, tokens);
    }
    void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, ConstValues in, float factor,
                        std::int64_t tokens) override
    {
        kernels::scatterAddRows(table, shard, ids, in.floats(), factor, tokens);
    }
    void scaleRows(Values out, ConstValues in, const float *factor, ConstValues table, const kernels::TableShard &shard,
                   const std::int32_t *ids, float weight, std::int64_t tokens) override
    {
        kernels::scaleRows(out.floats(), in.floats(), factor, table.floats(), shard, ids, weight, tokens);
    }
    void addPositions(Values rows, ConstValues table, std::int64_t batch, std::int64_t sequence, std::int64_t width) override
    {
        for (std::int64_t i = 0; i < batch; ++i)
            add((rows + i * sequence * width).floats(), table.floats(), sequence * width);
    }
    void addPositionGradients(float *table, ConstValues rows, std::int64_t batch, std::int64_t sequence,
                              std::int64_t width) override
    {
        for (std::int64_t i = 0; i < batch; ++i)
            add(table, (rows + i * sequence * width).floats(), sequence * width);
    }

    void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        kernels::rowMaxima(maximum, target, shardOf(shard), labels, m_interrupt);
    }
    void exponentiate(float *sum, const float *maximum, const LogitShard &shard) override
    {
        kernels::exponentiate(sum, maximum, shardOf(shard), m_interrupt);
    }
    void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        kernels::localSoftmax(maximum, sum, target, shardOf(shard), labels, m_interrupt);
    }
    void correctSample(float *logits, const kernels::SampledWords &sample, const kernels::SampledTokens &tokens) override
    {
        kernels::correctSample(logits, sample, tokens);
    }
    void combineShards(const kernels::SoftmaxStatistics &all, kernels::ShardParts parts) override
    {
        kernels::combineShards(all, parts);
    }
    void combineMaxima(float *maximum, kernels::ShardParts parts, std::int64_t tokens) override
    {
        kernels::combineMaxima(maximum, parts, tokens);
    }
    void combineSums(const kernels::SoftmaxStatistics &all, const float *maximum, kernels::ShardParts parts) override
    {
        kernels::combineSums(all, maximum, parts);
    }
    void shardFactors(float *factors, kernels::ShardParts parts, const kernels::SoftmaxStatistics &all) override
    {
        kernels::shardFactors(factors, parts, all);
    }
    void tokenFactors(float *factors, const kernels::SoftmaxStatistics &shard, const kernels::SoftmaxStatistics &all,
                      float weight) override
    {
        kernels::tokenFactors(factors, shard, all, weight);
    }
    double lossSum(const kernels::SoftmaxStatistics &all, std::int64_t counted) override
    {
        return kernels::lossSum(all, counted);
    }

protected:
    /// Calls `rows` or `weights` with the product of each expert that has rows.
    template <class Rows, class Weights>
    static void forExperts(const ExpertProduct &product, const Rows &rows, const Weights &weights)
    {
        kernels::forEachExpert(product.routes, product.shape, [&](std::int64_t expert, std::int64_t first, std::int64_t count) {
            Product each = product.each;
            each.a.data = each.a.data + first * each.a.stride;
            if (product.of == ExpertProduct::Of::Rows) {
                each.rows = count;
                each.b.data = each.b.data + expert * product.matrix;
                each.c = each.c + first * each.stride;
                return rows(each);
            }
            each.inner = count;
            each.b.data = each.b.data + first * each.b.stride;
            each.c = each.c + expert * product.matrix;
            weights(each);
        });
    }
    /// Calls `use` with the pointer to numbers of any precision.
    template <bool IsConst, class Use>
    static void ofEither(const BasicValues<IsConst> &values, const Use &use)
    {
        switch (values.precision()) {
        case base::Precision::Fp32: return use(values.template as<float>());
        case base::Precision::Bf16: return use(values.template as<kernels::Bf16>());
        case base::Precision::Fp16: return use(values.template as<kernels::Fp16>());
        }
    }
    [[nodiscard]] const kernels::Interrupt &interrupt() const { return m_interrupt; }

    /// The rows of an expert have the same bits whatever other rows it has, and so wherever it is.
    void multiplyRows(const Product &product) const
    {
        kernels::multiplyRows(productOf(product, product.c.floats(), product.beta), m_interrupt);
    }

private:
    kernels::Interrupt m_interrupt;
};

} // namespace stagelens::backend
