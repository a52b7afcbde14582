// The only list of the buffers that the engine keeps beyond a kernel call, with the passes between which each lives.
// Predictions count these buffers, and the executor allocates them.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/replica_cut.h"
#include "engine/model/experiment.h"
#include "engine/passes/pass_recipe.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/memory.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace stagelens::simulate {

/// `value` is a kept value; those of the vocabulary have stage 0.
struct BufferKey {
    schedule::PassValue value = schedule::PassValue::StageInput;
    int stage = 0;
    int microbatch = 0;
};

/// The values of a stage and microbatch that offload copies to the host: those that its layers keep.
inline constexpr std::array kCopiedValues{schedule::PassValue::StageInput, schedule::PassValue::StageSlots};

/// A buffer that lives from the beginning of one pass (or of its overlapped pair) to the end of another.
struct PlannedBuffer {
    BufferKey key;
    MemoryCategory category = MemoryCategory::Activations;
    std::int64_t floats = 0;
    std::uint32_t first = 0; ///< position in the device's order
    std::uint32_t last = 0;
    /// Whether it ends with a copy to the host, which the pass after `last` joins before it begins.
    bool isOffloaded = false;
    /// Place of the part before it of the same value, which ended with a copy to the host; kNoPart if there is none.
    std::uint32_t before = ~std::uint32_t{0};
};
inline constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

/// An offloaded value on the host. Its memory lasts from the launch of the copy to the host until the unit has ended that waits
/// for the copy back.
struct HostBuffer {
    std::uint32_t from = 0;  ///< place of the part that is copied to the host
    std::uint32_t to = 0;    ///< of the part that it is copied back to
    std::uint32_t first = 0; ///< position of the unit before which the copy to the host is launched
    std::uint32_t last = 0;  ///< of the unit that waits for the copy back
};

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

/// The buffers of one rank for a step, counted in floats of the engine (operators::enginePrecision()). Messages are not
/// included, because their lifetime depends on the receiver.
class BufferPlan {
public:
    /// O(passes of the device). Fails if a pass needs a buffer that no earlier pass made or that another one freed, and names
    /// the passes.
    [[nodiscard]] static base::Result<BufferPlan> make(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                       int device, std::optional<int> replica = {}, int tensor = 0);

    [[nodiscard]] std::span<const PlannedBuffer> buffers() const { return m_buffers; } ///< in the order of their first passes
    /// Places in buffers(), in the order of their last passes.
    [[nodiscard]] std::span<const std::uint32_t> byEnd() const { return m_byEnd; }
    /// Place in buffers(), or kAbsent; of an offloaded value that of its last part.
    static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
    [[nodiscard]] std::uint32_t find(const BufferKey &key) const;
    /// engineFixedBytes()
    [[nodiscard]] const MemoryByCategory &fixed() const { return m_fixed; }
    /// Bytes of each category when their sum is greatest.
    [[nodiscard]] MemoryByCategory peak() const;
    /// Offloaded values, in the order of the launches of their copies to the host.
    [[nodiscard]] std::span<const HostBuffer> hostBuffers() const { return m_hostBuffers; }
    /// Returns the first of hostBuffers() that a copy of the device moves, and the one after the last.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> movedBy(std::size_t copy) const { return m_movedBy[copy]; }
    /// Greatest number of floats in hostBuffers() at a time.
    [[nodiscard]] std::int64_t hostPeakFloats() const;

private:
    class Walk;
    BufferPlan(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, std::optional<int> replica,
               int tensor);
    [[nodiscard]] std::size_t cell(const BufferKey &key) const;

    std::vector<PlannedBuffer> m_buffers;
    std::vector<std::uint32_t> m_byEnd;
    std::vector<HostBuffer> m_hostBuffers;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_movedBy; ///< of each copy
    MemoryByCategory m_fixed{};
    std::vector<int> m_chunk; ///< of a stage on the device; -1: not there
    std::size_t m_chunks = 1;
    std::size_t m_microbatches = 0;
    std::vector<std::uint32_t> m_table; ///< by kind, chunk and microbatch
};

} // namespace stagelens::simulate
