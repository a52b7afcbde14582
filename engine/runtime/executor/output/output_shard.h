// The rows of the output projection on one device, and the softmax cross-entropy over them (arXiv 2411.05288, section 4).
// Without vocabulary parallelism the shard is the whole vocabulary, and its local statistics are the global ones.
#pragma once

#include "engine/runtime/layers/context.h"
#include "engine/runtime/state/parameters.h"

#include <cstdint>

namespace stagelens::runtime {

/// The label of every token, in the device's memory.
using Labels = const std::int32_t *;

/// Tokens of a microbatch that the output layer computes at a time: all, or a part of them. The exponentials of a part are in
/// the first rows of their buffer; other tensors have rows for all tokens.
struct TokenPart {
    int microbatch = 0;
    std::int64_t first = 0;
    std::int64_t tokens = 0;
};

/// The forward and backward of the output layer. Between S and T the memory plan keeps X, the statistics and E = exp(logit -
/// maximum of the shard) of each microbatch. E is never normalised to the softmax: the factor of a row is applied to the rows
/// of E W, and to X before E^T X, which are V / (p h) times smaller. The -1 of the label is not added to the matrix either
/// (resources/docs/vocabulary). So E is written once and read by two products.
class OutputShard {
public:
    explicit OutputShard(Parameter &weight) : m_weight(weight) {}

    // One function for each vocabulary step of a recipe (schedule::PassStepKind), on the planned tensors of a microbatch.
    // `rows` and `all` are of all of its tokens, and `labels` too.
    void logits(const TokenPart &part, const Context &context) const;
    void localSoftmax(const TokenPart &part, Labels labels, const Context &context) const;
    void rowMaxima(const TokenPart &part, Labels labels, const Context &context) const;
    void exponentiate(const TokenPart &part, const Context &context) const;
    /// As exponentiate(), with statistics that stay as they are.
    void rebuildExponentials(const TokenPart &part, const Context &context) const;
    /// Computes rows [b s, h] = E W.
    void weighRows(Values rows, const TokenPart &part, const Context &context) const;
    void labelRows(Values rows, const TokenPart &part, Labels labels, const Context &context) const;
    /// With D = (softmax - one-hot) u: replaces E W by D W, this shard's part of the gradient of X.
    void scaleRows(Values rows, const TokenPart &part, const kernels::SoftmaxStatistics &all, Labels labels,
                   const Context &context) const;
    /// Adds D^T X to the gradient of the weight: E^T (factor u X), then -u x for each local label in token order.
    void addWeightGradient(const TokenPart &part, const kernels::SoftmaxStatistics &all, Labels labels,
                           const Context &context) const;

    // What other computations of the output layer read too.
    [[nodiscard]] const Parameter &weight() const { return m_weight; }
    [[nodiscard]] kernels::TableShard tableShard() const { return {m_weight.held.rows.begin, m_weight.rows, m_weight.columns}; }
    [[nodiscard]] backend::Buffer &gradient() const
    {
        return m_weight.outputGradient.size() > 0 ? m_weight.outputGradient : m_weight.gradient;
    }
    /// Returns X of the tokens of a part.
    [[nodiscard]] static ConstValues inputOf(const TokenPart &part, const Context &context);
    /// Returns the statistics of this shard for the tokens of a part.
    [[nodiscard]] static kernels::SoftmaxStatistics statistics(const TokenPart &part, const Context &context);
    /// Returns the factors from a row of E to u times the softmax over the whole vocabulary, in the first scratch tensor. It
    /// has room for those of all tokens, which a GPU computes.
    [[nodiscard]] static const float *factors(const TokenPart &part, const kernels::SoftmaxStatistics &all,
                                              const Context &context);

private:
    [[nodiscard]] backend::LogitShard logitShard(const TokenPart &part, const Context &context) const;

    Parameter &m_weight;
};

} // namespace stagelens::runtime
