#include "engine/runtime/executor/output/sampled_output.h"

#include "engine/operators/engine_floats.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime {

using kernels::Form;
using kernels::SoftmaxStatistics;
using schedule::PassStepKind;
using schedule::PassValue;

void SampledOutput::choose(const OutputStep &step, const OutputShard &output)
{
    const kernels::TableShard shard = output.tableShard();
    const auto isLocal = [&](std::int32_t word) { return word >= shard.first && word < shard.first + shard.count; };
    const auto logCount = [this](std::int32_t word) { return static_cast<float>(std::log(m_sample.expectedCount(word))); };
    if (const std::int64_t number = m_step.number(step.part.microbatch); number != m_number) {
        m_drawn = m_sample.draw(m_seed, number);
        m_number = number;
        m_words.clear();
        m_logCounts.clear();
        std::ranges::copy_if(m_drawn, std::back_inserter(m_words), isLocal);
        std::ranges::transform(m_words, std::back_inserter(m_logCounts), logCount);
    }
    m_targets.clear();
    m_labelLogCounts.clear();
    for (const std::int32_t label : std::span(step.labels + step.part.first, size(step.part.tokens))) {
        m_targets.push_back(isLocal(label) ? static_cast<std::int32_t>(std::ssize(m_words)) : -1);
        m_labelLogCounts.push_back(logCount(label));
    }
}

backend::LogitShard SampledOutput::logitShard(const TokenPart &part, const Context &context) const
{
    return {context.at(PassValue::Exponentials, simulate::kVocabularyStage, part.microbatch), part.tokens, columns(), 0,
            columns()};
}

Values SampledOutput::drawnRows(const OutputShard &output, const Context &context) const
{
    const Values rows = context.scratch(0);
    context.compute.gatherRows(rows, output.weight().weights(), output.tableShard(), m_words.data(), std::ssize(m_words));
    return rows;
}

void SampledOutput::run(const OutputStep &step, const OutputShard &output, const Context &context)
{
    if (m_step.use == StepUse::Evaluation)
        return evaluate(step, output, context);
    choose(step, output);
    const SoftmaxStatistics local = OutputShard::statistics(step.part, context);
    const backend::LogitShard shard = logitShard(step.part, context);
    switch (step.kind) {
    case PassStepKind::Logits: return logits(step, output, context);
    case PassStepKind::LocalSoftmax:
        return context.compute.localSoftmax(local.maximum, local.sum, local.target, shard, m_targets.data());
    case PassStepKind::RowMaxima: return context.compute.rowMaxima(local.maximum, local.target, shard, m_targets.data());
    case PassStepKind::Exponentiate: return context.compute.exponentiate(local.sum, local.maximum, shard);
    case PassStepKind::RebuildExponentials: // whose sums are known already
        return context.compute.exponentiate(context.workspace.scratch[0].data(), local.maximum, shard);
    default: break;
    }
}

void SampledOutput::evaluate(const OutputStep &step, const OutputShard &output, const Context &context) const
{
    if (step.kind == PassStepKind::Logits)
        return; // there is no room for those of all tokens
    const std::int64_t rows = output.weight().rows;
    const std::int64_t begin = output.tableShard().first;
    const std::int64_t columns = 1 + m_sample.mostIn(begin, begin + rows);
    const std::int64_t room =
        operators::logitNumbers(m_choice.logitTokens(context.shape.outputTokens()), columns, rows, context.shape.model, 1);
    const std::int64_t end = step.part.first + step.part.tokens;
    const std::int64_t together = room / std::max<std::int64_t>(1, rows);
    for (std::int64_t first = step.part.first; first < end; first += together) {
        const TokenPart part{step.part.microbatch, first, std::min(together, end - first)};
        output.logits(part, context);
        if (step.kind == PassStepKind::LocalSoftmax)
            output.localSoftmax(part, step.labels, context);
        else if (step.kind == PassStepKind::RowMaxima)
            output.rowMaxima(part, step.labels, context);
        else
            output.exponentiate(part, context);
    }
}

