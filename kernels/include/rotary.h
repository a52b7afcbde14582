// Rotary positions (Su et al., arXiv 2104.09864) in the layout of Llama in transformers: element i of the first half of a head
// and element i of the second half are a pair, which is rotated by position * theta^(-2 i / size).
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>
#include <optional>

namespace stagelens::kernels {

inline constexpr double kRotaryTheta = 10000; ///< the default of transformers' LlamaConfig

/// Rows of `stride` floats that begin with `heads` heads of `size` floats each, an even number; row r has position r modulo
/// `sequence`.
struct RotaryShape {
    std::int64_t rows = 0;
    std::int64_t sequence = 0;
    std::int64_t heads = 0;
    std::int64_t size = 0;
    std::int64_t stride = 0;
};
/// Backwards rotates a gradient by the inverse, which is the transpose.
enum class Turn : unsigned char { Forwards, Backwards };

/// Frequency scaling of Llama 3.1: pairs with fewer than lowFrequencyFactor rotations in originalSequence positions are slowed
/// by `factor`, those with more than highFrequencyFactor are unchanged, and those between are interpolated linearly in the
/// number of rotations.
struct RotaryScaling {
    double factor = 1;
    double lowFrequencyFactor = 1;
    double highFrequencyFactor = 4;
    double originalSequence = 8192;
};
struct RotaryRule {
    double theta = kRotaryTheta;
    std::optional<RotaryScaling> scaling = {};
};

/// angles[sequence, size]: for each position the cosines of its size / 2 angles, then the sines, rounded from double.
void rotaryAngles(float *angles, std::int64_t sequence, std::int64_t size, const RotaryRule &rule = {});

/// Rotates the heads of every row in place.
void rotate(float *rows, const float *angles, const RotaryShape &shape, Turn turn);

namespace gpu {

/// As above; `angles` from rotaryAngles() in device memory; lengths count elements of T.
template <class T>
Status rotate(Stream stream, T *rows, const float *angles, const RotaryShape &shape, Turn turn);

} // namespace gpu

} // namespace stagelens::kernels
