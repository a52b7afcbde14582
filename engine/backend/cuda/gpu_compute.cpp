#include "engine/backend/cuda/gpu_compute.h"

#include "engine/backend/cuda/gpu_experts.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/parts.h"
#include "kernels/include/rmsnorm.h"
#include "kernels/include/swiglu.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;
using kernels::SoftmaxStatistics;

/// Collects the addresses `addressOf(part)`.
template <class T, class Part, class AddressOf>
gpu::Parts<T> partsOf(std::span<const Part> parts, const AddressOf &addressOf)
{
    if (parts.size() > static_cast<std::size_t>(gpu::kMostParts))
        throw std::runtime_error("the GPU's kernels combine at most 64 shards; choose fewer devices");
    gpu::Parts<T> all;
    std::ranges::transform(parts, all.at, addressOf);
    all.count = static_cast<int>(parts.size());
    return all;
}
gpu::Parts<float> partsOf(kernels::ShardParts parts)
{
    return partsOf<float>(parts, [](const float *part) { return part; });
}

/// Enqueues the kernels of kernels/cuda for values of T. Kernels may share scratch, because a stream runs them in order.
template <class T>
class GpuCompute final : public GpuExperts {
public:
    GpuCompute(int gpu, const kernels::Interrupt &interrupt)
        : GpuExperts(gpu, interrupt), m_order(deviceMemory()), m_workspace(deviceMemory())
    {
        m_workspace.grow(gpu::kProductWorkspace / static_cast<std::int64_t>(sizeof(float)));
        m_products = std::make_unique<gpu::Products>(m_workspace.data(), gpu::kProductWorkspace);
    }
    ~GpuCompute() override { (void)gpu::finish(stream()); }

    base::Precision precision() const override { return kPrecision; }

    void round(Values to, const float *from, std::int64_t count) override
    {
        run([&] { return gpu::convert(stream(), to.as<T>(), from, count); }, "convert");
    }
    void add(float *to, const float *from, std::int64_t count) override
    {
        run([&] { return gpu::add(stream(), to, from, count); }, "add");
    }
    void pack(float *to, ConstValues from, std::int64_t rows, std::int64_t columns, kernels::Codec codec) override
    {
        if (from.precision() == base::Precision::Fp32)
            run([&] { return gpu::pack(stream(), to, from.floats(), rows, columns, codec); }, "pack");
        else
            run([&] { return gpu::pack(stream(), to, from.as<T>(), rows, columns, codec); }, "pack");
    }
    void unpack(Values to, const float *from, std::int64_t rows, std::int64_t columns, kernels::Codec codec) override
    {
        if (to.precision() == base::Precision::Fp32)
            run([&] { return gpu::unpack(stream(), to.floats(), from, rows, columns, codec); }, "unpack");
        else
            run([&] { return gpu::unpack(stream(), to.as<T>(), from, rows, columns, codec); }, "unpack");
    }
    void scale(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        if (to.precision() == base::Precision::Fp32)
            run([&] { return gpu::scale(stream(), to.floats(), from.floats(), factor, count); }, "scale");
        else
            run([&] { return gpu::scale(stream(), to.as<T>(), from.as<T>(), factor, count); }, "scale");
    }
    void addScaled(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        if (to.precision() == base::Precision::Fp32)
            run([&] { return gpu::addScaled(stream(), to.floats(), from.floats(), factor, count); }, "addScaled");
        else
            run([&] { return gpu::addScaled(stream(), to.as<T>(), from.as<T>(), factor, count); }, "addScaled");
    }
    void sumParts(std::span<const Values> parts, std::int64_t count) override
    {
        if (parts[0].precision() == base::Precision::Fp32) // gradients, which are summed in fp32
            run([&] { return gpu::sumParts(stream(), parts[0].floats(), valuesOf<float>(parts), count); }, "sumParts");
        else
            run([&] { return gpu::sumParts(stream(), parts[0].as<T>(), valuesOf<T>(parts), count); }, "sumParts");
    }
    void sumScaledParts(std::span<const Values> parts, const float *factors, std::int64_t rows, std::int64_t width) override
    {
        run([&] { return gpu::sumScaledParts(stream(), parts[0].as<T>(), valuesOf<T>(parts), factors, rows, width); },
            "sumScaledParts");
    }
    void addColumnSums(float *sums, ConstValues in, std::int64_t rows, std::int64_t width) override
    {
        float *scratch = scratchOf<float>(gpu::columnSumsScratch(rows, width));
        run([&] { return gpu::addColumnSums(stream(), sums, in.as<T>(), rows, width, scratch); }, "addColumnSums");
    }
    double sumOfSquares(const float *values, std::int64_t count) override
    {
        const std::span<const float> only(values, static_cast<std::size_t>(count));
        return sumsOfSquares({&only, 1}).front();
    }
    std::vector<double> sumsOfSquares(std::span<const std::span<const float>> arrays) override
    {
        std::vector<double> sums(arrays.size());
        double *place = resultPlaces(std::ssize(arrays));
        for (const std::span<const float> array : arrays) {
            auto *scratch = scratchOf<double>(gpu::squaresScratch(std::ssize(array)));
            run([&] { return gpu::sumOfSquares(stream(), place, array.data(), std::ssize(array), scratch); }, "sumOfSquares");
            ++place;
        }
        results(sums);
        return sums;
    }
    void multiply(const Product &product) override
    {
        if (product.a.data.precision() != kPrecision) // of an optimizer
            multiplyInto<float, float>(product);
        else if (product.c.precision() == kPrecision)
            multiplyInto<T, T>(rounded(product));
        else
            multiplyInto<T, float>(rounded(product));
    }

