// The words that a sampled softmax draws for a microbatch.
#pragma once

#include <cstdint>
#include <vector>

namespace stagelens::operators {

/// Draws N different words of V, numbered by falling frequency, in proportion to log((k + 2) / (k + 1)) (log-uniform, nearly
/// Zipf's law). A word that would be drawn more than once is drawn each time, and the others share the rest, so that the
/// expected count of each word is exact: N = V draws all.
///
/// The words are those at u, u + 1, .. u + N - 1 on a line on which each word has its expected count as length (systematic
/// sampling); only u, from 0 to 1, is random.
class WordSample {
public:
    /// `count` is at most `words`.
    WordSample(std::int64_t words, std::int64_t count);

    /// Returns how often a word is expected among those of a draw, at most 1.
    [[nodiscard]] double expectedCount(std::int64_t word) const;
    /// Returns how many of the words before this one are expected in a draw.
    [[nodiscard]] double expectedBefore(std::int64_t word) const;
    /// Returns the most words from `begin` to `end` that a draw may have.
    [[nodiscard]] std::int64_t mostIn(std::int64_t begin, std::int64_t end) const;
    /// Returns the words of a microbatch, in rising order. They depend on these numbers alone.
    [[nodiscard]] std::vector<std::int32_t> draw(std::uint64_t seed, std::int64_t microbatch) const;
    /// Returns the words for a given u.
    [[nodiscard]] std::vector<std::int32_t> at(double u) const;

private:
    std::int64_t m_words;
    std::int64_t m_count;
    std::int64_t m_certain = 0; ///< first words, which are drawn each time
    double m_scale = 0;         ///< expected count of each other word over log((k + 2) / (k + 1))
};

} // namespace stagelens::operators
