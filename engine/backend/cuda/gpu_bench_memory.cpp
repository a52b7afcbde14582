// Kernels that are bound by memory bandwidth. The reference counts the bytes that they must read and write, each array once;
// arrays exceed the caches of all GPUs.
#include "engine/backend/cuda/gpu_bench.h"
#include "engine/base/text.h"
#include "kernels/include/adafactor.h"
#include "kernels/include/adam8bit.h"
#include "kernels/include/adamw.h"
#include "kernels/include/codec.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/embedding.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/parts.h"
#include "kernels/include/rmsnorm.h"
#include "kernels/include/rotary.h"
#include "kernels/include/softmax.h"
#include "kernels/include/swiglu.h"

#include <algorithm>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;
using gpu::Status;
using kernels::Bf16;

constexpr auto kGroup = FigureGroup::Memory;

/// [rows, width] of bfloat16.
struct Rows {
    std::int64_t rows;
    std::int64_t width;
    [[nodiscard]] std::int64_t count() const { return rows * width; }
};

/// Returns a figure of a kernel that accesses `arrays` arrays of that shape and `beside` more bytes.
KernelFigure figure(const char *name, const Rows &shape, int arrays, double beside = 0)
{
    return {.group = kGroup,
            .name = name,
            .type = "bf16",
            .shape = benchShape({{"rows", shape.rows}, {"width", shape.width}}),
            .bytes = 2.0 * static_cast<double>(shape.count()) * arrays + beside};
}

