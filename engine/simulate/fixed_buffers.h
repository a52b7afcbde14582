// The buffers that a rank of the engine holds for the whole run: parameters, gradients, optimizer state, workspace and
// messages.
#pragma once

#include "engine/layout/replica_cut.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/memory.h"

#include <cstdint>
#include <optional>

namespace stagelens::simulate {

/// Returns the floats of a message with which replicas exchange gradients and parameters.
[[nodiscard]] std::int64_t replicaChunkFloats(const layout::ReplicaCut &cut);
/// Returns the greatest number of such messages of a rank at any time: those of one chunk to every replica, and of the one
/// before, which others may not have used yet; and the same to every shard group, if there are several.
[[nodiscard]] inline int replicaMessages(const model::ParallelPlan &plan)
{
    const auto among = [](int ranks) { return ranks > 1 ? 2 * ranks + 2 : 0; };
    return among(plan.shardGroup()) + among(plan.shardGroups());
}
/// Returns the same of the messages among the replicas of the same experts.
[[nodiscard]] inline int expertReplicaMessages(const model::ParallelPlan &plan)
{
    return plan.expert > 1 && plan.expertReplicas() > 1 ? 2 * plan.expertReplicas() + 2 : 0;
}

/// Floats of a message with which tensor ranks sum gradients, at most.
inline constexpr std::int64_t kTensorSumFloats = 1 << 18;
/// Returns the greatest number of parts of tensors ([b s / t, h]) that a rank has sent to other tensor ranks at any time: those
/// of an exchange and its sum, and of the one before. Beside them are two messages of statistics or of gradients.
[[nodiscard]] constexpr int tensorMessages(int ranks)
{
    return ranks > 1 ? 2 * ranks : 0;
}
/// Returns the greatest number of parts (operators::EngineFloats::contextPart) that a context rank has sent to others or holds
/// at any time: those of the gradients of keys, its own among them, and the keys of the exchange before or after. In a ring,
/// its keys, those of the exchange before, which the rank before it may not have seen yet, and the gradients that it has begun.
/// Ranks that exchange tokens for heads have sent those of an exchange and of the one before, and hold their own.
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
/// Returns the floats of such a message, to a rank with that many experts: rows of each expert, gates, rows.
[[nodiscard]] constexpr std::int64_t expertMessageFloats(std::int64_t experts, std::int64_t width)
{
    return experts + kExpertRows * (1 + width);
}
/// Returns the greatest number of such messages that an expert rank has sent at any time: those of an exchange and of the one
/// before, which others may not have used yet. An exchange sends at most the planned rows of experts, and a message to each
/// rank that is not full.
[[nodiscard]] std::int64_t expertMessages(const model::Experiment &experiment);
/// Returns the greatest floats of each of the two messages of tensor ranks.
[[nodiscard]] std::int64_t tensorSumFloats(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);

/// Returns the floats of the workspace in which a device rebuilds the saved values of one layer.
[[nodiscard]] std::int64_t rebuiltFloats(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);

/// Returns the memory that a rank of the engine always holds: parameters, gradients, optimizer state, workspace, and the
/// messages between replicas, tensor ranks and context ranks. Without a replica: of the fullest one.
[[nodiscard]] MemoryByCategory engineFixedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                int device, std::optional<int> replica = {}, int tensor = 0);

/// Returns the bytes of that which ZeRO-2 and 3 drop: of the gradients after their reduction, and of the parameters between
/// steps. Without a replica: of that with the most state, like engineFixedBytes().
[[nodiscard]] MemoryByCategory engineDroppedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                  int device, std::optional<int> replica = {}, int tensor = 0);

} // namespace stagelens::simulate
