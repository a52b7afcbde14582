#include "engine/runtime/executor/output_shard.h"

namespace stagelens::runtime {

using kernels::Form;
using kernels::SoftmaxStatistics;
using schedule::PassValue;

SoftmaxStatistics OutputShard::statistics(int microbatch, const Context &context)
{
    return {context.memory.at(PassValue::LocalStatistics, simulate::kVocabularyStage, microbatch), context.shape.tokens()};
}

backend::LogitShard OutputShard::logitShard(int microbatch, const Context &context) const
{
    return {context.at(PassValue::Exponentials, simulate::kVocabularyStage, microbatch), context.shape.tokens(), m_weight.rows,
            m_weight.held.rows.begin, m_weight.paddedRows()};
}

void OutputShard::logits(int microbatch, const Context &context) const
{
    const Shape &shape = context.shape;
    context.compute.multiply({.rows = shape.tokens(),
                              .columns = m_weight.paddedRows(),
                              .inner = shape.hidden,
                              .a = {context.at(PassValue::OutputInput, simulate::kVocabularyStage, microbatch), shape.hidden},
                              .b = {m_weight.weights(), shape.hidden, Form::Transposed},
                              .c = logitShard(microbatch, context).logits,
                              .stride = m_weight.paddedRows()});
}

void OutputShard::localSoftmax(int microbatch, Labels labels, const Context &context) const
{
    const SoftmaxStatistics local = statistics(microbatch, context);
    context.compute.localSoftmax(local.maximum, local.sum, local.target, logitShard(microbatch, context), labels);
}

void OutputShard::labelRows(Values rows, Labels labels, const Context &context) const
{
    context.compute.gatherRows(rows, m_weight.weights(), tableShard(), labels, context.shape.tokens());
}

void OutputShard::rowMaxima(int microbatch, Labels labels, const Context &context) const
{
    const SoftmaxStatistics local = statistics(microbatch, context);
    context.compute.rowMaxima(local.maximum, local.target, logitShard(microbatch, context), labels);
}

void OutputShard::exponentiate(int microbatch, const Context &context) const
{
    const SoftmaxStatistics local = statistics(microbatch, context);
    context.compute.exponentiate(local.sum, local.maximum, logitShard(microbatch, context));
}

void OutputShard::rebuildExponentials(int microbatch, const Context &context) const
{
    float *sums = context.workspace.scratch[0].data(); // known already
    context.compute.exponentiate(sums, statistics(microbatch, context).maximum, logitShard(microbatch, context));
}

void OutputShard::scaleRows(Values rows, int microbatch, const SoftmaxStatistics &all, Labels labels,
                            const Context &context) const
{
    const Shape &shape = context.shape;
    context.compute.scaleRows(rows, rows, factors(microbatch, all, context), m_weight.weights(), tableShard(), labels,
                              shape.tokenWeight(), shape.tokens());
}

const float *OutputShard::factors(int microbatch, const SoftmaxStatistics &all, const Context &context)
{
    float *factors = context.workspace.scratch[0].data(); // [tokens]
    context.compute.tokenFactors(factors, statistics(microbatch, context), all, context.shape.tokenWeight());
    return factors;
}

void OutputShard::addWeightGradient(int microbatch, const SoftmaxStatistics &all, Labels labels, const Context &context) const
{
    const Shape &shape = context.shape;
    const std::int64_t tokens = shape.tokens();
    const ConstValues x = context.at(PassValue::OutputInput, simulate::kVocabularyStage, microbatch);
    const Values scaled = context.scratch(1);
    context.compute.scaleRows(scaled, x, factors(microbatch, all, context), {}, tableShard(), labels, 0, tokens);
    context.compute.multiply({.rows = m_weight.paddedRows(),
                              .columns = shape.hidden,
                              .inner = tokens,
                              .a = {logitShard(microbatch, context).logits, m_weight.paddedRows(), Form::Transposed},
                              .b = {scaled, shape.hidden},
                              .c = gradient().data(),
                              .stride = shape.hidden,
                              .beta = 1});
    context.compute.scatterAddRows(gradient().data(), tableShard(), labels, x, -shape.tokenWeight(), tokens);
}

void OutputShard::weighRows(Values rows, int microbatch, const Context &context) const
{
    const Shape &shape = context.shape;
    context.compute.multiply({.rows = shape.tokens(),
                              .columns = shape.hidden,
                              .inner = m_weight.paddedRows(),
                              .a = {logitShard(microbatch, context).logits, m_weight.paddedRows()},
                              .b = {m_weight.weights(), shape.hidden},
                              .c = rows,
                              .stride = shape.hidden});
}

} // namespace stagelens::runtime
