// Causal attention. FLOPs are those under the mask: half of the score matrix.
#include "engine/backend/cuda/gpu_bench.h"
#include "kernels/include/attention.h"
#include "kernels/include/cudnn_attention.h"

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;
using kernels::AttentionShape;
using kernels::Bf16;

void benchShapeOf(KernelBench &bench, const AttentionShape &shape)
{
    bench.attempt("attention", FigureGroup::Attention, [&](BenchArrays &arrays) {
        const std::int64_t tokens = shape.batch * shape.sequence;
        // Scores and their use: two products of [sequence, sequence, size], of which the mask leaves half.
        const double flops = 2 * static_cast<double>(tokens * shape.sequence) * static_cast<double>(shape.width());
        const auto figure = [&](const char *name, double products) {
            return KernelFigure{.group = FigureGroup::Attention,
                                .name = name,
                                .type = "bf16",
                                .shape = benchShape({{"batch", shape.batch},
                                                     {"T", shape.sequence},
                                                     {"heads", shape.heads},
                                                     {"kv", shape.kvHeads},
                                                     {"d", shape.size}}),
                                .flops = flops * products / 2};
        };
        const Bf16 *qkv = arrays.random<Bf16>(tokens * shape.qkvWidth());
        const Bf16 *outGradient = arrays.random<Bf16>(tokens * shape.width());
        Bf16 *out = arrays.space<Bf16>(tokens * shape.width());
        Bf16 *qkvGradient = arrays.space<Bf16>(tokens * shape.qkvWidth());
        float *logSumExp = arrays.space<float>(tokens * shape.heads);
        float *scratch = arrays.space<float>(gpu::attentionBackwardScratch(shape));
        bench.measure(figure("attention forward", 2),
                      [&] { return gpu::attentionForward(bench.stream(), out, logSumExp, qkv, shape); });
        bench.measure(figure("attention backward", 5), [&] {
            return gpu::attentionBackward(bench.stream(), qkvGradient, outGradient, qkv, out, logSumExp, shape, scratch);
        });
        if (!gpu::CudnnAttention::problem().empty())
            return;
        gpu::CudnnAttention cudnn;
        bench.measure(figure("attention forward, cuDNN", 2),
                      [&] { return cudnn.forward(bench.stream(), out, logSumExp, qkv, shape); });
        bench.measure(figure("attention backward, cuDNN", 5),
                      [&] { return cudnn.backward(bench.stream(), qkvGradient, outGradient, qkv, out, logSumExp, shape); });
    });
}

} // namespace

void benchAttention(KernelBench &bench)
{
    if (bench.length(1, 0) == 0) {
        benchShapeOf(bench, {1, 33, 2, 1, 64});
        return;
    }
    benchShapeOf(bench, {1, 2048, 24, 24, 128}); // gpt-4b
    benchShapeOf(bench, {1, 2048, 64, 8, 128});  // the shape of cuDNN's published figures
    benchShapeOf(bench, {1, 4096, 32, 32, 128});
    benchShapeOf(bench, {4, 1024, 25, 25, 64});
}

} // namespace stagelens::backend
