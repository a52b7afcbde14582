// Logits of a sampled softmax: of each token, those of the words that a microbatch has drawn, and that of its label.
#pragma once

#include "kernels/include/embedding.h"

#include <cstdint>

namespace stagelens::kernels {

/// The words that are drawn for a microbatch, and the logarithms of how often each is expected to be.
struct SampledWords {
    const std::int32_t *words = nullptr;
    const float *logCounts = nullptr;
    std::int64_t count = 0;
};

/// The tokens whose logits are corrected.
struct SampledTokens {
    const float *rows = nullptr; ///< input of the output layer, [tokens, width]
    const std::int32_t *labels = nullptr;
    const float *logCounts = nullptr; ///< of the labels
    std::int64_t tokens = 0;
    const float *table = nullptr; ///< rows of the output table
    TableShard shard;
};

/// The logit of a word that counts as none: its exponential is 0 beside that of any other.
inline constexpr float kNoLogit = -1e30F;

/// Completes logits [tokens, count + 1], whose first `count` columns are the products with the drawn words: subtracts the
/// logarithm of the expected count of each, makes kNoLogit of a drawn word that is the label, and writes the logit of the label
/// into the last column, less the logarithm of its expected count; kNoLogit if its row is not local.
void correctSample(float *logits, const SampledWords &sample, const SampledTokens &tokens);

} // namespace stagelens::kernels
