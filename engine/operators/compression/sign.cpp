// The sign of each number and one scale, the mean of their absolute values (Karimireddy et al., arXiv 1901.09847, EF-SignSGD).
// Sums of signs are no signs, so that every replica gets the message of each.
#include "engine/operators/compression/compression.h"
#include "kernels/include/compression.h"

namespace stagelens::operators {
namespace {

std::int64_t floatsOf(const CompressionChoice & /*choice*/, const PartShape &shape, int /*message*/)
{
    return kernels::signFloats(shape.count());
}

bool shortens(const CompressionChoice &choice, const PartShape &shape)
{
    return floatsOf(choice, shape, 0) < shape.count();
}

void encode(const CompressionChoice & /*choice*/, const CompressedPart &part, std::span<float *const> messages, int message,
            CompressionKernels &kernels)
{
    kernels.encodeSigns(messages[static_cast<std::size_t>(message)], part.residual, part.shape.count());
}

void decode(const CompressionChoice & /*choice*/, const CompressedPart &part, std::span<float *const> messages, int replicas,
            CompressionKernels &kernels)
{
    kernels.decodeSigns(part.gradient, messages.first(static_cast<std::size_t>(replicas)), part.shape.count());
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
