#include "kernels/include/rmsnorm.h"

#include "kernels/cpu/lanes.h"

#include <cmath>

namespace stagelens::kernels {
namespace {

STAGELENS_INLINE float sumOfSquaresOf(const float *values, std::int64_t count)
{
    LaneSum sum;
    const std::int64_t whole = count - count % kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes)
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sum.lanes[lane] += values[i + lane] * values[i + lane];
    for (std::int64_t i = whole; i < count; ++i)
        sum.lanes[i - whole] += values[i] * values[i];
    return sum.total();
}

/// Returns the sum of gradient * weight * in over a row.
STAGELENS_INLINE float projectionOf(const float *gradient, const float *weight, const float *in, std::int64_t count)
{
    LaneSum sum;
    const std::int64_t whole = count - count % kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes)
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sum.lanes[lane] += gradient[i + lane] * weight[i + lane] * in[i + lane];
    for (std::int64_t i = whole; i < count; ++i)
        sum.lanes[i - whole] += gradient[i] * weight[i] * in[i];
    return sum.total();
}

STAGELENS_INLINE void rmsNormForwardLoop(float *__restrict out, float *__restrict rstd, const float *__restrict in,
                                         const float *__restrict weight, std::int64_t rows, std::int64_t width, float epsilon)
{
    const float share = 1.0F / static_cast<float>(width);
    for (std::int64_t row = 0; row < rows; ++row) {
        const float *x = in + row * width;
        const float r = 1.0F / std::sqrt(sumOfSquaresOf(x, width) * share + epsilon);
        rstd[row] = r;
        float *y = out + row * width;
        for (std::int64_t i = 0; i < width; ++i)
            y[i] = x[i] * r * weight[i];
    }
}

STAGELENS_INLINE void rmsNormBackwardLoop(float *__restrict inGradient, float *__restrict weightGradient,
                                          const float *__restrict outGradient, const float *__restrict in,
                                          const float *__restrict rstd, const float *__restrict weight, std::int64_t rows,
                                          std::int64_t width)
{
    const float share = 1.0F / static_cast<float>(width);
    for (std::int64_t row = 0; row < rows; ++row) {
        const float *x = in + row * width;
        const float *dy = outGradient + row * width;
        float *dx = inGradient + row * width;
        const float r = rstd[row];
        const float mean =
            projectionOf(dy, weight, x, width) * r * share; // mean of dy w x r, the component along the normalised input
        for (std::int64_t i = 0; i < width; ++i) {
            const float normalised = x[i] * r;
            dx[i] += r * (dy[i] * weight[i] - normalised * mean);
            weightGradient[i] += dy[i] * normalised;
        }
    }
}

} // namespace

void rmsNormForward(float *out, float *rstd, const float *in, const float *weight, std::int64_t rows, std::int64_t width,
                    float epsilon)
{
    runBest<rmsNormForwardLoop>(out, rstd, in, weight, rows, width, epsilon);
}

void rmsNormBackward(float *inGradient, float *weightGradient, const float *outGradient, const float *in, const float *rstd,
                     const float *weight, std::int64_t rows, std::int64_t width)
{
    runBest<rmsNormBackwardLoop>(inGradient, weightGradient, outGradient, in, rstd, weight, rows, width);
}

} // namespace stagelens::kernels
