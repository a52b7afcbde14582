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
using simulate::MemoryCategory;

Tensor makeTensor(const Context &context, std::int64_t floats)
{
    return std::make_shared<backend::Buffer>(context.pool.take(size(floats), category(MemoryCategory::Communication)));
}

Tensor copyOf(const Context &context, std::span<const float> values)
{
    Tensor tensor = makeTensor(context, static_cast<std::int64_t>(values.size()));
    std::copy(values.begin(), values.end(), tensor->data());
    return tensor;
}

} // namespace

double SoftmaxStatistics::loss() const
{
    double total = 0;
    for (std::size_t i = 0; i < sum.size(); ++i)
        total += std::log(static_cast<double>(sum[i])) + static_cast<double>(maximum[i]) - static_cast<double>(target[i]);
    return total;
}

std::vector<float> combineMaxima(const std::vector<Tensor> &parts, std::int64_t tokens)
{
    std::vector<float> maximum(parts.front()->data(), parts.front()->data() + tokens);
    for (const Tensor &part : parts)
        for (std::size_t i = 0; i < maximum.size(); ++i)
            maximum[i] = std::max(maximum[i], part->data()[i]);
    return maximum;
}

SoftmaxStatistics combineShards(const std::vector<Tensor> &parts, std::int64_t tokens)
{
    const std::size_t count = size(tokens);
    SoftmaxStatistics all{combineMaxima(parts, tokens), std::vector<float>(count), std::vector<float>(count)};
    for (const Tensor &part : parts) {
        const float *maximum = part->data();
        for (std::size_t i = 0; i < count; ++i) {
            all.sum[i] += maximum[count + i] * std::exp(maximum[i] - all.maximum[i]);
            all.target[i] += maximum[2 * count + i];
        }
    }
    return all;
}

SoftmaxStatistics combineSums(std::vector<float> maximum, const std::vector<Tensor> &parts)
{
    const std::size_t count = maximum.size();
    SoftmaxStatistics all{std::move(maximum), std::vector<float>(count), std::vector<float>(count)};
    for (const Tensor &part : parts) {
        kernels::add(all.sum.data(), part->data(), static_cast<std::int64_t>(count));
        kernels::add(all.target.data(), part->data() + count, static_cast<std::int64_t>(count));
    }
    return all;
}

std::vector<std::vector<float>> shardFactors(const std::vector<Tensor> &parts, const SoftmaxStatistics &all)
{
    const std::size_t count = all.sum.size();
    std::vector<std::vector<float>> factors(parts.size(), std::vector<float>(count));
    for (std::size_t shard = 0; shard < parts.size(); ++shard) {
        const float *maximum = parts[shard]->data();
        for (std::size_t i = 0; i < count; ++i)
            factors[shard][i] = std::exp(maximum[i] - all.maximum[i]) / all.sum[i];
    }
    return factors;
}

kernels::LogitShard OutputShard::logitShard(InFlight &state, const Shape &shape) const
{
    return {state.logits.data(), shape.tokens(), m_weight.rows, m_weight.firstRow};
}

OutputShard::InFlight &OutputShard::begin(int microbatch, Tensor x, const Context &context)
{
    const Shape &shape = context.shape;
    const std::int64_t tokens = shape.tokens();
    InFlight &state = m_inFlight[microbatch];
    state.x = std::move(x);
    state.logits = context.pool.take(size(tokens * m_weight.rows), category(MemoryCategory::Vocabulary));
    state.statistics = context.pool.take(size(3 * tokens), category(MemoryCategory::Vocabulary));
    kernels::multiply({.rows = tokens,
                       .columns = m_weight.rows,
                       .inner = shape.hidden,
                       .a = {state.x->data(), shape.hidden},
                       .b = {m_weight.value.data(), shape.hidden, Form::Transposed},
                       .c = state.logits.data(),
                       .stride = m_weight.rows},
                      context.interrupt);
    return state;
}

Tensor OutputShard::project(int microbatch, Tensor x, Labels labels, const Context &context)
{
    InFlight &state = begin(microbatch, std::move(x), context);
    const std::int64_t tokens = context.shape.tokens();
    float *statistics = state.statistics.data();
    kernels::localSoftmax(statistics, statistics + tokens, statistics + 2 * tokens, logitShard(state, context.shape),
                          labels.data(), context.interrupt);
    return copyOf(context, state.statistics.values());
}

