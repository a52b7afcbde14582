// PowerSGD (Vogels et al., arXiv 1905.13727, algorithm 1): a matrix M [n, c] is replaced by P Q^T of rank r, where P [n, r] are
// orthonormal columns that span M Q of the step before, and Q = M^T P. Both are linear in M, so that their sums over the
// replicas are those of the sum of all M, and two all-reduces of r n and r c numbers are enough.
#include "engine/base/random.h"
#include "engine/operators/compression/compression.h"

#include <algorithm>
#include <cmath>

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

struct Column {
    float *first;
    std::int64_t stride;
    std::int64_t count;
};

double dot(const Column &a, const Column &b)
{
    double sum = 0;
    for (std::int64_t i = 0; i < a.count; ++i)
        sum += static_cast<double>(a.first[i * a.stride]) * static_cast<double>(b.first[i * b.stride]);
    return sum;
}

/// Makes the columns of [rows, r] orthonormal by Gram-Schmidt, each twice, because one pass leaves rounding errors of the
/// length that it removes. A column that depends on those before it becomes 0.
void orthonormalise(float *columns, std::int64_t rows, std::int64_t r)
{
    constexpr double kDependent = 1e-5;
    const auto column = [&](std::int64_t k) { return Column{columns + k, r, rows}; };
    for (std::int64_t k = 0; k < r; ++k) {
        const Column own = column(k);
        const double before = std::sqrt(dot(own, own));
        for (int pass = 0; pass < 2; ++pass)
            for (std::int64_t other = 0; other < k; ++other) {
                const Column its = column(other);
                const double share = dot(own, its);
                for (std::int64_t i = 0; i < rows; ++i)
                    own.first[i * r] = static_cast<float>(own.first[i * r] - share * its.first[i * r]);
            }
        const double length = std::sqrt(dot(own, own));
        const double factor = length > kDependent * before ? 1 / length : 0;
        for (std::int64_t i = 0; i < rows; ++i)
            own.first[i * r] = static_cast<float>(factor * own.first[i * r]);
    }
}

void encode(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int message)
{
    const std::int64_t r = rankOf(choice);
    const auto &[rows, columns, kind] = part.shape;
    float *const to = messages[static_cast<std::size_t>(message)];
    if (message > 0)
        orthonormalise(messages[0], rows, r);
    std::fill_n(to, floatsOf(choice, part.shape, message), 0.0F);
    for (std::int64_t i = 0; i < rows; ++i) {
        float *const p = messages[0] + i * r;
        const float *const of = part.residual + i * columns;
        for (std::int64_t j = 0; j < columns; ++j) {
            float *const sum = message == 0 ? p : to + j * r;
            const float *const factors = message == 0 ? part.state + j * r : p;
            for (std::int64_t k = 0; k < r; ++k)
                sum[k] += of[j] * factors[k];
        }
    }
}

/// The next Q is the mean of this step's, except for columns that M did not need.
void decode(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int replicas)
{
    const std::int64_t r = rankOf(choice);
    const auto &[rows, columns, kind] = part.shape;
    const auto count = static_cast<float>(replicas);
    float *const q = messages[1];
    for (std::int64_t i = 0; i < columns * r; ++i)
        q[i] /= count;
    for (std::int64_t i = 0; i < rows; ++i) {
        const float *const p = messages[0] + i * r;
        for (std::int64_t j = 0; j < columns; ++j) {
            float sent = 0;
            for (std::int64_t k = 0; k < r; ++k)
                sent += p[k] * q[j * r + k];
            part.gradient[i * columns + j] = count * sent;
            part.residual[i * columns + j] -= sent;
        }
    }
    for (std::int64_t k = 0; k < r; ++k) {
        const Column p{messages[0] + k, r, rows};
        for (std::int64_t j = 0; dot(p, p) > 0 && j < columns; ++j)
            part.state[j * r + k] = q[j * r + k];
    }
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
