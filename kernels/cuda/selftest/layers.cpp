// Norms and attention.
#include "kernels/cuda/selftest/bench.h"
#include "kernels/include/attention.h"
#include "kernels/include/cudnn_attention.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/rmsnorm.h"

namespace stagelens::kernels::gpu::selftest {
namespace {

template <class T>
void runLayerNorm(Bench &bench, std::int64_t rows, std::int64_t width)
{
    const std::int64_t count = rows * width;
    std::vector<float> y(size(count)), mean(size(rows)), rstd(size(rows));
    {
        Case test = bench.begin<T>("layerNormForward", {rows, width});
        const auto x = test.random<T>(count, 3), weight = test.random<T>(width), bias = test.random<T>(width);
        kernels::layerNormForward(y.data(), mean.data(), rstd.data(), floatsOf(x).data(), floatsOf(weight).data(),
                                  floatsOf(bias).data(), rows, width);
        T *out = test.space<T>(count), *in = test.put(x);
        float *means = test.space<float>(rows), *rstds = test.space<float>(rows);
        const T *w = test.put(weight), *b = test.put(bias);
        test.compare(out, y,
                     [&] { return layerNormForward<T>(test.stream(), out, means, rstds, in, in, nullptr, w, b, rows, width); });
    }
    Case test = bench.begin<T>("layerNormBackward", {rows, width});
    const auto x = test.random<T>(count, 3), weight = test.random<T>(width), bias = test.random<T>(width);
    const auto dy = test.random<T>(count), before = test.random<T>(count);
    kernels::layerNormForward(y.data(), mean.data(), rstd.data(), floatsOf(x).data(), floatsOf(weight).data(),
                              floatsOf(bias).data(), rows, width);
    auto expected = floatsOf(before);
    std::vector<float> weightGradient(size(width)), biasGradient(size(width));
    kernels::layerNormBackward(expected.data(), weightGradient.data(), biasGradient.data(), floatsOf(dy).data(),
                               floatsOf(x).data(), mean.data(), rstd.data(), floatsOf(weight).data(), rows, width);
    T *dx = test.put(before);
    float *dw = test.space<float>(width), *db = test.space<float>(width);
    float *scratch = test.space<float>(normScratch(rows, width));
    const T *in = test.put(x), *w = test.put(weight), *gradient = test.put(dy);
    const float *means = test.put(mean), *rstds = test.put(rstd);
    test.compare(
        dx, expected,
        [&] { return layerNormBackward<T>(test.stream(), dx, dw, db, gradient, in, means, rstds, w, rows, width, scratch); },
        [&] { test.restore(dx, before); });
}

template <class T>
void runRmsNorm(Bench &bench, std::int64_t rows, std::int64_t width)
{
    // The gradients of weights, which are summed in two stages, and the saved tensors of the forward.
    const std::int64_t count = rows * width;
    Case test = bench.begin<T>("rmsNorm, forward and backward", {rows, width});
    const auto x = test.random<T>(count, 3), weight = test.random<T>(width), dy = test.random<T>(count);
    const std::vector<float> zeros(size(width));
    std::vector<float> y(size(count)), rstd(size(rows)), dxExpected(size(count)), expected = zeros;
    kernels::rmsNormForward(y.data(), rstd.data(), floatsOf(x).data(), floatsOf(weight).data(), rows, width);
    kernels::rmsNormBackward(dxExpected.data(), expected.data(), floatsOf(dy).data(), floatsOf(x).data(), rstd.data(),
                             floatsOf(weight).data(), rows, width);
    T *in = test.put(x), *out = test.space<T>(count), *dx = test.put(std::vector<T>(size(count)));
    float *rstds = test.space<float>(rows), *dw = test.put(zeros);
    float *scratch = test.space<float>(normScratch(rows, width));
    const T *w = test.put(weight), *gradient = test.put(dy);
    test.compare(
        dw, expected,
        [&] {
            const Status status = rmsNormForward<T>(test.stream(), out, rstds, in, in, nullptr, w, rows, width);
            return status.failed() ? status
                                   : rmsNormBackward<T>(test.stream(), dx, dw, gradient, in, rstds, w, rows, width, scratch);
        },
        [&] { test.restore(dw, zeros); });
}

template <class T>
void runAttention(Bench &bench, const AttentionShape &shape)
{
    const std::int64_t tokens = shape.batch * shape.sequence;
    const auto lengths = {shape.batch, shape.sequence, shape.heads, shape.kvHeads, shape.size};
    std::vector<float> y(size(tokens * shape.width())), logSumExp(size(tokens * shape.heads));
    std::vector<float> dqkv(size(tokens * shape.qkvWidth())), cpuScratch(size(attentionScratch(shape)));
    {
        Case test = bench.begin<T>("attentionForward", lengths);
        const auto x = test.random<T>(tokens * shape.qkvWidth());
        kernels::attentionForward(y.data(), logSumExp.data(), floatsOf(x).data(), shape, cpuScratch.data());
        T *out = test.space<T>(tokens * shape.width());
        float *sums = test.space<float>(tokens * shape.heads);
        const T *qkv = test.put(x);
        test.compare(
            out, y, [&] { return attentionForward<T>(test.stream(), out, sums, qkv, shape); }, kForwardBound<T>);
    }
    Case test = bench.begin<T>("attentionBackward", lengths);
    const auto x = test.random<T>(tokens * shape.qkvWidth()), dy = test.random<T>(tokens * shape.width());
    kernels::attentionForward(y.data(), logSumExp.data(), floatsOf(x).data(), shape, cpuScratch.data());
    kernels::attentionBackward(dqkv.data(), floatsOf(dy).data(), floatsOf(x).data(), y.data(), logSumExp.data(), shape,
                               cpuScratch.data());
    T *gradient = test.space<T>(tokens * shape.qkvWidth()), *out = test.space<T>(tokens * shape.width());
    float *sums = test.space<float>(tokens * shape.heads), *scratch = test.space<float>(attentionBackwardScratch(shape));
    const T *qkv = test.put(x), *outGradient = test.put(dy);
    test.compare(
        gradient, dqkv,
        [&] {
            const Status status = attentionForward<T>(test.stream(), out, sums, qkv, shape);
            return status.failed() ? status
                                   : attentionBackward<T>(test.stream(), gradient, outGradient, qkv, out, sums, shape, scratch);
        },
        kBackwardBound<T>);
}

/// The backward with cuDNN; within `scoreBytes` it may take several parts, which must make up the whole.
template <class T>
void runCudnnBackward(Bench &bench, const AttentionShape &shape, const char *name, std::int64_t scoreBytes)
{
    const std::int64_t tokens = shape.batch * shape.sequence;
    CudnnAttention attention(scoreBytes);
    std::vector<float> y(size(tokens * shape.width())), logSumExp(size(tokens * shape.heads));
    std::vector<float> dqkv(size(tokens * shape.qkvWidth())), cpuScratch(size(attentionScratch(shape)));
    Case test = bench.begin<T>(name, {shape.batch, shape.sequence, shape.heads, shape.kvHeads, shape.size});
    const auto x = test.random<T>(tokens * shape.qkvWidth()), dy = test.random<T>(tokens * shape.width());
    kernels::attentionForward(y.data(), logSumExp.data(), floatsOf(x).data(), shape, cpuScratch.data());
    kernels::attentionBackward(dqkv.data(), floatsOf(dy).data(), floatsOf(x).data(), y.data(), logSumExp.data(), shape,
                               cpuScratch.data());
    T *gradient = test.space<T>(tokens * shape.qkvWidth()), *out = test.space<T>(tokens * shape.width());
    float *sums = test.space<float>(tokens * shape.heads);
    const T *qkv = test.put(x), *outGradient = test.put(dy);
    test.compare(
        gradient, dqkv,
        [&] {
            const Status status = attention.forward(test.stream(), out, sums, qkv, shape);
            return status.failed() ? status : attention.backward(test.stream(), gradient, outGradient, qkv, out, sums, shape);
        },
        kBackwardBound<T>);
}

/// With cuDNN, if it is built in.
template <class T>
void runCudnnAttention(Bench &bench, const AttentionShape &shape)
{
    const std::int64_t tokens = shape.batch * shape.sequence;
    const auto lengths = {shape.batch, shape.sequence, shape.heads, shape.kvHeads, shape.size};
    CudnnAttention attention;
    std::vector<float> y(size(tokens * shape.width())), logSumExp(size(tokens * shape.heads));
    std::vector<float> cpuScratch(size(attentionScratch(shape)));
    const auto reference = [&](const std::vector<T> &x) {
        kernels::attentionForward(y.data(), logSumExp.data(), floatsOf(x).data(), shape, cpuScratch.data());
    };
    {
        Case test = bench.begin<T>("attentionForward of cuDNN", lengths);
        const auto x = test.random<T>(tokens * shape.qkvWidth());
        reference(x);
        T *out = test.space<T>(tokens * shape.width());
        float *sums = test.space<float>(tokens * shape.heads);
        const T *qkv = test.put(x);
        test.compare(
            out, y, [&] { return attention.forward(test.stream(), out, sums, qkv, shape); }, kForwardBound<T>);
    }
    {
        Case test = bench.begin<T>("attention's sums of exponentials of cuDNN", lengths);
        const auto x = test.random<T>(tokens * shape.qkvWidth());
        reference(x);
        T *out = test.space<T>(tokens * shape.width());
        float *sums = test.space<float>(tokens * shape.heads);
        const T *qkv = test.put(x);
        test.compare(
            sums, logSumExp, [&] { return attention.forward(test.stream(), out, sums, qkv, shape); }, 1e-4);
    }
    runCudnnBackward<T>(bench, shape, "attentionBackward of cuDNN", CudnnAttention::kScoreBytes);
    runCudnnBackward<T>(bench, shape, "attentionBackward of cuDNN, head by head", 1);
}

template <class T>
void runOf(Bench &bench)
{
    runLayerNorm<T>(bench, 5, 37);
    runLayerNorm<T>(bench, bench.isLarge() ? 4096 : 20, bench.isLarge() ? 4096 : 256);
    runRmsNorm<T>(bench, 5, 37);
    runRmsNorm<T>(bench, bench.isLarge() ? 4096 : 20, bench.isLarge() ? 4096 : 256);
    runAttention<T>(bench, {2, 19, 4, 2, 12});
    runAttention<T>(bench, {1, 37, 2, 1, 64});
    runAttention<T>(bench, {1, 33, 1, 1, 128});
    if (!std::is_same_v<T, Fp16> || bench.isLarge()) { // several tiles, which take turns in shared memory as those of bf16
        runAttention<T>(bench, {1, 200, 1, 1, 64});
        runAttention<T>(bench, {1, 130, 1, 1, 128});
    }
    if (!bench.isLarge())
        return;
    runAttention<T>(bench, {1, 1000, 6, 2, 64});
    runAttention<T>(bench, {2, 1024, 4, 4, 128});
}

} // namespace

void runLayers(Bench &bench)
{
    // The widest float row that fits in 99 KiB of shared memory, and one that never fits.
    if (bench.isLarge()) {
        runLayerNorm<float>(bench, 300, 6300);
        runLayerNorm<float>(bench, 300, 20'000);
    }
    runOf<float>(bench);
    runOf<Bf16>(bench);
    runOf<Fp16>(bench);
    if (!CudnnAttention::problem().empty())
        return;
    for (const AttentionShape &shape : {AttentionShape{1, 64, 2, 1, 64}, AttentionShape{2, 1024, 4, 4, 128},
                                        AttentionShape{1, 1000, 6, 2, 64}, AttentionShape{1, 512, 8, 2, 128}}) {
        runCudnnAttention<Bf16>(bench, shape);
        runCudnnAttention<Fp16>(bench, shape);
    }
}

} // namespace stagelens::kernels::gpu::selftest
