// Every buffer that the engine keeps beyond a kernel call, and from which pass to which it lives. Predictions count these
// buffers, and the executor takes them: there is no other list.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/memory.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// What a buffer holds. All are of one microbatch; the last five belong to a device's shard of the vocabulary, or to the whole
/// output layer on the last stage's device, and have stage 0.
enum class BufferKind : std::uint8_t {
    StageInput,        ///< [b s, h], from F to B or W
    StageSlots,        ///< what the layers keep, and the outputs of all but the last
    Recomputed,        ///< full recomputation of a split backward: what the layers keep, from I to W
    EmbeddingGradient, ///< whole table, split backward: from I to W of the first stage
    NormInput,         ///< of the final norm, from F to B or I of the last stage
    NormStatistics,
    OutputInput,      ///< X: [b s, h]
    Exponentials,     ///< of the logits: [b s, V / p]
    LocalStatistics,  ///< [maximum | sum | target] of the shard
    GlobalStatistics, ///< the same of the whole vocabulary
    ShardFactors,     ///< VOCAB-2, last stage's device: a factor for every shard and token
};
inline constexpr std::size_t kBufferKinds = 11;
[[nodiscard]] std::string_view name(BufferKind kind); ///< "input of the stage", ...

struct BufferKey {
    BufferKind kind = BufferKind::StageInput;
    int stage = 0;
    int microbatch = 0;
};

/// It lives from the beginning of one pass (of an overlapped pair: of the pair) to the end of another.
struct PlannedBuffer {
    BufferKey key;
    MemoryCategory category = MemoryCategory::Activations;
    std::int64_t floats = 0;
    std::uint32_t first = 0; ///< place in the device's order
    std::uint32_t last = 0;
};

/// What a device of the engine holds all the time: parameters, gradients, optimizer state and workspace.
[[nodiscard]] MemoryByCategory engineFixedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                int device);

/// The buffers of one device for a step. Counted are floats of the engine, in operators::enginePrecision(). Messages are not
/// among them: how long they live depends on the receiver.
class BufferPlan {
public:
    /// O(passes of the device). Fails where a pass needs what no earlier one made or what another one freed, naming the passes.
    [[nodiscard]] static base::Result<BufferPlan> make(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                       int device);

    [[nodiscard]] std::span<const PlannedBuffer> buffers() const { return m_buffers; } ///< in the order of their first passes
    /// Places in buffers(), in the order of their last passes.
    [[nodiscard]] std::span<const std::uint32_t> byEnd() const { return m_byEnd; }
    /// Place in buffers(), or kAbsent.
    static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
    [[nodiscard]] std::uint32_t find(const BufferKey &key) const;
    /// engineFixedBytes()
    [[nodiscard]] const MemoryByCategory &fixed() const { return m_fixed; }
    /// Bytes of each category when their sum is greatest.
    [[nodiscard]] MemoryByCategory peak() const;

private:
    class Walk;
    BufferPlan(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);
    [[nodiscard]] std::size_t cell(const BufferKey &key) const;

    std::vector<PlannedBuffer> m_buffers;
    std::vector<std::uint32_t> m_byEnd;
    MemoryByCategory m_fixed{};
    std::vector<int> m_chunk; ///< of a stage on the device; -1: not there
    std::size_t m_chunks = 1;
    std::size_t m_microbatches = 0;
    std::vector<std::uint32_t> m_table; ///< by kind, chunk and microbatch
};

} // namespace stagelens::simulate
