// What the tests of the kernels compute in double, and their random inputs.
#pragma once

#include "engine/base/random.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace stagelens::test {

inline std::vector<float> randomValues(std::size_t count, std::uint64_t stream, double scale = 1.0)
{
    const base::Random random(20261121, stream);
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(scale * random.normal(i));
    return values;
}

/// Frobenius norm of the difference over that of the reference.
inline double error(const std::vector<float> &values, const std::vector<double> &reference)
{
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        difference += std::pow(static_cast<double>(values[i]) - reference[i], 2);
        norm += reference[i] * reference[i];
    }
    return std::sqrt(difference / norm);
}

inline std::vector<double> doubles(const std::vector<float> &values)
{
    return {values.begin(), values.end()};
}

inline std::int64_t signedSize(const std::vector<float> &values)
{
    return static_cast<std::int64_t>(values.size());
}

/// Gradient of sum(outGradient * f(x)) by central differences in double.
inline std::vector<double> numericGradient(const std::function<std::vector<double>(const std::vector<double> &)> &f,
                                           std::vector<double> x, const std::vector<float> &outGradient)
{
    constexpr double kStep = 1e-5;
    std::vector<double> gradient(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double centre = x[i];
        x[i] = centre + kStep;
        const std::vector<double> above = f(x);
        x[i] = centre - kStep;
        const std::vector<double> below = f(x);
        x[i] = centre;
        for (std::size_t j = 0; j < above.size(); ++j)
            gradient[i] += static_cast<double>(outGradient[j]) * (above[j] - below[j]) / (2 * kStep);
    }
    return gradient;
}

} // namespace stagelens::test
