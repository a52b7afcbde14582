#include "kernels/include/experts.h"

#include "kernels/cpu/lanes.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stagelens::kernels {
namespace {

/// Writes the experts of the k greatest logits in descending order.
void chooseGreatest(std::int32_t *choices, const float *logits, std::int64_t experts, std::int64_t k)
{
    for (std::int64_t j = 0; j < k; ++j) {
        std::int64_t best = -1;
        for (std::int64_t e = 0; e < experts; ++e)
            if (std::find(choices, choices + j, e) == choices + j && (best < 0 || logits[e] > logits[best]))
                best = e;
        choices[j] = static_cast<std::int32_t>(best);
    }
}

/// Sorts the choices by (expert, token) by counting.
void sortRows(std::int32_t *routes, const RoutingShape &shape)
{
    std::int32_t *const rows = routes + shape.rows();
    std::int32_t *const slots = rows + shape.rows();
    std::vector<std::int32_t> next(static_cast<std::size_t>(shape.experts) + 1);
    for (std::int64_t slot = 0; slot < shape.rows(); ++slot)
        ++next[static_cast<std::size_t>(routes[slot]) + 1];
    for (std::size_t e = 1; e < next.size(); ++e)
        next[e] += next[e - 1];
    for (std::int64_t slot = 0; slot < shape.rows(); ++slot) {
        rows[slot] = next[static_cast<std::size_t>(routes[slot])]++;
        slots[rows[slot]] = static_cast<std::int32_t>(slot);
    }
}

/// Computes the softmax of a row and returns the log of the sum of exponentials.
float softmaxOf(float *softmax, const float *logits, std::int64_t count)
{
    const float top = *std::max_element(logits, logits + count);
    float sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
        sum += softmax[i] = expOf(logits[i] - top);
    for (std::int64_t i = 0; i < count; ++i)
        softmax[i] /= sum;
    return top + std::log(sum);
}

/// Replaces the gradient of each probability by that of its logit.
void softmaxBackward(float *gradient, const float *softmax, std::int64_t count)
{
    float mean = 0;
    for (std::int64_t i = 0; i < count; ++i)
        mean += softmax[i] * gradient[i];
    for (std::int64_t i = 0; i < count; ++i)
        gradient[i] = softmax[i] * (gradient[i] - mean);
}

STAGELENS_INLINE void scaledSwigluLoop(float *__restrict out, const float *__restrict gate, const float *__restrict up,
                                       float factor, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = factor * (gate[i] * sigmoidOf(gate[i]) * up[i]);
}

/// Writes over element i of gate and up, and returns its part of the gradient of the factor.
STAGELENS_INLINE float scaledSwigluElement(float *__restrict gate, float *__restrict up, const float *__restrict outGradient,
                                           float factor, std::int64_t i)
{
    const float x = gate[i];
    const float sigmoid = sigmoidOf(x);
    const float open = x * sigmoid;
    const float slope = sigmoid * (1.0F + x * (1.0F - sigmoid));
    const float scaled = factor * outGradient[i];
    const float part = outGradient[i] * (open * up[i]);
    gate[i] = scaled * up[i] * slope;
    up[i] = scaled * open;
    return part;
}

/// Returns the gradient of the factor.
STAGELENS_INLINE float scaledSwigluBackwardLoop(float *__restrict gate, float *__restrict up,
                                                const float *__restrict outGradient, float factor, std::int64_t count)
{
    LaneSum sum;
    const std::int64_t whole = count - count % kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes)
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sum.lanes[lane] += scaledSwigluElement(gate, up, outGradient, factor, i + lane);
    for (std::int64_t i = whole; i < count; ++i)
        sum.lanes[i - whole] += scaledSwigluElement(gate, up, outGradient, factor, i);
    return sum.total();
}

} // namespace

void routeForward(float *gates, std::int32_t *routes, const float *logits, const RoutingShape &shape)
{
    const std::int64_t k = shape.topK;
    std::vector<float> chosen(static_cast<std::size_t>(std::max(k, shape.experts)));
    for (std::int64_t t = 0; t < shape.tokens; ++t) {
        std::int32_t *const choices = routes + t * k;
        const float *const row = logits + t * shape.experts;
        chooseGreatest(choices, row, shape.experts, k);
        if (k == 1) {
            softmaxOf(chosen.data(), row, shape.experts);
            gates[t] = chosen[static_cast<std::size_t>(choices[0])];
            continue;
        }
        for (std::int64_t j = 0; j < k; ++j)
            chosen[static_cast<std::size_t>(j)] = row[choices[j]];
        softmaxOf(gates + t * k, chosen.data(), k);
    }
    sortRows(routes, shape);
}

