#include "kernels/include/rounding.h"

#include "kernels/cpu/dispatch.h"

namespace stagelens::kernels {
namespace {

template <class T>
STAGELENS_INLINE void narrowLoop(T *__restrict to, const float *__restrict from, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = rounded<T>(from[i]);
}

template <class T>
STAGELENS_INLINE void widenLoop(float *__restrict to, const T *__restrict from, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = toFloat(from[i]);
}

} // namespace

void convert(Bf16 *to, const float *from, std::int64_t count)
{
    runBest<narrowLoop<Bf16>>(to, from, count);
}
void convert(Fp16 *to, const float *from, std::int64_t count)
{
    runBest<narrowLoop<Fp16>>(to, from, count);
}
void convert(float *to, const Bf16 *from, std::int64_t count)
{
    runBest<widenLoop<Bf16>>(to, from, count);
}
void convert(float *to, const Fp16 *from, std::int64_t count)
{
    runBest<widenLoop<Fp16>>(to, from, count);
}

} // namespace stagelens::kernels