Rows layerRows(const KernelBench &bench)
{
    return {bench.length(16'384, 8), bench.length(4096, 32)};
}

void benchNorms(KernelBench &bench)
{
    const Rows shape = layerRows(bench);
    const auto [rows, width] = shape;
    const gpu::Stream stream = bench.stream();
    const auto tokens = static_cast<double>(rows);
    bench.attempt("norms", kGroup, [&](BenchArrays &arrays) {
        auto *in = arrays.random<Bf16>(shape.count());
        auto *out = arrays.space<Bf16>(shape.count());
        auto *residual = arrays.random<Bf16>(shape.count());
        const auto *weight = arrays.random<Bf16>(width), *bias = arrays.random<Bf16>(width);
        auto *mean = arrays.space<float>(rows), *rstd = arrays.space<float>(rows);
        auto *weightGradient = arrays.random<float>(width), *biasGradient = arrays.random<float>(width);
        auto *scratch = arrays.space<float>(gpu::normScratch(rows, width));
        bench.measure(figure("LayerNorm forward", shape, 2, 8 * tokens), [&] {
            return gpu::layerNormForward<Bf16>(stream, out, mean, rstd, nullptr, in, nullptr, weight, bias, rows, width);
        });
        bench.measure(figure("LayerNorm forward with the residual", shape, 4, 8 * tokens), [&] {
            return gpu::layerNormForward<Bf16>(stream, out, mean, rstd, residual, in, residual, weight, bias, rows, width);
        });
        bench.measure(figure("LayerNorm backward", shape, 4, 8 * tokens), [&] {
            return gpu::layerNormBackward<Bf16>(stream, residual, weightGradient, biasGradient, out, in, mean, rstd, weight,
                                                rows, width, scratch);
        });
        bench.measure(figure("RMSNorm forward", shape, 2, 4 * tokens),
                      [&] { return gpu::rmsNormForward<Bf16>(stream, out, rstd, nullptr, in, nullptr, weight, rows, width); });
        bench.measure(figure("RMSNorm backward", shape, 4, 4 * tokens), [&] {
            return gpu::rmsNormBackward<Bf16>(stream, residual, weightGradient, out, in, rstd, weight, rows, width, scratch);
        });
    });
}

void benchElements(KernelBench &bench)
{
    const Rows shape = layerRows(bench);
    const std::int64_t count = shape.count();
    const gpu::Stream stream = bench.stream();
    bench.attempt("elements", kGroup, [&](BenchArrays &arrays) {
        auto *first = arrays.random<Bf16>(count), *second = arrays.random<Bf16>(count);
        auto *third = arrays.random<Bf16>(count);
        const auto *original = arrays.random<Bf16>(count);
        const auto renew = [&](Bf16 *array) {
            return gpu::copy(stream, array, original, static_cast<std::size_t>(count) * sizeof(Bf16));
        };
        const auto renewBoth = [&] {
            const Status status = renew(first);
            return status.failed() ? status : renew(second);
        };
        bench.measure(figure("GELU forward", shape, 2),
                      [&] { return gpu::activationForward<Bf16>(stream, kernels::Activation::Gelu, third, first, count); });
        bench.measure(
            figure("GELU backward", shape, 3),
            [&] { return gpu::activationBackward<Bf16>(stream, kernels::Activation::Gelu, first, second, count); }, renewBoth);
        bench.measure(figure("SwiGLU forward", shape, 3),
                      [&] { return gpu::swigluForward<Bf16>(stream, third, first, second, count); });
        bench.measure(
            figure("SwiGLU backward", shape, 5), [&] { return gpu::swigluBackward<Bf16>(stream, first, second, third, count); },
            renewBoth);
        bench.measure(
            figure("add", shape, 3), [&] { return gpu::add<Bf16>(stream, first, second, count); }, renewBoth);
        const std::int64_t size = bench.length(128, 8);
        const kernels::RotaryShape heads{shape.rows, std::min<std::int64_t>(shape.rows, 2048), shape.width / size, size,
                                         shape.width};
        const auto *angles = arrays.randomBetween<float>(heads.sequence * size, -1, 1);
        bench.measure(
            figure("rotary positions", shape, 2),
            [&] { return gpu::rotate<Bf16>(stream, first, angles, heads, kernels::Turn::Forwards); }, renewBoth);
        auto *sums = arrays.random<float>(shape.width);
        auto *scratch = arrays.space<float>(gpu::columnSumsScratch(shape.rows, shape.width));
        bench.measure(figure("sums of columns (gradient of a bias)", shape, 1),
                      [&] { return gpu::addColumnSums<Bf16>(stream, sums, original, shape.rows, shape.width, scratch); });
        gpu::Parts<Bf16> parts;
        parts.count = 3;
        std::ranges::copy(std::initializer_list<const Bf16 *>{first, second, original}, parts.at);
        bench.measure(figure("sum of three ranks' tensors", shape, 4),
                      [&] { return gpu::sumParts<Bf16>(stream, third, parts, count); });
    });
}

void benchSoftmax(KernelBench &bench)
{
    const Rows shape{bench.length(4096, 8), bench.length(32'768, 40)};
    const auto [rows, columns] = shape;
    const gpu::Stream stream = bench.stream();
    bench.attempt("softmax", kGroup, [&](BenchArrays &arrays) {
        auto *logits = arrays.random<Bf16>(shape.count());
        const auto *original = arrays.random<Bf16>(shape.count());
        const auto *labels = arrays.ids(rows, columns);
        auto *statistics = arrays.space<float>(3 * rows);
        const kernels::LogitShardOf<Bf16> shard{logits, rows, columns, 0};
        float *maximum = statistics, *sum = statistics + rows, *target = statistics + 2 * rows;
        const auto renew = [&] {
            return gpu::copy(stream, logits, original, static_cast<std::size_t>(shape.count()) * sizeof(Bf16));
        };
        bench.measure(
            figure("softmax of a shard, in place (S)", shape, 2),
            [&] { return gpu::localSoftmax(stream, maximum, sum, target, shard, labels); }, renew);
        bench.measure(figure("maxima of rows (naive)", shape, 1),
                      [&] { return gpu::rowMaxima(stream, maximum, target, shard, labels); });
        bench.measure(
            figure("exponentials of rows (naive)", shape, 2), [&] { return gpu::exponentiate(stream, sum, maximum, shard); },
            renew);
    });
}

void benchEmbedding(KernelBench &bench)
{
    const Rows shape = layerRows(bench);
    const auto [tokens, width] = shape;
    const std::int64_t vocabulary = bench.length(65'536, 64);
    const gpu::Stream stream = bench.stream();
    bench.attempt("embedding", kGroup, [&](BenchArrays &arrays) {
        const kernels::TableShard table{0, vocabulary, width};
        const auto *rows = arrays.random<Bf16>(vocabulary * width);
        auto *gradient = arrays.random<float>(vocabulary * width);
        auto *out = arrays.random<Bf16>(shape.count());
        const auto *ids = arrays.ids(tokens, vocabulary);
        auto *order = arrays.space<std::int32_t>(tokens);
        const auto *factors = arrays.random<float>(tokens);
        bench.measure(figure("rows of the embedding", shape, 2),
                      [&] { return gpu::gatherRows<Bf16>(stream, out, rows, table, ids, tokens); });
        bench.measure({.group = kGroup,
                       .name = "order of the tokens",
                       .type = "int32",
                       .shape = benchShape({{"tokens", tokens}}),
                       .bytes = 8.0 * static_cast<double>(tokens)},
                      [&] { return gpu::sortTokens(stream, order, ids, tokens); });
        // Every token has a row of floats of its own, read and written.
        bench.measure(figure("gradient of the embedding", shape, 5),
                      [&] { return gpu::scatterAddRows<Bf16>(stream, gradient, table, ids, order, out, 1, tokens); });
        bench.measure(figure("rows scaled (T of vocab-2)", shape, 2),
                      [&] { return gpu::scaleRows<Bf16>(stream, out, out, factors, nullptr, table, ids, 0, tokens); });
        bench.measure(figure("rows scaled, less the labels' (T of vocab-1)", shape, 3),
                      [&] { return gpu::scaleRows<Bf16>(stream, out, out, factors, rows, table, ids, 1e-3F, tokens); });
    });
}

void benchOptimizer(KernelBench &bench)
{
    const std::int64_t count = bench.length(std::int64_t{1} << 26, 256);
    const gpu::Stream stream = bench.stream();
    bench.attempt("AdamW", kGroup, [&](BenchArrays &arrays) {
        auto *values = arrays.random<float>(count), *gradient = arrays.random<float>(count);
        auto *first = arrays.random<float>(count), *second = arrays.randomBetween<float>(count, 0.1F, 1);
        const auto *original = arrays.random<float>(count);
        auto *rounded = arrays.space<Bf16>(count);
        auto *scratch = arrays.space<double>(gpu::squaresScratch(count)), *sum = arrays.space<double>(1);
        const kernels::AdamW settings{.learningRate = 1e-4F, .beta1 = 0.9F, .beta2 = 0.95F};
        const auto ofBytes = [count](const char *name, double bytes) {
            return KernelFigure{.group = kGroup,
                                .name = name,
                                .type = "float",
                                .shape = benchShape({{"values", count}}),
                                .bytes = bytes * static_cast<double>(count)};
        };
        // Values, gradient and both moments are read and written, the rounded copy is written.
        bench.measure(
            ofBytes("AdamW", 34),
            [&] { return gpu::adamwStep(stream, values, rounded, gradient, first, second, settings, count); },
            [&] { return gpu::copy(stream, gradient, original, static_cast<std::size_t>(count) * sizeof(float)); });
        bench.measure(ofBytes("sum of squares", 4), [&] { return gpu::sumOfSquares(stream, sum, original, count, scratch); });
        bench.measure(ofBytes("rounding to bf16", 6), [&] { return gpu::convert<Bf16>(stream, rounded, original, count); });
    });
}

/// Optimizers whose state is not one number for each element.
void benchMatrixOptimizers(KernelBench &bench)
{
    const std::int64_t rows = bench.length(16'384, 8);
    const std::int64_t columns = bench.length(4096, 32);
    const std::int64_t count = rows * columns;
    const gpu::Stream stream = bench.stream();
    const auto ofBytes = [&](const char *name, double bytes) {
        return KernelFigure{.group = kGroup,
                            .name = name,
                            .type = "float",
                            .shape = benchShape({{"rows", rows}, {"width", columns}}),
                            .bytes = bytes * static_cast<double>(count)};
    };
    bench.attempt("8-bit Adam", kGroup, [&](BenchArrays &arrays) {
        const std::int64_t blocks = rows * kernels::blocksOfRow(columns);
        auto *values = arrays.random<float>(count), *gradient = arrays.random<float>(count);
        const auto *original = arrays.random<float>(count);
        const auto codes = [&] { return reinterpret_cast<std::uint8_t *>(arrays.random<float>(count / 4)); };
        const kernels::CodedMoments moments{codes(), arrays.randomBetween<float>(blocks, 0.1F, 1), codes(),
                                            arrays.randomBetween<float>(blocks, 0.1F, 1)};
        const kernels::AdamW settings{.learningRate = 1e-4F, .beta1 = 0.9F, .beta2 = 0.95F};
        // Values, gradient and both codes are read and written.
        bench.measure(
            ofBytes("8-bit Adam", 20),
            [&] { return gpu::adam8bitStep(stream, values, gradient, moments, rows, columns, settings); },
            [&] { return gpu::copy(stream, gradient, original, static_cast<std::size_t>(count) * sizeof(float)); });
    });
    bench.attempt("Adafactor", kGroup, [&](BenchArrays &arrays) {
        auto *values = arrays.random<float>(count), *gradient = arrays.random<float>(count);
        const auto *original = arrays.random<float>(count);
        const kernels::AdafactorRows part{
            values,  gradient, arrays.randomBetween<float>(rows, 0.1F, 1), arrays.randomBetween<float>(columns, 0.1F, 1), rows,
            columns, rows};
        auto *sums = arrays.space<double>(kernels::adafactorSums(columns));
        auto *scratch = arrays.space<double>(gpu::adafactorScratch(rows, columns));
        const kernels::Adafactor settings{.learningRate = 1e-4F, .decay = 0.5F};
        const auto sum = [&] { return gpu::adafactorSums(stream, sums, part, settings, scratch); };
        bench.measure(ofBytes("Adafactor, sums", 8), sum);
        bench.measure(
            ofBytes("Adafactor, update", 16), [&] { return gpu::adafactorStep(stream, part, sums, settings); },
            [&] {
                const Status status = gpu::copy(stream, gradient, original, static_cast<std::size_t>(count) * sizeof(float));
                return status.failed() ? status : sum();
            });
    });
}

void benchCodec(KernelBench &bench)
{
    const Rows shape = layerRows(bench);
    const gpu::Stream stream = bench.stream();
    constexpr auto kCodec = kernels::Codec::E4m3;
    bench.attempt("packing", kGroup, [&](BenchArrays &arrays) {
        auto *numbers = arrays.random<Bf16>(shape.count());
        const std::int64_t floats = kernels::packedFloats(kCodec, shape.rows, shape.width);
        auto *packed = arrays.space<float>(floats);
        const double bytes = static_cast<double>(floats) * sizeof(float);
        bench.measure(figure("packing to e4m3", shape, 1, bytes),
                      [&] { return gpu::pack<Bf16>(stream, packed, numbers, shape.rows, shape.width, kCodec); });
        bench.measure(figure("unpacking from e4m3", shape, 1, bytes),
                      [&] { return gpu::unpack<Bf16>(stream, numbers, packed, shape.rows, shape.width, kCodec); });
    });
}

} // namespace

void benchMemory(KernelBench &bench)
{
    benchNorms(bench);
    benchElements(bench);
    benchSoftmax(bench);
    benchEmbedding(bench);
    benchOptimizer(bench);
    benchMatrixOptimizers(bench);
    benchCodec(bench);
}

} // namespace stagelens::backend
