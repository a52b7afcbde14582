// PowerSGD (Vogels et al., arXiv 1905.13727, algorithm 1): a matrix M [n, c] is replaced by P Q^T of rank r, where P [n, r] are
// orthonormal columns that span M Q of the step before, and Q = M^T P. Both are linear in M, so that their sums over the
// replicas are those of the sum of all M, and two all-reduces of r n and r c numbers are enough.
#include "engine/base/random.h"
#include "engine/operators/compression/compression.h"
#include "kernels/include/compression.h"

namespace stagelens::operators {
namespace {

std::int64_t rankOf(const CompressionChoice &choice)
{
    return static_cast<std::int64_t>(choice.number);
}

bool shortens(const CompressionChoice &choice, const PartShape &shape)
{
    return rankOf(choice) * (shape.rows + shape.columns) < shape.count();
}

std::int64_t floatsOf(const CompressionChoice &choice, const PartShape &shape, int message)
{
    return rankOf(choice) * (message == 0 ? shape.rows : shape.columns);
}

std::int64_t stateOf(const CompressionChoice &choice, const PartShape &shape)
{
    return floatsOf(choice, shape, 1);
}

/// The first Q is random, the same in all replicas.
void fill(const CompressionChoice & /*choice*/, std::span<float> state, std::uint64_t seed, int parameter)
{
    constexpr std::uint64_t kStream = 0x506f776572534744ULL; // apart from the streams of parameters and data
    const base::Random random(seed, kStream + static_cast<std::uint64_t>(parameter));
    for (std::size_t i = 0; i < state.size(); ++i)
        state[i] = static_cast<float>(random.normal(i));
}

double flopsOf(const CompressionChoice &choice, const PartShape &shape)
{
    const auto r = static_cast<double>(rankOf(choice));
    constexpr double kProducts = 3; // M Q, M^T P, P Q^T
    return kProducts * 2 * static_cast<double>(shape.count()) * r + 4 * static_cast<double>(shape.rows) * r * r;
}

kernels::LowRank lowRankOf(const CompressionChoice &choice, const CompressedPart &part)
{
    return {part.shape.rows, part.shape.columns, rankOf(choice)};
}

void encode(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int message,
            CompressionKernels &kernels)
{
    const kernels::LowRank shape = lowRankOf(choice, part);
    if (message == 0)
        return kernels.multiplyByRight(messages[0], part.residual, part.state, shape);
    kernels.orthonormalise(messages[0], shape);
    kernels.multiplyByLeft(messages[1], part.residual, messages[0], shape);
}

/// The next Q is the mean of this step's, except for columns that M did not need.
void decode(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int replicas,
            CompressionKernels &kernels)
{
    kernels.decodeLowRank(part.gradient, part.residual, part.state, messages[0], messages[1], lowRankOf(choice, part),
                          replicas);
}

} // namespace

const Compression &powersgd();
const Compression &powersgd()
{
    static const Compression kCompression{.name = "powersgd",
                                          .caption = "PowerSGD",
                                          .description =
                                              "two thin matrices of rank R whose product is nearly the gradient, all-reduced",
                                          .letter = "R",
                                          .numberName = "rank",
                                          .isWhole = true,
                                          .least = 1,
                                          .most = 4096,
                                          .usual = 4,
                                          .exchange = Compression::Exchange::Sums,
                                          .messages = 2,
                                          .shortens = shortens,
                                          .floats = floatsOf,
                                          .stateFloats = stateOf,
                                          .begin = fill,
                                          .bytesOfElement = 32,
                                          .flops = flopsOf,
                                          .encode = encode,
                                          .decode = decode};
    return kCompression;
}

} // namespace stagelens::operators
