#include "engine/runtime/executor/output/tail_shards.h"

#include "engine/operators/engine_floats.h"
#include "kernels/include/sampled.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime {

using kernels::Form;
using kernels::SoftmaxStatistics;
using schedule::PassValue;

namespace {

/// Returns `count` rows of statistics from a row of the tails on.
SoftmaxStatistics ofTails(SoftmaxStatistics all, std::int64_t first, std::int64_t count, const Context &context)
{
    for (float **each : {&all.maximum, &all.sum, &all.target})
        *each += context.shape.outputTokens() + first;
    all.tokens = count;
    return all;
}

SoftmaxStatistics localStatistics(int microbatch, const Context &context)
{
    return {context.memory.at(PassValue::LocalStatistics, simulate::kVocabularyStage, microbatch),
            context.shape.statisticRows()};
}

/// Returns the shard's own maxima of the tails, which follow its statistics.
float *ownMaxima(int microbatch, const Context &context)
{
    return localStatistics(microbatch, context).maximum + 3 * context.shape.statisticRows();
}

std::int64_t rowsOf(std::span<const TailRows> tails)
{
    return tails.empty() ? 0 : tails.back().first + std::ssize(tails.back().tokens);
}

std::int64_t numbersOf(std::span<const TailRows> tails)
{
    return tails.empty() ? 0 : tails.back().place + std::ssize(tails.back().tokens) * tails.back().tail.width;
}

/// Returns the rows of tails in a tensor in which those of the head come first.
template <class Numbers>
Numbers narrowRows(Numbers rows, const Context &context)
{
    return rows + context.shape.gathered();
}

/// Clears what the tails of a microbatch leave of their room.
void clearRest(Values rows, std::span<const TailRows> tails, const Context &context)
{
    const std::int64_t numbers = numbersOf(tails);
    context.compute.zero(rows + numbers, context.shape.vocabularyTokens() * context.shape.tailWidth - numbers);
}

} // namespace

std::vector<TailRows> tailRows(const StepState &step, int microbatch, const Shape &shape)
{
    const std::int32_t *const words = step.words(microbatch);
    std::vector<TailRows> all;
    for (const model::VocabularyTail &tail : shape.model.tails()) {
        TailRows rows;
        rows.tail = tail;
        if (!all.empty()) {
            rows.first = rowsOf(all);
            rows.place = numbersOf(all);
        }
        for (std::int64_t token = 0; token < shape.vocabularyTokens(); ++token) {
            const std::int32_t word = words[token];
            if (word < tail.first || word >= tail.end)
                continue;
            rows.tokens.push_back(static_cast<std::int32_t>(token));
            rows.words.push_back(word - tail.first);
            rows.counted += token < step.counted(microbatch) ? 1 : 0;
        }
        all.push_back(std::move(rows));
    }
    return all;
}

double lossOfTails(const SoftmaxStatistics &all, std::span<const TailRows> tails, const Context &context)
{
    double loss = 0;
    for (const TailRows &rows : tails)
        loss += context.compute.lossSum(ofTails(all, rows.first, std::ssize(rows.tokens), context), rows.counted);
    return loss;
}

void TailShards::narrow(Values rows, ConstValues x, Tails tails, const Context &context) const
{
    const std::int64_t hidden = context.shape.hidden;
    const kernels::TableShard ofTokens{0, context.shape.vocabularyTokens(), hidden};
    context.compute.copy(rows, x, context.shape.gathered());
    const Values out = narrowRows(rows, context);
    clearRest(out, tails, context);
    const Values wide = context.scratch(0);
    for (std::size_t i = 0; i < m_tails.size(); ++i) {
        const std::int64_t count = std::ssize(tails[i].tokens);
        if (count == 0)
            continue;
        context.compute.gatherRows(wide, x, ofTokens, tails[i].tokens.data(), count);
        context.compute.multiply({.rows = count,
                                  .columns = tails[i].tail.width,
                                  .inner = hidden,
                                  .a = {wide, hidden},
                                  .b = {m_tails[i].map->weights(), hidden, Form::Transposed},
                                  .c = out + tails[i].place,
                                  .stride = tails[i].tail.width});
    }
    context.compute.finish(); // before the lists of tokens are released
}

