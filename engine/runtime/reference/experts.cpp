// A mixture of experts in float64.
#include "engine/runtime/reference/family.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace stagelens::runtime::reference {
namespace {

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

/// Returns the matrix of one expert.
Matrix ofExpert(const Matrix &all, std::size_t expert, std::size_t count)
{
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(expert * count);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

} // namespace

Experts::Experts(const model::ModelConfig &model, double microbatchWeight, const std::vector<int> &slices)
    : m_model(model), m_hidden(static_cast<std::size_t>(model.hidden)), m_width(static_cast<std::size_t>(model.expertWidth())),
      m_topK(static_cast<std::size_t>(model.topK)), m_auxLoss(model.auxLoss * microbatchWeight),
      m_zLoss(model.zLoss * microbatchWeight), m_experts(static_cast<std::size_t>(model.experts))
{
    for (std::size_t slice = 0; slice < slices.size(); ++slice)
        m_sliceOf.insert(m_sliceOf.end(), static_cast<std::size_t>(slices[slice]), slice);
}

double Experts::tokensOf(std::size_t slice) const
{
    const std::size_t sequences = m_logits.size() / m_experts.size() / m_sliceOf.size();
    return static_cast<double>(sequences) * static_cast<double>(std::ranges::count(m_sliceOf, slice));
}

void Experts::computeExpert(Expert &expert, const Matrix &gate, const Matrix &up, const Matrix &down, std::size_t width) const
{
    const std::size_t tokens = m_x.size() / m_hidden;
    for (Matrix *inner : {&expert.gate, &expert.up, &expert.activated})
        inner->resize(tokens * width);
    product(expert.gate, m_x, false, gate, true, tokens, width, m_hidden, 0.0);
    product(expert.up, m_x, false, up, true, tokens, width, m_hidden, 0.0);
    for (std::size_t i = 0; i < expert.up.size(); ++i)
        expert.activated[i] = expert.gate[i] * sigmoid(expert.gate[i]) * expert.up[i];
    expert.out.resize(m_x.size());
    product(expert.out, expert.activated, false, down, true, tokens, m_hidden, width, 0.0);
}

Matrix Experts::forward(const Matrix &x, const Matrix *values)
{
    m_x = x;
    const std::size_t tokens = x.size() / m_hidden;
    m_logits.resize(tokens * m_experts.size());
    product(m_logits, x, false, values[0], true, tokens, m_experts.size(), m_hidden, 0.0);
    chooseExperts(m_model.hasRouterBias() ? &values[1] : nullptr);
    Matrix y(x.size());
    const Matrix *const routed = values + first();
    for (std::size_t e = 0; e < m_experts.size(); ++e) {
        Expert &expert = m_experts[e];
        const std::size_t count = m_width * m_hidden;
        computeExpert(expert, ofExpert(routed[0], e, count), ofExpert(routed[2], e, count), ofExpert(routed[1], e, count),
                      m_width);
        for (std::size_t i = 0; i < y.size(); ++i) {
            const std::size_t place = i / m_hidden * m_experts.size() + e;
            y[i] += m_isDropped[place] ? 0 : m_gates[place] * expert.out[i];
        }
    }
    if (m_model.sharedExperts == 0)
        return y;
    computeExpert(m_shared, routed[3], routed[4], routed[5], m_width * static_cast<std::size_t>(m_model.sharedExperts));
    addTo(y, m_shared.out);
    return y;
}

void Experts::choose(std::size_t row, std::vector<double> scores)
{
    keepGroups(scores);
    for (std::size_t e = 0; e < scores.size(); ++e) {
        std::size_t before = 0; // experts that are preferred to this one
        for (std::size_t other = 0; other < scores.size(); ++other)
            before += scores[other] > scores[e] || (scores[other] == scores[e] && other < e) ? 1 : 0;
        m_isChosen[row + e] = before < m_topK;
    }
}

/// Excludes the groups whose best scores add up to less than those of others.
void Experts::keepGroups(std::vector<double> &scores) const
{
    const auto groups = static_cast<std::size_t>(m_model.routerGroups);
    const auto kept = static_cast<std::size_t>(m_model.chosenGroups());
    if (kept >= groups)
        return;
    const std::size_t each = scores.size() / groups;
    std::vector<double> sums;
    for (std::size_t group = 0; group < groups; ++group) {
        const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(group * each);
        std::vector<double> own(begin, begin + static_cast<std::ptrdiff_t>(each));
        std::sort(own.rbegin(), own.rend());
        own.resize(std::clamp<std::size_t>(m_topK / kept, 1, each));
        sums.push_back(std::accumulate(own.begin(), own.end(), 0.0));
    }
    for (std::size_t e = 0; e < scores.size(); ++e) {
        std::size_t before = 0;
        for (std::size_t other = 0; other < groups; ++other)
            before += sums[other] > sums[e / each] || (sums[other] == sums[e / each] && other < e / each) ? 1 : 0;
        if (before >= kept)
            scores[e] = -std::numeric_limits<double>::infinity();
    }
}

void Experts::chooseExperts(const Matrix *bias)
{
    const std::size_t count = m_experts.size();
    m_softmax.resize(m_logits.size());
    m_gates.assign(m_logits.size(), 0.0);
    m_isChosen.assign(m_logits.size(), false);
    for (std::size_t row = 0; row < m_logits.size(); row += count) {
        std::vector<double> scores(count);
        for (std::size_t e = 0; e < count; ++e)
            scores[e] = bias != nullptr ? sigmoid(m_logits[row + e]) + (*bias)[e] : m_logits[row + e];
        choose(row, std::move(scores));
        double all = 0;
        double chosen = 0;
        const auto weight = [&](std::size_t e) {
            return bias != nullptr ? sigmoid(m_logits[row + e]) : std::exp(m_logits[row + e]);
        };
        for (std::size_t e = 0; e < count; ++e) {
            all += std::exp(m_logits[row + e]);
            chosen += m_isChosen[row + e] ? weight(e) : 0;
        }
        for (std::size_t e = 0; e < count; ++e) {
            m_softmax[row + e] = std::exp(m_logits[row + e]) / all;
            if (m_isChosen[row + e] && bias != nullptr)
                m_gates[row + e] = m_model.routerScale * weight(e) / (m_topK == 1 ? 1 : chosen);
            else if (m_isChosen[row + e])
                m_gates[row + e] = weight(e) / (m_topK == 1 ? all : chosen);
        }
    }
    dropRows();
}

/// An expert drops a row if `capacity` others of its slice are preferred to it.
void Experts::dropRows()
{
    const std::size_t count = m_experts.size();
    m_isDropped.assign(m_logits.size(), false);
    if (!m_model.capacityFactor)
        return;
    const bool isByGate = m_model.dropRule == model::DropRule::Gate;
    for (std::size_t i = 0; i < m_logits.size(); ++i) {
        const double mean = tokensOf(sliceOf(i)) * static_cast<double>(m_topK) / static_cast<double>(count);
        const double capacity = std::ceil(*m_model.capacityFactor * mean);
        double before = 0;
        for (std::size_t other = i % count; other < m_logits.size(); other += count) {
            const bool isFirst = other < i;
            before += m_isChosen[other] && sliceOf(other) == sliceOf(i) &&
                              (isByGate ? m_gates[other] > m_gates[i] || (m_gates[other] == m_gates[i] && isFirst) : isFirst)
                          ? 1
                          : 0;
        }
        m_isDropped[i] = m_isChosen[i] && before >= capacity;
    }
}

void Experts::backwardOfExpert(const Expert &expert, const Matrix &out, const std::array<const Matrix *, 3> &values,
                               const std::array<Matrix *, 3> &gradients, std::size_t width, Matrix &back) const
{
    const std::size_t tokens = m_x.size() / m_hidden;
    Matrix activated(tokens * width);
    product(activated, out, false, *values[2], false, tokens, width, m_hidden, 0.0);
    Matrix gate(activated.size());
    Matrix up(activated.size());
    for (std::size_t i = 0; i < activated.size(); ++i) {
        const double open = sigmoid(expert.gate[i]);
        gate[i] = activated[i] * expert.up[i] * (open + expert.gate[i] * open * (1 - open));
        up[i] = activated[i] * expert.gate[i] * open;
    }
    product(back, gate, false, *values[0], false, tokens, m_hidden, width, 1.0);
    product(back, up, false, *values[1], false, tokens, m_hidden, width, 1.0);
    product(*gradients[0], gate, true, m_x, false, width, m_hidden, tokens, 1.0);
    product(*gradients[1], up, true, m_x, false, width, m_hidden, tokens, 1.0);
    product(*gradients[2], out, true, expert.activated, false, m_hidden, width, tokens, 1.0);
}

Matrix Experts::backward(const Matrix &gradient, const Matrix *values, Matrix *gradients) const
{
    const std::size_t tokens = m_x.size() / m_hidden;
    const std::size_t count = m_width * m_hidden;
    const Matrix *const routed = values + first();
    Matrix *const ofRouted = gradients + first();
    Matrix back(m_x.size());
    Matrix gateGradient(m_logits.size());
    for (std::size_t e = 0; e < m_experts.size(); ++e) {
        const Expert &expert = m_experts[e];
        Matrix out(gradient.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::size_t place = i / m_hidden * m_experts.size() + e;
            if (m_isDropped[place])
                continue;
            out[i] = m_gates[place] * gradient[i];
            gateGradient[place] += gradient[i] * expert.out[i];
        }
        std::array<Matrix, 3> sums;
        for (Matrix &sum : sums)
            sum.resize(count);
        const Matrix gate = ofExpert(routed[0], e, count);
        const Matrix up = ofExpert(routed[2], e, count);
        const Matrix down = ofExpert(routed[1], e, count);
        backwardOfExpert(expert, out, {&gate, &up, &down}, {&sums[0], &sums[1], &sums[2]}, m_width, back);
        for (std::size_t i = 0; i < count; ++i) {
            ofRouted[0][e * count + i] += sums[0][i];
            ofRouted[2][e * count + i] += sums[1][i];
            ofRouted[1][e * count + i] += sums[2][i];
        }
    }
    if (m_model.sharedExperts > 0)
        backwardOfExpert(m_shared, gradient, {&routed[3], &routed[4], &routed[5]}, {&ofRouted[3], &ofRouted[4], &ofRouted[5]},
                         m_width * static_cast<std::size_t>(m_model.sharedExperts), back);
    const Matrix logits = logitGradient(gateGradient);
    product(gradients[0], logits, true, m_x, false, m_experts.size(), m_hidden, tokens, 1.0);
    product(back, logits, false, values[0], false, tokens, m_hidden, m_experts.size(), 1.0);
    if (m_model.hasRouterBias()) // by how much the choices of each expert exceed the mean
        for (std::size_t i = 0; i < m_isChosen.size(); ++i)
            gradients[1][i % m_experts.size()] +=
                (m_isChosen[i] ? static_cast<double>(m_experts.size()) : 0) - static_cast<double>(m_topK);
    return back;
}

Matrix Experts::logitGradient(const Matrix &gateGradient) const
{
    const std::size_t count = m_experts.size();
    const auto tokens = static_cast<double>(m_logits.size() / count);
    // Of the balance loss in the gradient of a probability, by slice and expert. The loss of T' of T tokens counts T' / T.
    std::vector<std::vector<double>> shares(m_sliceOf.back() + 1, std::vector<double>(count));
    for (std::size_t i = 0; i < m_isChosen.size(); ++i)
        shares[sliceOf(i)][i % count] += m_isChosen[i] ? m_auxLoss * static_cast<double>(count) /
                                                             (static_cast<double>(m_topK) * tokensOf(sliceOf(i)) * tokens)
                                                       : 0;
    Matrix gradient(m_logits.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        const std::size_t row = i - i % count;
        double sum = 0;
        double scores = 0; // of all experts, and of the chosen
        double chosen = 0;
        for (std::size_t e = 0; e < count; ++e) {
            sum += std::exp(m_logits[row + e]);
            scores += sigmoid(m_logits[row + e]);
            chosen += m_isChosen[row + e] ? sigmoid(m_logits[row + e]) : 0;
        }
        gradient[i] = 2 * m_zLoss / tokens * std::log(sum) * m_softmax[i];
        // By the derivatives of each gate and of each probability by this logit.
        const double own = sigmoid(m_logits[i]);
        for (std::size_t e = 0; e < count; ++e) {
            const double same = row + e == i ? 1 : 0;
            const double other = sigmoid(m_logits[row + e]);
            const bool isSigmoid = m_model.hasRouterBias();
            const double probability = isSigmoid ? own * (1 - own) * (same * scores - other) / (scores * scores)
                                                 : m_softmax[row + e] * (same - m_softmax[i]);
            gradient[i] += shares[sliceOf(i)][e] * probability;
            if (!m_isChosen[row + e])
                continue;
            double gate = m_topK == 1 ? probability : m_gates[row + e] * (same - m_gates[i]);
            if (isSigmoid)
                gate = m_model.routerScale * own * (1 - own) *
                       (m_topK == 1     ? same
                        : m_isChosen[i] ? (same * chosen - other) / (chosen * chosen)
                                        : 0);
            gradient[i] += gateGradient[row + e] * gate;
        }
    }
    return gradient;
}

} // namespace stagelens::runtime::reference
