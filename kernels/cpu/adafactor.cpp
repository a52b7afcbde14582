#include "kernels/include/adafactor.h"

#include "kernels/cpu/dispatch.h"

#include <algorithm>
#include <cmath>

namespace stagelens::kernels {
namespace {

/// Adds the squares of a row to those of the columns, and the same over the row's mean; returns their sum.
STAGELENS_INLINE double rowSumLoop(const float *__restrict gradient, float scale, std::int64_t columns)
{
    constexpr std::int64_t kParts = 8;
    double sums[kParts] = {};
    const std::int64_t whole = columns - columns % kParts;
    for (std::int64_t j = 0; j < whole; j += kParts)
        for (std::int64_t lane = 0; lane < kParts; ++lane) {
            const double g = static_cast<double>(gradient[j + lane] * scale);
            sums[lane] += g * g;
        }
    for (std::int64_t j = whole; j < columns; ++j) {
        const double g = static_cast<double>(gradient[j] * scale);
        sums[j - whole] += g * g;
    }
    double total = 0;
    for (const double sum : sums)
        total += sum;
    return total;
}

STAGELENS_INLINE void addToColumnsLoop(double *__restrict squares, double *__restrict quotients,
                                       const float *__restrict gradient, float scale, double inverseMean, std::int64_t columns)
{
    for (std::int64_t j = 0; j < columns; ++j) {
        const double g = static_cast<double>(gradient[j] * scale);
        squares[j] += g * g;
        quotients[j] += g * g * inverseMean;
    }
}

STAGELENS_INLINE void updateRowLoop(float *__restrict values, float *__restrict gradient, const float *__restrict factors,
                                    float rowFactor, float keep, std::int64_t columns)
{
    for (std::int64_t j = 0; j < columns; ++j) {
        values[j] = values[j] * keep - gradient[j] * rowFactor * factors[j];
        gradient[j] = 0.0F;
    }
}

/// Returns the rate of an update: of parameters with that mean square, and with the update's mean square limited to 1.
struct Rates {
    double update = 0; ///< of the update before it is limited
    float keep = 1;    ///< of the values
};
Rates ratesOf(const Adafactor &settings, double valueSquares, double updateSquares, double count)
{
    double rate = settings.learningRate;
    if (settings.scalesByValue)
        rate *= std::max(static_cast<double>(settings.epsilon2), std::sqrt(valueSquares / count));
    const double limit = std::max(1.0, std::sqrt(updateSquares / count));
    return {rate / limit, static_cast<float>(1.0 - rate * static_cast<double>(settings.weightDecay))};
}

double squaresOf(const float *values, std::int64_t count)
{
    return runBest<rowSumLoop>(values, 1.0F, count);
}

float decayed(float mean, double next, float decay)
{
    return static_cast<float>(static_cast<double>(decay) * static_cast<double>(mean) +
                              (1.0 - static_cast<double>(decay)) * next);
}

} // namespace

void adafactorSums(double *sums, const AdafactorRows &part, const Adafactor &settings)
{
    const std::int64_t c = part.columns;
    std::fill_n(sums, adafactorSums(c), 0.0);
    for (std::int64_t i = 0; i < part.rows; ++i) {
        const float *const gradient = part.gradient + i * c;
        const double squares = runBest<rowSumLoop>(gradient, settings.gradientScale, c);
        float &mean = part.rowMeans[i];
        mean = decayed(mean, squares / static_cast<double>(c) + static_cast<double>(settings.epsilon1), settings.decay);
        runBest<addToColumnsLoop>(sums, sums + c, gradient, settings.gradientScale, 1.0 / static_cast<double>(mean), c);
        sums[2 * c] += static_cast<double>(mean);
        sums[2 * c + 1] += squaresOf(part.values + i * c, c);
    }
}

void adafactorStep(const AdafactorRows &part, double *sums, const Adafactor &settings)
{
    const std::int64_t c = part.columns;
    const auto rows = static_cast<double>(part.allRows);
    const double mean = sums[2 * c] / rows; // of the rows
    double squares = 0;                     // of the update before it is limited
    for (std::int64_t j = 0; j < c; ++j) {
        part.columnMeans[j] =
            decayed(part.columnMeans[j], sums[j] / rows + static_cast<double>(settings.epsilon1), settings.decay);
        squares += sums[c + j] / static_cast<double>(part.columnMeans[j]);
    }
    const Rates rates = ratesOf(settings, sums[2 * c + 1], mean * squares, rows * static_cast<double>(c));
    // The sums are used: their place takes the factors of the columns.
    auto *const factors = reinterpret_cast<float *>(sums);
    for (std::int64_t j = 0; j < c; ++j)
        factors[j] = static_cast<float>(1.0 / std::sqrt(static_cast<double>(part.columnMeans[j])));
    const double rate = rates.update * static_cast<double>(settings.gradientScale);
    for (std::int64_t i = 0; i < part.rows; ++i) {
        const auto rowFactor = static_cast<float>(rate * std::sqrt(mean / static_cast<double>(part.rowMeans[i])));
        runBest<updateRowLoop>(part.values + i * c, part.gradient + i * c, factors, rowFactor, rates.keep, c);
    }
}

void adafactorVectorSums(double *sums, const float *values, const float *gradient, float *moments, std::int64_t count,
                         const Adafactor &settings)
{
    sums[0] = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto g = static_cast<double>(gradient[i] * settings.gradientScale);
        moments[i] = decayed(moments[i], g * g + static_cast<double>(settings.epsilon1), settings.decay);
        sums[0] += g * g / static_cast<double>(moments[i]);
    }
    sums[1] = squaresOf(values, count);
}

void adafactorVectorStep(float *values, float *gradient, const float *moments, std::int64_t count, const double *sums,
                         const Adafactor &settings)
{
    const Rates rates = ratesOf(settings, sums[1], sums[0], static_cast<double>(count));
    const double rate = rates.update * static_cast<double>(settings.gradientScale);
    for (std::int64_t i = 0; i < count; ++i) {
        const double update = rate * static_cast<double>(gradient[i]) / std::sqrt(static_cast<double>(moments[i]));
        values[i] = values[i] * rates.keep - static_cast<float>(update);
        gradient[i] = 0.0F;
    }
}

} // namespace stagelens::kernels
