// S and T of one shard of the output layer, with the kernels in the order of engine/runtime/executor/output/output_shard.cpp.
// Excludes communication between the ranks.
#include "engine/backend/cuda/gpu_bench.h"
#include "kernels/include/embedding.h"
#include "kernels/include/softmax.h"

#include <fmt/format.h>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;
using gpu::Status;
using kernels::Bf16;
using kernels::Form;

/// Runs the next kernel unless one has failed.
class Chain {
public:
    template <class Work>
    Chain &then(const Work &work)
    {
        if (!m_status.failed())
            m_status = work();
        return *this;
    }
    [[nodiscard]] Status status() const { return m_status; }

private:
    Status m_status;
};

struct Shape {
    std::int64_t tokens;
    std::int64_t hidden;
    std::int64_t rows; ///< of the shard
    [[nodiscard]] double productFlops() const
    {
        return 2 * static_cast<double>(tokens) * static_cast<double>(hidden) * static_cast<double>(rows);
    }
};

/// The passes of a shard that is the whole vocabulary, so its statistics are the global ones.
class Shard {
public:
    Shard(KernelBench &bench, gpu::Products &products, BenchArrays &arrays, const Shape &shape)
        : m_stream(bench.stream()), m_products(products), m_shape(shape), m_x(arrays.random<Bf16>(shape.tokens * shape.hidden)),
          m_weight(arrays.random<Bf16>(shape.rows * shape.hidden)), m_gradient(arrays.random<float>(shape.rows * shape.hidden)),
          m_logits(arrays.space<Bf16>(shape.tokens * shape.rows)), m_statistics(arrays.space<float>(3 * shape.tokens)),
          m_factors(arrays.space<float>(shape.tokens)), m_xGradient(arrays.space<Bf16>(shape.tokens * shape.hidden)),
          m_targets(arrays.space<Bf16>(shape.tokens * shape.hidden)), m_scaled(arrays.space<Bf16>(shape.tokens * shape.hidden)),
          m_labels(arrays.ids(shape.tokens, shape.rows)), m_order(arrays.space<std::int32_t>(shape.tokens))
    {}

    [[nodiscard]] Status firstOfVocab1() const
    {
        return logits().then([&] { return softmax(); }).status();
    }
    [[nodiscard]] Status lastOfVocab1() const
    {
        return Chain()
            .then([&] { return weighted(); })
            .then([&] { return factors(); })
            .then([&] {
                return gpu::scaleRows(m_stream, m_xGradient, m_xGradient, m_factors, m_weight, table(), m_labels, kWeight,
                                      m_shape.tokens);
            })
            .then([&] { return weightGradient(); })
            .status();
    }
    [[nodiscard]] Status firstOfVocab2() const
    {
        return logits()
            .then([&] { return softmax(); })
            .then([&] { return weighted(); })
            .then([&] { return gpu::gatherRows<Bf16>(m_stream, m_targets, m_weight, table(), m_labels, m_shape.tokens); })
            .status();
    }
    [[nodiscard]] Status lastOfVocab2() const { return weightGradient(); }

private:
    static constexpr float kWeight = 1e-3F; ///< of a token in the loss of the step

