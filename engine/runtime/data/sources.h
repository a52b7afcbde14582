// The parts of openTokens(). Internal to the token sources.
#pragma once

#include "engine/runtime/data/token_source.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace stagelens::runtime {

/// The properties of an experiment that token sources need.
struct BatchShape {
    explicit BatchShape(const model::Experiment &experiment);
    /// Returns the index of a sequence in the whole run, which does not depend on the division of a step into microbatches.
    [[nodiscard]] std::uint64_t sequenceIndex(std::int64_t step, int microbatch, int row) const;
    /// Returns which of the kHeldBackSequences is in that row of the microbatch.
    [[nodiscard]] std::uint64_t heldBackIndex(int microbatch, int row) const;

    std::uint64_t seed;
    std::size_t sequence;
    std::int64_t microbatches; ///< of a step
    int microbatchSize;
    std::int32_t vocabularySize;
};

/// Number of held-back sequences.
inline constexpr int kHeldBackSequences = 16;
/// A token row holds back its last 1 / kHeldBackShare, but at least one sequence; nothing if less than a sequence would be left
/// for training.
inline constexpr std::size_t kHeldBackShare = 16;

/// Random streams of the token sources, distinct from the small numbers of parameters.
inline constexpr std::uint64_t kWindowStream = 0x77696e646f77;
inline constexpr std::uint64_t kSyntheticStream = 0x73796e7468;
inline constexpr std::uint64_t kHeldBackStream = 0x6865'6c64'0000'0000;

/// A sequence of tokens of any length, all below the vocabulary size. Thread-safe.
class TokenRow {
public:
    virtual ~TokenRow() = default;
    [[nodiscard]] virtual std::size_t size() const = 0;
    /// Reads `tokens` from `position`; position + tokens.size() must not exceed size().
    virtual void read(std::size_t position, std::span<std::int32_t> tokens) const = 0;
};

/// Creates a source that draws a random window of the row for each sequence. `what` begins its description. InvalidInput if the
/// row is shorter than a sequence and its shifted labels.
[[nodiscard]] base::Result<std::unique_ptr<TokenSource>> drawWindows(std::unique_ptr<TokenRow> row, const BatchShape &shape,
                                                                     const std::string &what);

/// Creates a source of tokens that a small model learns quickly; see synthetic.cpp.
[[nodiscard]] std::unique_ptr<TokenSource> makeSynthetic(const BatchShape &shape);

/// Opens a `.bin` file with or without the header of llm.c. Checks every token against the vocabulary size.
[[nodiscard]] base::Result<std::unique_ptr<TokenRow>> openTokenFile(const std::filesystem::path &file,
                                                                    std::int32_t vocabularySize, const std::stop_token &stop);

/// Concatenated documents.
struct Documents {
    std::string text;
    std::vector<std::size_t> ends; ///< end of each document in `text`; none is empty
};
/// Reads a file, or all non-empty *.md and *.txt files in a folder and its subfolders, sorted by path.
[[nodiscard]] base::Result<Documents> readDocuments(const std::filesystem::path &place);

/// Tokenizes a text with a BPE trained on it; the description names the tokenizer. An end-of-text token follows each document,
/// with the number after the last BPE token. No token crosses it, but a sequence may.
[[nodiscard]] base::Result<std::unique_ptr<TokenSource>> openText(const std::filesystem::path &place, const BatchShape &shape,
                                                                  const std::stop_token &stop);

/// The field of all data problems.
inline constexpr const char *kDataField = "training.data";

} // namespace stagelens::runtime
