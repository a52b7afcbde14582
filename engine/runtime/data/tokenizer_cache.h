// A cache of trained merges on disk. Internal to the token sources.
#pragma once

#include "engine/runtime/data/bpe.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace stagelens::runtime {

/// Identifies the text and vocabulary size that a tokenizer was trained for.
struct TokenizerKey {
    std::uint64_t contentHash = 0;
    std::uint64_t contentSize = 0;
    std::int32_t vocabularySize = 0;
    friend bool operator==(const TokenizerKey &, const TokenizerKey &) = default;
};
[[nodiscard]] TokenizerKey tokenizerKey(std::string_view text, std::int32_t vocabularySize);

/// Returns the merges from dataFolder()/tokenizers, or nothing if they are missing, damaged, or from another version of the
/// format.
[[nodiscard]] std::optional<Merges> cachedMerges(const TokenizerKey &key);
/// Stores merges. A failure is logged and otherwise ignored.
void cacheMerges(const TokenizerKey &key, const Merges &merges);

} // namespace stagelens::runtime
