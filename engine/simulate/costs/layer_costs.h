// The time of a layer by operator, from FLOPs, bytes and a hardware preset.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/collective_costs.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// Bytes that memory-bound work moves, per byte or element of its tensor. The values for GPUs were fitted to the published pass
/// times of 8 x A100 and iteration times of 8 and 32 x A100 (arXiv 2411.05288, table 5), together with the preset a100-80gb:
/// changing one requires refitting the other.
struct Traffic {
    double residual;   ///< norms and residual additions, per ten bytes that they read and write: a byte of a layer's [b s, h]
    double activation; ///< activation function, per two bytes that it reads and writes: a byte of a GPT's [b s, ffn]
    double backward;   ///< elementwise work of a layer's backward, relative to its forward
    double scoresForward; ///< traversals of the scores [b a, s, s] of materialised attention
    double scoresBackward;
    double shardCopies;    ///< X and dX of S and of T, each per byte of [b s, h]
    double logitsForward;  ///< softmax statistics and softmax, bytes a logit
    double logitsBackward; ///< gradient of the logits, bytes a logit
    double lookUp;         ///< embedding's forward, per byte of [b s, h]
    double scatter;        ///< embedding's backward, per byte of [b s, h]
    double denseGradient;  ///< its dense gradient, per byte of the shard's matrix
    double collective;     ///< bytes an element of [b s, h] in a collective; 0: the compute type's
    double contention;     ///< share of a collective's time by which it slows concurrent passes
};
/// Returns the traffic of the usual framework kernels, or of the project's CPU engine if the devices share one memory.
[[nodiscard]] const Traffic &trafficOf(const model::Hardware &hardware);
/// Name of the link between devices that share one memory.
inline constexpr std::string_view kHostLink = "host";

/// Seconds of one operator in a half of a pass, for one layer.
struct Leg {
    std::size_t op = 0; ///< index in Block::operators
    std::string name;   ///< the values that the operator writes: "norm1", "gate, up"; of an exchange "all-gather norm1"
    double seconds = 0;
    bool isRecomputed = false;
    bool isExchange = false; ///< among the tensor or context ranks
    double bytes = 0;        ///< of an exchange: that a rank sends
    bool isContext = false;  ///< of an exchange: among the context ranks
    bool isExpert = false;   ///< of an exchange: among the expert ranks
};
/// What exchanges take in all.
struct ExchangeCost {
    double seconds = 0;
    double bytes = 0; ///< that a rank sends
    friend ExchangeCost operator+(const ExchangeCost &one, const ExchangeCost &other)
    {
        return {one.seconds + other.seconds, one.bytes + other.bytes};
    }
    friend ExchangeCost operator*(int layers, const ExchangeCost &one) { return {layers * one.seconds, layers * one.bytes}; }
};

/// The parts of a pass's work.
enum class PassHalf : unsigned char { Forward, InputGradient, WeightGradient };

/// What the backward of a layer computes again: the operators that the plan's policy and modules name, or all of them.
enum class Rebuilds : unsigned char { Nothing, Operators, Layer };

/// The time of one layer for one microbatch on one of the plan's tensor and context ranks.
class LayerCosts {
public:
    LayerCosts(const model::Experiment &experiment, const model::Hardware &hardware);
    /// Of a layer that has, or has not, experts.
    LayerCosts(const model::Experiment &experiment, const model::Hardware &hardware, bool hasExperts);

    /// Returns the seconds of one half without exchanges; recomputation counts in the input-gradient half. A half lasts at
    /// least as long as the host needs to launch the kernels that the usual frameworks launch for it.
    [[nodiscard]] double seconds(PassHalf half, Rebuilds rebuilds) const;
    /// Returns the part of seconds() that grows with the square of the sequence's length.
    [[nodiscard]] double quadraticSeconds(PassHalf half, Rebuilds rebuilds) const;
    /// Returns the exchanges among tensor or context ranks in a half, during which the rank computes nothing. `isSplit`: the
    /// weight gradient is a pass of its own, which gathers again what the whole backward has gathered.
    [[nodiscard]] ExchangeCost tensorExchanges(PassHalf half, bool isSplit, Rebuilds rebuilds) const
    {
        return exchanges(half, isSplit, rebuilds, Among::Tensor);
    }
    [[nodiscard]] ExchangeCost contextExchanges(PassHalf half, Rebuilds rebuilds) const
    {
        return exchanges(half, false, rebuilds, Among::Context);
    }
    /// Returns the all-to-alls of rows of tokens. The rank with the most rows takes the longest, and the others wait for it.
    [[nodiscard]] ExchangeCost expertExchanges(PassHalf half, Rebuilds rebuilds) const
    {
        return exchanges(half, false, rebuilds, Among::Experts);
    }
    /// Returns the operators and exchanges of one half in the order of execution, recomputation first. Their seconds add up to
    /// those of the functions above.
    [[nodiscard]] std::vector<Leg> legs(PassHalf half, bool isSplit, Rebuilds rebuilds) const;
    /// Returns the time of a forward and a backward of one layer that run at the same time, over that of both one after the
    /// other: all-to-alls of one run beside the compute of the other. 1 without expert ranks.
    [[nodiscard]] double pairScale(Rebuilds rebuilds) const;
    /// Returns the cost of an exchange among the tensor ranks of a tensor with `bytes` in all.
    [[nodiscard]] ExchangeCost exchange(GroupCollective collective, double bytes) const;
    [[nodiscard]] const operators::TensorSplit &split() const { return m_split; }

