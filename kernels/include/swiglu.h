// SwiGLU (Shazeer, arXiv 2002.05202): the inner activation of an MLP, silu(gate) * up, where silu x = x / (1 + e^-x).
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

/// out = silu(gate) * up.
void swigluForward(float *out, const float *gate, const float *up, std::int64_t count);

/// Overwrites gate and up with their gradients.
void swigluBackward(float *gate, float *up, const float *outGradient, std::int64_t count);

namespace gpu {

/// As above.
template <class T>
Status swigluForward(Stream stream, T *out, const T *gate, const T *up, std::int64_t count);
template <class T>
Status swigluBackward(Stream stream, T *gate, T *up, const T *outGradient, std::int64_t count);

} // namespace gpu

} // namespace stagelens::kernels
