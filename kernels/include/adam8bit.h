// Adam with 8-bit moments (Dettmers et al., arXiv 2110.02861): the numbers of a block are entries of a codebook times the
// greatest magnitude in the block.
#pragma once

#include "kernels/include/adamw.h"
#include "kernels/include/codebook.h"
#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

/// The moments of rows: a code for each element, and a scale for each block.
struct CodedMoments {
    std::uint8_t *first = nullptr;
    float *firstScales = nullptr;
    std::uint8_t *second = nullptr;
    float *secondScales = nullptr;
};

/// A step of AdamW, whose moments are decoded, updated, used and encoded again. The gradient becomes 0.
void adam8bitStep(float *values, float *gradient, const CodedMoments &moments, std::int64_t rows, std::int64_t columns,
                  const AdamW &settings);

namespace gpu {

/// As above, with the CPU's bits.
Status adam8bitStep(Stream stream, float *values, float *gradient, const CodedMoments &moments, std::int64_t rows,
                    std::int64_t columns, const AdamW &settings);

} // namespace gpu

} // namespace stagelens::kernels
