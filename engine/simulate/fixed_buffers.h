// The buffers that a rank of the engine holds for the whole run: parameters, gradients, optimizer state, workspace and
// messages.
#pragma once

#include "engine/base/precision.h"
#include "engine/layout/replica_cut.h"
#include "engine/model/experiment.h"
#include "engine/operators/packing.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/memory.h"

#include <cstdint>
#include <optional>

namespace stagelens::simulate {

/// Returns the floats of a message with which replicas exchange gradients and parameters.
[[nodiscard]] std::int64_t replicaChunkFloats(const layout::ReplicaCut &cut);
/// Returns the maximum number of such messages of a rank at any time: those of the current chunk to each of that many replicas,
/// those of the previous chunk, which other ranks may not have used yet, and the same to every shard group, if there are
/// several.
[[nodiscard]] constexpr int replicaMessages(int replicas, int groups)
{
    const auto among = [](int ranks) { return ranks > 1 ? 2 * ranks + 2 : 0; };
    return among(replicas) + among(groups);
}
[[nodiscard]] inline int replicaMessages(const model::ParallelPlan &plan)
{
    return replicaMessages(plan.shardGroup(), plan.shardGroups());
}
/// Returns the same for messages among the replicas of the same experts.
[[nodiscard]] inline int expertReplicaMessages(const model::ParallelPlan &plan)
{
    return plan.expert > 1 ? replicaMessages(layout::expertShardGroup(plan), plan.shardGroups()) : 0;
}

/// Floats of a message with which tensor ranks sum gradients, at most.
inline constexpr std::int64_t kTensorSumFloats = 1 << 18;
/// Returns the maximum number of tensor parts ([b s / t, h]) that a rank has sent to other tensor ranks at any time: those of
/// the current exchange and its sum, and those of the previous exchange. In addition there are two messages of statistics or
/// gradients.
[[nodiscard]] constexpr int tensorMessages(int ranks)
{
    return ranks > 1 ? 2 * ranks : 0;
}
/// Returns the maximum number of parts (operators::EngineFloats::contextPart) that a context rank has sent to others or holds
/// at any time. With an all-gather: the gradients of keys, including its own, and the keys of the previous or next exchange. In
/// a ring: its keys, those of the previous exchange, which the previous rank may not have read yet, and the gradients that it
/// has begun. With tokens exchanged for heads: those sent in the current and the previous exchange, and its own.
[[nodiscard]] constexpr int contextMessages(const model::ParallelPlan &plan)
{
    if (plan.context == 1)
        return 0;
    switch (plan.contextMethod) {
    case model::ContextMethod::AllGather: break;
    case model::ContextMethod::Ring: return 3;
    case model::ContextMethod::Ulysses: return 2 * plan.context - 1;
    }
    return plan.context + 1;
}
/// Rows of each message among expert ranks.
inline constexpr std::int64_t kExpertRows = 32;
/// Returns the floats of such a message to a rank with that many experts: row counts of the experts, gates, rows. With a codec
/// each row is packed alone.
[[nodiscard]] constexpr std::int64_t expertMessageFloats(std::int64_t experts, std::int64_t width, base::Precision precision,
                                                         std::optional<kernels::Codec> codec = {})
{
    const std::int64_t rows =
        codec ? kExpertRows * kernels::packedFloats(*codec, 1, width) : base::floatsOf(kExpertRows * width, precision);
    return experts + kExpertRows + rows;
}
/// Returns the floats of a message of tokens that are sent once to each node: their number and the row counts of the experts,
/// experts and gates of each token, rows. Each row begins at a float.
[[nodiscard]] constexpr std::int64_t forwardedMessageFloats(std::int64_t experts, std::int64_t topK, std::int64_t width,
                                                            base::Precision precision, std::optional<kernels::Codec> codec = {})
{
    const std::int64_t row = codec ? kernels::packedFloats(*codec, 1, width) : base::floatsOf(width, precision);
    return 1 + experts + kExpertRows * (2 * topK + row);
}
/// Returns the maximum number of such messages that an expert rank has sent at any time: those of the current exchange, and
/// those of the previous one, which others may not have used yet. An exchange sends at most the planned rows of experts, and
/// one partial message to each rank. If tokens are sent once to each node, it sends the own tokens to the nodes, and forwards
/// at most as many as the planned rows.
[[nodiscard]] std::int64_t expertMessages(const model::Experiment &experiment);
/// Returns the floats of the messages with which ranks that route different tokens of a microbatch sum their choices: that of
/// the current exchange, and that of the previous one. Those of context ranks alone are among their other messages.
[[nodiscard]] std::int64_t choiceFloats(const model::Experiment &experiment);
/// Returns the same for the gates and choices by which experts with a capacity drop rows: floats of a message, of which a rank
/// has two; 0 if each rank drops alone.
[[nodiscard]] std::int64_t dropFloats(const model::Experiment &experiment);
/// Returns the greatest floats of each of the two messages of tensor ranks.
[[nodiscard]] std::int64_t tensorSumFloats(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);

/// Returns the floats of the workspace in which a device recomputes the saved values of one layer.
[[nodiscard]] std::int64_t rebuiltFloats(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);

/// Returns the memory that a rank of the engine always holds: parameters, gradients, optimizer state, workspace, and the
/// messages between replicas, tensor ranks and context ranks. Without a replica, returns that of the fullest replica.
[[nodiscard]] MemoryByCategory engineFixedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                int device, std::optional<int> replica = {}, int tensor = 0);

/// Returns the part of these bytes that ZeRO-2 and 3 free: gradients after their reduction, and parameters between steps.
/// Without a replica, returns that of the replica with the most state, like engineFixedBytes().
[[nodiscard]] MemoryByCategory engineDroppedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                  int device, std::optional<int> replica = {}, int tensor = 0);

} // namespace stagelens::simulate
