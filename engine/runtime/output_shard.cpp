#include "engine/runtime/output_shard.h"

#include "kernels/include/elementwise.h"
#include "kernels/include/embedding.h"
#include "kernels/include/matmul.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime {
namespace {

using backend::Tensor;
using kernels::Form;
using simulate::BufferKind;

/// From a row of E to u times the softmax over the whole vocabulary.
float factorOf(const SoftmaxStatistics &local, const SoftmaxStatistics &all, std::int64_t token, const Shape &shape)
{
    return std::exp(local.maximum[token] - all.maximum[token]) / all.sum[token] * shape.tokenWeight();
}

} // namespace

double SoftmaxStatistics::loss() const
{
    double total = 0;
    for (std::int64_t i = 0; i < tokens; ++i)
        total += std::log(static_cast<double>(sum[i])) + static_cast<double>(maximum[i]) - static_cast<double>(target[i]);
    return total;
}

void combineMaxima(float *maximum, const std::vector<Tensor> &parts, std::int64_t tokens)
{
    std::copy_n(parts.front()->data(), tokens, maximum);
    for (const Tensor &part : parts)
        for (std::int64_t i = 0; i < tokens; ++i)
            maximum[i] = std::max(maximum[i], part->data()[i]);
}

void combineShards(const SoftmaxStatistics &all, const std::vector<Tensor> &parts)
{
    const std::int64_t count = all.tokens;
    combineMaxima(all.maximum, parts, count);
    std::fill_n(all.sum, 2 * count, 0.0F);
    for (const Tensor &part : parts) {
        const SoftmaxStatistics shard(part->data(), count);
        for (std::int64_t i = 0; i < count; ++i) {
            all.sum[i] += shard.sum[i] * std::exp(shard.maximum[i] - all.maximum[i]);
            all.target[i] += shard.target[i];
        }
    }
}

void combineSums(const SoftmaxStatistics &all, const float *maximum, const std::vector<Tensor> &parts)
{
    std::copy_n(maximum, all.tokens, all.maximum);
    std::fill_n(all.sum, 2 * all.tokens, 0.0F);
    for (const Tensor &part : parts)
        kernels::add(all.sum, part->data(), 2 * all.tokens);
}

void shardFactors(float *factors, const std::vector<Tensor> &parts, const SoftmaxStatistics &all)
{
    for (const Tensor &part : parts) {
        for (std::int64_t i = 0; i < all.tokens; ++i)
            factors[i] = std::exp(part->data()[i] - all.maximum[i]) / all.sum[i];
        factors += all.tokens;
    }
}

SoftmaxStatistics OutputShard::statistics(int microbatch, const Context &context)
{
    return {context.memory.at(BufferKind::LocalStatistics, 0, microbatch), context.shape.tokens()};
}

kernels::LogitShard OutputShard::logitShard(int microbatch, const Context &context) const
{
    return {context.memory.at(BufferKind::Exponentials, 0, microbatch), context.shape.tokens(), m_weight.rows,
            m_weight.firstRow};
}

void OutputShard::makeLogits(int microbatch, const Context &context) const
{
    const Shape &shape = context.shape;
    kernels::multiply({.rows = shape.tokens(),
                       .columns = m_weight.rows,
                       .inner = shape.hidden,
                       .a = {context.memory.at(BufferKind::OutputInput, 0, microbatch), shape.hidden},
                       .b = {m_weight.value.data(), shape.hidden, Form::Transposed},
                       .c = logitShard(microbatch, context).logits,
                       .stride = m_weight.rows},
                      context.interrupt);
}

void OutputShard::project(int microbatch, Labels labels, const Context &context) const
{
    makeLogits(microbatch, context);
    const SoftmaxStatistics local = statistics(microbatch, context);
    kernels::localSoftmax(local.maximum, local.sum, local.target, logitShard(microbatch, context), labels.data(),
                          context.interrupt);
}

WeightedRows OutputShard::weigh(int microbatch, Labels labels, const Context &context) const
{
    const Shape &shape = context.shape;
    WeightedRows rows{.exponentials = weighted(microbatch, context), .targets = context.memory.takeMessage(shape.boundary())};
    kernels::gatherRows(rows.targets->data(), m_weight.value.data(), tableShard(), labels.data(), shape.tokens());
    return rows;
}

void OutputShard::projectMaxima(int microbatch, Labels labels, const Context &context) const
{
    makeLogits(microbatch, context);
    const SoftmaxStatistics local = statistics(microbatch, context);
    kernels::rowMaxima(local.maximum, local.target, logitShard(microbatch, context), labels.data(), context.interrupt);
}

void OutputShard::exponentiate(int microbatch, const Context &context) const
{
    const SoftmaxStatistics local = statistics(microbatch, context);
    kernels::exponentiate(local.sum, local.maximum, logitShard(microbatch, context), context.interrupt);
}

Tensor OutputShard::differentiate(int microbatch, const SoftmaxStatistics &all, Labels labels, const Context &context) const
{
    const std::int64_t hidden = context.shape.hidden;
    const SoftmaxStatistics local = statistics(microbatch, context);
    const kernels::LogitShard shard = logitShard(microbatch, context);
    Tensor xGradient = weighted(microbatch, context);
    for (std::int64_t i = 0; i < context.shape.tokens(); ++i) {
        float *row = xGradient->data() + i * hidden;
        kernels::scale(row, row, factorOf(local, all, i, context.shape), hidden);
        if (const std::int64_t own = shard.local(labels[size(i)]); own >= 0)
            kernels::addScaled(row, m_weight.value.data() + own * hidden, -context.shape.tokenWeight(), hidden);
    }
    differentiateWeight(microbatch, all, labels, context);
    return xGradient;
}

void OutputShard::differentiateWeight(int microbatch, const SoftmaxStatistics &all, Labels labels, const Context &context) const
{
    const Shape &shape = context.shape;
    const std::int64_t tokens = shape.tokens();
    const SoftmaxStatistics local = statistics(microbatch, context);
    const float *x = context.memory.at(BufferKind::OutputInput, 0, microbatch);
    float *scaled = context.workspace.narrow.data();
    for (std::int64_t i = 0; i < tokens; ++i)
        kernels::scale(scaled + i * shape.hidden, x + i * shape.hidden, factorOf(local, all, i, shape), shape.hidden);
    kernels::multiply({.rows = m_weight.rows,
                       .columns = shape.hidden,
                       .inner = tokens,
                       .a = {logitShard(microbatch, context).logits, m_weight.rows, Form::Transposed},
                       .b = {scaled, shape.hidden},
                       .c = gradient().data(),
                       .stride = shape.hidden,
                       .beta = 1},
                      context.interrupt);
    kernels::scatterAddRows(gradient().data(), tableShard(), labels.data(), x, -shape.tokenWeight(), tokens);
}

Tensor OutputShard::weighted(int microbatch, const Context &context) const
{
    const Shape &shape = context.shape;
    Tensor rows = context.memory.takeMessage(shape.boundary());
    kernels::multiply({.rows = shape.tokens(),
                       .columns = shape.hidden,
                       .inner = m_weight.rows,
                       .a = {logitShard(microbatch, context).logits, m_weight.rows},
                       .b = {m_weight.value.data(), shape.hidden},
                       .c = rows->data(),
                       .stride = shape.hidden},
                      context.interrupt);
    return rows;
}

} // namespace stagelens::runtime
