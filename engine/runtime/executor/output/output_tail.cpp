#include "engine/runtime/executor/output/output_tail.h"

#include "engine/operators/engine_floats.h"

#include <algorithm>

namespace stagelens::runtime {

using kernels::Form;
using kernels::SoftmaxStatistics;
using schedule::PassValue;

OutputTail::Rows OutputTail::rowsOf(const TailTokens &tokens, const Context &context) const
{
    Rows rows;
    const std::int64_t all = context.shape.vocabularyTokens();
    for (std::int64_t token = 0; token < all; ++token) {
        const std::int32_t word = tokens.words[token];
        if (word < m_tail.first || word >= m_tail.end)
            continue;
        rows.tokens.push_back(static_cast<std::int32_t>(token));
        rows.words.push_back(word - m_tail.first);
        rows.counted += token < tokens.counted ? 1 : 0;
    }
    // A tail has at most a quarter of the columns of the scratch.
    const std::int64_t numbers = all * m_tail.width;
    rows.wide = context.scratch(0);
    rows.narrow = context.scratch(1);
    rows.gradient = rows.narrow + numbers;
    rows.scaled = rows.gradient + numbers;
    rows.factors = (rows.scaled + numbers).floats();
    return rows;
}

double OutputTail::run(const TailTokens &tokens, const Context &context) const
{
    const Rows rows = rowsOf(tokens, context);
    const std::int64_t count = std::ssize(rows.tokens);
    if (count == 0)
        return 0;
    const std::int64_t hidden = context.shape.hidden;
    const kernels::TableShard ofTokens{0, context.shape.vocabularyTokens(), hidden};
    context.compute.gatherRows(rows.wide, tokens.x, ofTokens, rows.tokens.data(), count);
    context.compute.multiply({.rows = count,
                              .columns = m_tail.width,
                              .inner = hidden,
                              .a = {rows.wide, hidden},
                              .b = {m_map.weights(), hidden, Form::Transposed},
                              .c = rows.narrow,
                              .stride = m_tail.width});
    const model::ModelConfig &model = context.shape.model;
    const std::int64_t room =
        operators::logitNumbers(context.shape.vocabularyTokens(), model.outputRows(), model.outputRows(), model, 1);
    const std::int64_t together = room / m_tail.words();
    double loss = 0;
    for (std::int64_t first = 0; first < count; first += together)
        loss += softmax(rows, first, std::min(together, count - first), tokens, context);
    if (tokens.gradient == nullptr)
        return loss;
    context.compute.multiply({.rows = m_tail.width,
                              .columns = hidden,
                              .inner = count,
                              .a = {rows.gradient, m_tail.width, Form::Transposed},
                              .b = {rows.wide, hidden},
                              .c = m_map.gradient.data(),
                              .stride = hidden,
                              .beta = 1});
    context.compute.multiply({.rows = count,
                              .columns = hidden,
                              .inner = m_tail.width,
                              .a = {rows.gradient, m_tail.width},
                              .b = {m_map.weights(), hidden},
                              .c = rows.wide,
                              .stride = hidden});
    context.compute.scatterAddRows(tokens.gradient, ofTokens, rows.tokens.data(), rows.wide, 1.0F, count);
    context.compute.finish(); // before the lists of tokens are released
    return loss;
}

double OutputTail::softmax(const Rows &rows, std::int64_t first, std::int64_t count, const TailTokens &tokens,
                           const Context &context) const
{
    const std::int64_t words = m_tail.words();
    const std::int64_t width = m_tail.width;
    const kernels::TableShard table{0, words, width};
    const std::int32_t *const labels = rows.words.data() + first;
    const Values in = rows.narrow + first * width;
    const Values logits = context.at(PassValue::Exponentials, simulate::kVocabularyStage, tokens.microbatch);
    SoftmaxStatistics statistics(context.memory.at(PassValue::LocalStatistics, simulate::kVocabularyStage, tokens.microbatch),
                                 context.shape.vocabularyTokens());
    statistics.tokens = count;
    context.compute.multiply({.rows = count,
                              .columns = words,
                              .inner = width,
                              .a = {in, width},
                              .b = {m_table.weights(), width, Form::Transposed},
                              .c = logits,
                              .stride = words});
    context.compute.localSoftmax(statistics.maximum, statistics.sum, statistics.target, {logits, count, words, 0, words},
                                 labels);
    const double loss = context.compute.lossSum(statistics, std::clamp<std::int64_t>(rows.counted - first, 0, count));
    if (tokens.gradient == nullptr)
        return loss;
    const float weight = context.shape.labelWeight();
    context.compute.tokenFactors(rows.factors, statistics, statistics, weight);
    const Values gradient = rows.gradient + first * width;
    context.compute.multiply({.rows = count,
                              .columns = width,
                              .inner = words,
                              .a = {logits, words},
                              .b = {m_table.weights(), width},
                              .c = gradient,
                              .stride = width});
    context.compute.scaleRows(gradient, gradient, rows.factors, m_table.weights(), table, labels, weight, count);
    context.compute.scaleRows(rows.scaled, in, rows.factors, {}, table, labels, 0, count);
    context.compute.multiply({.rows = words,
                              .columns = width,
                              .inner = count,
                              .a = {logits, words, Form::Transposed},
                              .b = {rows.scaled, width},
                              .c = m_table.gradient.data(),
                              .stride = width,
                              .beta = 1});
    context.compute.scatterAddRows(m_table.gradient.data(), table, labels, in, -weight, count);
    return loss;
}

std::vector<std::int32_t> headRows(std::span<const std::int32_t> words, const model::ModelConfig &model)
{
    const std::vector<model::VocabularyTail> tails = model.tails();
    std::vector<std::int32_t> rows(words.begin(), words.end());
    for (std::int32_t &row : rows)
        if (const auto tail =
                std::ranges::find_if(tails, [row](const auto &each) { return row >= each.first && row < each.end; });
            tail != tails.end())
            row = model.adaptiveCutoffs.front() + static_cast<std::int32_t>(tail - tails.begin());
    return rows;
}

} // namespace stagelens::runtime