void SampledOutput::logits(const OutputStep &step, const OutputShard &output, const Context &context)
{
    const Parameter &weight = output.weight();
    const std::int64_t width = weight.columns;
    const std::int64_t tokens = step.part.tokens;
    const ConstValues x = OutputShard::inputOf(step.part, context);
    const Values to = logitShard(step.part, context).logits;
    context.compute.multiply({.rows = tokens,
                              .columns = columns() - 1,
                              .inner = width,
                              .a = {x, width},
                              .b = {drawnRows(output, context), width, Form::Transposed},
                              .c = to,
                              .stride = columns()});
    context.compute.correctSample(to.floats(), {m_words.data(), m_logCounts.data(), std::ssize(m_words)},
                                  {x.floats(), step.labels + step.part.first, m_labelLogCounts.data(), tokens,
                                   weight.weights().floats(), output.tableShard()});
}

void SampledOutput::weighRows(Values rows, const OutputStep &step, const OutputShard &output, const Context &context)
{
    const Parameter &weight = output.weight();
    const std::int64_t width = weight.columns;
    const std::int64_t tokens = step.part.tokens;
    if (m_step.use == StepUse::Evaluation) // which needs no gradient
        return context.compute.zero(rows + step.part.first * width, tokens * width);
    choose(step, output);
    const Values exponentials = logitShard(step.part, context).logits;
    const Values own = rows + step.part.first * width;
    context.compute.multiply({.rows = tokens,
                              .columns = width,
                              .inner = columns() - 1,
                              .a = {exponentials, columns()},
                              .b = {drawnRows(output, context), width},
                              .c = own,
                              .stride = width});
    float *const ofLabels = context.workspace.scratch[0].data();
    context.compute.copyRows(context.values(ofLabels), 1, exponentials + (columns() - 1), columns(), tokens, 1);
    const Values labelRows = context.scratch(1);
    context.compute.gatherRows(labelRows, weight.weights(), output.tableShard(), step.labels + step.part.first, tokens);
    context.compute.scaleRows(labelRows, labelRows, ofLabels, {}, output.tableShard(), step.labels, 0, tokens);
    context.compute.addScaled(own, labelRows, 1.0F, tokens * width);
}

void SampledOutput::addWeightGradient(const SoftmaxStatistics &all, const OutputStep &step, const OutputShard &output,
                                      const Context &context)
{
    choose(step, output);
    const kernels::TableShard table = output.tableShard();
    const std::int64_t width = table.width;
    const std::int64_t tokens = step.part.tokens;
    const Labels labels = step.labels + step.part.first;
    const ConstValues x = OutputShard::inputOf(step.part, context);
    const Values exponentials = logitShard(step.part, context).logits;
    float *const gradient = output.gradient().data();
    const Values scaled = context.scratch(1);
    context.compute.scaleRows(scaled, x, OutputShard::factors(step.part, all, context), {}, table, labels, 0, tokens);
    const Values ofWords = context.scratch(0) + tokens; // after the factors
    context.compute.multiply({.rows = columns() - 1,
                              .columns = width,
                              .inner = tokens,
                              .a = {exponentials, columns(), Form::Transposed},
                              .b = {scaled, width},
                              .c = ofWords,
                              .stride = width});
    context.compute.scatterAddRows(gradient, table, m_words.data(), ofWords, 1.0F, columns() - 1);
    float *const ofLabels = context.workspace.scratch[0].data();
    context.compute.copyRows(context.values(ofLabels), 1, exponentials + (columns() - 1), columns(), tokens, 1);
    context.compute.scaleRows(scaled, scaled, ofLabels, {}, table, labels, 0, tokens);
    context.compute.scatterAddRows(gradient, table, labels, scaled, 1.0F, tokens);
    context.compute.scatterAddRows(gradient, table, labels, x, -context.shape.labelWeight(), tokens);
}

} // namespace stagelens::runtime
