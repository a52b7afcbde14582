#include "engine/runtime/executor/output/output_heads.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime {
namespace {

/// Calls `visit(first token, its position, tokens)` for the runs of tokens of which every head has a label, and for each other
/// token. The labels of a token are its first ones.
template <class Visit>
void eachLabelled(const layout::Interval &tokens, const Context &context, const Visit &visit)
{
    const Shape &shape = context.shape;
    const std::int64_t ofAll = shape.wholeSequence() - shape.outputHeads + 1; // positions with all labels
    shape.eachRun(context.contextRank, tokens, [&](std::int64_t row, std::int64_t position, std::int64_t rows) {
        const std::int64_t full = std::clamp<std::int64_t>(ofAll - position, 0, rows);
        if (full > 0)
            visit(row, full, shape.outputHeads);
        for (std::int64_t i = full; i < rows; ++i)
            visit(row + i, std::int64_t{1}, shape.wholeSequence() - position - i);
    });
}

} // namespace

std::vector<std::int32_t> headLabels(std::span<const std::int32_t> next, std::int64_t sequence, std::int64_t heads)
{
    std::vector<std::int32_t> labels;
    labels.reserve(next.size() * size(heads));
    for (std::int64_t token = 0; token < std::ssize(next); ++token)
        for (std::int64_t head = 0; head < heads; ++head)
            labels.push_back(token % sequence + head < sequence ? next[size(token + head)] : 0);
    return labels;
}

void clearUnlabelled(Values rows, std::int64_t first, std::int64_t tokens, const Context &context)
{
    const Shape &shape = context.shape;
    eachLabelled({first, first + tokens}, context, [&](std::int64_t token, std::int64_t count, std::int64_t labels) {
        if (count == 1 && labels < shape.outputHeads)
            context.compute.zero(rows + ((token - first) * shape.outputHeads + labels) * shape.tableWidth,
                                 (shape.outputHeads - labels) * shape.tableWidth);
    });
}

double lossOfHeads(const kernels::SoftmaxStatistics &all, std::int64_t first, std::int64_t counted, const Context &context)
{
    const Shape &shape = context.shape;
    std::int64_t unlabelled = 0;
    const layout::Interval tokens{first, first + shape.vocabularyTokens()};
    eachLabelled(tokens, context, [&](std::int64_t token, std::int64_t count, std::int64_t labels) {
        unlabelled += std::clamp<std::int64_t>(first + counted - token, 0, count) * (shape.outputHeads - labels);
    });
    // Rows of zeros give every word the same probability.
    return context.compute.lossSum(all, counted * shape.outputHeads) -
           static_cast<double>(unlabelled) * std::log(static_cast<double>(shape.vocabulary));
}

} // namespace stagelens::runtime
