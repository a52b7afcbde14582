#include "engine/backend/cuda/gpu_compute.h"

#include "engine/backend/cuda/gpu_clock.h"
#include "engine/backend/cuda/gpu_memory.h"
#include "engine/base/text.h"
#include "kernels/include/activity.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/parts.h"
#include "kernels/include/rmsnorm.h"
#include "kernels/include/swiglu.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;
using kernels::SoftmaxStatistics;

/// Floats per copy between host and GPU.
constexpr std::int64_t kStaging = std::int64_t{1} << 18;

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

std::size_t bytesOf(std::int64_t count, base::Precision precision)
{
    return static_cast<std::size_t>(count * base::elementBytes(precision));
}

/// Enqueues the kernels of kernels/cuda for values of T. Kernels may share scratch, because a stream runs them in order.
template <class T>
class GpuCompute final : public Compute {
public:
    GpuCompute(int gpu, const kernels::Interrupt &interrupt)
        : m_gpu(gpu), m_interrupt(interrupt), m_memory(gpu), m_stream(gpu), m_clock(m_stream.get()), m_staging(kStaging),
          m_scratch(m_memory), m_order(m_memory), m_result(m_memory), m_workspace(m_memory)
    {
        m_result.grow(1);
        m_workspace.grow(gpu::kProductWorkspace / static_cast<std::int64_t>(sizeof(float)));
        m_products = std::make_unique<gpu::Products>(m_workspace.data(), gpu::kProductWorkspace);
    }
    ~GpuCompute() override { (void)gpu::finish(m_stream.get()); }

    base::Precision precision() const override { return kPrecision; }
    Memory &memory() override { return m_memory; }

    void beginStep() override
    {
        useGpu(m_gpu);
        m_tokensUsed = 0;
        m_clock.align();
    }
    Mark mark() override
    {
        useGpu(m_gpu);
        return m_clock.mark();
    }
    void finish() override
    {
        useGpu(m_gpu);
        require(gpu::finish(m_stream.get()), "a kernel");
    }
    base::Nanos timeOf(Mark mark) override { return m_clock.timeOf(mark); }

    ClockFit endStep() override
    {
        useGpu(m_gpu);
        return m_clock.fit();
    }

    void beginPass(const PassLabel &pass) override
    {
        m_isNamed = gpu::isWatched();
        if (m_isNamed)
            gpu::beginRange(base::concat(pass.kind, ' ', pass.microbatch, ", stage ", pass.stage).c_str());
        gpu::beginOwner(pass.owner);
    }
    void endPass() override
    {
        gpu::endOwner();
        if (m_isNamed)
            gpu::endRange();
    }

    void write(Values to, std::int64_t count, const std::function<void(std::span<float>, std::int64_t)> &make) override
    {
        for (std::int64_t first = 0; first < count && !m_interrupt(); first += kStaging) {
            const std::span<float> block(m_staging.data(), static_cast<std::size_t>(std::min(count - first, kStaging)));
            make(block, first);
            if (to.precision() == base::Precision::Bf16)
                roundInPlace(block);
            upload(to + first, static_cast<std::int64_t>(block.size()));
        }
    }
    void read(std::span<float> to, ConstValues from) override
    {
        if (from.precision() == base::Precision::Fp32)
            return download(to.data(), from, std::ssize(to));
        for (std::size_t first = 0; first < to.size() && !m_interrupt(); first += kStaging) {
            const std::span<float> block = to.subspan(first, std::min(to.size() - first, std::size_t{kStaging}));
            download(m_staging.data(), from + static_cast<std::int64_t>(first), std::ssize(block));
            widen(block);
        }
    }
    const std::int32_t *tokens(std::span<const std::int32_t> ids) override
    {
        if (m_tokensUsed == m_tokens.size())
            m_tokens.emplace_back(m_memory);
        GpuArray<std::int32_t> &place = m_tokens[m_tokensUsed++];
        if (!place.holds(static_cast<std::int64_t>(ids.size())))
            place.grow(static_cast<std::int64_t>(ids.size()));
        run([&] { return gpu::copy(m_stream.get(), place.data(), ids.data(), ids.size_bytes()); }, "a copy of tokens");
        finish();
        return place.data();
    }

