// The kernels of a layer of experts, with the sizes of Qwen3-30B-A3B: 128 experts of 768, of which 8 compute a token.
#include "engine/backend/cuda/gpu_bench.h"
#include "kernels/include/experts.h"

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;
using kernels::Bf16;
using kernels::ExpertResult;
using kernels::Form;

/// What the kernels of a layer share.
struct Layer {
    kernels::RoutingShape shape;
    std::int64_t hidden;
    std::int64_t inner;
    std::string text;
    const std::int32_t *routes;
    const float *gates;
    void *scratch;
};

template <class Out>
void benchProducts(KernelBench &bench, BenchArrays &arrays, const Layer &layer, const char *name, ExpertResult result,
                   Form form)
{
    const bool isOfRows = result == ExpertResult::Rows;
    const std::int64_t rows = layer.shape.rows();
    const std::int64_t matrix = layer.hidden * layer.inner;
    gpu::ExpertProduct<Bf16, Out> product{result, {}, matrix, layer.routes, layer.shape};
    // Rows [rows, hidden] to [rows, inner], or the gradients of the matrices [inner, hidden].
    product.each.rows = isOfRows ? 0 : layer.inner;
    product.each.columns = product.each.stride = isOfRows ? layer.inner : layer.hidden;
    product.each.inner = isOfRows ? layer.hidden : 0;
    product.each.a = {arrays.random<Bf16>(rows * (isOfRows ? layer.hidden : layer.inner)),
                      isOfRows ? layer.hidden : layer.inner, isOfRows ? Form::Plain : Form::Transposed};
    if (isOfRows)
        product.each.b = {arrays.random<Bf16>(layer.shape.experts * matrix),
                          form == Form::Transposed ? layer.hidden : layer.inner, form};
    else
        product.each.b = {arrays.random<Bf16>(rows * layer.hidden), layer.hidden};
    product.each.c = arrays.random<Out>(isOfRows ? rows * layer.inner : layer.shape.experts * matrix);
    product.each.beta = isOfRows ? 0.0F : 1.0F;
    bench.measure({.group = FigureGroup::Experts,
                   .name = name,
                   .type = isOfRows ? "bf16" : "float of bf16",
                   .shape = layer.text,
                   .flops = 2 * static_cast<double>(rows) * static_cast<double>(matrix)},
                  [&] { return gpu::multiplyExperts(bench.stream(), product, layer.scratch); });
}

void benchRows(KernelBench &bench, BenchArrays &arrays, const Layer &layer)
{
    const gpu::Stream stream = bench.stream();
    const auto rows = static_cast<double>(layer.shape.rows());
    const auto tokens = static_cast<double>(layer.shape.tokens);
    const auto hidden = static_cast<double>(layer.hidden);
    const auto inner = static_cast<double>(layer.inner);
    auto *const x = arrays.random<Bf16>(layer.shape.tokens * layer.hidden);
    auto *const dispatched = arrays.random<Bf16>(layer.shape.rows() * layer.hidden);
    auto *const gate = arrays.random<Bf16>(layer.shape.rows() * layer.inner);
    auto *const up = arrays.random<Bf16>(layer.shape.rows() * layer.inner);
    auto *const activated = arrays.random<Bf16>(layer.shape.rows() * layer.inner);
    auto *const gateGradient = arrays.random<Bf16>(layer.shape.rows());
    const auto figure = [&](const char *name, double bytes) {
        return KernelFigure{.group = FigureGroup::Experts, .name = name, .type = "bf16", .shape = layer.text, .bytes = bytes};
    };
    bench.measure(figure("rows to experts", 2 * (tokens + rows) * hidden),
                  [&] { return gpu::dispatchRows(stream, dispatched, x, layer.routes, layer.shape, layer.hidden); });
    bench.measure(figure("rows from experts", 2 * (2 * tokens + rows) * hidden),
                  [&] { return gpu::combineRows(stream, x, dispatched, x, layer.routes, layer.shape, layer.hidden); });
    bench.measure(figure("SwiGLU of experts forward", 6 * rows * inner), [&] {
        return gpu::expertSwigluForward(stream, activated, gate, up, layer.gates, layer.routes, layer.shape, layer.inner);
    });
    bench.measure(figure("SwiGLU of experts backward", 10 * rows * inner), [&] {
        return gpu::expertSwigluBackward(stream, gate, up, gateGradient, activated, layer.gates, layer.routes, layer.shape,
                                         layer.inner);
    });
}

} // namespace

void benchExperts(KernelBench &bench)
{
    bench.attempt("experts", FigureGroup::Experts, [&](BenchArrays &arrays) {
        const gpu::Stream stream = bench.stream();
        const kernels::RoutingShape shape{bench.length(4096, 24), bench.length(128, 4), bench.length(8, 2)};
        auto *const routes = arrays.space<std::int32_t>(3 * shape.rows());
        auto *const gates = arrays.space<float>(shape.rows());
        auto *const scratch = arrays.space<std::byte>(gpu::expertScratch(shape));
        Layer layer{shape, bench.length(2048, 16), bench.length(768, 8), {}, routes, gates, scratch};
        layer.text =
            benchShape({{"N", shape.tokens}, {"E", shape.experts}, {"k", shape.topK}, {"h", layer.hidden}, {"f", layer.inner}});
        auto *const logits = arrays.random<Bf16>(shape.tokens * shape.experts);
        auto *const gradient = arrays.random<Bf16>(shape.rows());
        const double read = 2 * static_cast<double>(shape.tokens * shape.experts);
        const double tables = 16 * static_cast<double>(shape.rows());
        const auto figure = [&](const char *name, double bytes) {
            return KernelFigure{
                .group = FigureGroup::Experts, .name = name, .type = "bf16", .shape = layer.text, .bytes = bytes};
        };
        bench.measure(figure("router forward", read + tables),
                      [&] { return gpu::routeForward<Bf16>(stream, gates, routes, logits, nullptr, shape, {}, scratch); });
        benchProducts<Bf16>(bench, arrays, layer, "rows of experts, transposed matrices", ExpertResult::Rows, Form::Transposed);
        benchProducts<Bf16>(bench, arrays, layer, "rows of experts, plain matrices", ExpertResult::Rows, Form::Plain);
        benchProducts<float>(bench, arrays, layer, "weight gradients of experts", ExpertResult::Weights, Form::Plain);
        benchRows(bench, arrays, layer);
        bench.measure(figure("router backward", 2 * read + tables), [&] {
            return gpu::routeBackward<Bf16>(stream, logits, gradient, gates, routes, shape, {}, {1e-2F, 1e-3F, 1}, scratch);
        });
    });
}

} // namespace stagelens::backend