    void layerNormForward(Values out, float *mean, float *rstd, ConstValues in, ConstValues weight, ConstValues bias,
                          std::int64_t rows, std::int64_t width) override
    {
        run(
            [&] {
                return gpu::layerNormForward<T>(stream(), out.as<T>(), mean, rstd, nullptr, in.as<T>(), nullptr, weight.as<T>(),
                                                bias.as<T>(), rows, width);
            },
            "layerNormForward");
    }
    void layerNormBackward(Values inGradient, float *weightGradient, float *biasGradient, ConstValues outGradient,
                           ConstValues in, const float *mean, const float *rstd, ConstValues weight, std::int64_t rows,
                           std::int64_t width) override
    {
        float *scratch = scratchOf<float>(gpu::normScratch(rows, width));
        run(
            [&] {
                return gpu::layerNormBackward(stream(), inGradient.as<T>(), weightGradient, biasGradient, outGradient.as<T>(),
                                              in.as<T>(), mean, rstd, weight.as<T>(), rows, width, scratch);
            },
            "layerNormBackward");
    }
    void rmsNormForward(Values out, float *rstd, ConstValues in, ConstValues weight, std::int64_t rows, std::int64_t width,
                        float epsilon) override
    {
        run(
            [&] {
                return gpu::rmsNormForward<T>(stream(), out.as<T>(), rstd, nullptr, in.as<T>(), nullptr, weight.as<T>(), rows,
                                              width, epsilon);
            },
            "rmsNormForward");
    }
    void rmsNormBackward(Values inGradient, float *weightGradient, ConstValues outGradient, ConstValues in, const float *rstd,
                         ConstValues weight, std::int64_t rows, std::int64_t width) override
    {
        float *scratch = scratchOf<float>(gpu::normScratch(rows, width));
        run(
            [&] {
                return gpu::rmsNormBackward(stream(), inGradient.as<T>(), weightGradient, outGradient.as<T>(), in.as<T>(), rstd,
                                            weight.as<T>(), rows, width, scratch);
            },
            "rmsNormBackward");
    }
    void activationForward(kernels::Activation activation, Values out, ConstValues in, std::int64_t count) override
    {
        run([&] { return gpu::activationForward(stream(), activation, out.as<T>(), in.as<T>(), count); }, "activationForward");
    }
    void swigluForward(Values out, ConstValues gate, ConstValues up, std::int64_t count) override
    {
        run([&] { return gpu::swigluForward(stream(), out.as<T>(), gate.as<T>(), up.as<T>(), count); }, "swigluForward");
    }
    void swigluBackward(Values gate, Values up, ConstValues outGradient, std::int64_t count) override
    {
        run([&] { return gpu::swigluBackward(stream(), gate.as<T>(), up.as<T>(), outGradient.as<T>(), count); },
            "swigluBackward");
    }
    void rotate(Values rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) override
    {
        run([&] { return gpu::rotate(stream(), rows.as<T>(), angles, shape, turn); }, "rotate");
    }
    void attentionForward(Values out, float *logSumExp, Values /*probabilities*/, ConstValues qkv, ConstValues keys,
                          const kernels::AttentionShape &shape, float * /*scratch*/) override
    {
        run(
            [&] {
                return m_attention.forward<T>(stream(), out.as<T>(), logSumExp, qkv.as<T>(), shape, {keys.as<T>(), nullptr});
            },
            "attentionForward");
    }
    void attentionBackward(Values qkvGradient, Values keyGradient, ConstValues outGradient, ConstValues qkv, ConstValues keys,
                           ConstValues out, const float *logSumExp, ConstValues /*probabilities*/,
                           const kernels::AttentionShape &shape, float * /*scratch*/) override
    {
        float *scratch = scratchOf<float>(gpu::attentionBackwardScratch(shape));
        run(
            [&] {
                return m_attention.backward<T>(stream(), qkvGradient.as<T>(), outGradient.as<T>(), qkv.as<T>(), out.as<T>(),
                                               logSumExp, shape, scratch, {keys.as<T>(), keyGradient.as<T>()});
            },
            "attentionBackward");
    }