void TailShards::narrowBackward(Values out, ConstValues gradient, ConstValues x, Tails tails, const Context &context) const
{
    const std::int64_t hidden = context.shape.hidden;
    const kernels::TableShard ofTokens{0, context.shape.vocabularyTokens(), hidden};
    context.compute.copy(out, gradient, context.shape.gathered());
    const Values wide = context.scratch(0);
    for (std::size_t i = 0; i < m_tails.size(); ++i) {
        const std::int64_t count = std::ssize(tails[i].tokens);
        const std::int64_t width = tails[i].tail.width;
        if (count == 0)
            continue;
        const ConstValues ofRows = narrowRows(gradient, context) + tails[i].place;
        context.compute.gatherRows(wide, x, ofTokens, tails[i].tokens.data(), count);
        context.compute.multiply({.rows = width,
                                  .columns = hidden,
                                  .inner = count,
                                  .a = {ofRows, width, Form::Transposed},
                                  .b = {wide, hidden},
                                  .c = m_tails[i].map->gradient.data(),
                                  .stride = hidden,
                                  .beta = 1});
        context.compute.multiply({.rows = count,
                                  .columns = hidden,
                                  .inner = width,
                                  .a = {ofRows, width},
                                  .b = {m_tails[i].map->weights(), hidden},
                                  .c = wide,
                                  .stride = hidden});
        context.compute.scatterAddRows(out.floats(), ofTokens, tails[i].tokens.data(), wide, 1.0F, count);
    }
    context.compute.finish();
}

template <class Visit>
void TailShards::eachChunk(int microbatch, Tails tails, const Context &context, const Visit &visit) const
{
    const std::int64_t room =
        operators::logitNumbers(context.shape.outputTokens(), m_head.paddedRows(), m_head.rows, context.shape.model, m_shards);
    for (std::size_t i = 0; i < m_tails.size(); ++i) {
        const std::int64_t count = std::ssize(tails[i].tokens);
        const std::int64_t together = room / std::max<std::int64_t>(1, m_tails[i].table.rows);
        for (std::int64_t begin = 0; begin < count; begin += together)
            visit(Chunk{&tails[i], &m_tails[i].table, begin, std::min(together, count - begin), microbatch});
    }
}

backend::LogitShard TailShards::logits(const Chunk &chunk, const Context &context)
{
    const Parameter &table = *chunk.table;
    const Values logits = context.at(PassValue::Exponentials, simulate::kVocabularyStage, chunk.microbatch);
    const ConstValues in =
        narrowRows(context.at(PassValue::OutputInput, simulate::kVocabularyStage, chunk.microbatch), context) + chunk.place();
    context.compute.multiply({.rows = chunk.count,
                              .columns = table.rows,
                              .inner = table.columns,
                              .a = {in, table.columns},
                              .b = {table.weights(), table.columns, Form::Transposed},
                              .c = logits,
                              .stride = table.rows});
    return {logits, chunk.count, table.rows, table.held.rows.begin, table.rows};
}

void TailShards::weigh(Values rows, const backend::LogitShard &exponentials, const Chunk &chunk, const Context &context)
{
    const Parameter &table = *chunk.table;
    context.compute.multiply({.rows = chunk.count,
                              .columns = table.columns,
                              .inner = table.rows,
                              .a = {exponentials.logits, table.rows},
                              .b = {table.weights(), table.columns},
                              .c = rows,
                              .stride = table.columns});
}

