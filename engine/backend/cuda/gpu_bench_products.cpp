// Products of S, T and the layers, with the forms and types of the runtime.
#include "engine/backend/cuda/gpu_bench.h"

#include <fmt/format.h>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;
using kernels::Bf16;
using kernels::Form;

/// The sizes of C[rows, columns], a sum over `inner`.
struct Sizes {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t inner;
};

/// Measures C = op(A) op(B), or C += op(A) op(B) if C is float.
template <class Out>
void benchProduct(KernelBench &bench, gpu::Products &products, FigureGroup group, const std::string &name, const Sizes &sizes,
                  Form aForm, Form bForm, kernels::Epilogue epilogue = kernels::Epilogue::None)
{
    bench.attempt(name.c_str(), group, [&](BenchArrays &arrays) {
        constexpr bool kAdds = std::is_same_v<Out, float>;
        gpu::Product<Bf16, Out> product;
        product.rows = sizes.rows;
        product.columns = product.stride = sizes.columns;
        product.inner = sizes.inner;
        product.a = {arrays.random<Bf16>(sizes.rows * sizes.inner), aForm == Form::Plain ? sizes.inner : sizes.rows, aForm};
        product.b = {arrays.random<Bf16>(sizes.inner * sizes.columns), bForm == Form::Plain ? sizes.columns : sizes.inner,
                     bForm};
        product.c = arrays.random<Out>(sizes.rows * sizes.columns);
        product.beta = kAdds ? 1.0F : 0.0F;
        product.epilogue = epilogue;
        if (epilogue == kernels::Epilogue::Activation) {
            product.bias = arrays.random<Out>(sizes.columns);
            product.between = arrays.space<Out>(sizes.rows * sizes.columns);
        }
        bench.measure({.group = group,
                       .name = name,
                       .type = kAdds ? "float of bf16" : "bf16",
                       .shape = benchShape({{"m", sizes.rows}, {"n", sizes.columns}, {"k", sizes.inner}}),
                       .flops = 2 * static_cast<double>(sizes.rows) * static_cast<double>(sizes.columns) *
                                static_cast<double>(sizes.inner)},
                      [&] { return products.multiply(bench.stream(), product); });
    });
}

/// The three products of the output layer in both methods; VOCAB-1 computes the second in T, VOCAB-2 in S.
void benchOutput(KernelBench &bench, gpu::Products &products, std::int64_t tokens, std::int64_t hidden, std::int64_t rows)
{
    benchProduct<Bf16>(bench, products, FigureGroup::OutputProduct, "logits (S)", {tokens, rows, hidden}, Form::Plain,
                       Form::Transposed);
    benchProduct<Bf16>(bench, products, FigureGroup::OutputProduct, "gradient of X (T of vocab-1, S of vocab-2)",
                       {tokens, hidden, rows}, Form::Plain, Form::Plain);
    benchProduct<float>(bench, products, FigureGroup::WeightGradient, "gradient of W (T)", {rows, hidden, tokens},
                        Form::Transposed, Form::Plain);
}

/// A linear map with its weights [in, out].
void benchLinear(KernelBench &bench, gpu::Products &products, const char *name, std::int64_t tokens, std::int64_t in,
                 std::int64_t out)
{
    const auto group = FigureGroup::LayerProduct;
    benchProduct<Bf16>(bench, products, group, fmt::format("{}, forward", name), {tokens, out, in}, Form::Plain, Form::Plain);
    benchProduct<Bf16>(bench, products, group, fmt::format("{}, gradient of input", name), {tokens, in, out}, Form::Plain,
                       Form::Transposed);
    benchProduct<float>(bench, products, FigureGroup::WeightGradient, fmt::format("{}, gradient of weights", name),
                        {in, out, tokens}, Form::Transposed, Form::Plain);
}

} // namespace

void benchProducts(KernelBench &bench, gpu::Products &products)
{
    benchOutput(bench, products, bench.length(4096, 16), bench.length(4096, 24), bench.length(32768, 40));
    benchOutput(bench, products, bench.length(2048, 8), bench.length(3072, 16), bench.length(32768, 40));
    for (const auto &[tokens, hidden] :
         {std::pair{bench.length(4096, 16), bench.length(4096, 16)}, std::pair{bench.length(2048, 8), bench.length(3072, 8)}}) {
        benchLinear(bench, products, "queries, keys, values", tokens, hidden, 3 * hidden);
        benchLinear(bench, products, "attention's output", tokens, hidden, hidden);
        benchLinear(bench, products, "MLP's first", tokens, hidden, 4 * hidden);
        benchLinear(bench, products, "MLP's second", tokens, 4 * hidden, hidden);
        benchProduct<Bf16>(bench, products, FigureGroup::LayerProduct, "MLP's first with bias and GELU, forward",
                           {tokens, 4 * hidden, hidden}, Form::Plain, Form::Plain, kernels::Epilogue::Activation);
    }
}

} // namespace stagelens::backend
