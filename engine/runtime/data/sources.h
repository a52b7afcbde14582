// The parts of openTokens(). Internal to the token sources.
#pragma once

#include "engine/runtime/data/bpe.h"
#include "engine/runtime/data/token_source.h"

#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <new>
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
    /// Drops what is after the first `bytes`. Returns false if that was anything.
    bool shortenTo(std::size_t bytes);
};
/// Reads a file, or all non-empty *.md and *.txt files in a folder and its subfolders, sorted by path.
[[nodiscard]] base::Result<Documents> readDocuments(const std::filesystem::path &place);

/// Prefix of a longer text that its tokenizer is trained on; more would hardly change it.
inline constexpr std::size_t kTokenizerText = std::size_t{16} << 20;

/// A byte-pair encoding trained on documents. Documents are separated by an end-of-text token, which is numbered after the
/// tokens of the encoding. No token spans two documents, but a sequence may.
struct Tokenizer {
    Merges merges;
    bool hasSeparators = false;
    /// Returns how many tokens there are.
    [[nodiscard]] std::size_t size() const { return kByteTokens + merges.size() + (hasSeparators ? 1 : 0); }
    /// Returns the tokenizer that would have been trained for a smaller vocabulary.
    [[nodiscard]] Tokenizer shortened(std::int32_t vocabularySize) const;
    /// Returns the tokens of documents. Cancelled after a stop of `stop`.
    [[nodiscard]] base::Result<std::vector<std::int32_t>> encode(const Documents &documents, const std::stop_token &stop) const;
};
/// Trains a tokenizer, or takes it from the cache. InvalidInput if the vocabulary has no room for every byte.
[[nodiscard]] base::Result<Tokenizer> tokenizerFor(const Documents &documents, std::int32_t vocabularySize,
                                                   const std::stop_token &stop);

/// Tokenizes a text with a tokenizer trained on it, which the description names.
[[nodiscard]] base::Result<std::unique_ptr<TokenSource>> openText(const std::filesystem::path &place, const BatchShape &shape,
                                                                  const std::stop_token &stop);

/// The field of all data problems.
inline constexpr const char *kDataField = "training.data";
inline constexpr const char *kSyntheticData = "synthetic";
inline constexpr const char *kTokenFileEnding = ".bin";

/// Resolves a relative path that does not exist against the program's resources ("docs").
[[nodiscard]] std::filesystem::path locateData(const std::string &data);

/// Returns what `read` returns; what it throws (std::filesystem and containers do) as an error.
template <typename Read>
auto readingData(const std::string &data, const Read &read) -> decltype(read())
{
    try {
        return read();
    } catch (const std::bad_alloc &) {
        return base::Error::failed(fmt::format("{} does not fit into memory; choose a smaller file", data), kDataField);
    } catch (const std::exception &error) {
        return base::Error::invalid(kDataField, fmt::format("{} cannot be used: {}", data, error.what()));
    }
}

} // namespace stagelens::runtime