void routeBackward(float *logits, const float *gateGradient, const float *gates, const std::int32_t *routes,
                   const RoutingShape &shape, const RouterLosses &losses)
{
    const std::int64_t k = shape.topK;
    const auto experts = static_cast<std::size_t>(shape.experts);
    std::vector<float> balance(experts); // gradient of each probability
    if (losses.balance != 0) {
        const auto tokens = static_cast<double>(shape.tokens);
        const double each = static_cast<double>(losses.weight) * static_cast<double>(losses.balance) *
                            static_cast<double>(shape.experts) / (static_cast<double>(k) * tokens * tokens);
        forEachExpert(routes, shape, [&](std::int64_t expert, std::int64_t, std::int64_t rows) {
            balance[static_cast<std::size_t>(expert)] = static_cast<float>(each * static_cast<double>(rows));
        });
    }
    const float size = 2 * losses.weight * losses.size / static_cast<float>(shape.tokens);
    std::vector<float> softmax(experts);
    std::vector<float> through(std::max(experts, static_cast<std::size_t>(k)));
    for (std::int64_t t = 0; t < shape.tokens; ++t) {
        float *const row = logits + t * shape.experts;
        const std::int32_t *const choices = routes + t * k;
        const bool usesAll = k == 1 || losses.balance != 0 || losses.size != 0;
        const float logSum = usesAll ? softmaxOf(softmax.data(), row, shape.experts) : 0;
        std::copy(balance.begin(), balance.end(), row);
        if (k == 1)
            row[choices[0]] += gateGradient[t];
        if (usesAll)
            softmaxBackward(row, softmax.data(), shape.experts);
        for (std::size_t e = 0; e < experts && losses.size != 0; ++e)
            row[e] += size * logSum * softmax[e];
        if (k == 1)
            continue;
        std::copy_n(gateGradient + t * k, k, through.data());
        softmaxBackward(through.data(), gates + t * k, k);
        for (std::int64_t j = 0; j < k; ++j)
            row[choices[j]] += through[static_cast<std::size_t>(j)];
    }
}

void dispatchRows(float *out, const float *in, const std::int32_t *routes, const RoutingShape &shape, std::int64_t width)
{
    const std::int32_t *const slots = routes + 2 * shape.rows();
    for (std::int64_t row = 0; row < shape.rows(); ++row)
        std::copy_n(in + slots[row] / shape.topK * width, width, out + row * width);
}

void combineRows(float *out, const float *rows, const float *addend, const std::int32_t *routes, const RoutingShape &shape,
                 std::int64_t width)
{
    const std::int32_t *const places = routes + shape.rows();
    for (std::int64_t t = 0; t < shape.tokens; ++t) {
        float *const sum = out + t * width;
        if (addend == nullptr)
            std::fill_n(sum, width, 0.0F);
        else if (addend != out)
            std::copy_n(addend + t * width, width, sum);
        for (std::int64_t j = 0; j < shape.topK; ++j) {
            const float *const row = rows + places[t * shape.topK + j] * width;
            for (std::int64_t i = 0; i < width; ++i)
                sum[i] += row[i];
        }
    }
}

void expertSwigluForward(float *out, const float *gate, const float *up, const float *gates, const std::int32_t *routes,
                         const RoutingShape &shape, std::int64_t width)
{
    const std::int32_t *const slots = routes + 2 * shape.rows();
    for (std::int64_t row = 0; row < shape.rows(); ++row)
        runBest<scaledSwigluLoop>(out + row * width, gate + row * width, up + row * width, gates[slots[row]], width);
}

void expertSwigluBackward(float *gate, float *up, float *gateGradient, const float *outGradient, const float *gates,
                          const std::int32_t *routes, const RoutingShape &shape, std::int64_t width)
{
    const std::int32_t *const slots = routes + 2 * shape.rows();
    for (std::int64_t row = 0; row < shape.rows(); ++row)
        gateGradient[slots[row]] = runBest<scaledSwigluBackwardLoop>(gate + row * width, up + row * width,
                                                                     outGradient + row * width, gates[slots[row]], width);
}

} // namespace stagelens::kernels
