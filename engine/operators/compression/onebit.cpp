// 1-bit Adam (Tang et al., arXiv 2102.02888, algorithm 1). After warm-up steps of plain Adam the second moments stay as they
// are, and replicas exchange momentum: each adds its own gradient to the common momentum and sends signs with one scale. Each
// replica is the server of a part of every matrix: it averages what all send of the part and compresses the mean again. Both
// keep what they did not send in a residual.
#include "engine/operators/compression/onebit.h"

#include "engine/operators/compression/compression.h"
#include "kernels/include/compression.h"

#include <algorithm>
#include <cmath>

namespace stagelens::operators {
namespace {

/// Returns the scale of the signs: the root of the mean square.
float scaleOf(const float *values, std::int64_t count, CompressionKernels &kernels)
{
    return count == 0 ? 0 : static_cast<float>(std::sqrt(kernels.squares(values, count) / static_cast<double>(count)));
}

/// Tables are not compressed: rows of tokens that the warm-up has seen rarely or never have second moments near 0, by which an
/// update with the scale of the whole table would be divided.
bool shortens(const CompressionChoice & /*choice*/, const PartShape &shape)
{
    return shape.kind != ParameterKind::Table && kernels::signFloats(shape.count()) < shape.count();
}

std::int64_t floatsOf(const CompressionChoice & /*choice*/, const PartShape &shape, int /*message*/)
{
    return kernels::signFloats(shape.count());
}

} // namespace

ServedCut::ServedCut(std::int64_t count, int replicas) : m_count(count)
{
    const std::int64_t words = (count + kernels::kSignsOfFloat - 1) / kernels::kSignsOfFloat;
    m_each = (words + replicas - 1) / replicas * kernels::kSignsOfFloat;
}

std::int64_t ServedCut::first(int replica) const
{
    return std::min(m_count, replica * m_each);
}

std::int64_t ServedCut::floats() const
{
    return kernels::signFloats(m_each);
}

void sendMomentum(const ServedPart &part, float beta1, std::span<float *const> messages, CompressionKernels &kernels)
{
    const auto replicas = static_cast<int>(messages.size());
    const std::int64_t count = part.shape.count();
    kernels.addScaled(part.residual, part.momentum, beta1, count);
    // The gradients of all replicas add up to that of the step: each is its share of a mean.
    kernels.addScaled(part.residual, part.gradient, (1 - beta1) * static_cast<float>(replicas), count);
    const float scale = scaleOf(part.residual, count, kernels);
    const ServedCut cut(count, replicas);
    for (int to = 0; to < replicas; ++to)
        kernels.encodeSignsOf(scale, messages[static_cast<std::size_t>(to)], part.residual + cut.first(to), cut.count(to));
}

void serveMomentum(const ServedPart &part, int own, std::span<float *const> messages, float *result,
                   CompressionKernels &kernels)
{
    const auto replicas = static_cast<int>(messages.size());
    const ServedCut cut(part.shape.count(), replicas);
    const std::int64_t count = cut.count(own);
    if (count > 0) {
        float *const sum = part.gradient + cut.first(own); // its numbers are in the residual
        kernels.decodeSigns(sum, messages, count);
        kernels.addScaled(part.served, sum, 1 / static_cast<float>(replicas), count);
    }
    kernels.encodeSignsOf(scaleOf(part.served, count, kernels), result, part.served, count);
}

void takeMomentum(const ServedPart &part, std::span<float *const> results, CompressionKernels &kernels)
{
    const ServedCut cut(part.shape.count(), static_cast<int>(results.size()));
    for (std::size_t from = 0; from < results.size(); ++from)
        if (const auto server = static_cast<int>(from); cut.count(server) > 0)
            kernels.decodeSigns(part.gradient + cut.first(server), results.subspan(from, 1), cut.count(server));
}

const Compression &onebit();
const Compression &onebit()
{
    static const Compression kCompression{.name = "one-bit-adam",
                                          .caption = "1-bit Adam",
                                          .description = "one bit for each number of the momentum and one scale, to the "
                                                         "replica that averages it and from there to all",
                                          .letter = {},
                                          .numberName = {},
                                          .exchange = Compression::Exchange::Serves,
                                          .shortens = shortens,
                                          .floats = floatsOf,
                                          .bytesOfElement = 44};
    return kCompression;
}

} // namespace stagelens::operators
