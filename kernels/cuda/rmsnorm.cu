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

#define STAGELENS_RMS_NORM_OF(T)                                                                                               \
    template Status rmsNormForward(Stream, T *, float *, T *, const T *, const T *, const T *, std::int64_t, std::int64_t,     \
                                   float);                                                                                     \
    template Status rmsNormBackward(Stream, T *, float *, const T *, const T *, const float *, const T *, std::int64_t,        \
                                    std::int64_t, float *);
STAGELENS_EVERY_TYPE(STAGELENS_RMS_NORM_OF)
#undef STAGELENS_RMS_NORM_OF

} // namespace stagelens::kernels::gpu
