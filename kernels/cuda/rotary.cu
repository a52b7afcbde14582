// Rotary positions in place. Bytes per element of the rotated heads: 2 sizeof(T); the angles of a position (4 bytes per element
// of one head) serve all heads of a row and stay in the caches. 3 FLOPs per element: memory-bound. Target: 85 % of copy
// bandwidth.
//
// One block per row; each thread rotates packs of pairs, one pack from each half of a head.
#include "kernels/include/rotary.h"

#include "kernels/cuda/rows.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;

template <class T, int W>
STAGELENS_KERNEL(kThreads, 4)
rotateKernel(T *rows, const float *angles, RotaryShape shape, float sign)
{
    const std::int64_t row = blockIndex();
    const int half = static_cast<int>(shape.size / 2);
    const int packs = half / W;
    const float *cosines = angles + row % shape.sequence * shape.size;
    const float *sines = cosines + half;
    for (int pack = threadIndex(); pack < packs * shape.heads; pack += blockThreads()) {
        const int at = pack % packs * W;
        T *first = rows + row * shape.stride + pack / packs * shape.size + at;
        T *second = first + half;
        Pack<W> a = load<W>(first);
        Pack<W> b = load<W>(second);
        const Pack<W> cosine = load<W>(cosines + at);
        const Pack<W> sine = load<W>(sines + at);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const float x = a.at[i];
            const float turned = sign * sine.at[i];
            a.at[i] = x * cosine.at[i] - b.at[i] * turned;
            b.at[i] = b.at[i] * cosine.at[i] + x * turned;
        }
        store<W>(first, a);
        store<W>(second, b);
    }
}

} // namespace

template <class T>
Status rotate(Stream stream, T *rows, const float *angles, const RotaryShape &shape, Turn turn)
{
    const float sign = turn == Turn::Forwards ? 1.0F : -1.0F;
    const std::int64_t pairs = shape.heads * (shape.size / 2);
    if (pairs == 0)
        return {};
    if (isWide<T>({rows, angles}, {shape.size / 2, shape.stride}))
        return launch<rotateKernel<T, kWide<T>>>({shape.rows, threadsForRow(4 * pairs / kWide<T>, kThreads), 0, stream}, rows,
                                                 angles, shape, sign);
    return launch<rotateKernel<T, 1>>({shape.rows, threadsForRow(pairs, kThreads), 0, stream}, rows, angles, shape, sign);
}

#define STAGELENS_ROTARY_OF(T) template Status rotate(Stream, T *, const float *, const RotaryShape &, Turn);
STAGELENS_EVERY_TYPE(STAGELENS_ROTARY_OF)
#undef STAGELENS_ROTARY_OF

} // namespace stagelens::kernels::gpu
