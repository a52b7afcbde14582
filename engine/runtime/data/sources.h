// The pieces that openTokens() is made of. Internal to the token sources.
#pragma once

#include "engine/runtime/data/token_source.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace stagelens::runtime {

/// What a source has to know of the experiment.
struct BatchShape {
    explicit BatchShape(const model::Experiment &experiment);
    /// Number of a sequence in the order of the whole run; it does not depend on how a step is cut into microbatches.
    [[nodiscard]] std::uint64_t sequenceIndex(std::int64_t step, int microbatch, int row) const;
    /// Which of kHeldBackSequences a row of a microbatch of them is.
    [[nodiscard]] std::uint64_t heldBackIndex(int microbatch, int row) const;

    std::uint64_t seed;
    std::size_t sequence;
    int microbatches;
    int microbatchSize;
    std::int32_t vocabularySize;
};

/// Sequences that the loss on held-back tokens is a mean over.
inline constexpr int kHeldBackSequences = 16;
/// A row of tokens holds back its last part: one in so many, but enough for a sequence; and nothing where training would have
/// less than a sequence then.
inline constexpr std::size_t kHeldBackShare = 16;

/// Streams of base::Random that the sources use; far from the small numbers that parameters may have.
inline constexpr std::uint64_t kWindowStream = 0x77696e646f77;
inline constexpr std::uint64_t kSyntheticStream = 0x73796e7468;
inline constexpr std::uint64_t kHeldBackStream = 0x6865'6c64'0000'0000;

/// A long row of tokens, all below the vocabulary size. Thread-safe.
class TokenRow {
public:
    virtual ~TokenRow() = default;
    [[nodiscard]] virtual std::size_t size() const = 0;
    /// Fills `tokens` from a position on; position + tokens.size() <= size().
    virtual void read(std::size_t position, std::span<std::int32_t> tokens) const = 0;
};

/// Draws a random window of the row for each sequence. `what` begins the description. InvalidInput if the row is too short for
/// one sequence and its shifted labels.
[[nodiscard]] base::Result<std::unique_ptr<TokenSource>> drawWindows(std::unique_ptr<TokenRow> row, const BatchShape &shape,
                                                                     const std::string &what);

/// Tokens that a small model learns quickly; see synthetic.cpp.
[[nodiscard]] std::unique_ptr<TokenSource> makeSynthetic(const BatchShape &shape);

/// A `.bin` file with llm.c's header or none; every token is checked against the vocabulary size.
[[nodiscard]] base::Result<std::unique_ptr<TokenRow>> openTokenFile(const std::filesystem::path &file,
                                                                    std::int32_t vocabularySize, const std::stop_token &stop);

/// Documents, one after the other.
struct Documents {
    std::string text;
    std::vector<std::size_t> ends; ///< of each in `text`; none is empty
};
/// A file, or all *.md and *.txt files in a folder and below that are not empty, in the order of their paths.
[[nodiscard]] base::Result<Documents> readDocuments(const std::filesystem::path &place);

/// Tokens of a text by a BPE trained on it, with a description of the tokenizer. Between documents there is an end-of-text
/// token, the one after the last of the BPE; no token reaches over it, but a sequence may.
[[nodiscard]] base::Result<std::unique_ptr<TokenSource>> openText(const std::filesystem::path &place, const BatchShape &shape,
                                                                  const std::stop_token &stop);

/// The field that every problem of the data is noted under.
inline constexpr const char *kDataField = "training.data";

} // namespace stagelens::runtime
