// The time and bytes of a rank's exchanges in a layer with tensor, context and expert ranks.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/operators/block.h"
#include "engine/operators/partition.h"
#include "engine/operators/recipe.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/costs/leg.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace stagelens::simulate {

/// The exchanges of the operators of one layer for one microbatch. Its arguments must outlive it.
class LayerExchanges {
public:
    /// `tokens`: of a microbatch on a rank. `expertLoad`: rows of the busiest expert rank, relative to the mean. `attention`:
    /// seconds of the forward's attention, beside which a ring sends keys.
    LayerExchanges(const model::Experiment &experiment, const model::Hardware &hardware, const operators::Block &block,
                   double tokens, double expertLoad, double attention);

    /// The ranks that exchange.
    enum class Among : unsigned char { Tensor, Context, Experts };
    /// Returns the sum over the operators of a half, including recomputation. Caches it, because the stages of a plan share it.
    [[nodiscard]] ExchangeCost sum(PassHalf half, bool isSplit, Rebuilds rebuilds, Among among) const;
    /// Returns the cost of an exchange among the tensor ranks of a tensor with `bytes` in all.
    [[nodiscard]] ExchangeCost amongTensorRanks(GroupCollective collective, double bytes) const;
    /// Appends the exchanges of an operator in a half.
    void append(std::vector<Leg> &legs, std::size_t op, PassHalf half, bool isSplit) const;
    /// Returns whether the backward repeats the forward's exchange of an operator.
    [[nodiscard]] bool repeats(const operators::Operator &op, Rebuilds rebuilds) const;

private:
    [[nodiscard]] ExchangeCost computedSum(PassHalf half, bool isSplit, Rebuilds rebuilds, Among among) const;
    /// Appends an all-gather, reduce-scatter or all-reduce of a value among the tensor ranks.
    void appendOfTensor(std::vector<Leg> &legs, std::size_t op, operators::Exchange kind, operators::ValueId value) const;
    /// Append the exchange of how many tokens chose each expert, and of the gates by which experts drop rows.
    void appendChoices(std::vector<Leg> &legs, std::size_t index) const;
    void appendDrops(std::vector<Leg> &legs, std::size_t index) const;
    /// Appends an all-gather among the context ranks, or also the tensor ranks if they route different tokens.
    void appendOfRouters(std::vector<Leg> &legs, std::size_t index, std::string_view name, double allBytes) const;
    /// Appends a collective of keys and values among the context ranks.
    void appendOfKeys(std::vector<Leg> &legs, std::size_t op, GroupCollective collective, operators::ValueId keys) const;
    /// Appends the time by which the messages of a ring exceed the attention that runs beside them.
    void appendRing(std::vector<Leg> &legs, std::size_t op, PassHalf half) const;
    /// Appends an exchange of tokens for heads.
    void appendHeads(std::vector<Leg> &legs, std::size_t op) const;
    /// Appends the all-to-all of an operator among expert ranks. If tokens are sent once to each node, its bytes are those that
    /// leave the node, or the rank if all experts are on one node.
    void appendExperts(std::vector<Leg> &legs, std::size_t op, PassHalf half) const;
    /// Returns the seconds of a message to the next context rank.
    [[nodiscard]] double hopSeconds(double bytes) const;
    /// Returns the bytes of the keys and values of the rank's tokens.
    [[nodiscard]] double keyBytes(operators::ValueId keys) const;
    [[nodiscard]] bool isRing() const { return m_split.contextMethod == model::ContextMethod::Ring; }

    const model::Experiment &m_experiment;
    const model::Hardware &m_hardware;
    const operators::Block &m_block;
    operators::TensorSplit m_split;
    layout::NodeSpan m_span;        ///< of the tensor ranks
    layout::NodeSpan m_contextSpan; ///< of the context ranks
    layout::NodeSpan m_expertSpan;  ///< of the expert ranks
    double m_tokens;
    double m_expertLoad;
    double m_attention;
    static constexpr std::size_t kAmong = 3;
    mutable std::array<std::optional<ExchangeCost>, 2 * kPassHalves * kRebuilds * kAmong> m_sums; // one thread uses an object
};

} // namespace stagelens::simulate
