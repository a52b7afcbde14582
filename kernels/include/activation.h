// Elementwise activation functions of one input.
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

enum class Activation : unsigned char {
    Gelu ///< the tanh form that GPT-2 uses ("gelu_new"): 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
};
/// Returns the name of the function and of its forward in recordings: "gelu".
[[nodiscard]] constexpr const char *name(Activation activation)
{
    switch (activation) {
    case Activation::Gelu: break;
    }
    return "gelu";
}

/// out = f(in).
void activationForward(Activation activation, float *out, const float *in, std::int64_t count);
/// gradient *= df/dx at `in`.
void activationBackward(Activation activation, float *gradient, const float *in, std::int64_t count);

namespace gpu {

/// As above.
template <class T>
Status activationForward(Stream stream, Activation activation, T *out, const T *in, std::int64_t count);
template <class T>
Status activationBackward(Stream stream, Activation activation, T *gradient, const T *in, std::int64_t count);

} // namespace gpu

} // namespace stagelens::kernels