    /// Returns the seconds of a matrix product with this smallest dimension.
    [[nodiscard]] double matrixSeconds(double flops, double smallestDimension) const;
    [[nodiscard]] double memorySeconds(double bytes) const { return bytes / m_hardware.memoryBytesPerSecond; }

private:
    /// Seconds of the forward by kind of work.
    struct Work {
        double matrix = 0;
        double attention = 0;
        double elementwise = 0;
        double scores = 0; ///< of materialised attention
        [[nodiscard]] double sum() const { return matrix + attention + elementwise + scores; }
    };
    [[nodiscard]] Work seconds(const operators::OperatorWork &work, double smallest) const;
    /// Returns the seconds of the forward of an operator.
    [[nodiscard]] Work secondsOf(const operators::Operator &op) const;
    [[nodiscard]] Work secondsOfAll() const;
    /// Whose exchanges.
    enum class Among : unsigned char { Tensor, Context, Experts };
    /// The first answer to each question is kept: the stages of a plan ask the same.
    [[nodiscard]] ExchangeCost exchanges(PassHalf half, bool isSplit, Rebuilds rebuilds, Among among) const;
    [[nodiscard]] ExchangeCost summedExchanges(PassHalf half, bool isSplit, Rebuilds rebuilds, Among among) const;
    /// Appends the all-to-all of an operator in a half.
    void appendAllToAll(std::vector<Leg> &legs, std::size_t op, PassHalf half) const;
    /// Returns whether the weight gradient of an operator is computed with its input gradient, because only then the rank has
    /// the gradient of the rows that it returned.
    [[nodiscard]] bool isWeighedEarly(const operators::Operator &op) const;
    /// Appends the exchanges of an operator in a half.
    void appendExchanges(std::vector<Leg> &legs, std::size_t op, PassHalf half, bool isSplit) const;
    /// Appends what the messages of a ring take longer than the attention that runs beside them.
    void appendRing(std::vector<Leg> &legs, std::size_t op, PassHalf half) const;
    /// Appends an exchange of tokens for heads.
    void appendAllToAll(std::vector<Leg> &legs, std::size_t op) const;
    /// Returns the seconds of a message to the next context rank.
    [[nodiscard]] double hopSeconds(double bytes) const;
    /// Returns the bytes of the keys and values of the rank's tokens.
    [[nodiscard]] double keyBytes(operators::ValueId keys) const;
    [[nodiscard]] bool isRing() const { return m_split.contextMethod == model::ContextMethod::Ring; }
    [[nodiscard]] double unfloored(PassHalf half, Rebuilds rebuilds) const;
    [[nodiscard]] double summedSeconds(PassHalf half, Rebuilds rebuilds) const;
    /// Returns whether the backward computes an operator again.
    [[nodiscard]] bool isAgain(const operators::Operator &op, Rebuilds rebuilds) const;
    /// Returns whether the backward repeats the forward's exchange of an operator.
    [[nodiscard]] bool exchangesAgain(const operators::Operator &op, Rebuilds rebuilds) const;
    /// Returns the seconds of the input-gradient half of work whose forward takes `forward`, without recomputation.
    [[nodiscard]] double inputGradient(const Work &forward) const;
    [[nodiscard]] int kernels(PassHalf half, Rebuilds rebuilds) const;

    const model::Experiment &m_experiment;
    const model::Hardware &m_hardware;
    const Traffic &m_traffic;
    operators::TensorSplit m_split;
    layout::NodeSpan m_span;        ///< of the tensor ranks
    layout::NodeSpan m_contextSpan; ///< of the context ranks
    operators::Block m_block;
    double m_tokens;
    layout::NodeSpan m_expertSpan;             ///< of the expert ranks
    double m_expertLoad;                       ///< rows of the busiest expert rank, relative to the mean
    Work m_layer;                              ///< the forward of all operators
    static constexpr std::size_t kChoices = 3; ///< of PassHalf, Rebuilds and Among each
    mutable std::array<std::optional<double>, kChoices * kChoices> m_unfloored; // one thread uses an object
    mutable std::array<std::optional<ExchangeCost>, 2 * kChoices * kChoices * kChoices> m_exchanges;
};

} // namespace stagelens::simulate
