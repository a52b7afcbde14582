// The activation functions of the kernels in double.
#pragma once

#include "kernels/include/activation.h"

#include <array>
#include <cmath>

namespace stagelens::test {

inline double geluOf(double x)
{
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

struct ActivationFunction {
    kernels::Activation activation;
    double (*value)(double);
    /// Returns the slope by differences.
    [[nodiscard]] double slope(double x) const { return (value(x + 1e-5) - value(x - 1e-5)) / 2e-5; }
};
inline constexpr std::array kActivationFunctions{ActivationFunction{kernels::Activation::Gelu, geluOf}};

} // namespace stagelens::test
