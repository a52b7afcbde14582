// A device's rows of the output projection, and the softmax cross-entropy over them (arXiv 2411.05288, section 4). Without
// vocabulary parallelism the shard is the whole vocabulary and its local statistics are the global ones.
#pragma once

#include "engine/backend/transport.h"
#include "engine/runtime/context.h"
#include "engine/runtime/parameters.h"
#include "kernels/include/embedding.h"
#include "kernels/include/softmax.h"

#include <map>
#include <span>
#include <vector>

namespace stagelens::runtime {

using Labels = std::span<const std::int32_t>;

/// Softmax statistics of every token over the whole vocabulary.
struct SoftmaxStatistics {
    std::vector<float> maximum;
    std::vector<float> sum; ///< of exp(logit - maximum)
    std::vector<float> target;
    /// Sum of the tokens' losses, log sum + maximum - target, in token order.
    [[nodiscard]] double loss() const;
};
/// From every shard's [maximum | sum | target], combined in rank order.
[[nodiscard]] SoftmaxStatistics combineShards(const std::vector<backend::Tensor> &parts, std::int64_t tokens);
/// Naive method: the greatest of the shards' maxima, and from every shard's [sum | target] the rest.
[[nodiscard]] std::vector<float> combineMaxima(const std::vector<backend::Tensor> &parts, std::int64_t tokens);
[[nodiscard]] SoftmaxStatistics combineSums(std::vector<float> maximum, const std::vector<backend::Tensor> &parts);
/// What each shard's exponentials must be multiplied with to be the softmax over the whole vocabulary, a vector a shard: alpha
/// of section 4.3 over the shard's own sum.
[[nodiscard]] std::vector<std::vector<float>> shardFactors(const std::vector<backend::Tensor> &parts,
                                                           const SoftmaxStatistics &all);

/// Two [b s, h] tensors that the one barrier of VOCAB-2 combines.
struct WeightedRows {
    backend::Tensor exponentials; ///< E W
    backend::Tensor targets;      ///< rows of W of the local labels, zeros elsewhere
};

/// Between S and T it keeps each microbatch's X, statistics and E = exp(logit - the shard's maximum). E never becomes the
/// softmax: the factor of a row is applied to the rows of E W, and to X before E^T X, which are V / (p h) times smaller; the
/// label's -1 never enters the matrix either (resources/docs/vocabulary). So after its making E is read by two products and
/// nothing else.
class OutputShard {
public:
    explicit OutputShard(Parameter &weight) : m_weight(weight) {}

    /// E, and the local statistics [maximum | sum | target].
    [[nodiscard]] backend::Tensor project(int microbatch, backend::Tensor x, Labels labels, const Context &context);
    /// VOCAB-2, after project(): the products that X's gradient is made of.
    [[nodiscard]] WeightedRows weigh(int microbatch, Labels labels, const Context &context);
    /// Naive S: logits and local maxima. Naive U: exponentials below the global maxima, and [sum | target].
    [[nodiscard]] backend::Tensor projectMaxima(int microbatch, backend::Tensor x, Labels labels, const Context &context);
    [[nodiscard]] backend::Tensor exponentiate(int microbatch, const std::vector<float> &maximum, const Context &context);

    /// With D = (softmax - one-hot) u: adds D^T X to the weight's gradient and answers D W, this shard's part of X's gradient.
    [[nodiscard]] backend::Tensor differentiate(int microbatch, const SoftmaxStatistics &all, Labels labels,
                                                const Context &context);
    /// D^T X alone, T of VOCAB-2: E^T (factor u X), then -u x for each local label in token order.
    void differentiateWeight(int microbatch, const SoftmaxStatistics &all, Labels labels, const Context &context);
    /// Forgets every microbatch in flight.
    void clear() { m_inFlight.clear(); }

private:
    struct InFlight {
        backend::Tensor x;
        backend::Buffer logits;
        backend::Buffer statistics; ///< [maximum | sum | target] of the shard
    };
    InFlight &begin(int microbatch, backend::Tensor x, const Context &context);
    [[nodiscard]] kernels::LogitShard logitShard(InFlight &state, const Shape &shape) const;
    [[nodiscard]] kernels::TableShard tableShard() const { return {m_weight.firstRow, m_weight.rows, m_weight.columns}; }
    /// E W
    [[nodiscard]] backend::Tensor weighted(InFlight &state, const Context &context) const;
    /// From a row of E to u times the softmax over the whole vocabulary.
    [[nodiscard]] static float factorOf(const InFlight &state, const SoftmaxStatistics &all, std::int64_t token,
                                        const Shape &shape);
    [[nodiscard]] backend::Buffer &gradient() const
    {
        return m_weight.outputGradient.size() > 0 ? m_weight.outputGradient : m_weight.gradient;
    }

    Parameter &m_weight;
    std::map<int, InFlight> m_inFlight; ///< by microbatch
};

} // namespace stagelens::runtime
