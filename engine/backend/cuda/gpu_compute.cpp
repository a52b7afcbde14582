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
#include <stdexcept>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;
using kernels::SoftmaxStatistics;

/// Floats that go from the host to the GPU at once.
constexpr std::int64_t kStaging = std::int64_t{1} << 18;

gpu::Parts<float> partsOf(kernels::ShardParts parts)
{
    if (parts.size() > static_cast<std::size_t>(gpu::kMostParts))
        throw std::runtime_error("the GPU's kernels combine at most 64 shards; choose fewer devices");
    gpu::Parts<float> all;
    std::ranges::copy(parts, all.at);
    all.count = static_cast<int>(parts.size());
    return all;
}

gpu::Operand<float> operandOf(const kernels::Operand &operand)
{
    return {operand.data, operand.stride, operand.form};
}

/// Queues the kernels of kernels/cuda. The scratch that some need is used by one at a time, for the stream has an order.
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

    void write(float *to, std::int64_t count, const std::function<void(std::span<float>, std::int64_t)> &make) override
    {
        for (std::int64_t first = 0; first < count && !m_interrupt(); first += kStaging) {
            const std::span<float> block(m_staging.data(), static_cast<std::size_t>(std::min(count - first, kStaging)));
            make(block, first);
            run([&] { return gpu::copy(m_stream.get(), to + first, block.data(), block.size_bytes()); }, "a copy to the GPU");
            finish();
        }
    }
    void read(std::span<float> to, const float *from) override
    {
        run([&] { return gpu::copy(m_stream.get(), to.data(), from, to.size_bytes()); }, "a copy from the GPU");
        finish();
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

    void copy(float *to, const float *from, std::int64_t count) override
    {
        run([&] { return gpu::copy(m_stream.get(), to, from, bytesOf(count)); }, "a copy");
    }
    void zero(float *to, std::int64_t count) override
    {
        run([&] { return gpu::setBytes(m_stream.get(), to, 0, bytesOf(count)); }, "zeroing");
    }
    void add(float *to, const float *from, std::int64_t count) override
    {
        run([&] { return gpu::add(m_stream.get(), to, from, count); }, "add");
    }
    void scale(float *to, const float *from, float factor, std::int64_t count) override
    {
        run([&] { return gpu::scale(m_stream.get(), to, from, factor, count); }, "scale");
    }
    void addScaled(float *to, const float *from, float factor, std::int64_t count) override
    {
        run([&] { return gpu::addScaled(m_stream.get(), to, from, factor, count); }, "addScaled");
    }
    void addScaledRows(float *to, const float *from, const float *factor, std::int64_t rows, std::int64_t width) override
    {
        run([&] { return gpu::addScaledRows(m_stream.get(), to, from, factor, rows, width); }, "addScaledRows");
    }
    void fillRows(float *out, const float *bias, const float *residual, std::int64_t rows, std::int64_t width) override
    {
        run([&] { return gpu::fillRows(m_stream.get(), out, bias, residual, rows, width); }, "fillRows");
    }
    void addColumnSums(float *sums, const float *in, std::int64_t rows, std::int64_t width) override
    {
        float *scratch = scratchOf<float>(gpu::columnSumsScratch(rows, width));
        run([&] { return gpu::addColumnSums(m_stream.get(), sums, in, rows, width, scratch); }, "addColumnSums");
    }
    double sumOfSquares(const float *values, std::int64_t count) override
    {
        auto *scratch = scratchOf<double>(gpu::squaresScratch(count));
        run([&] { return gpu::sumOfSquares(m_stream.get(), m_result.data(), values, count, scratch); }, "sumOfSquares");
        return result();
    }
    void adamwStep(float *values, float *gradient, float *first, float *second, const kernels::AdamW &settings,
                   std::int64_t count) override
    {
        run([&] { return gpu::adamwStep(m_stream.get(), values, nullptr, gradient, first, second, settings, count); },
            "adamwStep");
    }

    void multiply(const kernels::Product &product) override
    {
        const gpu::Product<float> same{.rows = product.rows,
                                       .columns = product.columns,
                                       .inner = product.inner,
                                       .a = operandOf(product.a),
                                       .b = operandOf(product.b),
                                       .c = product.c,
                                       .stride = product.stride,
                                       .alpha = product.alpha,
                                       .beta = product.beta};
        run([&] { return m_products->multiply(m_stream.get(), same); }, "a product");
    }

    void layerNormForward(float *out, float *mean, float *rstd, const float *in, const float *weight, const float *bias,
                          std::int64_t rows, std::int64_t width) override
    {
        run(
            [&] {
                return gpu::layerNormForward<float>(m_stream.get(), out, mean, rstd, nullptr, in, nullptr, weight, bias, rows,
                                                    width);
            },
            "layerNormForward");
    }
    void layerNormBackward(float *inGradient, float *weightGradient, float *biasGradient, const float *outGradient,
                           const float *in, const float *mean, const float *rstd, const float *weight, std::int64_t rows,
                           std::int64_t width) override
    {
        float *scratch = scratchOf<float>(gpu::normScratch(rows, width));
        run(
            [&] {
                return gpu::layerNormBackward(m_stream.get(), inGradient, weightGradient, biasGradient, outGradient, in, mean,
                                              rstd, weight, rows, width, scratch);
            },
            "layerNormBackward");
    }
    void rmsNormForward(float *out, float *rstd, const float *in, const float *weight, std::int64_t rows,
                        std::int64_t width) override
    {
        run([&] { return gpu::rmsNormForward<float>(m_stream.get(), out, rstd, nullptr, in, nullptr, weight, rows, width); },
            "rmsNormForward");
    }
    void rmsNormBackward(float *inGradient, float *weightGradient, const float *outGradient, const float *in, const float *rstd,
                         const float *weight, std::int64_t rows, std::int64_t width) override
    {
        float *scratch = scratchOf<float>(gpu::normScratch(rows, width));
        run(
            [&] {
                return gpu::rmsNormBackward(m_stream.get(), inGradient, weightGradient, outGradient, in, rstd, weight, rows,
                                            width, scratch);
            },
            "rmsNormBackward");
    }
    void geluForward(float *out, const float *in, std::int64_t count) override
    {
        run([&] { return gpu::geluForward(m_stream.get(), out, in, count); }, "geluForward");
    }
    void geluBackward(float *gradient, const float *in, std::int64_t count) override
    {
        run([&] { return gpu::geluBackward(m_stream.get(), gradient, in, count); }, "geluBackward");
    }
    void swigluForward(float *out, const float *gate, const float *up, std::int64_t count) override
    {
        run([&] { return gpu::swigluForward(m_stream.get(), out, gate, up, count); }, "swigluForward");
    }
    void swigluBackward(float *gate, float *up, const float *outGradient, std::int64_t count) override
    {
        run([&] { return gpu::swigluBackward(m_stream.get(), gate, up, outGradient, count); }, "swigluBackward");
    }
    void rotate(float *rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) override
    {
        run([&] { return gpu::rotate(m_stream.get(), rows, angles, shape, turn); }, "rotate");
    }
    void attentionForward(float *out, float *logSumExp, const float *qkv, const kernels::AttentionShape &shape,
                          float * /*scratch*/) override
    {
        run([&] { return m_attention.forward(m_stream.get(), out, logSumExp, qkv, shape); }, "attentionForward");
    }
    void attentionBackward(float *qkvGradient, const float *outGradient, const float *qkv, const float *out,
                           const float *logSumExp, const kernels::AttentionShape &shape, float * /*scratch*/) override
    {
        float *scratch = scratchOf<float>(gpu::attentionBackwardScratch(shape));
        run([&] { return m_attention.backward(m_stream.get(), qkvGradient, outGradient, qkv, out, logSumExp, shape, scratch); },
            "attentionBackward");
    }

    void gatherRows(float *out, const float *table, const kernels::TableShard &shard, const std::int32_t *ids,
                    std::int64_t tokens) override
    {
        run([&] { return gpu::gatherRows(m_stream.get(), out, table, shard, ids, tokens); }, "gatherRows");
    }
    void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, const float *in, float factor,
                        std::int64_t tokens) override
    {
        if (!m_order.holds(tokens)) {
            finish();
            m_order.grow(tokens);
        }
        run([&] { return gpu::sortTokens(m_stream.get(), m_order.data(), ids, tokens); }, "sortTokens");
        run([&] { return gpu::scatterAddRows(m_stream.get(), table, shard, ids, m_order.data(), in, factor, tokens); },
            "scatterAddRows");
    }
    void scaleRows(float *out, const float *in, const float *factor, const float *table, const kernels::TableShard &shard,
                   const std::int32_t *ids, float weight, std::int64_t tokens) override
    {
        run([&] { return gpu::scaleRows(m_stream.get(), out, in, factor, table, shard, ids, weight, tokens); }, "scaleRows");
    }

    void rowMaxima(float *maximum, float *target, const kernels::LogitShard &shard, const std::int32_t *labels) override
    {
        run([&] { return gpu::rowMaxima(m_stream.get(), maximum, target, shard, labels); }, "rowMaxima");
    }
    void exponentiate(float *sum, const float *maximum, const kernels::LogitShard &shard) override
    {
        run([&] { return gpu::exponentiate(m_stream.get(), sum, maximum, shard); }, "exponentiate");
    }
    void localSoftmax(float *maximum, float *sum, float *target, const kernels::LogitShard &shard,
                      const std::int32_t *labels) override
    {
        run([&] { return gpu::localSoftmax(m_stream.get(), maximum, sum, target, shard, labels); }, "localSoftmax");
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
    double lossSum(const SoftmaxStatistics &all) override
    {
        run([&] { return gpu::sumLosses(m_stream.get(), m_result.data(), all.maximum, all.tokens); }, "sumLosses");
        return result();
    }

private:
    static std::size_t bytesOf(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(float); }

    /// Queues a kernel, unless the run was stopped: then results are worthless anyway.
    template <class Kernel>
    void run(const Kernel &kernel, const char *name)
    {
        useGpu(m_gpu);
        if (!m_interrupt())
            require(kernel(), name);
    }
    template <class T>
    T *scratchOf(std::int64_t count)
    {
        const std::int64_t doubles = (count * static_cast<std::int64_t>(sizeof(T)) + 7) / 8;
        if (!m_scratch.holds(doubles)) {
            finish();
            m_scratch.grow(doubles);
        }
        return reinterpret_cast<T *>(m_scratch.data());
    }
    /// What the last kernel answered.
    double result()
    {
        double value = 0;
        run([&] { return gpu::copy(m_stream.get(), &value, m_result.data(), sizeof(value)); }, "a copy of a sum");
        finish();
        return value;
    }

    int m_gpu;
    bool m_isNamed = false; ///< the pass, for a tool
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

std::unique_ptr<Compute> makeGpuCompute(int gpu, const kernels::Interrupt &interrupt)
{
    return std::make_unique<GpuCompute>(gpu, interrupt);
}

} // namespace stagelens::backend