    void copy(Values to, ConstValues from, std::int64_t count) override
    {
        if (to.precision() != from.precision())
            throw std::logic_error("a copy between two precisions");
        run([&] { return gpu::copy(m_stream.get(), to.address(), from.address(), bytesOf(count, to.precision())); }, "a copy");
    }
    void zero(Values to, std::int64_t count) override
    {
        run([&] { return gpu::setBytes(m_stream.get(), to.address(), 0, bytesOf(count, to.precision())); }, "zeroing");
    }
    void round(Values to, const float *from, std::int64_t count) override
    {
        run([&] { return gpu::convert(m_stream.get(), to.as<T>(), from, count); }, "convert");
    }
    void add(float *to, const float *from, std::int64_t count) override
    {
        run([&] { return gpu::add(m_stream.get(), to, from, count); }, "add");
    }
    void scale(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        run([&] { return gpu::scale(m_stream.get(), to.as<T>(), from.as<T>(), factor, count); }, "scale");
    }
    void addScaled(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        run([&] { return gpu::addScaled(m_stream.get(), to.as<T>(), from.as<T>(), factor, count); }, "addScaled");
    }
    void sumParts(std::span<const Values> parts, std::int64_t count) override
    {
        run([&] { return gpu::sumParts(m_stream.get(), parts[0].as<T>(), valuesOf(parts), count); }, "sumParts");
    }
    void sumScaledParts(std::span<const Values> parts, const float *factors, std::int64_t rows, std::int64_t width) override
    {
        run([&] { return gpu::sumScaledParts(m_stream.get(), parts[0].as<T>(), valuesOf(parts), factors, rows, width); },
            "sumScaledParts");
    }
    void addColumnSums(float *sums, ConstValues in, std::int64_t rows, std::int64_t width) override
    {
        float *scratch = scratchOf<float>(gpu::columnSumsScratch(rows, width));
        run([&] { return gpu::addColumnSums(m_stream.get(), sums, in.as<T>(), rows, width, scratch); }, "addColumnSums");
    }
    double sumOfSquares(const float *values, std::int64_t count) override
    {
        auto *scratch = scratchOf<double>(gpu::squaresScratch(count));
        run([&] { return gpu::sumOfSquares(m_stream.get(), m_result.data(), values, count, scratch); }, "sumOfSquares");
        return result();
    }
    void adamwStep(float *values, Values rounded, float *gradient, float *first, float *second, const kernels::AdamW &settings,
                   std::int64_t count) override
    {
        auto *const copy = rounded.as<kernels::Bf16>();
        run([&] { return gpu::adamwStep(m_stream.get(), values, copy, gradient, first, second, settings, count); },
            "adamwStep");
    }

    void multiply(const Product &product) override
    {
        if (product.c.precision() == kPrecision)
            multiplyInto<T>(product);
        else
            multiplyInto<float>(product);
    }

    void layerNormForward(Values out, float *mean, float *rstd, ConstValues in, ConstValues weight, ConstValues bias,
                          std::int64_t rows, std::int64_t width) override
    {
        run(
            [&] {
                return gpu::layerNormForward<T>(m_stream.get(), out.as<T>(), mean, rstd, nullptr, in.as<T>(), nullptr,
                                                weight.as<T>(), bias.as<T>(), rows, width);
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
                return gpu::layerNormBackward(m_stream.get(), inGradient.as<T>(), weightGradient, biasGradient,
                                              outGradient.as<T>(), in.as<T>(), mean, rstd, weight.as<T>(), rows, width,
                                              scratch);
            },
            "layerNormBackward");
    }
    void rmsNormForward(Values out, float *rstd, ConstValues in, ConstValues weight, std::int64_t rows, std::int64_t width,
                        float epsilon) override
    {
        run(
            [&] {
                return gpu::rmsNormForward<T>(m_stream.get(), out.as<T>(), rstd, nullptr, in.as<T>(), nullptr, weight.as<T>(),
                                              rows, width, epsilon);
            },
            "rmsNormForward");
    }
    void rmsNormBackward(Values inGradient, float *weightGradient, ConstValues outGradient, ConstValues in, const float *rstd,
                         ConstValues weight, std::int64_t rows, std::int64_t width) override
    {
        float *scratch = scratchOf<float>(gpu::normScratch(rows, width));
        run(
            [&] {
                return gpu::rmsNormBackward(m_stream.get(), inGradient.as<T>(), weightGradient, outGradient.as<T>(), in.as<T>(),
                                            rstd, weight.as<T>(), rows, width, scratch);
            },
            "rmsNormBackward");
    }
    void swigluForward(Values out, ConstValues gate, ConstValues up, std::int64_t count) override
    {
        run([&] { return gpu::swigluForward(m_stream.get(), out.as<T>(), gate.as<T>(), up.as<T>(), count); }, "swigluForward");
    }
    void swigluBackward(Values gate, Values up, ConstValues outGradient, std::int64_t count) override
    {
        run([&] { return gpu::swigluBackward(m_stream.get(), gate.as<T>(), up.as<T>(), outGradient.as<T>(), count); },
            "swigluBackward");
    }
    void rotate(Values rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) override
    {
        run([&] { return gpu::rotate(m_stream.get(), rows.as<T>(), angles, shape, turn); }, "rotate");
    }
    void attentionForward(Values out, float *logSumExp, ConstValues qkv, const kernels::AttentionShape &shape,
                          float * /*scratch*/) override
    {
        run([&] { return m_attention.forward(m_stream.get(), out.as<T>(), logSumExp, qkv.as<T>(), shape); },
            "attentionForward");
    }
    void attentionBackward(Values qkvGradient, ConstValues outGradient, ConstValues qkv, ConstValues out,
                           const float *logSumExp, const kernels::AttentionShape &shape, float * /*scratch*/) override
    {
        float *scratch = scratchOf<float>(gpu::attentionBackwardScratch(shape));
        run(
            [&] {
                return m_attention.backward(m_stream.get(), qkvGradient.as<T>(), outGradient.as<T>(), qkv.as<T>(), out.as<T>(),
                                            logSumExp, shape, scratch);
            },
            "attentionBackward");
    }

