#include "kernels/include/elementwise.h"

#include "kernels/cpu/lanes.h"

#include <algorithm>

namespace stagelens::kernels {
namespace {

STAGELENS_INLINE void addLoop(float *__restrict to, const float *__restrict from, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] += from[i];
}

STAGELENS_INLINE void scaleLoop(float *to, const float *from, float factor, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = from[i] * factor;
}

STAGELENS_INLINE void addScaledLoop(float *__restrict to, const float *__restrict from, float factor, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] += from[i] * factor;
}

STAGELENS_INLINE double sumOfSquaresLoop(const float *values, std::int64_t count)
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

STAGELENS_INLINE void fillRowsLoop(float *__restrict out, const float *__restrict bias, const float *__restrict residual,
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

STAGELENS_INLINE void addColumnSumsLoop(float *__restrict sums, const float *__restrict in, std::int64_t rows,
                                        std::int64_t width)
{
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t i = 0; i < width; ++i)
            sums[i] += in[row * width + i];
}

} // namespace

void add(float *to, const float *from, std::int64_t count)
{
    runBest<addLoop>(to, from, count);
}

void scale(float *to, const float *from, float factor, std::int64_t count)
{
    runBest<scaleLoop>(to, from, factor, count);
}

void addScaled(float *to, const float *from, float factor, std::int64_t count)
{
    runBest<addScaledLoop>(to, from, factor, count);
}

void addScaledRows(float *to, const float *from, const float *factor, std::int64_t rows, std::int64_t width)
{
    for (std::int64_t row = 0; row < rows; ++row)
        addScaled(to + row * width, from + row * width, factor[row], width);
}

double sumOfSquares(const float *values, std::int64_t count)
{
    return runBest<sumOfSquaresLoop>(values, count);
}

void fillRows(float *out, const float *bias, const float *residual, std::int64_t rows, std::int64_t width)
{
    runBest<fillRowsLoop>(out, bias, residual, rows, width);
}

void addColumnSums(float *sums, const float *in, std::int64_t rows, std::int64_t width)
{
    runBest<addColumnSumsLoop>(sums, in, rows, width);
}

} // namespace stagelens::kernels
