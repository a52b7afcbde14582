// The time of a layer by operator, from FLOPs, bytes and a hardware preset.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/layer_exchanges.h"
#include "engine/simulate/costs/leg.h"
#include "engine/simulate/costs/traffic.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace stagelens::simulate {

/// Returns whether the products of layers are computed in 8 bits. This machine only emulates them.
[[nodiscard]] bool computesIn8Bits(const model::Experiment &experiment, const model::Hardware &hardware);
/// Returns the peak of a device in those products, which is the denominator of MFU.
[[nodiscard]] double peakFlops(const model::Experiment &experiment, const model::Hardware &hardware);

/// The time of one layer for one microbatch on one of the plan's tensor and context ranks.
class LayerCosts {
public:
    LayerCosts(const model::Experiment &experiment, const model::Hardware &hardware);
    /// Uses a layer with or without experts.
    LayerCosts(const model::Experiment &experiment, const model::Hardware &hardware, bool hasExperts);
    LayerCosts(const LayerCosts &) = delete; // m_exchanges refers to m_block
    LayerCosts &operator=(const LayerCosts &) = delete;
    ~LayerCosts() = default;

    /// Returns the seconds of one half without exchanges; recomputation counts in the input-gradient half. A half takes at
    /// least as long as the host needs to launch its kernels in the usual frameworks.
    [[nodiscard]] double seconds(PassHalf half, Rebuilds rebuilds) const;
    /// Returns the part of seconds() that grows with the square of the sequence's length.
    [[nodiscard]] double quadraticSeconds(PassHalf half, Rebuilds rebuilds) const;
    /// Returns the exchanges among tensor or context ranks in a half, during which the rank computes nothing. `isSplit`: the
    /// weight gradient is a separate pass, which gathers again what the whole backward has gathered.
    [[nodiscard]] ExchangeCost tensorExchanges(PassHalf half, bool isSplit, Rebuilds rebuilds) const
    {
        return m_exchanges.sum(half, isSplit, rebuilds, LayerExchanges::Among::Tensor);
    }
    [[nodiscard]] ExchangeCost contextExchanges(PassHalf half, Rebuilds rebuilds) const
    {
        return m_exchanges.sum(half, false, rebuilds, LayerExchanges::Among::Context);
    }
    /// Returns the all-to-alls of rows of tokens. The rank with the most rows takes the longest, and the others wait for it.
    [[nodiscard]] ExchangeCost expertExchanges(PassHalf half, Rebuilds rebuilds) const
    {
        return m_exchanges.sum(half, false, rebuilds, LayerExchanges::Among::Experts);
    }
    /// Returns the operators and exchanges of one half in the order of execution, recomputation first. Their seconds add up to
    /// those of the functions above.
    [[nodiscard]] std::vector<Leg> legs(PassHalf half, bool isSplit, Rebuilds rebuilds) const;
    /// Returns the share of all-to-alls that a concurrent forward and backward hide: those of one overlap with the compute of
    /// the other. 0 without expert ranks.
    [[nodiscard]] double hiddenInPairs(Rebuilds rebuilds) const;
    /// Returns the cost of an exchange among the tensor ranks of a tensor with `bytes` in all.
    [[nodiscard]] ExchangeCost exchange(GroupCollective collective, double bytes) const
    {
        return m_exchanges.amongTensorRanks(collective, bytes);
    }
    [[nodiscard]] const operators::TensorSplit &split() const { return m_split; }

    /// Returns the seconds of a matrix product with this smallest dimension, in the precision of activations.
    [[nodiscard]] double matrixSeconds(double flops, double smallestDimension) const;
    [[nodiscard]] double memorySeconds(double bytes) const { return bytes / m_hardware.memoryBytesPerSecond; }

private:
    /// Seconds of the forward by kind of work.
    struct Work {
        double matrix = 0;
        double attention = 0;
        double elementwise = 0;
        double gated = 0;         ///< of routed rows
        double scores = 0;        ///< of materialised attention
        double casts = 0;         ///< to 8 bits, of what products read
        double gradientCasts = 0; ///< of gradients, in the backward
        [[nodiscard]] double sum() const { return matrix + attention + elementwise + gated + scores + casts; }
    };
    [[nodiscard]] Work seconds(const operators::OperatorWork &work, double smallest) const;
    [[nodiscard]] double castSeconds(double numbers) const;
    /// Returns the FLOPs of an operator in a half.
    [[nodiscard]] double flopsOf(const operators::Operator &op, PassHalf half) const;
    /// Returns the seconds of the forward of an operator.
    [[nodiscard]] Work secondsOf(const operators::Operator &op) const;
    [[nodiscard]] Work secondsOfAll() const;
    /// Returns whether the weight gradient of an operator is computed with its input gradient, because only then the rank has
    /// the gradient of the rows that it returned.
    [[nodiscard]] bool isWeighedEarly(const operators::Operator &op) const;
    [[nodiscard]] double unfloored(PassHalf half, Rebuilds rebuilds) const;
    [[nodiscard]] double summedSeconds(PassHalf half, Rebuilds rebuilds) const;
    /// Returns whether the backward computes an operator again.
    [[nodiscard]] bool isAgain(const operators::Operator &op, Rebuilds rebuilds) const;
    /// Returns the seconds of the input-gradient half of work whose forward takes `forward`, without recomputation.
    [[nodiscard]] double inputGradient(const Work &forward) const;
    [[nodiscard]] int kernels(PassHalf half, Rebuilds rebuilds) const;
    /// Returns the seconds of a half whose kernels follow each other without gaps.
    [[nodiscard]] double withoutGaps(PassHalf half, Rebuilds rebuilds) const;
    [[nodiscard]] double gapSeconds(int kernels) const;

    const model::Experiment &m_experiment;
    const model::Hardware &m_hardware;
    const Traffic &m_traffic;
    operators::TensorSplit m_split;
    operators::Block m_block;
    double m_tokens;
    double m_expertLoad; ///< rows of the busiest expert rank, relative to the mean
    bool m_isOf8Bits;    ///< products of layers read 8 bits
    Work m_layer;        ///< the forward of all operators
    LayerExchanges m_exchanges;
    mutable std::array<std::optional<double>, kPassHalves * kRebuilds> m_unfloored; // one thread uses an object
};

} // namespace stagelens::simulate
