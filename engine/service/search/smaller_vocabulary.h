// A smaller vocabulary: what it saves in the output layer, and what it costs in tokens.
#pragma once

#include "engine/runtime/data/vocabulary_use.h"
#include "engine/service/search/predict.h"

#include <optional>
#include <vector>

namespace stagelens::service {

/// A vocabulary size, as predicted and as the corpus would use it.
struct VocabularySize {
    runtime::SmallerVocabulary use;
    std::optional<base::Nanos> iteration = {};  ///< absent if the plan is impossible with it
    std::optional<base::Bytes> peakMemory = {}; ///< of the fullest device
    /// Time to train on the same text, relative to the model's own vocabulary: iterations are as many more as the text has
    /// tokens. Absent where that is not known.
    std::optional<double> textTime = {};
    base::Problems refusal = {};
};

struct VocabularySizes {
    runtime::VocabularyUse use;
    std::vector<VocabularySize> rows; ///< the model's own first, then smaller ones
};

/// Predicts the plan with its vocabulary and with smaller ones, and counts what the tokens of `training.data` would make of
/// each. Every size but the first is another model: losses per token cannot be compared with the first one's. Fails as
/// runtime::vocabularyUse() does.
[[nodiscard]] base::Result<VocabularySizes> smallerVocabularies(const model::Experiment &experiment, int cores,
                                                                const SearchOptions &options = {});

} // namespace stagelens::service
