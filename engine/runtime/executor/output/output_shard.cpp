#include "engine/runtime/executor/output/output_shard.h"

namespace stagelens::runtime {

using kernels::Form;
using kernels::SoftmaxStatistics;
using schedule::PassValue;

/// Returns the statistics of the tokens of a part.
static SoftmaxStatistics ofPart(SoftmaxStatistics all, const TokenPart &part)
{
    all.maximum += part.first;
    all.sum += part.first;
    all.target += part.first;
    all.tokens = part.tokens;
    return all;
}

ConstValues OutputShard::inputOf(const TokenPart &part, const Context &context)
{
    return context.at(PassValue::OutputInput, simulate::kVocabularyStage, part.microbatch) +
           part.first * context.shape.tableWidth;
}

SoftmaxStatistics OutputShard::statistics(const TokenPart &part, const Context &context)
{
    return ofPart({context.memory.at(PassValue::LocalStatistics, simulate::kVocabularyStage, part.microbatch),
                   context.shape.statisticRows()},
                  part);
}

backend::LogitShard OutputShard::logitShard(const TokenPart &part, const Context &context) const
{
    return {context.at(PassValue::Exponentials, simulate::kVocabularyStage, part.microbatch), part.tokens, m_weight.rows,
            m_weight.held.rows.begin, m_weight.paddedRows()};
}

void OutputShard::logits(const TokenPart &part, const Context &context) const
{
    const Shape &shape = context.shape;
    context.compute.multiply({.rows = part.tokens,
                              .columns = m_weight.paddedRows(),
                              .inner = shape.tableWidth,
                              .a = {inputOf(part, context), shape.tableWidth},
                              .b = {m_weight.weights(), shape.tableWidth, Form::Transposed},
                              .c = logitShard(part, context).logits,
                              .stride = m_weight.paddedRows()});
}

void OutputShard::localSoftmax(const TokenPart &part, Labels labels, const Context &context) const
{
    const SoftmaxStatistics local = statistics(part, context);
    context.compute.localSoftmax(local.maximum, local.sum, local.target, logitShard(part, context), labels + part.first);
}

void OutputShard::labelRows(Values rows, const TokenPart &part, Labels labels, const Context &context) const
{
    context.compute.gatherRows(rows + part.first * context.shape.tableWidth, m_weight.weights(), tableShard(),
                               labels + part.first, part.tokens);
}

void OutputShard::rowMaxima(const TokenPart &part, Labels labels, const Context &context) const
{
    const SoftmaxStatistics local = statistics(part, context);
    context.compute.rowMaxima(local.maximum, local.target, logitShard(part, context), labels + part.first);
}

void OutputShard::exponentiate(const TokenPart &part, const Context &context) const
{
    const SoftmaxStatistics local = statistics(part, context);
    context.compute.exponentiate(local.sum, local.maximum, logitShard(part, context));
}

void OutputShard::rebuildExponentials(const TokenPart &part, const Context &context) const
{
    float *sums = context.workspace.scratch[0].data(); // known already
    context.compute.exponentiate(sums, statistics(part, context).maximum, logitShard(part, context));
}

void OutputShard::scaleRows(Values rows, const TokenPart &part, const SoftmaxStatistics &all, Labels labels,
                            const Context &context) const
{
    const Shape &shape = context.shape;
    const Values own = rows + part.first * shape.tableWidth;
    context.compute.scaleRows(own, own, factors(part, all, context), m_weight.weights(), tableShard(), labels + part.first,
                              shape.labelWeight(), part.tokens);
}

const float *OutputShard::factors(const TokenPart &part, const SoftmaxStatistics &all, const Context &context)
{
    float *factors = context.workspace.scratch[0].data(); // [tokens]
    context.compute.tokenFactors(factors, statistics(part, context), ofPart(all, part), context.shape.labelWeight());
    return factors;
}

void OutputShard::addWeightGradient(const TokenPart &part, const SoftmaxStatistics &all, Labels labels,
                                    const Context &context) const
{
    const Shape &shape = context.shape;
    const std::int64_t tokens = part.tokens;
    const std::int32_t *const own = labels + part.first;
    const ConstValues x = inputOf(part, context);
    const Values scaled = context.scratch(1);
    context.compute.scaleRows(scaled, x, factors(part, all, context), {}, tableShard(), own, 0, tokens);
    context.compute.multiply({.rows = m_weight.paddedRows(),
                              .columns = shape.tableWidth,
                              .inner = tokens,
                              .a = {logitShard(part, context).logits, m_weight.paddedRows(), Form::Transposed},
                              .b = {scaled, shape.tableWidth},
                              .c = gradient().data(),
                              .stride = shape.tableWidth,
                              .beta = 1});
    context.compute.scatterAddRows(gradient().data(), tableShard(), own, x, -shape.labelWeight(), tokens);
}

void OutputShard::weighRows(Values rows, const TokenPart &part, const Context &context) const
{
    const Shape &shape = context.shape;
    context.compute.multiply({.rows = part.tokens,
                              .columns = shape.tableWidth,
                              .inner = m_weight.paddedRows(),
                              .a = {logitShard(part, context).logits, m_weight.paddedRows()},
                              .b = {m_weight.weights(), shape.tableWidth},
                              .c = rows + part.first * shape.tableWidth,
                              .stride = shape.tableWidth});
}

} // namespace stagelens::runtime
