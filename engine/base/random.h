// Counter-based random numbers: the n-th number of a stream depends on (seed, stream, n) alone, so that parameters
// and data do not depend on how a model is split over devices.
#pragma once

#include <cmath>
#include <cstdint>

namespace stagelens::base {

/// The finaliser of SplitMix64 (Steele et al., 2014): a bijection of 64 bits that mixes well.
constexpr std::uint64_t mix64(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31U);
}

/// A stream of random numbers with random access.
class Random {
public:
    explicit constexpr Random(std::uint64_t seed, std::uint64_t stream = 0) : m_key(mix64(mix64(seed) ^ mix64(~stream))) {}

    /// The n-th 64 random bits.
    [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t n) const { return mix64(m_key + n * 0xd1342543de82ef95ULL); }
    /// The n-th number in [0, 1).
    [[nodiscard]] constexpr double uniform(std::uint64_t n) const { return static_cast<double>(bits(n) >> 11U) * 0x1.0p-53; }
    /// The n-th integer in [low, high], both included.
    [[nodiscard]] constexpr std::int64_t integer(std::uint64_t n, std::int64_t low, std::int64_t high) const
    {
        return low + static_cast<std::int64_t>(bits(n) % static_cast<std::uint64_t>(high - low + 1));
    }
    /// The n-th standard normal number (Box-Muller).
    [[nodiscard]] double normal(std::uint64_t n) const
    {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(2 * n)));
        return radius * std::cos(6.283185307179586476925 * uniform(2 * n + 1));
    }
    /// The next number of a walk through the stream.
    std::uint64_t next() { return bits(m_position++); }
    double nextUniform() { return uniform(m_position++); }
    std::int64_t nextInteger(std::int64_t low, std::int64_t high) { return integer(m_position++, low, high); }

private:
    std::uint64_t m_key;
    std::uint64_t m_position = 0;
};

} // namespace stagelens::base
