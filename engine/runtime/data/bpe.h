// Byte-level byte-pair encoding: the 256 bytes, then one token for each merge, most frequent pair first (Sennrich et al.,
// 1508.07909, on bytes and with words split off beforehand as GPT-2 does). Internal to the token sources.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace stagelens::runtime {

inline constexpr std::int32_t kByteTokens = 256;

/// A pair of tokens that is replaced by one.
struct Merge {
    std::int32_t left = 0;
    std::int32_t right = 0;
    friend bool operator==(const Merge &, const Merge &) = default;
};
/// The n-th merge creates token 256 + n from lower tokens.
using Merges = std::vector<Merge>;

/// Splits the next word off the front of a non-empty text: a run of letters, of digits or of other characters, each with the
/// space before it, or a run of white space; at most 64 bytes. Merges never cross words.
[[nodiscard]] std::string_view takeWord(std::string_view &text);

/// Called repeatedly with the completed share, 0 to 1.
using Progressing = std::function<void(double)>;

/// Returns at most vocabularySize - 256 merges; fewer if no pair occurs twice. Ties go to the smaller tokens, so the result is
/// unique. Cancelled after a stop of `stop`.
[[nodiscard]] base::Result<Merges> trainBpe(
    std::string_view text, std::int32_t vocabularySize, const std::stop_token &stop,
    const Progressing &progress = [](double) {});

/// Returns the tokens of a text. Cancelled after a stop of `stop`.
[[nodiscard]] base::Result<std::vector<std::int32_t>> encodeBpe(
    const Merges &merges, std::string_view text, const std::stop_token &stop, const Progressing &progress = [](double) {});

} // namespace stagelens::runtime
