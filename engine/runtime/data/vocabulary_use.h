// What a corpus would make of a smaller vocabulary.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// Returns, for each size, the share of all occurrences that belong to that many of the most frequent tokens; `counts` has the
/// occurrences of each token, in any order.
[[nodiscard]] std::vector<double> coverage(std::vector<std::int64_t> counts, std::span<const std::int32_t> sizes);

struct SmallerVocabulary {
    std::int32_t size = 0;
    double covered = 0; ///< share of the corpus's tokens that are among the `size` most frequent ones
    /// Tokens of the same text with the tokenizer cut after `size` tokens. A byte-pair encoding with fewer merges is the one
    /// that would have been trained for that size. Absent for token files, whose tokenizer is not known.
    std::optional<std::int64_t> tokens = {};
};

struct VocabularyUse {
    std::int64_t used = 0;                  ///< tokens of the vocabulary that occur
    std::int64_t tokens = 0;                ///< that were counted
    bool isWhole = true;                    ///< false: the beginning of the corpus was counted
    std::vector<SmallerVocabulary> smaller; ///< largest first; the first is the model's own size
};

/// Counts the tokens of `training.data` for the model's vocabulary and for the powers of two below it, to a 512th of it and at
/// least 512 (with several documents one token less for a tokenizer: the one that separates them). Counts at most the first
/// 64 million tokens of a token file, and the first 16 MiB of a text. Fails as openTokens() does, and with InvalidInput for
/// synthetic tokens; Cancelled after a stop of `stop`.
[[nodiscard]] base::Result<VocabularyUse> vocabularyUse(const model::Experiment &experiment, const std::stop_token &stop);

} // namespace stagelens::runtime
