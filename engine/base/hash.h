// A fast hash against accidental damage of files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stagelens::base {

/// XXH64 with seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md), over text that comes in pieces. Any cut into pieces has
/// the same hash. Detects damage, not forgery.
class Xxh64 {
public:
    void add(std::string_view bytes);
    [[nodiscard]] std::uint64_t value() const;
    /// 16 hexadecimal digits, as `xxhsum -H64` prints them.
    [[nodiscard]] std::string text() const;

private:
    static constexpr std::size_t kStripe = 32;
    void addStripe(const char *bytes);

    std::array<std::uint64_t, 4> m_lanes{0x60ea27eeadc0b5d6ULL, 0xc2b2ae3d27d4eb4fULL, 0, 0x61c8864e7a143579ULL};
    std::array<char, kStripe> m_rest{};
    std::uint64_t m_length = 0; ///< of all pieces; m_rest holds the last m_length % kStripe bytes
};

/// The hash of one piece.
[[nodiscard]] std::string hashText(std::string_view bytes);

} // namespace stagelens::base
