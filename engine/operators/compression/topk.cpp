// The share F of the numbers of a matrix that are greatest in size, with their places; of equal ones the first. Replicas choose
// different places, so that every replica gets the message of each.
#include "engine/operators/compression/compression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace stagelens::operators {
namespace {

std::int64_t chosen(const CompressionChoice &choice, const PartShape &shape)
{
    return std::clamp<std::int64_t>(std::llround(choice.number * static_cast<double>(shape.count())), 1, shape.count());
}

std::int64_t floatsOf(const CompressionChoice &choice, const PartShape &shape, int /*message*/)
{
    return 2 * chosen(choice, shape); // values and places
}

bool shortens(const CompressionChoice &choice, const PartShape &shape)
{
    return floatsOf(choice, shape, 0) < shape.count();
}

/// Returns the bits of the size of a number, ordered as the sizes are. NaN counts as the greatest, so that it is seen.
std::uint32_t sizeBits(float number)
{
    return std::bit_cast<std::uint32_t>(number) & 0x7fffffffU;
}

/// The least size among the greatest, and how many of that size belong to them.
struct Threshold {
    std::uint32_t bits = 0;
    std::int64_t ofThatSize = 0;
};

/// Finds it digit by digit, without memory for a copy of the numbers.
Threshold thresholdOf(std::span<const float> numbers, std::int64_t greatest)
{
    constexpr std::uint32_t kDigit = 8;
    constexpr std::uint32_t kAll = 32;
    Threshold found{0, greatest};
    for (std::uint32_t shift = kAll; shift > 0;) {
        shift -= kDigit;
        std::array<std::int64_t, 1U << kDigit> counts{};
        for (const float number : numbers)
            if (const std::uint64_t bits = sizeBits(number);
                bits >> (shift + kDigit) == std::uint64_t{found.bits} >> (shift + kDigit))
                ++counts[(bits >> shift) & (counts.size() - 1)];
        std::size_t digit = counts.size() - 1;
        for (; counts[digit] < found.ofThatSize; --digit)
            found.ofThatSize -= counts[digit];
        found.bits |= static_cast<std::uint32_t>(digit) << shift;
    }
    return found;
}

void encode(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int message)
{
    float *to = messages[static_cast<std::size_t>(message)];
    Threshold threshold =
        thresholdOf({part.residual, static_cast<std::size_t>(part.shape.count())}, chosen(choice, part.shape));
    for (std::int64_t i = 0; i < part.shape.count(); ++i) {
        const std::uint32_t bits = sizeBits(part.residual[i]);
        if (bits < threshold.bits || (bits == threshold.bits && threshold.ofThatSize-- <= 0))
            continue;
        const auto place = static_cast<std::uint32_t>(i);
        *to++ = part.residual[i];
        std::memcpy(to++, &place, sizeof place);
        part.residual[i] = 0;
    }
}

void decode(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int replicas)
{
    std::fill_n(part.gradient, part.shape.count(), 0.0F);
    const std::int64_t count = chosen(choice, part.shape);
    for (const float *message : messages.first(static_cast<std::size_t>(replicas)))
        for (std::int64_t i = 0; i < count; ++i) {
            std::uint32_t place = 0;
            std::memcpy(&place, message + 2 * i + 1, sizeof place);
            part.gradient[place] += message[2 * i];
        }
}

} // namespace

const Compression &topk();
const Compression &topk()
{
    static const Compression kCompression{
        .name = "top-k",
        .caption = "Greatest numbers",
        .description = "the share F of the numbers of a matrix that are greatest in size, from every replica to "
                       "all",
        .letter = "F",
        .numberName = "share",
        .least = 0,
        .most = 0.5,
        .usual = 0.01,
        .shortens = shortens,
        .floats = floatsOf,
        .bytesOfElement = 40,
        .encode = encode,
        .decode = decode};
    return kCompression;
}

} // namespace stagelens::operators
