#include "kernels/include/compression.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace stagelens::kernels {
namespace {

/// Returns the bits of the size of a number, ordered as the sizes are.
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

struct Column {
    const float *first;
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

} // namespace

void encodeSigns(float *message, float *residual, std::int64_t count)
{
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
        sum += std::abs(static_cast<double>(residual[i]));
    encodeSignsOf(static_cast<float>(sum / static_cast<double>(count)), message, residual, count);
}

void encodeSignsOf(float scale, float *message, float *residual, std::int64_t count)
{
    *message = scale;
    for (std::int64_t first = 0; first < count; first += kSignsOfFloat) {
        std::uint32_t signs = 0;
        const std::int64_t last = std::min(count, first + kSignsOfFloat);
        for (std::int64_t i = first; i < last; ++i) {
            const bool isNegative = residual[i] < 0;
            signs |= static_cast<std::uint32_t>(isNegative) << static_cast<std::uint32_t>(i - first);
            residual[i] -= isNegative ? -scale : scale;
        }
        std::memcpy(message + 1 + first / kSignsOfFloat, &signs, sizeof signs);
    }
}

void decodeSigns(float *sum, std::span<float *const> messages, std::int64_t count)
{
    std::fill_n(sum, count, 0.0F);
    for (const float *message : messages)
        for (std::int64_t i = 0; i < count; ++i) {
            std::uint32_t signs = 0;
            std::memcpy(&signs, message + 1 + i / kSignsOfFloat, sizeof signs);
            const bool isNegative = ((signs >> static_cast<std::uint32_t>(i % kSignsOfFloat)) & 1U) != 0;
            sum[i] += isNegative ? -*message : *message;
        }
}

void encodeGreatest(float *message, float *residual, std::int64_t count, std::int64_t chosen)
{
    Threshold threshold = thresholdOf({residual, static_cast<std::size_t>(count)}, chosen);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = sizeBits(residual[i]);
        if (bits < threshold.bits || (bits == threshold.bits && threshold.ofThatSize-- <= 0))
            continue;
        const auto place = static_cast<std::uint32_t>(i);
        *message++ = residual[i];
        std::memcpy(message++, &place, sizeof place);
        residual[i] = 0;
    }
}

void decodeGreatest(float *sum, std::span<float *const> messages, std::int64_t count, std::int64_t chosen)
{
    std::fill_n(sum, count, 0.0F);
    for (const float *message : messages)
        for (std::int64_t i = 0; i < chosen; ++i) {
            std::uint32_t place = 0;
            std::memcpy(&place, message + 2 * i + 1, sizeof place);
            sum[place] += message[2 * i];
        }
}

void multiplyByRight(float *left, const float *matrix, const float *right, const LowRank &shape)
{
    std::fill_n(left, shape.rows * shape.rank, 0.0F);
    for (std::int64_t i = 0; i < shape.rows; ++i)
        for (std::int64_t j = 0; j < shape.columns; ++j)
            for (std::int64_t k = 0; k < shape.rank; ++k)
                left[i * shape.rank + k] += matrix[i * shape.columns + j] * right[j * shape.rank + k];
}

void multiplyByLeft(float *right, const float *matrix, const float *left, const LowRank &shape)
{
    std::fill_n(right, shape.columns * shape.rank, 0.0F);
    for (std::int64_t i = 0; i < shape.rows; ++i)
        for (std::int64_t j = 0; j < shape.columns; ++j)
            for (std::int64_t k = 0; k < shape.rank; ++k)
                right[j * shape.rank + k] += matrix[i * shape.columns + j] * left[i * shape.rank + k];
}

void orthonormalise(float *left, const LowRank &shape)
{
    constexpr double kDependent = 1e-5;
    const std::int64_t r = shape.rank;
    const auto column = [&](std::int64_t k) { return Column{left + k, r, shape.rows}; };
    for (std::int64_t k = 0; k < r; ++k) {
        float *const own = left + k;
        const double before = std::sqrt(dot(column(k), column(k)));
        for (int pass = 0; pass < 2; ++pass)
            for (std::int64_t other = 0; other < k; ++other) {
                const double share = dot(column(k), column(other));
                for (std::int64_t i = 0; i < shape.rows; ++i)
                    own[i * r] =
                        static_cast<float>(static_cast<double>(own[i * r]) - share * static_cast<double>(left[i * r + other]));
            }
        const double length = std::sqrt(dot(column(k), column(k)));
        const double factor = length > kDependent * before ? 1 / length : 0;
        for (std::int64_t i = 0; i < shape.rows; ++i)
            own[i * r] = static_cast<float>(factor * static_cast<double>(own[i * r]));
    }
}

void decodeLowRank(float *sum, float *residual, float *state, const float *left, float *right, const LowRank &shape,
                   int replicas)
{
    const std::int64_t r = shape.rank;
    const auto count = static_cast<float>(replicas);
    for (std::int64_t i = 0; i < shape.columns * r; ++i)
        right[i] /= count;
    for (std::int64_t i = 0; i < shape.rows; ++i) {
        for (std::int64_t j = 0; j < shape.columns; ++j) {
            float sent = 0;
            for (std::int64_t k = 0; k < r; ++k)
                sent += left[i * r + k] * right[j * r + k];
            sum[i * shape.columns + j] = count * sent;
            residual[i * shape.columns + j] -= sent;
        }
    }
    for (std::int64_t k = 0; k < r; ++k) {
        const Column own{left + k, r, shape.rows};
        for (std::int64_t j = 0; dot(own, own) > 0 && j < shape.columns; ++j)
            state[j * r + k] = right[j * r + k];
    }
}

} // namespace stagelens::kernels
