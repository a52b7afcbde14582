#include "kernels/include/experts.h"

#include "kernels/cpu/lanes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stagelens::kernels {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// Writes the indices of the k greatest scores in descending order; ties go to the lower.
void chooseGreatest(std::int32_t *choices, const float *scores, std::int64_t count, std::int64_t k)
{
    for (std::int64_t j = 0; j < k; ++j) {
        std::int64_t best = -1;
        for (std::int64_t e = 0; e < count; ++e)
            if (std::find(choices, choices + j, e) == choices + j && (best < 0 || scores[e] > scores[best]))
                best = e;
        choices[j] = static_cast<std::int32_t>(best);
    }
}

/// Lowers the scores of experts outside of the chosen groups.
void keepGroups(float *scores, const RoutingShape &shape, const RouterRule &rule)
{
    if (rule.chosenGroups >= rule.groups)
        return;
    const std::int64_t each = shape.experts / rule.groups;
    const std::int64_t best = std::clamp<std::int64_t>(shape.topK / rule.chosenGroups, 1, each);
    std::vector<std::int32_t> chosen(static_cast<std::size_t>(std::max(best, rule.chosenGroups)));
    std::vector<float> sums;
    for (std::int64_t group = 0; group < rule.groups; ++group) {
        chooseGreatest(chosen.data(), scores + group * each, each, best);
        float &sum = sums.emplace_back(0.0F);
        for (std::int64_t i = 0; i < best; ++i)
            sum += scores[group * each + chosen[static_cast<std::size_t>(i)]];
    }
    chooseGreatest(chosen.data(), sums.data(), rule.groups, rule.chosenGroups);
    const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(rule.chosenGroups);
    for (std::int64_t e = 0; e < shape.experts; ++e)
        if (std::find(chosen.begin(), end, e / each) == end)
            scores[e] = kNever;
}