    void gatherRows(Values out, ConstValues table, const kernels::TableShard &shard, const std::int32_t *ids,
                    std::int64_t tokens) override
    {
        run([&] { return gpu::gatherRows(m_stream.get(), out.as<T>(), table.as<T>(), shard, ids, tokens); }, "gatherRows");
    }
    void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, ConstValues in, float factor,
                        std::int64_t tokens) override
    {
        if (!m_order.holds(tokens)) {
            finish();
            m_order.grow(tokens);
        }
        run([&] { return gpu::sortTokens(m_stream.get(), m_order.data(), ids, tokens); }, "sortTokens");
        run([&] { return gpu::scatterAddRows(m_stream.get(), table, shard, ids, m_order.data(), in.as<T>(), factor, tokens); },
            "scatterAddRows");
    }
    void scaleRows(Values out, ConstValues in, const float *factor, ConstValues table, const kernels::TableShard &shard,
                   const std::int32_t *ids, float weight, std::int64_t tokens) override
    {
        run(
            [&] {
                return gpu::scaleRows(m_stream.get(), out.as<T>(), in.as<T>(), factor, table.as<T>(), shard, ids, weight,
                                      tokens);
            },
            "scaleRows");
    }
    void addPositions(Values rows, ConstValues table, std::int64_t batch, std::int64_t sequence, std::int64_t width) override
    {
        run([&] { return gpu::addPositions(m_stream.get(), rows.as<T>(), table.as<T>(), batch, sequence, width); },
            "addPositions");
    }
    void addPositionGradients(float *table, ConstValues rows, std::int64_t batch, std::int64_t sequence,
                              std::int64_t width) override
    {
        run([&] { return gpu::addPositionGradients(m_stream.get(), table, rows.as<T>(), batch, sequence, width); },
            "addPositionGradients");
    }

    void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        run([&] { return gpu::rowMaxima(m_stream.get(), maximum, target, shardOf(shard), labels); }, "rowMaxima");
    }
    void exponentiate(float *sum, const float *maximum, const LogitShard &shard) override
    {
        run([&] { return gpu::exponentiate(m_stream.get(), sum, maximum, shardOf(shard)); }, "exponentiate");
    }
    void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        run([&] { return gpu::localSoftmax(m_stream.get(), maximum, sum, target, shardOf(shard), labels); }, "localSoftmax");
    }
    void combineShards(const SoftmaxStatistics &all, kernels::ShardParts parts) override
    {
        run([&] { return gpu::combineShards(m_stream.get(), all.maximum, partsOf(parts), all.tokens); }, "combineShards");
    }
    void combineMaxima(float *maximum, kernels::ShardParts parts, std::int64_t tokens) override
    {
        run([&] { return gpu::combineMaxima(m_stream.get(), maximum, partsOf(parts), tokens); }, "combineMaxima");
    }
    void combineSums(const SoftmaxStatistics &all, const float *maximum, kernels::ShardParts parts) override
    {
        run([&] { return gpu::combineSums(m_stream.get(), all.maximum, maximum, partsOf(parts), all.tokens); }, "combineSums");
    }
    void shardFactors(float *factors, kernels::ShardParts parts, const SoftmaxStatistics &all) override
    {
        run([&] { return gpu::shardFactors(m_stream.get(), factors, partsOf(parts), all.maximum, all.tokens); },
            "shardFactors");
    }
    void tokenFactors(float *factors, const SoftmaxStatistics &shard, const SoftmaxStatistics &all, float weight) override
    {
        run([&] { return gpu::tokenFactors(m_stream.get(), factors, shard.maximum, all.maximum, weight, all.tokens); },
            "tokenFactors");
    }
    double lossSum(const SoftmaxStatistics &all, std::int64_t counted) override
    {
        run([&] { return gpu::sumLosses(m_stream.get(), m_result.data(), all.maximum, all.tokens, counted); }, "sumLosses");
        return result();
    }

