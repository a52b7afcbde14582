#include "engine/operators/word_sample.h"

#include "engine/base/random.h"

#include <algorithm>
#include <cmath>

namespace stagelens::operators {

/// Returns log((k + 2) / (k + 1)).
static double weightOf(std::int64_t word)
{
    return std::log1p(1.0 / static_cast<double>(word + 1));
}

WordSample::WordSample(std::int64_t words, std::int64_t count) : m_words(words), m_count(count)
{
    for (; m_certain < m_count; ++m_certain) {
        const double rest = std::log(static_cast<double>(m_words + 1) / static_cast<double>(m_certain + 1));
        m_scale = static_cast<double>(m_count - m_certain) / rest;
        if (m_scale * weightOf(m_certain) < 1)
            break;
    }
}

double WordSample::expectedCount(std::int64_t word) const
{
    return word < m_certain ? 1 : m_scale * weightOf(word);
}

double WordSample::expectedBefore(std::int64_t word) const
{
    if (word <= m_certain)
        return static_cast<double>(word);
    if (word == m_words)
        return static_cast<double>(m_count);
    return static_cast<double>(m_certain) +
           m_scale * std::log(static_cast<double>(word + 1) / static_cast<double>(m_certain + 1));
}

std::int64_t WordSample::mostIn(std::int64_t begin, std::int64_t end) const
{
    constexpr double kRounding = 1e-6;
    const double expected = expectedBefore(end) - expectedBefore(begin);
    return std::min({m_count, end - begin, static_cast<std::int64_t>(expected + kRounding) + 1});
}

std::vector<std::int32_t> WordSample::draw(std::uint64_t seed, std::int64_t microbatch) const
{
    constexpr std::uint64_t kStream = 0x7361'6d70'6c65'0000; // "sample"
    return at(base::Random(seed, kStream).uniform(static_cast<std::uint64_t>(microbatch)));
}

std::vector<std::int32_t> WordSample::at(double u) const
{
    std::vector<std::int32_t> drawn;
    drawn.reserve(static_cast<std::size_t>(m_count));
    std::int64_t next = 0; // words are different, also where rounding moves an end of their lengths
    for (std::int64_t i = 0; i < m_count; ++i) {
        std::int64_t word = i;
        if (i >= m_certain) {
            const double length = (static_cast<double>(i - m_certain) + u) / m_scale;
            word = static_cast<std::int64_t>(static_cast<double>(m_certain + 1) * std::exp(length)) - 1;
        }
        word = std::clamp(word, next, m_words - (m_count - i));
        drawn.push_back(static_cast<std::int32_t>(word));
        next = word + 1;
    }
    return drawn;
}

} // namespace stagelens::operators