    [[nodiscard]] kernels::TableShard table() const { return {0, m_shape.rows, m_shape.hidden}; }
    [[nodiscard]] Chain logits() const
    {
        gpu::Product<Bf16> product;
        product.rows = m_shape.tokens;
        product.columns = product.stride = m_shape.rows;
        product.inner = m_shape.hidden;
        product.a = {m_x, m_shape.hidden};
        product.b = {m_weight, m_shape.hidden, Form::Transposed};
        product.c = m_logits;
        return Chain().then([&] { return m_products.multiply(m_stream, product); });
    }
    [[nodiscard]] Status softmax() const
    {
        return gpu::localSoftmax(m_stream, m_statistics, m_statistics + m_shape.tokens, m_statistics + 2 * m_shape.tokens,
                                 kernels::LogitShardOf<Bf16>{m_logits, m_shape.tokens, m_shape.rows, 0}, m_labels);
    }
    [[nodiscard]] Status weighted() const
    {
        gpu::Product<Bf16> product;
        product.rows = m_shape.tokens;
        product.columns = product.stride = m_shape.hidden;
        product.inner = m_shape.rows;
        product.a = {m_logits, m_shape.rows};
        product.b = {m_weight, m_shape.hidden};
        product.c = m_xGradient;
        return m_products.multiply(m_stream, product);
    }
    [[nodiscard]] Status factors() const
    {
        return gpu::tokenFactors(m_stream, m_factors, m_statistics, m_statistics, kWeight, m_shape.tokens);
    }
    [[nodiscard]] Status weightGradient() const
    {
        gpu::Product<Bf16, float> product;
        product.rows = m_shape.rows;
        product.columns = product.stride = m_shape.hidden;
        product.inner = m_shape.tokens;
        product.a = {m_logits, m_shape.rows, Form::Transposed};
        product.b = {m_scaled, m_shape.hidden};
        product.c = m_gradient;
        product.beta = 1;
        return Chain()
            .then([&] { return factors(); })
            .then([&] {
                return gpu::scaleRows<Bf16>(m_stream, m_scaled, m_x, m_factors, nullptr, table(), m_labels, 0, m_shape.tokens);
            })
            .then([&] { return m_products.multiply(m_stream, product); })
            .then([&] { return gpu::sortTokens(m_stream, m_order, m_labels, m_shape.tokens); })
            .then([&] {
                return gpu::scatterAddRows<Bf16>(m_stream, m_gradient, table(), m_labels, m_order, m_x, -kWeight,
                                                 m_shape.tokens);
            })
            .status();
    }

    gpu::Stream m_stream;
    gpu::Products &m_products;
    Shape m_shape;
    const Bf16 *m_x;
    const Bf16 *m_weight;
    float *m_gradient;
    Bf16 *m_logits;
    float *m_statistics;
    float *m_factors;
    Bf16 *m_xGradient;
    Bf16 *m_targets;
    Bf16 *m_scaled;
    const std::int32_t *m_labels;
    std::int32_t *m_order;
};

void benchShard(KernelBench &bench, gpu::Products &products, const Shape &shape)
{
    bench.attempt("S + T", FigureGroup::OutputLayer, [&](BenchArrays &arrays) {
        const Shard shard(bench, products, arrays, shape);
        const auto figure = [&](const char *pass, const char *method, int productCount) {
            return KernelFigure{.group = FigureGroup::OutputLayer,
                                .name = fmt::format("{} of {}", pass, method),
                                .type = "bf16",
                                .shape = benchShape({{"N", shape.tokens}, {"h", shape.hidden}, {"rows", shape.rows}}),
                                .flops = shape.productFlops() * productCount};
        };
        const auto both = [](Status first, const auto &then) { return first.failed() ? first : then(); };
        bench.measure(figure("S", "vocab-1", 1), [&] { return shard.firstOfVocab1(); });
        bench.measure(figure("T", "vocab-1", 2), [&] { return shard.lastOfVocab1(); });
        bench.measure(figure("S + T", "vocab-1", 3),
                      [&] { return both(shard.firstOfVocab1(), [&] { return shard.lastOfVocab1(); }); });
        bench.measure(figure("S", "vocab-2", 2), [&] { return shard.firstOfVocab2(); });
        bench.measure(figure("T", "vocab-2", 1), [&] { return shard.lastOfVocab2(); });
        bench.measure(figure("S + T", "vocab-2", 3),
                      [&] { return both(shard.firstOfVocab2(), [&] { return shard.lastOfVocab2(); }); });
    });
}

} // namespace

void benchOutputLayer(KernelBench &bench, gpu::Products &products)
{
    benchShard(bench, products, {bench.length(4096, 16), bench.length(4096, 24), bench.length(32768, 40)});
    // Shards of a vocabulary of 256k, and the whole, to show how far from linear the time is.
    for (const std::int64_t shards : {8, 1})
        benchShard(bench, products, {bench.length(2048, 8), bench.length(3072, 16), bench.length(262'144, 64) / shards});
}

} // namespace stagelens::backend
