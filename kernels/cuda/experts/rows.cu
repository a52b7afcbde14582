// Rows to experts and back. Bytes per element of the rows: dispatch 2 sizeof(T), combine sizeof(T) and 1 to 2 sizeof(T) / k:
// memory-bound. Target: 85 % of copy bandwidth. Dropped rows are neither read nor written.
#include "kernels/cuda/rows.h"
#include "kernels/include/experts.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 128;

/// A block a row.
template <class T, int W>
STAGELENS_KERNEL(kThreads, 8)
dispatchKernel(T *out, const T *in, const std::int32_t *slots, std::int64_t topK, std::int64_t width)
{
    const std::int32_t slot = slots[blockIndex()];
    if (slot < 0)
        return;
    T *to = out + blockIndex() * width;
    forEachPack<W>(in + slot / topK * width, width,
                   [&](std::int64_t column, const Raw<T, W> &raw) { storeRaw<W>(to + column, raw); });
}

/// A block a token.
template <class T, int W>
STAGELENS_KERNEL(kThreads, 8)
combineKernel(T *out, const T *rows, const T *addend, const std::int32_t *places, int topK, std::int64_t width)
{
    const std::int64_t begin = blockIndex() * width;
    const std::int32_t *own = places + std::int64_t{blockIndex()} * topK;
    for (std::int64_t column = std::int64_t{W} * threadIndex(); column < width; column += std::int64_t{W} * blockThreads()) {
        Pack<W> sum{};
        if (addend != nullptr)
            sum = load<W>(addend + begin + column);
#pragma unroll 4
        for (int j = 0; j < topK; ++j) {
            const std::int32_t place = own[j];
            if (place < 0)
                continue;
            const Pack<W> more = load<W>(rows + place * width + column);
#pragma unroll
            for (int i = 0; i < W; ++i)
                sum.at[i] += more.at[i];
        }
        store<W>(out + begin + column, sum);
    }
}

} // namespace

template <class T>
Status dispatchRows(Stream stream, T *out, const T *in, const std::int32_t *routes, const RoutingShape &shape,
                    std::int64_t width)
{
    const std::int32_t *slots = routes + 2 * shape.rows();
    if (isWide<T>({out, in}, {width}))
        return launch<dispatchKernel<T, kWide<T>>>({shape.rows(), threadsForRow(width / kWide<T>, kThreads), 0, stream}, out,
                                                   in, slots, shape.topK, width);
    return launch<dispatchKernel<T, 1>>({shape.rows(), threadsForRow(width, kThreads), 0, stream}, out, in, slots, shape.topK,
                                        width);
}

template <class T>
Status combineRows(Stream stream, T *out, const T *rows, const T *addend, const std::int32_t *routes, const RoutingShape &shape,
                   std::int64_t width)
{
    const std::int32_t *places = routes + shape.rows();
    const auto k = static_cast<int>(shape.topK);
    if (isWide<T>({out, rows, addend}, {width}))
        return launch<combineKernel<T, kWide<T>>>({shape.tokens, threadsForRow(4 * width / kWide<T>, kThreads), 0, stream}, out,
                                                  rows, addend, places, k, width);
    return launch<combineKernel<T, 1>>({shape.tokens, threadsForRow(width, kThreads), 0, stream}, out, rows, addend, places, k,
                                       width);
}

#define STAGELENS_EXPERT_ROWS_OF(T)                                                                                            \
    template Status dispatchRows(Stream, T *, const T *, const std::int32_t *, const RoutingShape &, std::int64_t);            \
    template Status combineRows(Stream, T *, const T *, const T *, const std::int32_t *, const RoutingShape &, std::int64_t);
STAGELENS_EVERY_TYPE(STAGELENS_EXPERT_ROWS_OF)
#undef STAGELENS_EXPERT_ROWS_OF

} // namespace stagelens::kernels::gpu