    void gatherRows(Values out, ConstValues table, const kernels::TableShard &shard, const std::int32_t *ids,
                    std::int64_t tokens) override
    {
        run([&] { return gpu::gatherRows(stream(), out.as<T>(), table.as<T>(), shard, ids, tokens); }, "gatherRows");
    }
    void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, ConstValues in, float factor,
                        std::int64_t tokens) override
    {
        if (!m_order.holds(tokens)) {
            finish();
            m_order.grow(tokens);
        }
        run([&] { return gpu::sortTokens(stream(), m_order.data(), ids, tokens); }, "sortTokens");
        run([&] { return gpu::scatterAddRows(stream(), table, shard, ids, m_order.data(), in.as<T>(), factor, tokens); },
            "scatterAddRows");
    }
    void scaleRows(Values out, ConstValues in, const float *factor, ConstValues table, const kernels::TableShard &shard,
                   const std::int32_t *ids, float weight, std::int64_t tokens) override
    {
        run(
            [&] {
                return gpu::scaleRows(stream(), out.as<T>(), in.as<T>(), factor, table.as<T>(), shard, ids, weight, tokens);
            },
            "scaleRows");
    }
    void addPositions(Values rows, ConstValues table, std::int64_t batch, std::int64_t sequence, std::int64_t width) override
    {
        run([&] { return gpu::addPositions(stream(), rows.as<T>(), table.as<T>(), batch, sequence, width); }, "addPositions");
    }
    void addPositionGradients(float *table, ConstValues rows, std::int64_t batch, std::int64_t sequence,
                              std::int64_t width) override
    {
        run([&] { return gpu::addPositionGradients(stream(), table, rows.as<T>(), batch, sequence, width); },
            "addPositionGradients");
    }

    void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        run([&] { return gpu::rowMaxima(stream(), maximum, target, shardOf(shard), labels); }, "rowMaxima");
    }
    void exponentiate(float *sum, const float *maximum, const LogitShard &shard) override
    {
        run([&] { return gpu::exponentiate(stream(), sum, maximum, shardOf(shard)); }, "exponentiate");
    }
    void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        run([&] { return gpu::localSoftmax(stream(), maximum, sum, target, shardOf(shard), labels); }, "localSoftmax");
    }
    void combineShards(const SoftmaxStatistics &all, kernels::ShardParts parts) override
    {
        run([&] { return gpu::combineShards(stream(), all.maximum, partsOf(parts), all.tokens); }, "combineShards");
    }
    void combineMaxima(float *maximum, kernels::ShardParts parts, std::int64_t tokens) override
    {
        run([&] { return gpu::combineMaxima(stream(), maximum, partsOf(parts), tokens); }, "combineMaxima");
    }
    void combineSums(const SoftmaxStatistics &all, const float *maximum, kernels::ShardParts parts) override
    {
        run([&] { return gpu::combineSums(stream(), all.maximum, maximum, partsOf(parts), all.tokens); }, "combineSums");
    }
    void shardFactors(float *factors, kernels::ShardParts parts, const SoftmaxStatistics &all) override
    {
        run([&] { return gpu::shardFactors(stream(), factors, partsOf(parts), all.maximum, all.tokens); }, "shardFactors");
    }
    void tokenFactors(float *factors, const SoftmaxStatistics &shard, const SoftmaxStatistics &all, float weight) override
    {
        // The kernel takes the distance of the sums from the maxima for the number of tokens. For a part of the tokens of a
        // microbatch it is more: the factors after those of the part are of no use, and `factors` has room for them.
        const std::int64_t tokens = all.sum - all.maximum;
        run([&] { return gpu::tokenFactors(stream(), factors, shard.maximum, all.maximum, weight, tokens); }, "tokenFactors");
    }
    double lossSum(const SoftmaxStatistics &all, std::int64_t counted) override
    {
        run([&] { return gpu::sumLosses(stream(), resultPlaces(1), all.maximum, all.tokens, counted); }, "sumLosses");
        double loss = 0;
        results({&loss, 1});
        return loss;
    }

