#include "engine/runtime/executor/output_shard.h"

namespace stagelens::runtime {

using backend::Tensor;
using kernels::Form;
using kernels::SoftmaxStatistics;
using simulate::BufferKind;

SoftmaxStatistics OutputShard::statistics(int microbatch, const Context &context)
{
    return {context.memory.at(BufferKind::LocalStatistics, 0, microbatch), context.shape.tokens()};
}

backend::LogitShard OutputShard::logitShard(int microbatch, const Context &context) const
{
    return {context.at(BufferKind::Exponentials, 0, microbatch), context.shape.tokens(), m_weight.rows, m_weight.firstRow};
}

void OutputShard::makeLogits(int microbatch, const Context &context) const
{
    const Shape &shape = context.shape;
    context.compute.multiply({.rows = shape.tokens(),
                              .columns = m_weight.rows,
                              .inner = shape.hidden,
                              .a = {context.at(BufferKind::OutputInput, 0, microbatch), shape.hidden},
                              .b = {m_weight.weights(), shape.hidden, Form::Transposed},
                              .c = logitShard(microbatch, context).logits,
                              .stride = m_weight.rows});
}

void OutputShard::project(int microbatch, Labels labels, const Context &context) const
{
    makeLogits(microbatch, context);
    const SoftmaxStatistics local = statistics(microbatch, context);
    context.compute.localSoftmax(local.maximum, local.sum, local.target, logitShard(microbatch, context), labels);
}

WeightedRows OutputShard::weigh(int microbatch, Labels labels, const Context &context) const
{
    WeightedRows rows{.exponentials = weighted(microbatch, context), .targets = context.newMessage()};
    context.compute.gatherRows(context.of(rows.targets), m_weight.weights(), tableShard(), labels, context.shape.tokens());
    return rows;
}

void OutputShard::projectMaxima(int microbatch, Labels labels, const Context &context) const
{
    makeLogits(microbatch, context);
    const SoftmaxStatistics local = statistics(microbatch, context);
    context.compute.rowMaxima(local.maximum, local.target, logitShard(microbatch, context), labels);
}

void OutputShard::exponentiate(int microbatch, const Context &context) const
{
    const SoftmaxStatistics local = statistics(microbatch, context);
    context.compute.exponentiate(local.sum, local.maximum, logitShard(microbatch, context));
}

Tensor OutputShard::differentiate(int microbatch, const SoftmaxStatistics &all, Labels labels, const Context &context) const
{
    const Shape &shape = context.shape;
    Tensor xGradient = weighted(microbatch, context);
    const Values rows = context.of(xGradient);
    context.compute.scaleRows(rows, rows, factors(microbatch, all, context), m_weight.weights(), tableShard(), labels,
                              shape.tokenWeight(), shape.tokens());
    differentiateWeight(microbatch, all, labels, context);
    return xGradient;
}

const float *OutputShard::factors(int microbatch, const SoftmaxStatistics &all, const Context &context)
{
    float *factors = context.workspace.scratch[0].data(); // [tokens]
    context.compute.tokenFactors(factors, statistics(microbatch, context), all, context.shape.tokenWeight());
    return factors;
}

void OutputShard::differentiateWeight(int microbatch, const SoftmaxStatistics &all, Labels labels, const Context &context) const
{
    const Shape &shape = context.shape;
    const std::int64_t tokens = shape.tokens();
    const ConstValues x = context.at(BufferKind::OutputInput, 0, microbatch);
    const Values scaled = context.scratch(1);
    context.compute.scaleRows(scaled, x, factors(microbatch, all, context), {}, tableShard(), labels, 0, tokens);
    context.compute.multiply({.rows = m_weight.rows,
                              .columns = shape.hidden,
                              .inner = tokens,
                              .a = {logitShard(microbatch, context).logits, m_weight.rows, Form::Transposed},
                              .b = {scaled, shape.hidden},
                              .c = gradient().data(),
                              .stride = shape.hidden,
                              .beta = 1});
    context.compute.scatterAddRows(gradient().data(), tableShard(), labels, x, -shape.tokenWeight(), tokens);
}

Tensor OutputShard::weighted(int microbatch, const Context &context) const
{
    const Shape &shape = context.shape;
    Tensor rows = context.newMessage();
    context.compute.multiply({.rows = shape.tokens(),
                              .columns = shape.hidden,
                              .inner = m_weight.rows,
                              .a = {logitShard(microbatch, context).logits, m_weight.rows},
                              .b = {m_weight.weights(), shape.hidden},
                              .c = context.of(rows),
                              .stride = shape.hidden});
    return rows;
}

} // namespace stagelens::runtime
