#include "kernels/include/elementwise.h"

#include "kernels/cpu/lanes.h"

#include <algorithm>

namespace stagelens::kernels {

STAGELENS_MULTIVERSIONED void add(float *__restrict to, const float *__restrict from, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] += from[i];
}

STAGELENS_MULTIVERSIONED void scale(float *to, const float *from, float factor, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = from[i] * factor;
}

STAGELENS_MULTIVERSIONED void addScaled(float *__restrict to, const float *__restrict from, float factor, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] += from[i] * factor;
}

STAGELENS_MULTIVERSIONED double sumOfSquares(const float *values, std::int64_t count)
{
    constexpr std::int64_t kParts = 8;
    double sums[kParts] = {};
    const std::int64_t whole = count - count % kParts;
    for (std::int64_t i = 0; i < whole; i += kParts)
        for (std::int64_t lane = 0; lane < kParts; ++lane)
            sums[lane] += static_cast<double>(values[i + lane]) * static_cast<double>(values[i + lane]);
    for (std::int64_t i = whole; i < count; ++i)
        sums[i - whole] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    double total = 0;
    for (const double sum : sums)
        total += sum;
    return total;
}

STAGELENS_MULTIVERSIONED void fillRows(float *__restrict out, const float *__restrict bias, const float *__restrict residual,
                                       std::int64_t rows, std::int64_t width)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        float *to = out + row * width;
        if (residual == nullptr) {
            std::copy_n(bias, width, to);
            continue;
        }
        const float *from = residual + row * width;
        for (std::int64_t i = 0; i < width; ++i)
            to[i] = from[i] + bias[i];
    }
}

STAGELENS_MULTIVERSIONED void addColumnSums(float *__restrict sums, const float *__restrict in, std::int64_t rows,
                                            std::int64_t width)
{
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t i = 0; i < width; ++i)
            sums[i] += in[row * width + i];
}

namespace {
constexpr float kGeluScale = 0.7978845608028654F; // sqrt(2 / pi)
constexpr float kGeluCubic = 0.044715F;
} // namespace

STAGELENS_MULTIVERSIONED void geluForward(float *__restrict out, const float *__restrict in, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const float x = in[i];
        out[i] = 0.5F * x * (1.0F + tanhOf(kGeluScale * (x + kGeluCubic * x * x * x)));
    }
}

STAGELENS_MULTIVERSIONED void geluBackward(float *__restrict gradient, const float *__restrict in, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const float x = in[i];
        const float t = tanhOf(kGeluScale * (x + kGeluCubic * x * x * x));
        const float inner = kGeluScale * (1.0F + 3.0F * kGeluCubic * x * x);
        gradient[i] *= 0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * inner;
    }
}

} // namespace stagelens::kernels
