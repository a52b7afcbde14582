// A device's rows of the output projection, and the softmax cross-entropy over them (arXiv 2411.05288, section 4). Without
// vocabulary parallelism the shard is the whole vocabulary and its local statistics are the global ones.
#pragma once

#include "engine/backend/transport.h"
#include "engine/runtime/executor/context.h"
#include "engine/runtime/state/parameters.h"

#include <cstdint>

namespace stagelens::runtime {

/// Of every token, in the device's memory.
using Labels = const std::int32_t *;

/// Two [b s, h] tensors that the one barrier of VOCAB-2 combines.
struct WeightedRows {
    backend::Tensor exponentials; ///< E W
    backend::Tensor targets;      ///< rows of W of the local labels, zeros elsewhere
};

/// Between S and T the memory plan keeps each microbatch's X, statistics and E = exp(logit - the shard's maximum). E never
/// becomes the softmax: the factor of a row is applied to the rows of E W, and to X before E^T X, which are V / (p h) times
/// smaller; the label's -1 never enters the matrix either (resources/docs/vocabulary). So after its making E is read by two
/// products and nothing else.
class OutputShard {
public:
    explicit OutputShard(Parameter &weight) : m_weight(weight) {}

    /// E, and the local statistics, from X.
    void project(int microbatch, Labels labels, const Context &context) const;
    /// VOCAB-2, after project(): the products that X's gradient is made of.
    [[nodiscard]] WeightedRows weigh(int microbatch, Labels labels, const Context &context) const;
    /// Naive S: logits and local maxima. Naive U, when the global ones have taken their place: exponentials and their sums.
    void projectMaxima(int microbatch, Labels labels, const Context &context) const;
    void exponentiate(int microbatch, const Context &context) const;
    /// Where the shard's statistics lie.
    [[nodiscard]] static kernels::SoftmaxStatistics statistics(int microbatch, const Context &context);

    /// With D = (softmax - one-hot) u: adds D^T X to the weight's gradient and answers D W, this shard's part of X's gradient.
    [[nodiscard]] backend::Tensor differentiate(int microbatch, const kernels::SoftmaxStatistics &all, Labels labels,
                                                const Context &context) const;
    /// D^T X alone, T of VOCAB-2: E^T (factor u X), then -u x for each local label in token order.
    void differentiateWeight(int microbatch, const kernels::SoftmaxStatistics &all, Labels labels,
                             const Context &context) const;

private:
    void makeLogits(int microbatch, const Context &context) const;
    [[nodiscard]] backend::LogitShard logitShard(int microbatch, const Context &context) const;
    [[nodiscard]] kernels::TableShard tableShard() const { return {m_weight.firstRow, m_weight.rows, m_weight.columns}; }
    /// From a row of E to u times the softmax over the whole vocabulary, in the wide workspace.
    [[nodiscard]] static const float *factors(int microbatch, const kernels::SoftmaxStatistics &all, const Context &context);
    /// E W
    [[nodiscard]] backend::Tensor weighted(int microbatch, const Context &context) const;
    [[nodiscard]] backend::Buffer &gradient() const
    {
        return m_weight.outputGradient.size() > 0 ? m_weight.outputGradient : m_weight.gradient;
    }

    Parameter &m_weight;
};

} // namespace stagelens::runtime
