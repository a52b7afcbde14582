// The sign of each number and one scale, the mean of their absolute values (Karimireddy et al., arXiv 1901.09847, EF-SignSGD).
// Sums of signs are no signs, so that every replica gets the message of each.
#include "engine/operators/compression/compression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace stagelens::operators {
namespace {

constexpr std::int64_t kBits = 32; // signs of a float of the message, which begins with the scale

std::int64_t floatsOf(const CompressionChoice & /*choice*/, const PartShape &shape, int /*message*/)
{
    return 1 + (shape.count() + kBits - 1) / kBits;
}

bool shortens(const CompressionChoice &choice, const PartShape &shape)
{
    return floatsOf(choice, shape, 0) < shape.count();
}

void encode(const CompressionChoice & /*choice*/, const CompressedPart &part, std::span<float *const> messages, int message)
{
    const std::int64_t count = part.shape.count();
    float *const to = messages[static_cast<std::size_t>(message)];
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
        sum += std::abs(static_cast<double>(part.residual[i]));
    const auto scale = static_cast<float>(sum / static_cast<double>(count));
    *to = scale;
    for (std::int64_t first = 0; first < count; first += kBits) {
        std::uint32_t signs = 0;
        const std::int64_t last = std::min(count, first + kBits);
        for (std::int64_t i = first; i < last; ++i) {
            const bool isNegative = part.residual[i] < 0;
            signs |= static_cast<std::uint32_t>(isNegative) << static_cast<std::uint32_t>(i - first);
            part.residual[i] -= isNegative ? -scale : scale;
        }
        std::memcpy(to + 1 + first / kBits, &signs, sizeof signs);
    }
}

void decode(const CompressionChoice & /*choice*/, const CompressedPart &part, std::span<float *const> messages, int replicas)
{
    std::fill_n(part.gradient, part.shape.count(), 0.0F);
    for (const float *message : messages.first(static_cast<std::size_t>(replicas)))
        for (std::int64_t i = 0; i < part.shape.count(); ++i) {
            std::uint32_t signs = 0;
            std::memcpy(&signs, message + 1 + i / kBits, sizeof signs);
            const bool isNegative = ((signs >> static_cast<std::uint32_t>(i % kBits)) & 1U) != 0;
            part.gradient[i] += isNegative ? -*message : *message;
        }
}

} // namespace

const Compression &sign();
const Compression &sign()
{
    static const Compression kCompression{.name = "sign",
                                          .caption = "Signs",
                                          .description =
                                              "one bit for each number and the mean of their sizes, from every replica to all",
                                          .letter = {},
                                          .numberName = {},
                                          .shortens = shortens,
                                          .floats = floatsOf,
                                          .bytesOfElement = 28,
                                          .encode = encode,
                                          .decode = decode};
    return kCompression;
}

} // namespace stagelens::operators