void TailShards::statistics(const Parts &parts, int microbatch, Tails tails, const Context &context) const
{
    const bool makesParts = parts.weighed.address() != nullptr;
    const SoftmaxStatistics all = localStatistics(microbatch, context);
    eachChunk(microbatch, tails, context, [&](const Chunk &chunk) {
        const SoftmaxStatistics local = ofTails(all, chunk.rows->first + chunk.begin, chunk.count, context);
        const backend::LogitShard shard = logits(chunk, context);
        context.compute.localSoftmax(local.maximum, local.sum, local.target, shard, chunk.labels());
        if (chunk.table->rows == 0) // ranks of which none has a row compute with their common maximum
            std::fill_n(local.maximum, chunk.count, kernels::kNoLogit);
        if (!makesParts)
            return;
        weigh(narrowRows(parts.weighed, context) + chunk.place(), shard, chunk, context);
        context.compute.gatherRows(narrowRows(parts.labels, context) + chunk.place(), chunk.table->weights(), chunk.shard(),
                                   chunk.labels(), chunk.count);
    });
    for (const Values &part : {parts.weighed, parts.labels})
        if (makesParts)
            clearRest(narrowRows(part, context), tails, context);
    context.compute.finish();
    // Tokens of the head have none: their statistics are not read.
    const std::int64_t rows = rowsOf(tails);
    const SoftmaxStatistics rest = ofTails(all, rows, context.shape.outputTokens() - rows, context);
    std::fill_n(rest.maximum, rest.tokens, 0.0F);
    std::fill_n(rest.sum, rest.tokens, 1.0F);
    std::fill_n(rest.target, rest.tokens, 0.0F);
    std::copy_n(all.maximum + context.shape.outputTokens(), rows, ownMaxima(microbatch, context));
}

void TailShards::rescale(Values weighed, int microbatch, Tails tails, const Context &context) const
{
    const SoftmaxStatistics local = ofTails(localStatistics(microbatch, context), 0, rowsOf(tails), context);
    const float *const own = ownMaxima(microbatch, context);
    float *const factors = context.workspace.scratch[0].data();
    for (std::int64_t row = 0; row < local.tokens; ++row) {
        factors[row] = std::exp(own[row] - local.maximum[row]);
        local.sum[row] *= factors[row];
    }
    if (weighed.address() == nullptr)
        return;
    for (const TailRows &rows : tails) {
        const Values of = narrowRows(weighed, context) + rows.place;
        context.compute.scaleRows(of, of, factors + rows.first, {}, {0, 0, rows.tail.width}, rows.words.data(), 0,
                                  std::ssize(rows.tokens));
    }
    context.compute.finish();
}

void TailShards::addGradients(Values rows, const SoftmaxStatistics &all, int microbatch, Tails tails,
                              const Context &context) const
{
    const SoftmaxStatistics ofShard = localStatistics(microbatch, context);
    const float weight = context.shape.labelWeight();
    const ConstValues input = narrowRows(context.at(PassValue::OutputInput, simulate::kVocabularyStage, microbatch), context);
    float *const factors = context.workspace.scratch[0].data();
    float *const sums = factors + context.shape.vocabularyTokens(); // known already
    const Values scaled = context.scratch(1);
    eachChunk(microbatch, tails, context, [&](const Chunk &chunk) {
        const std::int64_t first = chunk.rows->first + chunk.begin;
        const SoftmaxStatistics local = ofTails(ofShard, first, chunk.count, context);
        const kernels::TableShard table = chunk.shard();
        const ConstValues in = input + chunk.place();
        const backend::LogitShard shard = logits(chunk, context);
        context.compute.exponentiate(sums, local.maximum, shard);
        context.compute.tokenFactors(factors, local, ofTails(all, first, chunk.count, context), weight);
        if (rows.address() != nullptr) {
            const Values gradient = narrowRows(rows, context) + chunk.place();
            weigh(gradient, shard, chunk, context);
            context.compute.scaleRows(gradient, gradient, factors, chunk.table->weights(), table, chunk.labels(), weight,
                                      chunk.count);
        }
        context.compute.scaleRows(scaled, in, factors, {}, table, chunk.labels(), 0, chunk.count);
        context.compute.multiply({.rows = table.count,
                                  .columns = table.width,
                                  .inner = chunk.count,
                                  .a = {shard.logits, table.count, Form::Transposed},
                                  .b = {scaled, table.width},
                                  .c = chunk.table->gradient.data(),
                                  .stride = table.width,
                                  .beta = 1});
        context.compute.scatterAddRows(chunk.table->gradient.data(), table, chunk.labels(), in, -weight, chunk.count);
    });
    if (rows.address() != nullptr)
        clearRest(narrowRows(rows, context), tails, context);
    context.compute.finish();
}

} // namespace stagelens::runtime
