#include "kernels/include/adam8bit.h"

#include "kernels/cpu/lanes.h"

#include <algorithm>
#include <cmath>

namespace stagelens::kernels {
namespace {

/// One block in fp32.
struct DecodedBlock {
    float first[kCodeBlock];
    float second[kCodeBlock];
    float magnitudes[kCodeBlock];
    std::int32_t codes[kCodeBlock];
};

STAGELENS_INLINE void updateBlockLoop(float *__restrict values, float *__restrict gradient,
                                      const std::uint8_t *__restrict first, float firstScale,
                                      const std::uint8_t *__restrict second, float secondScale,
                                      const float *__restrict signedEntries, const float *__restrict unsignedEntries,
                                      DecodedBlock *into, const AdamW &settings, std::int64_t count)
{
    DecodedBlock &block = *into;
    const AdamW s = settings;
    const float keep = 1.0F - s.learningRate * s.weightDecay;
    const float step = s.learningRate / s.correction1;
    const float rootCorrection = std::sqrt(s.correction2);
    for (std::int64_t i = 0; i < count; ++i) {
        block.first[i] = signedEntries[first[i]] * firstScale;
        block.second[i] = unsignedEntries[second[i]] * secondScale;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] * s.gradientScale;
        const float m = s.beta1 * block.first[i] + (1.0F - s.beta1) * g;
        const float v = s.beta2 * block.second[i] + (1.0F - s.beta2) * g * g;
        block.first[i] = m;
        block.second[i] = v;
        values[i] = values[i] * keep - step * (m / (__builtin_sqrtf(v) / rootCorrection + s.epsilon));
        gradient[i] = 0.0F;
    }
}

/// Encodes numbers; returns their greatest magnitude.
STAGELENS_INLINE float encodeLoop(std::uint8_t *__restrict codes, const float *__restrict numbers,
                                  const float *__restrict middles, float *__restrict magnitudes, std::int32_t *__restrict found,
                                  std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        magnitudes[i] = __builtin_fabsf(numbers[i]);
    const float scale = maximumOf(magnitudes, count);
    const float divisor = scale > 0.0F ? scale : 1.0F;
    for (std::int64_t i = 0; i < count; ++i) {
        magnitudes[i] = numbers[i] / divisor;
        found[i] = 0;
    }
    // A binary search of all numbers at once: the code is the number of middles below a number.
    for (std::int32_t half = 128; half > 0; half /= 2)
        for (std::int64_t i = 0; i < count; ++i)
            found[i] += middles[found[i] + half - 1] < magnitudes[i] ? half : 0;
    for (std::int64_t i = 0; i < count; ++i)
        codes[i] = static_cast<std::uint8_t>(found[i]);
    return scale;
}

} // namespace

void adam8bitStep(float *values, float *gradient, const CodedMoments &moments, std::int64_t rows, std::int64_t columns,
                  const AdamW &settings)
{
    const Codebook &both = dynamicCodebook(true);
    const Codebook &positive = dynamicCodebook(false);
    DecodedBlock block; // 32 KiB
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t each = 0; each < blocksOfRow(columns); ++each) {
            const std::int64_t begin = row * columns + each * kCodeBlock;
            const std::int64_t count = std::min(kCodeBlock, columns - each * kCodeBlock);
            float &firstScale = moments.firstScales[row * blocksOfRow(columns) + each];
            float &secondScale = moments.secondScales[row * blocksOfRow(columns) + each];
            runBest<updateBlockLoop>(values + begin, gradient + begin, static_cast<const std::uint8_t *>(moments.first + begin),
                                     firstScale, static_cast<const std::uint8_t *>(moments.second + begin), secondScale,
                                     both.entries.data(), positive.entries.data(), &block, settings, count);
            firstScale =
                runBest<encodeLoop>(moments.first + begin, static_cast<const float *>(block.first), both.middles.data(),
                                    static_cast<float *>(block.magnitudes), static_cast<std::int32_t *>(block.codes), count);
            secondScale =
                runBest<encodeLoop>(moments.second + begin, static_cast<const float *>(block.second), positive.middles.data(),
                                    static_cast<float *>(block.magnitudes), static_cast<std::int32_t *>(block.codes), count);
        }
    }
}

} // namespace stagelens::kernels
