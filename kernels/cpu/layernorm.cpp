#include "kernels/include/layernorm.h"

#include "kernels/cpu/lanes.h"

#include <cmath>

namespace stagelens::kernels {
namespace {

STAGELENS_INLINE float sumOf(const float *values, std::int64_t count)
{
    LaneSum sum;
    const std::int64_t whole = count - count % kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes)
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sum.lanes[lane] += values[i + lane];
    for (std::int64_t i = whole; i < count; ++i)
        sum.lanes[i - whole] += values[i];
    return sum.total();
}

STAGELENS_INLINE float sumOfSquaredDistances(const float *values, float centre, std::int64_t count)
{
    LaneSum sum;
    const std::int64_t whole = count - count % kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            const float distance = values[i + lane] - centre;
            sum.lanes[lane] += distance * distance;
        }
    }
    for (std::int64_t i = whole; i < count; ++i)
        sum.lanes[i - whole] += (values[i] - centre) * (values[i] - centre);
    return sum.total();
}

/// Sums of g and g x^ over a row, where g = gradient * weight and x^ is the normalised input.
struct RowSums {
    float gradient;
    float product;
};
STAGELENS_INLINE RowSums rowSums(const float *gradient, const float *weight, const float *in, float mean, float rstd,
                                 std::int64_t width)
{
    LaneSum gradients;
    LaneSum products;
    const std::int64_t whole = width - width % kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            const float g = gradient[i + lane] * weight[i + lane];
            gradients.lanes[lane] += g;
            products.lanes[lane] += g * ((in[i + lane] - mean) * rstd);
        }
    }
    for (std::int64_t i = whole; i < width; ++i) {
        const float g = gradient[i] * weight[i];
        gradients.lanes[i - whole] += g;
        products.lanes[i - whole] += g * ((in[i] - mean) * rstd);
    }
    return {gradients.total(), products.total()};
}

STAGELENS_INLINE void layerNormForwardLoop(float *__restrict out, float *__restrict mean, float *__restrict rstd,
                                           const float *__restrict in, const float *__restrict weight,
                                           const float *__restrict bias, std::int64_t rows, std::int64_t width)
{
    const float share = 1.0F / static_cast<float>(width);
    for (std::int64_t row = 0; row < rows; ++row) {
        const float *x = in + row * width;
        const float m = sumOf(x, width) * share;
        const float r = 1.0F / std::sqrt(sumOfSquaredDistances(x, m, width) * share + kLayerNormEpsilon);
        mean[row] = m;
        rstd[row] = r;
        float *y = out + row * width;
        for (std::int64_t i = 0; i < width; ++i)
            y[i] = (x[i] - m) * r * weight[i] + bias[i];
    }
}

STAGELENS_INLINE void layerNormBackwardLoop(float *__restrict inGradient, float *__restrict weightGradient,
                                            float *__restrict biasGradient, const float *__restrict outGradient,
                                            const float *__restrict in, const float *__restrict mean,
                                            const float *__restrict rstd, const float *__restrict weight, std::int64_t rows,
                                            std::int64_t width)
{
    const float share = 1.0F / static_cast<float>(width);
    for (std::int64_t row = 0; row < rows; ++row) {
        const float *x = in + row * width;
        const float *dy = outGradient + row * width;
        float *dx = inGradient + row * width;
        const float m = mean[row];
        const float r = rstd[row];
        const RowSums sums = rowSums(dy, weight, x, m, r, width);
        const float meanGradient = sums.gradient * share;
        const float meanProduct = sums.product * share;
        for (std::int64_t i = 0; i < width; ++i) {
            const float normalised = (x[i] - m) * r;
            dx[i] += r * (dy[i] * weight[i] - meanGradient - normalised * meanProduct);
            weightGradient[i] += dy[i] * normalised;
            biasGradient[i] += dy[i];
        }
    }
}

} // namespace

void layerNormForward(float *out, float *mean, float *rstd, const float *in, const float *weight, const float *bias,
                      std::int64_t rows, std::int64_t width)
{
    runBest<layerNormForwardLoop>(out, mean, rstd, in, weight, bias, rows, width);
}

void layerNormBackward(float *inGradient, float *weightGradient, float *biasGradient, const float *outGradient, const float *in,
                       const float *mean, const float *rstd, const float *weight, std::int64_t rows, std::int64_t width)
{
    runBest<layerNormBackwardLoop>(inGradient, weightGradient, biasGradient, outGradient, in, mean, rstd, weight, rows, width);
}

} // namespace stagelens::kernels
