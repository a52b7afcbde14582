#include "engine/base/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stagelens::base {
namespace {

static_assert(std::endian::native == std::endian::little, "the hash reads little-endian words");

constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87ULL;
constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fULL;
constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9ULL;
constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63ULL;
constexpr std::uint64_t kPrime5 = 0x27d4eb2f165667c5ULL;

template <class Word>
std::uint64_t wordAt(const char *bytes)
{
    Word word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

constexpr std::uint64_t round(std::uint64_t lane, std::uint64_t word)
{
    return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

} // namespace

void Xxh64::addStripe(const char *bytes)
{
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane)
        m_lanes[lane] = round(m_lanes[lane], wordAt<std::uint64_t>(bytes + lane * sizeof(std::uint64_t)));
}

void Xxh64::add(std::string_view bytes)
{
    if (bytes.empty())
        return;
    const std::size_t held = m_length % kStripe;
    m_length += bytes.size();
    if (held > 0) {
        const std::size_t taken = std::min(kStripe - held, bytes.size());
        std::memcpy(m_rest.data() + held, bytes.data(), taken);
        bytes.remove_prefix(taken);
        if (held + taken < kStripe)
            return;
        addStripe(m_rest.data());
    }
    for (; bytes.size() >= kStripe; bytes.remove_prefix(kStripe))
        addStripe(bytes.data());
    std::copy(bytes.begin(), bytes.end(), m_rest.begin());
}

std::uint64_t Xxh64::value() const
{
    std::uint64_t hash = kPrime5;
    if (m_length >= kStripe) {
        hash = std::rotl(m_lanes[0], 1) + std::rotl(m_lanes[1], 7) + std::rotl(m_lanes[2], 12) + std::rotl(m_lanes[3], 18);
        for (const std::uint64_t lane : m_lanes)
            hash = (hash ^ round(0, lane)) * kPrime1 + kPrime4;
    }
    hash += m_length;
    const char *rest = m_rest.data();
    const char *const end = rest + m_length % kStripe;
    for (; end - rest >= 8; rest += 8)
        hash = std::rotl(hash ^ round(0, wordAt<std::uint64_t>(rest)), 27) * kPrime1 + kPrime4;
    for (; end - rest >= 4; rest += 4)
        hash = std::rotl(hash ^ wordAt<std::uint32_t>(rest) * kPrime1, 23) * kPrime2 + kPrime3;
    for (; rest != end; ++rest)
        hash = std::rotl(hash ^ wordAt<std::uint8_t>(rest) * kPrime5, 11) * kPrime1;
    hash = (hash ^ hash >> 33U) * kPrime2;
    hash = (hash ^ hash >> 29U) * kPrime3;
    return hash ^ hash >> 32U;
}

std::string Xxh64::text() const
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::uint64_t hash = value();
    std::string text;
    for (unsigned shift = 64; shift > 0; shift -= 4)
        text += kDigits[hash >> (shift - 4) & 0xfU];
    return text;
}

std::string hashText(std::string_view bytes)
{
    Xxh64 hash;
    hash.add(bytes);
    return hash.text();
}

} // namespace stagelens::base
