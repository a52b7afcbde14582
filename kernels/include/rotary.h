// Rotary positions (Su et al., arXiv 2104.09864) in the layout of transformers' Llama: element i of a head's first half and
// element i of its second half are a pair, which the token's position turns by position * theta^(-2 i / size).
#pragma once

#include "kernels/include/stream.h"

#include <cstdint>
#include <optional>

namespace stagelens::kernels {

inline constexpr double kRotaryTheta = 10000; ///< the default of transformers' LlamaConfig

/// Rows of `stride` floats that begin with `heads` heads of `size` floats each, an even number; row r stands at position
/// r modulo `sequence`.
struct RotaryShape {
    std::int64_t rows = 0;
    std::int64_t sequence = 0;
    std::int64_t heads = 0;
    std::int64_t size = 0;
    std::int64_t stride = 0;
};
/// Backwards turns a gradient back, for the transpose of a rotation is its inverse.
enum class Turn : unsigned char { Forwards, Backwards };

/// How Llama 3.1 slows pairs down: those that turn fewer than lowFrequencyFactor times in originalSequence positions by
/// `factor`, those that turn more than highFrequencyFactor times not at all, and those between by an interpolation that is
/// linear in the number of turns.
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

/// angles[sequence, size]: of each position the cosines of its size / 2 angles, then the sines, rounded from double.
void rotaryAngles(float *angles, std::int64_t sequence, std::int64_t size, const RotaryRule &rule = {});

/// Turns the heads of every row in place.
void rotate(float *rows, const float *angles, const RotaryShape &shape, Turn turn);

namespace gpu {

/// As above; `angles` are those of rotaryAngles() in device memory, and lengths are in elements of T.
template <class T>
Status rotate(Stream stream, T *rows, const float *angles, const RotaryShape &shape, Turn turn);

} // namespace gpu

} // namespace stagelens::kernels
