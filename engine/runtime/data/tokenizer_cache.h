// Trained merges kept between runs. Internal to the token sources.
#pragma once

#include "engine/runtime/data/bpe.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace stagelens::runtime {

/// What a kept tokenizer was trained on.
struct TokenizerKey {
    std::uint64_t contentHash = 0;
    std::uint64_t contentSize = 0;
    std::int32_t vocabularySize = 0;
    friend bool operator==(const TokenizerKey &, const TokenizerKey &) = default;
};
[[nodiscard]] TokenizerKey tokenizerKey(std::string_view text, std::int32_t vocabularySize);

/// The merges in dataFolder()/tokenizers, or nothing: none there, damaged, or of another version of the program.
[[nodiscard]] std::optional<Merges> cachedMerges(const TokenizerKey &key);
/// Keeps merges for later; that it cannot is a remark in the log and no error.
void cacheMerges(const TokenizerKey &key, const Merges &merges);

} // namespace stagelens::runtime
