#include "engine/runtime/data/sources.h"

#include "engine/base/random.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagelens::runtime {
namespace {

/// About the exponent of natural text.
constexpr double kZipfExponent = 1.1;
/// Probability of the favourite successor; otherwise the next token is drawn from the distribution. At V = 8192 the entropy is
/// about 3 nats per token, against ln V = 9.
constexpr double kFavouriteShare = 0.6;
/// Rarer tokens would hardly occur; leaving them out keeps the table small.
constexpr std::int32_t kMostRanks = 1 << 20;

/// A first-order Markov chain over a Zipf distribution. Each token has one favourite successor, drawn from the distribution, so
/// frequencies stay Zipfian. The chain is the same for every seed; only the sampled sequences differ.
class Synthetic : public TokenSource {
public:
    explicit Synthetic(const BatchShape &shape) : m_shape(shape)
    {
        const auto ranks = static_cast<std::size_t>(std::min(shape.vocabularySize, kMostRanks));
        m_cumulative.reserve(ranks);
        double sum = 0;
        for (std::size_t rank = 1; rank <= ranks; ++rank)
            m_cumulative.push_back(sum += std::pow(static_cast<double>(rank), -kZipfExponent));
        const base::Random language(0, kSyntheticStream);
        m_favourite.reserve(ranks);
        for (std::size_t token = 0; token < ranks; ++token)
            m_favourite.push_back(draw(language.uniform(token)));
    }

    void batch(std::int64_t step, int microbatch, std::span<std::int32_t> inputs, std::span<std::int32_t> labels) const override
    {
        for (int row = 0; row < m_shape.microbatchSize; ++row)
            write(kSyntheticStream + 1 + m_shape.sequenceIndex(step, microbatch, row), row, inputs, labels);
    }
    void heldBack(int microbatch, std::span<std::int32_t> inputs, std::span<std::int32_t> labels) const override
    {
        for (int row = 0; row < m_shape.microbatchSize; ++row)
            write(kHeldBackStream + m_shape.heldBackIndex(microbatch, row), row, inputs, labels);
    }
    [[nodiscard]] int heldBackSequences() const override { return kHeldBackSequences; }
    [[nodiscard]] std::string description() const override
    {
        return fmt::format("synthetic Zipf tokens with a favourite successor each, vocabulary {}", m_shape.vocabularySize);
    }

private:
    /// Samples a sequence from a random stream of its own; stream 0 of seed 0 defines the chain.
    void write(std::uint64_t stream, int row, std::span<std::int32_t> inputs, std::span<std::int32_t> labels) const
    {
        base::Random random(m_shape.seed, stream);
        const std::size_t begin = static_cast<std::size_t>(row) * m_shape.sequence;
        std::int32_t token = draw(random.nextUniform());
        for (std::size_t i = begin; i < begin + m_shape.sequence; ++i) {
            inputs[i] = token;
            const bool follows = random.nextUniform() < kFavouriteShare;
            const double fresh = random.nextUniform();
            token = follows ? m_favourite[static_cast<std::size_t>(token)] : draw(fresh);
            labels[i] = token;
        }
    }
    /// Returns the token at quantile `share`.
    [[nodiscard]] std::int32_t draw(double share) const
    {
        const auto found = std::ranges::upper_bound(m_cumulative, share * m_cumulative.back());
        const auto rank = std::min(found - m_cumulative.begin(), std::ssize(m_cumulative) - 1);
        return static_cast<std::int32_t>(rank);
    }

    BatchShape m_shape;
    std::vector<double> m_cumulative; ///< of the ranks' weights; token n has rank n
    std::vector<std::int32_t> m_favourite;
};

} // namespace

std::unique_ptr<TokenSource> makeSynthetic(const BatchShape &shape)
{
    return std::make_unique<Synthetic>(shape);
}

} // namespace stagelens::runtime
