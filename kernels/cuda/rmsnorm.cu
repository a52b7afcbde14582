// Root mean square normalisation: see kernels/cuda/norm.h.
#include "kernels/include/rmsnorm.h"

#include "kernels/cuda/norm.h"

namespace stagelens::kernels::gpu {

template <class T>
Status rmsNormForward(Stream stream, T *out, float *rstd, T *sum, const T *in, const T *residual, const T *weight,
                      std::int64_t rows, std::int64_t width, float epsilon)
{
    return startNormForward<false>(
        stream, NormForward<T>{out, nullptr, rstd, sum, in, residual, weight, nullptr, width, epsilon}, rows);
}

template <class T>
Status rmsNormBackward(Stream stream, T *inGradient, float *weightGradient, const T *outGradient, const T *in,
                       const float *rstd, const T *weight, std::int64_t rows, std::int64_t width, float *scratch)
{
    return startNormBackward<false>(
        stream,
        NormBackward<T>{inGradient, scratch, outGradient, in, nullptr, rstd, weight, rows, normRowsOfBlock(rows), width},
        weightGradient, nullptr);
}

template Status rmsNormForward(Stream, float *, float *, float *, const float *, const float *, const float *, std::int64_t,
                               std::int64_t, float);
template Status rmsNormForward(Stream, Bf16 *, float *, Bf16 *, const Bf16 *, const Bf16 *, const Bf16 *, std::int64_t,
                               std::int64_t, float);
template Status rmsNormBackward(Stream, float *, float *, const float *, const float *, const float *, const float *,
                                std::int64_t, std::int64_t, float *);
template Status rmsNormBackward(Stream, Bf16 *, float *, const Bf16 *, const Bf16 *, const float *, const Bf16 *, std::int64_t,
                                std::int64_t, float *);

} // namespace stagelens::kernels::gpu
