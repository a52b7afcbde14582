// The share F of the numbers of a matrix that are greatest in size, with their places; of equal ones the first. Replicas choose
// different places, so that every replica gets the message of each.
#include "engine/operators/compression/compression.h"

#include <algorithm>
#include <cmath>

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

void encode(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int message,
            CompressionKernels &kernels)
{
    kernels.encodeGreatest(messages[static_cast<std::size_t>(message)], part.residual, part.shape.count(),
                           chosen(choice, part.shape));
}

void decode(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int replicas,
            CompressionKernels &kernels)
{
    kernels.decodeGreatest(part.gradient, messages.first(static_cast<std::size_t>(replicas)), part.shape.count(),
                           chosen(choice, part.shape));
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
