// Elementwise sums, multiples, copies and rounding. Each byte is read or written once. At most two FLOPs per element and part:
// memory-bound. Target: 85 % of copy bandwidth.
#include "kernels/include/elementwise.h"

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

/// value * factor
template <class From>
struct Multiple {
    const From *from;
    float factor;
    template <int W>
    STAGELENS_DEVICE Pack<W> pack(std::int64_t at) const
    {
        Pack<W> x = load<W>(from + at);
#pragma unroll
        for (int i = 0; i < W; ++i)
            x.at[i] *= factor;
        return x;
    }
};

/// to + from * factor
template <class T>
struct WithMultiple {
    const T *to;
    const T *from;
    float factor;
    template <int W>
    STAGELENS_DEVICE Pack<W> pack(std::int64_t at) const
    {
        Pack<W> sum = load<W>(to + at);
        const Pack<W> more = load<W>(from + at);
#pragma unroll
        for (int i = 0; i < W; ++i)
            sum.at[i] += productOf(more.at[i], factor);
        return sum;
    }
};

struct Constant {
    float value;
    template <int W>
    STAGELENS_DEVICE Pack<W> pack(std::int64_t) const
    {
        Pack<W> all;
#pragma unroll
        for (int i = 0; i < W; ++i)
            all.at[i] = value;
        return all;
    }
};

template <class T>
struct SumOfParts {
    Parts<T> parts;
    template <int W>
    STAGELENS_DEVICE Pack<W> pack(std::int64_t at) const
    {
        Pack<W> sum = load<W>(parts.at[0] + at);
#pragma unroll 4
        for (int part = 1; part < parts.count; ++part) {
            const Pack<W> more = load<W>(parts.at[part] + at);
#pragma unroll
            for (int i = 0; i < W; ++i)
                sum.at[i] += more.at[i];
        }
        return sum;
    }
};

template <class T, int W, int Packs, class Operation>
STAGELENS_KERNEL(kElementThreads, 4)
elementKernel(T *to, const Operation operation, std::int64_t count)
{
    eachPack<W, Packs>(count, [&](std::int64_t at) { store<W>(to + at, operation.template pack<W>(at)); });
}

/// to = operation; uses packs of Wide elements if the alignment of all arrays allows it.
template <int Wide, int Packs = kPacksOfThread, class T, class Operation>
Status start(Stream stream, T *to, const Operation &operation, std::int64_t count, bool isWhole)
{
    if (isWhole)
        return launch<elementKernel<T, Wide, Packs, Operation>>(overElements(count, Wide, stream, Packs), to, operation, count);
    return launch<elementKernel<T, 1, Packs, Operation>>(overElements(count, 1, stream, Packs), to, operation, count);
}

} // namespace

template <class T>
Status addScaled(Stream stream, T *to, const T *from, float factor, std::int64_t count)
{
    return start<kWide<T>>(stream, to, WithMultiple<T>{to, from, factor}, count, isWide<T>({to, from}, {count}));
}

template <class T>
Status add(Stream stream, T *to, const T *from, std::int64_t count)
{
    return addScaled(stream, to, from, 1.0F, count);
}

template <class T>
Status scale(Stream stream, T *to, const T *from, float factor, std::int64_t count)
{
    return start<kWide<T>>(stream, to, Multiple<T>{from, factor}, count, isWide<T>({to, from}, {count}));
}

template <class T>
Status convert(Stream stream, T *to, const float *from, std::int64_t count)
{
    const bool isWhole = isWide<T>({to, from}, {count});
    return start<kWide<T>>(stream, to, Multiple<float>{from, 1.0F}, count, isWhole);
}

template <class T>
Status fill(Stream stream, T *to, float value, std::int64_t count)
{
    return start<kWide<T>>(stream, to, Constant{value}, count, isWide<T>({to}, {count}));
}

template <class T>
Status sumParts(Stream stream, T *out, const Parts<T> &parts, std::int64_t count)
{
    if (parts.count < 1 || parts.count > kMostParts)
        return kUnsupported;
    bool isWhole = isWide<T>({out}, {count});
    for (int i = 0; i < parts.count; ++i)
        isWhole = isWhole && isWide<T>({parts.at[i]}, {});
    return start<kWide<T>, 1>(stream, out, SumOfParts<T>{parts}, count, isWhole);
}

#define STAGELENS_ARITHMETIC_OF(T)                                                                                             \
    template Status add(Stream, T *, const T *, std::int64_t);                                                                 \
    template Status addScaled(Stream, T *, const T *, float, std::int64_t);                                                    \
    template Status scale(Stream, T *, const T *, float, std::int64_t);                                                        \
    template Status convert(Stream, T *, const float *, std::int64_t);                                                         \
    template Status fill(Stream, T *, float, std::int64_t);                                                                    \
    template Status sumParts(Stream, T *, const Parts<T> &, std::int64_t);
STAGELENS_EVERY_TYPE(STAGELENS_ARITHMETIC_OF)
#undef STAGELENS_ARITHMETIC_OF

} // namespace stagelens::kernels::gpu