private:
    static constexpr auto kPrecision = std::is_same_v<T, float> ? base::Precision::Fp32 : base::Precision::Bf16;

    static gpu::Parts<T> valuesOf(std::span<const Values> parts)
    {
        return partsOf<T>(parts, [](const Values &part) { return part.template as<T>(); });
    }
    static kernels::LogitShardOf<T> shardOf(const LogitShard &shard)
    {
        return {shard.logits.template as<T>(), shard.rows, shard.columns, shard.first};
    }
    static gpu::Operand<T> operandOf(const Operand &operand)
    {
        return {operand.data.template as<T>(), operand.stride, operand.form};
    }
    template <class Out>
    void multiplyInto(const Product &product)
    {
        const gpu::Product<T, Out> same{.rows = product.rows,
                                        .columns = product.columns,
                                        .inner = product.inner,
                                        .a = operandOf(product.a),
                                        .b = operandOf(product.b),
                                        .c = product.c.as<Out>(),
                                        .stride = product.stride,
                                        .beta = product.addend ? 1 : product.beta,
                                        .epilogue = product.epilogue,
                                        .addend = product.addend.as<Out>(),
                                        .bias = product.bias.as<Out>(),
                                        .between = product.between.as<Out>()};
        run([&] { return m_products->multiply(m_stream.get(), same); }, "a product");
    }

    /// Converts numbers in the staging area: roundInPlace() overwrites its floats, widen() reads it.
    static void roundInPlace(std::span<float> block)
    {
        auto *bytes = reinterpret_cast<std::byte *>(block.data());
        for (const float value : block) {
            const kernels::Bf16 rounded = kernels::toBf16(value);
            std::memcpy(std::exchange(bytes, bytes + sizeof(rounded)), &rounded, sizeof(rounded));
        }
    }
    void widen(std::span<float> block)
    {
        const auto *bytes = reinterpret_cast<const std::byte *>(m_staging.data());
        for (float &value : block) {
            kernels::Bf16 rounded{};
            std::memcpy(&rounded, std::exchange(bytes, bytes + sizeof(rounded)), sizeof(rounded));
            value = kernels::toFloat(rounded);
        }
    }
    void upload(Values to, std::int64_t count)
    {
        run([&] { return gpu::copy(m_stream.get(), to.address(), m_staging.data(), bytesOf(count, to.precision())); },
            "a copy to the GPU");
        finish();
    }
    void download(float *to, ConstValues from, std::int64_t count)
    {
        run([&] { return gpu::copy(m_stream.get(), to, from.address(), bytesOf(count, from.precision())); },
            "a copy from the GPU");
        finish();
    }

    /// Enqueues a kernel unless the run was stopped; then its results are not used.
    template <class Kernel>
    void run(const Kernel &kernel, const char *name)
    {
        useGpu(m_gpu);
        if (!m_interrupt())
            require(kernel(), name);
    }
    template <class Scratch>
    Scratch *scratchOf(std::int64_t count)
    {
        const std::int64_t doubles = (count * static_cast<std::int64_t>(sizeof(Scratch)) + 7) / 8;
        if (!m_scratch.holds(doubles))
            m_scratch.grow(doubles);
        return reinterpret_cast<Scratch *>(m_scratch.data());
    }
    /// Returns the result of the last kernel.
    double result()
    {
        double value = 0;
        run([&] { return gpu::copy(m_stream.get(), &value, m_result.data(), sizeof(value)); }, "a copy of a sum");
        finish();
        return value;
    }

    int m_gpu;
    bool m_isNamed = false; ///< the pass has a range in a profiler
    kernels::Interrupt m_interrupt;
    GpuMemory m_memory;
    GpuStream m_stream;
    GpuClock m_clock;
    PinnedFloats m_staging;
    GpuArray<double> m_scratch;
    GpuArray<std::int32_t> m_order; ///< of tokens
    GpuArray<double> m_result;
    GpuArray<float> m_workspace;
    std::unique_ptr<gpu::Products> m_products;
    gpu::Attentions m_attention;
    std::vector<GpuArray<std::int32_t>> m_tokens;
    std::size_t m_tokensUsed = 0;
};

} // namespace

std::unique_ptr<Compute> makeGpuCompute(int gpu, base::Precision precision, const kernels::Interrupt &interrupt)
{
    if (precision == base::Precision::Bf16)
        return std::make_unique<GpuCompute<kernels::Bf16>>(gpu, interrupt);
    return std::make_unique<GpuCompute<float>>(gpu, interrupt);
}

} // namespace stagelens::backend