private:
    static constexpr auto kPrecision = precisionOf<T>();

    template <class Number>
    static gpu::Parts<Number> valuesOf(std::span<const Values> parts)
    {
        return partsOf<Number>(parts, [](const Values &part) { return part.template as<Number>(); });
    }
    static kernels::LogitShardOf<T> shardOf(const LogitShard &shard)
    {
        return {shard.logits.template as<T>(), shard.rows, shard.columns, shard.first, shard.stride};
    }
    template <class In>
    static gpu::Operand<In> operandOf(const Operand &operand)
    {
        return {operand.data.template as<In>(), operand.stride, operand.form};
    }
    template <class In, class Out>
    void multiplyInto(const Product &product)
    {
        const gpu::Product<In, Out> same{.rows = product.rows,
                                         .columns = product.columns,
                                         .inner = product.inner,
                                         .a = operandOf<In>(product.a),
                                         .b = operandOf<In>(product.b),
                                         .c = product.c.as<Out>(),
                                         .stride = product.stride,
                                         .beta = product.addend ? 1 : product.beta,
                                         .epilogue = product.epilogue,
                                         .addend = product.addend.as<Out>(),
                                         .bias = product.bias.as<Out>(),
                                         .between = product.between.as<Out>(),
                                         .activation = product.activation};
        run([&] { return m_products->multiply(stream(), same); }, "a product");
    }

    GpuArray<std::int32_t> m_order; ///< of tokens
    GpuArray<float> m_workspace;
    std::unique_ptr<gpu::Products> m_products;
    gpu::Attentions m_attention;
};

} // namespace

std::unique_ptr<Compute> makeGpuCompute(int gpu, base::Precision precision, const kernels::Interrupt &interrupt)
{
    switch (precision) {
    case base::Precision::Bf16: return std::make_unique<GpuCompute<kernels::Bf16>>(gpu, interrupt);
    case base::Precision::Fp16: return std::make_unique<GpuCompute<kernels::Fp16>>(gpu, interrupt);
    case base::Precision::Fp32: break;
    }
    return std::make_unique<GpuCompute<float>>(gpu, interrupt);
}

} // namespace stagelens::backend