WeightedRows OutputShard::weigh(int microbatch, Labels labels, const Context &context)
{
    const Shape &shape = context.shape;
    WeightedRows rows{.exponentials = weighted(m_inFlight.at(microbatch), context),
                      .targets = makeTensor(context, shape.boundary())};
    kernels::gatherRows(rows.targets->data(), m_weight.value.data(), tableShard(), labels.data(), shape.tokens());
    return rows;
}

Tensor OutputShard::projectMaxima(int microbatch, Tensor x, Labels labels, const Context &context)
{
    InFlight &state = begin(microbatch, std::move(x), context);
    const std::int64_t tokens = context.shape.tokens();
    float *statistics = state.statistics.data();
    kernels::rowMaxima(statistics, statistics + 2 * tokens, logitShard(state, context.shape), labels.data(), context.interrupt);
    return copyOf(context, state.statistics.values().first(size(tokens)));
}

Tensor OutputShard::exponentiate(int microbatch, const std::vector<float> &maximum, const Context &context)
{
    InFlight &state = m_inFlight.at(microbatch);
    float *statistics = state.statistics.data();
    std::copy(maximum.begin(), maximum.end(), statistics);
    kernels::exponentiate(statistics + maximum.size(), statistics, logitShard(state, context.shape), context.interrupt);
    return copyOf(context, state.statistics.values().subspan(maximum.size()));
}

Tensor OutputShard::differentiate(int microbatch, const SoftmaxStatistics &all, Labels labels, const Context &context)
{
    const std::int64_t hidden = context.shape.hidden;
    InFlight &state = m_inFlight.at(microbatch);
    Tensor xGradient = weighted(state, context);
    for (std::int64_t i = 0; i < context.shape.tokens(); ++i) {
        float *row = xGradient->data() + i * hidden;
        kernels::scale(row, row, factorOf(state, all, i, context.shape), hidden);
        if (const std::int64_t own = logitShard(state, context.shape).local(labels[size(i)]); own >= 0)
            kernels::addScaled(row, m_weight.value.data() + own * hidden, -context.shape.tokenWeight(), hidden);
    }
    differentiateWeight(microbatch, all, labels, context);
    return xGradient;
}

void OutputShard::differentiateWeight(int microbatch, const SoftmaxStatistics &all, Labels labels, const Context &context)
{
    const Shape &shape = context.shape;
    const std::int64_t tokens = shape.tokens();
    InFlight &state = m_inFlight.at(microbatch);
    float *scaled = context.workspace.narrow.data();
    for (std::int64_t i = 0; i < tokens; ++i)
        kernels::scale(scaled + i * shape.hidden, state.x->data() + i * shape.hidden, factorOf(state, all, i, shape),
                       shape.hidden);
    kernels::multiply({.rows = m_weight.rows,
                       .columns = shape.hidden,
                       .inner = tokens,
                       .a = {state.logits.data(), m_weight.rows, Form::Transposed},
                       .b = {scaled, shape.hidden},
                       .c = gradient().data(),
                       .stride = shape.hidden,
                       .beta = 1},
                      context.interrupt);
    kernels::scatterAddRows(gradient().data(), tableShard(), labels.data(), state.x->data(), -shape.tokenWeight(), tokens);
    m_inFlight.erase(microbatch);
}

Tensor OutputShard::weighted(InFlight &state, const Context &context) const
{
    const Shape &shape = context.shape;
    Tensor rows = makeTensor(context, shape.boundary());
    kernels::multiply({.rows = shape.tokens(),
                       .columns = shape.hidden,
                       .inner = m_weight.rows,
                       .a = {state.logits.data(), m_weight.rows},
                       .b = {m_weight.value.data(), shape.hidden},
                       .c = rows->data(),
                       .stride = shape.hidden},
                      context.interrupt);
    return rows;
}

float OutputShard::factorOf(const InFlight &state, const SoftmaxStatistics &all, std::int64_t token, const Shape &shape)
{
    const std::size_t i = size(token);
    return std::exp(state.statistics.data()[i] - all.maximum[i]) / all.sum[i] * shape.tokenWeight();
}

} // namespace stagelens::runtime
