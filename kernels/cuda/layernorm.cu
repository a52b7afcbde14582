// Layer normalisation: see kernels/cuda/norm.h.
#include "kernels/include/layernorm.h"

#include "kernels/cuda/norm.h"

namespace stagelens::kernels::gpu {

template <class T>
Status layerNormForward(Stream stream, T *out, float *mean, float *rstd, T *sum, const T *in, const T *residual,
                        const T *weight, const T *bias, std::int64_t rows, std::int64_t width)
{
    return startNormForward<true>(
        stream, NormForward<T>{out, mean, rstd, sum, in, residual, weight, bias, width, kLayerNormEpsilon}, rows);
}

std::int64_t normScratch(std::int64_t rows, std::int64_t width)
{
    return normBlocks(rows) * 2 * width;
}

template <class T>
Status layerNormBackward(Stream stream, T *inGradient, float *weightGradient, float *biasGradient, const T *outGradient,
                         const T *in, const float *mean, const float *rstd, const T *weight, std::int64_t rows,
                         std::int64_t width, float *scratch)
{
    return startNormBackward<true>(
        stream, NormBackward<T>{inGradient, scratch, outGradient, in, mean, rstd, weight, rows, normRowsOfBlock(rows), width},
        weightGradient, biasGradient);
}

#define STAGELENS_LAYER_NORM_OF(T)                                                                                             \
    template Status layerNormForward(Stream, T *, float *, float *, T *, const T *, const T *, const T *, const T *,           \
                                     std::int64_t, std::int64_t);                                                              \
    template Status layerNormBackward(Stream, T *, float *, float *, const T *, const T *, const float *, const float *,       \
                                      const T *, std::int64_t, std::int64_t, float *);
STAGELENS_EVERY_TYPE(STAGELENS_LAYER_NORM_OF)
#undef STAGELENS_LAYER_NORM_OF

} // namespace stagelens::kernels::gpu
