// The codebook of 8-bit moments (Dettmers et al., arXiv 2110.02861, section 2.2).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace stagelens::kernels {

/// Entries in ascending order, and the midpoints between neighbours, from which the upper entry is nearer.
struct Codebook {
    std::array<float, 256> entries{};
    std::array<float, 255> middles{};
};

/// Computes the codebook of dynamic tree quantisation: 0, 1, and, for each of seven decades below 1, the midpoints of equal
/// parts of [0.1, 1], twice as many in each larger decade. The signed codebook has half as many of each sign.
inline Codebook makeCodebook(bool isSigned)
{
    constexpr std::array<double, 7> kDecades{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
    Codebook book;
    std::size_t count = 0;
    book.entries[count++] = 0;
    book.entries[count++] = 1;
    for (std::size_t decade = 0; decade < kDecades.size(); ++decade) {
        const int parts = (isSigned ? 1 : 2) << decade;
        for (int part = 0; part < parts; ++part) {
            const auto entry = static_cast<float>(kDecades[decade] * (0.1 + 0.9 * (part + 0.5) / parts));
            book.entries[count++] = entry;
            if (isSigned)
                book.entries[count++] = -entry;
        }
    }
    std::sort(book.entries.begin(), book.entries.end());
    for (std::size_t i = 0; i < book.middles.size(); ++i)
        book.middles[i] = (book.entries[i] + book.entries[i + 1]) / 2;
    return book;
}

inline const Codebook &dynamicCodebook(bool isSigned)
{
    static const Codebook kSigned = makeCodebook(true);
    static const Codebook kUnsigned = makeCodebook(false);
    return isSigned ? kSigned : kUnsigned;
}

/// Returns the entry that is nearest to a number.
inline std::uint8_t nearestCode(const Codebook &book, float number)
{
    return static_cast<std::uint8_t>(std::lower_bound(book.middles.begin(), book.middles.end(), number) - book.middles.begin());
}

/// Elements of a block. Blocks do not cross rows, so shards of whole rows have the same blocks as the whole matrix.
inline constexpr std::int64_t kCodeBlock = 2048;
[[nodiscard]] constexpr std::int64_t blocksOfRow(std::int64_t columns)
{
    return (columns + kCodeBlock - 1) / kCodeBlock;
}

} // namespace stagelens::kernels
