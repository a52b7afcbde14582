// A mixture of experts in float64.
#include "engine/runtime/reference/family.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime::reference {
namespace {

enum Part : std::size_t { kRouter, kGate, kDown, kUp };

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

Experts::Experts(const model::ModelConfig &model, double microbatchWeight)
    : m_hidden(static_cast<std::size_t>(model.hidden)), m_width(static_cast<std::size_t>(model.expertWidth())),
      m_topK(static_cast<std::size_t>(model.topK)), m_auxLoss(model.auxLoss * microbatchWeight),
      m_zLoss(model.zLoss * microbatchWeight), m_experts(static_cast<std::size_t>(model.experts))
{}

Matrix Experts::forward(const Matrix &x, const Matrix *values)
{
    m_x = x;
    const std::size_t tokens = x.size() / m_hidden;
    m_logits.resize(tokens * m_experts.size());
    product(m_logits, x, false, values[kRouter], true, tokens, m_experts.size(), m_hidden, 0.0);
    chooseExperts();
    Matrix y(x.size());
    for (std::size_t e = 0; e < m_experts.size(); ++e) {
        Expert &expert = m_experts[e];
        for (Matrix *inner : {&expert.gate, &expert.up, &expert.activated})
            inner->resize(tokens * m_width);
        const std::size_t count = m_width * m_hidden;
        product(expert.gate, x, false, ofExpert(values[kGate], e, count), true, tokens, m_width, m_hidden, 0.0);
        product(expert.up, x, false, ofExpert(values[kUp], e, count), true, tokens, m_width, m_hidden, 0.0);
        for (std::size_t i = 0; i < expert.up.size(); ++i)
            expert.activated[i] = expert.gate[i] * sigmoid(expert.gate[i]) * expert.up[i];
        expert.out.resize(x.size());
        product(expert.out, expert.activated, false, ofExpert(values[kDown], e, count), true, tokens, m_hidden, m_width, 0.0);
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += m_gates[i / m_hidden * m_experts.size() + e] * expert.out[i];
    }
    return y;
}

void Experts::chooseExperts()
{
    const std::size_t count = m_experts.size();
    m_softmax.resize(m_logits.size());
    m_gates.assign(m_logits.size(), 0.0);
    m_isChosen.assign(m_logits.size(), false);
    for (std::size_t row = 0; row < m_logits.size(); row += count) {
        const double *logits = &m_logits[row];
        double all = 0;
        double chosen = 0;
        for (std::size_t e = 0; e < count; ++e) {
            std::size_t before = 0; // experts that are preferred to this one
            for (std::size_t other = 0; other < count; ++other)
                before += logits[other] > logits[e] || (logits[other] == logits[e] && other < e) ? 1 : 0;
            m_isChosen[row + e] = before < m_topK;
            all += std::exp(logits[e]);
            chosen += m_isChosen[row + e] ? std::exp(logits[e]) : 0;
        }
        for (std::size_t e = 0; e < count; ++e) {
            m_softmax[row + e] = std::exp(logits[e]) / all;
            if (m_isChosen[row + e])
                m_gates[row + e] = std::exp(logits[e]) / (m_topK == 1 ? all : chosen);
        }
    }
}

Matrix Experts::backward(const Matrix &gradient, const Matrix *values, Matrix *gradients) const
{
    const std::size_t tokens = m_x.size() / m_hidden;
    const std::size_t count = m_width * m_hidden;
    Matrix back(m_x.size());
    Matrix gateGradient(m_logits.size());
    for (std::size_t e = 0; e < m_experts.size(); ++e) {
        const Expert &expert = m_experts[e];
        Matrix out(gradient.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::size_t place = i / m_hidden * m_experts.size() + e;
            out[i] = m_gates[place] * gradient[i];
            gateGradient[place] += gradient[i] * expert.out[i];
        }
        Matrix activated(tokens * m_width);
        product(activated, out, false, ofExpert(values[kDown], e, count), false, tokens, m_width, m_hidden, 0.0);
        Matrix gate(activated.size());
        Matrix up(activated.size());
        for (std::size_t i = 0; i < activated.size(); ++i) {
            const double open = sigmoid(expert.gate[i]);
            gate[i] = activated[i] * expert.up[i] * (open + expert.gate[i] * open * (1 - open));
            up[i] = activated[i] * expert.gate[i] * open;
        }
        product(back, gate, false, ofExpert(values[kGate], e, count), false, tokens, m_hidden, m_width, 1.0);
        product(back, up, false, ofExpert(values[kUp], e, count), false, tokens, m_hidden, m_width, 1.0);
        const auto add = [&](Part part, const Matrix &of, const Matrix &input, std::size_t rows, std::size_t columns) {
            Matrix sum(count);
            product(sum, of, true, input, false, rows, columns, tokens, 0.0);
            for (std::size_t i = 0; i < count; ++i)
                gradients[part][e * count + i] += sum[i];
        };
        add(kGate, gate, m_x, m_width, m_hidden);
        add(kUp, up, m_x, m_width, m_hidden);
        add(kDown, out, expert.activated, m_hidden, m_width);
    }
    const Matrix logits = logitGradient(gateGradient);
    product(gradients[kRouter], logits, true, m_x, false, m_experts.size(), m_hidden, tokens, 1.0);
    product(back, logits, false, values[kRouter], false, tokens, m_hidden, m_experts.size(), 1.0);
    return back;
}

Matrix Experts::logitGradient(const Matrix &gateGradient) const
{
    const std::size_t count = m_experts.size();
    const auto tokens = static_cast<double>(m_logits.size() / count);
    std::vector<double> shares(count); // of the balance loss in the gradient of a probability
    for (std::size_t i = 0; i < m_isChosen.size(); ++i)
        shares[i % count] +=
            m_isChosen[i] ? m_auxLoss * static_cast<double>(count) / (static_cast<double>(m_topK) * tokens * tokens) : 0;
    Matrix gradient(m_logits.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        const std::size_t row = i - i % count;
        double sum = 0;
        for (std::size_t e = 0; e < count; ++e)
            sum += std::exp(m_logits[row + e]);
        gradient[i] = 2 * m_zLoss / tokens * std::log(sum) * m_softmax[i];
        // By the derivatives of each gate and of each probability by this logit.
        for (std::size_t e = 0; e < count; ++e) {
            const double same = row + e == i ? 1 : 0;
            const double probability = m_softmax[row + e] * (same - m_softmax[i]);
            gradient[i] += shares[e] * probability;
            if (!m_isChosen[row + e])
                continue;
            gradient[i] += gateGradient[row + e] * (m_topK == 1 ? probability : m_gates[row + e] * (same - m_gates[i]));
        }
    }
    return gradient;
}

} // namespace stagelens::runtime::reference