/// Chooses the experts of a token of a sigmoid router and computes their gates. `scores` is scratch of E.
void routeBySigmoid(float *gates, std::int32_t *choices, float *scores, const float *logits, const float *bias,
                    const RoutingShape &shape, const RouterRule &rule)
{
    for (std::int64_t e = 0; e < shape.experts; ++e)
        scores[e] = sigmoidOf(logits[e]) + (bias != nullptr ? bias[e] : 0.0F);
    keepGroups(scores, shape, rule);
    chooseGreatest(choices, scores, shape.experts, shape.topK);
    float sum = 0;
    for (std::int64_t j = 0; j < shape.topK; ++j)
        sum += gates[j] = sigmoidOf(logits[choices[j]]);
    for (std::int64_t j = 0; j < shape.topK; ++j)
        gates[j] = rule.scale * (shape.topK > 1 ? gates[j] / sum : gates[j]);
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

void markDropped(std::int32_t *routes, const float *gates, const RoutingShape &shape, const RouterRule &rule)
{
    std::int32_t *const rows = routes + shape.rows();
    std::fill_n(rows, shape.rows(), 0);
    if (rule.capacity == 0)
        return;
    std::vector<std::vector<std::int32_t>> slots(static_cast<std::size_t>(shape.experts));
    for (std::int64_t slot = 0; slot < shape.rows(); ++slot)
        slots[static_cast<std::size_t>(routes[slot])].push_back(static_cast<std::int32_t>(slot));
    for (auto &of : slots) {
        if (!rule.dropsLast) // equal gates keep the order of tokens
            std::stable_sort(of.begin(), of.end(), [gates](auto a, auto b) { return gates[a] > gates[b]; });
        for (auto i = static_cast<std::size_t>(rule.capacity); i < of.size(); ++i)
            rows[of[i]] = -1;
    }
}

/// Sorts by (expert, token) by counting.
void numberRows(std::int32_t *routes, const RoutingShape &shape)
{
    std::int32_t *const rows = routes + shape.rows();
    std::int32_t *const slots = rows + shape.rows();
    std::fill_n(slots, shape.rows(), -1);
    std::vector<std::int32_t> next(static_cast<std::size_t>(shape.experts) + 1);
    for (std::int64_t slot = 0; slot < shape.rows(); ++slot)
        next[static_cast<std::size_t>(routes[slot]) + 1] += rows[slot] >= 0 ? 1 : 0;
    for (std::size_t e = 1; e < next.size(); ++e)
        next[e] += next[e - 1];
    for (std::int64_t slot = 0; slot < shape.rows(); ++slot) {
        if (rows[slot] < 0)
            continue;
        rows[slot] = next[static_cast<std::size_t>(routes[slot])]++;
        slots[rows[slot]] = static_cast<std::int32_t>(slot);
    }
}

void routeForward(float *gates, std::int32_t *routes, const float *logits, const float *bias, const RoutingShape &shape,
                  const RouterRule &rule)
{
    const std::int64_t k = shape.topK;
    std::vector<float> chosen(static_cast<std::size_t>(std::max(k, shape.experts)));
    for (std::int64_t t = 0; t < shape.tokens; ++t) {
        std::int32_t *const choices = routes + t * k;
        const float *const row = logits + t * shape.experts;
        if (rule.isSigmoid) {
            routeBySigmoid(gates + t * k, choices, chosen.data(), row, bias, shape, rule);
            continue;
        }
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
    markDropped(routes, gates, shape, rule);
    numberRows(routes, shape);
}

namespace {

/// The gradients of the logits, a token at a time.
class RouteGradient {
public:
    RouteGradient(const float *gateGradient, const float *gates, const std::int32_t *routes, const RoutingShape &shape,
                  const RouterRule &rule, const RouterLosses &losses)
        : m_gateGradient(gateGradient), m_gates(gates), m_routes(routes), m_shape(shape), m_rule(rule), m_losses(losses),
          m_balance(static_cast<std::size_t>(shape.experts)), m_softmax(m_balance.size()), m_scores(m_balance.size()),
          m_through(static_cast<std::size_t>(std::max(shape.experts, shape.topK)))
    {
        if (losses.balance == 0)
            return;
        const auto tokens = static_cast<double>(allTokens());
        const double each = static_cast<double>(losses.weight) * static_cast<double>(losses.balance) *
                            static_cast<double>(shape.experts) / (static_cast<double>(shape.topK) * tokens * tokens);
        const std::vector<std::int64_t> counts = choicesOfExperts();
        for (std::size_t e = 0; e < counts.size(); ++e)
            m_balance[e] = static_cast<float>(each * static_cast<double>(counts[e]));
    }

    /// Replaces the logits of token t.
    void replace(float *row, std::int64_t t)
    {
        takeGates(t);
        const float logSum = needsSoftmax() ? softmaxOf(m_softmax.data(), row, m_shape.experts) : 0;
        m_rule.isSigmoid ? bySigmoid(row, t) : bySoftmax(row, t);
        const float size = 2 * m_losses.weight * m_losses.size / static_cast<float>(allTokens());
        for (std::size_t e = 0; e < m_softmax.size() && m_losses.size != 0; ++e)
            row[e] += size * logSum * m_softmax[e];
        if (m_rule.isSigmoid || m_shape.topK == 1)
            return;
        softmaxBackward(m_through.data(), m_gates + t * m_shape.topK, m_shape.topK);
        for (std::int64_t j = 0; j < m_shape.topK; ++j)
            row[choices(t)[j]] += m_through[static_cast<std::size_t>(j)];
    }

private:
    [[nodiscard]] const std::int32_t *choices(std::int64_t t) const { return m_routes + t * m_shape.topK; }
    [[nodiscard]] std::int64_t allTokens() const { return m_shape.tokens * m_losses.parts; }
    /// Returns how many tokens of all parts chose each expert.
    [[nodiscard]] std::vector<std::int64_t> choicesOfExperts() const
    {
        std::vector<std::int64_t> counts(m_balance.size());
        for (std::int64_t slot = 0; slot < m_shape.rows() && m_losses.excess == nullptr; ++slot)
            ++counts[static_cast<std::size_t>(m_routes[slot])];
        for (std::size_t e = 0; e < counts.size() && m_losses.excess != nullptr; ++e)
            counts[e] = (std::llround(m_losses.excess[e]) + allTokens() * m_shape.topK) / m_shape.experts;
        return counts;
    }
    [[nodiscard]] bool needsSoftmax() const
    {
        return m_losses.size != 0 || (!m_rule.isSigmoid && (m_shape.topK == 1 || m_losses.balance != 0));
    }
    /// The gate of a dropped row has no gradient.
    void takeGates(std::int64_t t)
    {
        for (std::int64_t slot = t * m_shape.topK, j = 0; j < m_shape.topK; ++j, ++slot)
            m_through[static_cast<std::size_t>(j)] = m_routes[m_shape.rows() + slot] >= 0 ? m_gateGradient[slot] : 0;
    }
    void bySoftmax(float *row, std::int64_t t)
    {
        std::copy(m_balance.begin(), m_balance.end(), row);
        if (m_shape.topK == 1)
            row[choices(t)[0]] += m_through[0];
        if (m_shape.topK == 1 || m_losses.balance != 0 || m_losses.size != 0)
            softmaxBackward(row, m_softmax.data(), m_shape.experts);
    }
    void bySigmoid(float *row, std::int64_t t)
    {
        float all = 0;
        for (std::size_t e = 0; e < m_scores.size(); ++e)
            all += m_scores[e] = sigmoidOf(row[e]);
        float mean = 0; // of the balance loss, by shares of all
        for (std::size_t e = 0; e < m_scores.size(); ++e)
            mean += m_balance[e] * (m_scores[e] / all);
        for (std::size_t e = 0; e < m_scores.size(); ++e)
            row[e] = (m_balance[e] - mean) / all;
        float chosen = 0;
        float sum = 0;
        for (std::int64_t j = 0; j < m_shape.topK; ++j) {
            const float score = m_scores[static_cast<std::size_t>(choices(t)[j])];
            chosen += score;
            sum += m_through[static_cast<std::size_t>(j)] * score;
        }
        for (std::int64_t j = 0; j < m_shape.topK; ++j) {
            const float each = m_through[static_cast<std::size_t>(j)];
            row[choices(t)[j]] += m_rule.scale * (m_shape.topK > 1 ? (each - sum / chosen) / chosen : each);
        }
        for (std::size_t e = 0; e < m_scores.size(); ++e)
            row[e] *= m_scores[e] * (1 - m_scores[e]);
    }

    const float *m_gateGradient;
    const float *m_gates;
    const std::int32_t *m_routes;
    const RoutingShape &m_shape;
    const RouterRule &m_rule;
    const RouterLosses &m_losses;
    std::vector<float> m_balance; ///< gradient of each probability
    std::vector<float> m_softmax;
    std::vector<float> m_scores;
    std::vector<float> m_through; ///< gradients of the gates of a token
};

} // namespace

void routeBackward(float *logits, const float *gateGradient, const float *gates, const std::int32_t *routes,
                   const RoutingShape &shape, const RouterRule &rule, const RouterLosses &losses)
{
    RouteGradient gradient(gateGradient, gates, routes, shape, rule, losses);
    for (std::int64_t t = 0; t < shape.tokens; ++t)
        gradient.replace(logits + t * shape.experts, t);
}

void addExcess(float *excess, const std::int32_t *routes, const RoutingShape &shape)
{
    for (std::int64_t e = 0; e < shape.experts; ++e)
        excess[e] -= static_cast<float>(shape.rows());
    for (std::int64_t slot = 0; slot < shape.rows(); ++slot)
        excess[routes[slot]] += static_cast<float>(shape.experts);
}

void balanceStep(float *bias, const float *excess, float rate, std::int64_t count)
{
    for (std::int64_t e = 0; e < count; ++e)
        bias[e] -= excess[e] > 0 ? rate : excess[e] < 0 ? -rate : 0.0F;
}

namespace {

/// Returns the entropy of sigmoids divided by their sum.
double entropyOfSigmoids(const float *logits, std::int64_t count)
{
    double sum = 0;
    double weighted = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double each = 1 / (1 + std::exp(-static_cast<double>(logits[i])));
        sum += each;
        weighted += each > 0 ? each * std::log(each) : 0;
    }
    return sum > 0 ? std::log(sum) - weighted / sum : std::log(static_cast<double>(count));
}

double entropyOf(const float *logits, std::int64_t count)
{
    const double top = *std::max_element(logits, logits + count);
    double sum = 0;
    double weighted = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double each = std::exp(static_cast<double>(logits[i]) - top);
        sum += each;
        weighted += each * (static_cast<double>(logits[i]) - top);
    }
    return std::log(sum) - weighted / sum;
}

} // namespace

