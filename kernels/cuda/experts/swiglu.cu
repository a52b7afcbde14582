// SwiGLU of the rows of experts, times the gate of the row. Bytes per element as without experts: forward 3 sizeof(T), backward
// 5 sizeof(T); memory-bound. Target: 85 % of copy bandwidth. A block a row, whose threads add up the gradient of its gate.
#include "kernels/cuda/elementwise.h"
#include "kernels/include/experts.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;

template <class T, int W>
STAGELENS_KERNEL(kThreads, 4)
forwardKernel(T *out, const T *gate, const T *up, const float *gates, const std::int32_t *slots, std::int64_t width)
{
    const std::int32_t slot = slots[blockIndex()];
    if (slot < 0)
        return;
    const float share = gates[slot];
    const std::int64_t begin = blockIndex() * width;
    for (std::int64_t column = std::int64_t{W} * threadIndex(); column < width; column += std::int64_t{W} * blockThreads()) {
        Pack<W> x = load<W>(gate + begin + column);
        const Pack<W> factor = load<W>(up + begin + column);
#pragma unroll
        for (int i = 0; i < W; ++i)
            x.at[i] = share * (x.at[i] * sigmoidOf(x.at[i]) * factor.at[i]);
        store<W>(out + begin + column, x);
    }
}

template <class T, int W>
STAGELENS_KERNEL(kThreads, 4)
backwardKernel(T *gate, T *up, T *gateGradient, const T *outGradient, const float *gates, const std::int32_t *slots,
               std::int64_t width)
{
    const std::int32_t slot = slots[blockIndex()];
    if (slot < 0)
        return;
    const float share = gates[slot];
    const std::int64_t begin = blockIndex() * width;
    float sum = 0;
    for (std::int64_t column = std::int64_t{W} * threadIndex(); column < width; column += std::int64_t{W} * blockThreads()) {
        Pack<W> x = load<W>(gate + begin + column);
        Pack<W> factor = load<W>(up + begin + column);
        const Pack<W> dy = load<W>(outGradient + begin + column);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const float sigmoid = sigmoidOf(x.at[i]);
            const float slope = sigmoid * (1.0F + x.at[i] * (1.0F - sigmoid));
            const float silu = x.at[i] * sigmoid;
            const float scaled = share * dy.at[i];
            sum += dy.at[i] * (silu * factor.at[i]);
            x.at[i] = scaled * factor.at[i] * slope;
            factor.at[i] = scaled * silu;
        }
        store<W>(gate + begin + column, x);
        store<W>(up + begin + column, factor);
    }
    const float all = blockSum(sum, reinterpret_cast<float *>(sharedBytes()));
    if (threadIndex() == 0)
        roundTo(gateGradient + slot, all);
}

constexpr std::int64_t kSumBytes = kThreads / kWarpLanes * sizeof(float);

} // namespace

template <class T>
Status expertSwigluForward(Stream stream, T *out, const T *gate, const T *up, const float *gates, const std::int32_t *routes,
                           const RoutingShape &shape, std::int64_t width)
{
    const std::int32_t *slots = routes + 2 * shape.rows();
    if (isWide<T>({out, gate, up}, {width}))
        return launch<forwardKernel<T, kWide<T>>>({shape.rows(), threadsForRow(2 * width / kWide<T>, kThreads), 0, stream}, out,
                                                  gate, up, gates, slots, width);
    return launch<forwardKernel<T, 1>>({shape.rows(), threadsForRow(width, kThreads), 0, stream}, out, gate, up, gates, slots,
                                       width);
}

template <class T>
Status expertSwigluBackward(Stream stream, T *gate, T *up, T *gateGradient, const T *outGradient, const float *gates,
                            const std::int32_t *routes, const RoutingShape &shape, std::int64_t width)
{
    const std::int32_t *slots = routes + 2 * shape.rows();
    if (isWide<T>({gate, up, outGradient}, {width}))
        return launch<backwardKernel<T, kWide<T>>>(
            {shape.rows(), threadsForRow(2 * width / kWide<T>, kThreads), kSumBytes, stream}, gate, up, gateGradient,
            outGradient, gates, slots, width);
    return launch<backwardKernel<T, 1>>({shape.rows(), threadsForRow(width, kThreads), kSumBytes, stream}, gate, up,
                                        gateGradient, outGradient, gates, slots, width);
}

#define STAGELENS_EXPERT_SWIGLU_OF(T)                                                                                          \
    template Status expertSwigluForward(Stream, T *, const T *, const T *, const float *, const std::int32_t *,                \
                                        const RoutingShape &, std::int64_t);                                                   \
    template Status expertSwigluBackward(Stream, T *, T *, T *, const T *, const float *, const std::int32_t *,                \
                                         const RoutingShape &, std::int64_t);
STAGELENS_EVERY_TYPE(STAGELENS_EXPERT_SWIGLU_OF)
#undef STAGELENS_EXPERT_SWIGLU_OF

} // namespace stagelens::kernels::gpu
