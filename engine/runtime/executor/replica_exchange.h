// What the ranks with the same weights, replicas and context ranks, exchange at the end of a step: the sums of their gradients,
// and the weights that each updated; or, if replicas train alone, the mean of their weights. With ZeRO in every microbatch they
// do so in each pass; shard groups then add their sums at the end of the step. "Replica" means any of them here.
#pragma once

#include "engine/backend/transport_group.h"
#include "engine/base/result.h"
#include "engine/layout/replica_cut.h"
#include "engine/runtime/executor/device_model.h"
#include "engine/runtime/layers/context.h"
#include "engine/runtime/layers/tensor_exchange.h"
#include "engine/timeline/timeline.h"

#include <vector>

namespace stagelens::runtime {

/// Returns the collective of replicas that passes wait for.
[[nodiscard]] constexpr timeline::AnchoredKind anchoredKind(TensorExchange::Kind ofReplicas)
{
    return ofReplicas == TensorExchange::Kind::GatherParameters ? timeline::AnchoredKind::GatherParameters
                                                                : timeline::AnchoredKind::ReduceGradients;
}

/// One rank's part of the collectives of data parallelism. A collective runs in rounds; what a round receives was sent in the
/// rounds before it, so that one thread can run a round of all replicas in turn. Messages hold at most replicaChunkFloats().
/// With shard groups, replicas exchange within their group, and what the groups have of a share is added after that.
/// Gradients are added in the order of the replicas, so the bits depend neither on timing nor on the transport. Used by the
/// thread of its device.
class ReplicaExchange {
public:
    /// Which parameters it exchanges: those of simulate::ReplicaCuts::shared or of its experts.
    enum class Of : unsigned char { Shared, Experts };
    enum class When : unsigned char { InPass, StepEnd };
    /// `transport` connects the ranks with the same parameters: the replicas and context ranks of the device, of which this is
    /// `share` (RankPlace::share), or the replicas of its experts. With one there is nothing to exchange.
    ReplicaExchange(const RunPlan &plan, int share, const Context &context, DeviceModel &model, backend::Transport &transport,
                    Of of);

    [[nodiscard]] int rounds(timeline::AnchoredKind kind, When when) const;
    /// Runs a round. ReduceGradients ends with the sum over all replicas in each parameter's share (Parameter::share), in a
    /// pass over those of the shard group, and without ZeRO in the whole parameter; GatherParameters with the value of every
    /// share in all replicas; AverageParameters with the mean of all values in all replicas. Returns Cancelled if the run was
    /// stopped.
    [[nodiscard]] base::Result<> run(timeline::AnchoredKind kind, When when, int round);
    /// Returns the bytes that this rank sends to others at the end of a step.
    [[nodiscard]] base::Bytes bytesSent(timeline::AnchoredKind kind) const;

private:
    enum class Step : unsigned char { SendParts, AddParts, TakeReceipts, SendSums, AddSums, SendOwn, TakeOthers };
    [[nodiscard]] std::vector<Step> stepsOf(timeline::AnchoredKind kind, When when) const;
    /// Returns a chunk of a replica's share in the common order; may be empty.
    [[nodiscard]] layout::Interval chunkOf(int replica, int chunk) const;
    [[nodiscard]] backend::Tensor packed(const layout::Interval &chunk, const ParameterPart &part);
    void unpack(const layout::Interval &chunk, const ParameterPart &part, float *from);
    /// Calls `visit(place in the chunk, numbers, count)` for each parameter that the chunk touches.
    template <class Visit>
    void eachPiece(const layout::Interval &chunk, const ParameterPart &part, const Visit &visit);
    enum class ToWhom : unsigned char { Owner, Others };
    /// Announces messages with a chunk of every share, to its owner or from it.
    void announceShares(std::uint8_t kind, int chunk, ToWhom toWhom);
    void sendParts(int chunk, const ParameterPart &part);
    [[nodiscard]] bool addParts(int chunk, const ParameterPart &part, bool tellsOthers);
    [[nodiscard]] bool takeReceipts(int chunk, timeline::AnchoredKind kind);
    // The sums of a chunk in each shard group, added in the order of the groups.
    void sendSums(int chunk);
    [[nodiscard]] bool addSums(int chunk);
    void sendOwn(int chunk, const ParameterPart &part);
    [[nodiscard]] bool takeOthers(int chunk, const ParameterPart &part);

    [[nodiscard]] const layout::ReplicaCut &cut() const
    {
        return m_of == Of::Shared ? m_model.replicaCuts().shared : m_model.replicaCuts().experts;
    }
    [[nodiscard]] backend::MessageKey keyOf(std::uint8_t kind, int chunk) const
    {
        return {kind, static_cast<std::uint16_t>(m_of), chunk};
    }

    Of m_of;
    bool m_isSharded;  ///< ZeRO
    bool m_isInPasses; ///< gradients are reduced in every microbatch
    int m_group;       ///< the shard group, and how many there are
    int m_groups;
    int m_replica; ///< in its shard group, of which these are the replicas; of experts: those that have the same
    int m_replicas;
    const Context &m_context;
    DeviceModel &m_model;
    backend::TransportGroup m_transport; ///< of the shard group
    backend::TransportGroup m_holders;   ///< of the replicas with the same share, one of each group
    std::int64_t m_chunkFloats;
    int m_chunks;
};

/// Both exchanges of a rank, and what they do to its parameters: those of all replicas, then experts.
class ReplicaExchanges {
public:
    using When = ReplicaExchange::When;
    /// `shares` and `copies`: see ReplicaExchange.
    ReplicaExchanges(const RunPlan &plan, int share, const Context &context, DeviceModel &model, backend::Transport &shares,
                     backend::Transport &copies)
        : m_model(model), m_context(context), m_shared(plan, share, context, model, shares, ReplicaExchange::Of::Shared),
          m_experts(plan, share, context, model, copies, ReplicaExchange::Of::Experts)
    {}

    [[nodiscard]] int rounds(timeline::AnchoredKind kind, When when) const
    {
        return m_shared.rounds(kind, when) + m_experts.rounds(kind, when);
    }
    /// Runs a round. The first makes gathered parameters whole, the last drops what the rank does not keep of gradients.
    [[nodiscard]] base::Result<> run(timeline::AnchoredKind kind, When when, int round);
    [[nodiscard]] base::Bytes bytesSent(timeline::AnchoredKind kind) const
    {
        return m_shared.bytesSent(kind) + m_experts.bytesSent(kind);
    }

private:
    DeviceModel &m_model;
    const Context &m_context;
    ReplicaExchange m_shared;
    ReplicaExchange m_experts; ///< that are divided over ranks
};

} // namespace stagelens::runtime