void addRouterTotals(double *totals, const std::int32_t *routes, const float *logits, const RoutingShape &shape, bool isSigmoid)
{
    for (std::int64_t slot = 0; slot < shape.rows(); ++slot) {
        ++totals[routes[slot]];
        totals[shape.experts] += routes[shape.rows() + slot] < 0 ? 1 : 0;
    }
    double &entropy = totals[shape.experts + 1];
    for (std::int64_t t = 0; t < shape.tokens; ++t)
        entropy += (isSigmoid ? entropyOfSigmoids : entropyOf)(logits + t * shape.experts, shape.experts);
}

void dispatchRows(float *out, const float *in, const std::int32_t *routes, const RoutingShape &shape, std::int64_t width)
{
    const std::int32_t *const slots = routes + 2 * shape.rows();
    for (std::int64_t row = 0; row < shape.rows() && slots[row] >= 0; ++row)
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
            const std::int64_t place = places[t * shape.topK + j];
            if (place < 0)
                continue;
            const float *const row = rows + place * width;
            for (std::int64_t i = 0; i < width; ++i)
                sum[i] += row[i];
        }
    }
}

void expertSwigluForward(float *out, const float *gate, const float *up, const float *gates, const std::int32_t *routes,
                         const RoutingShape &shape, std::int64_t width)
{
    const std::int32_t *const slots = routes + 2 * shape.rows();
    for (std::int64_t row = 0; row < shape.rows() && slots[row] >= 0; ++row)
        runBest<scaledSwigluLoop>(out + row * width, gate + row * width, up + row * width, gates[slots[row]], width);
}

void expertSwigluBackward(float *gate, float *up, float *gateGradient, const float *outGradient, const float *gates,
                          const std::int32_t *routes, const RoutingShape &shape, std::int64_t width)
{
    const std::int32_t *const slots = routes + 2 * shape.rows();
    for (std::int64_t row = 0; row < shape.rows() && slots[row] >= 0; ++row)
        gateGradient[slots[row]] = runBest<scaledSwigluBackwardLoop>(gate + row * width, up + row * width,
                                                                     outGradient + row * width, gates[slots[row]], width);
}

} // namespace stagelens::kernels
