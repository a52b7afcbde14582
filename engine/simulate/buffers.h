// The only list of the buffers that the engine keeps beyond a kernel call, with the passes between which each lives.
// Predictions count these buffers, and the executor allocates them.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/passes/pass_recipe.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/fixed_buffers.h"
#include "engine/simulate/host_state.h"
#include "engine/simulate/memory.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace stagelens::simulate {

/// The stage number of the vocabulary's kept values, which belong to a device; not Pass::stage.
inline constexpr int kVocabularyStage = 0;

/// Names a buffer: `value` is a kept value.
struct BufferKey {
    schedule::PassValue value = schedule::PassValue::StageInput;
    int stage = 0;
    int microbatch = 0;
};

/// The values of a stage and microbatch that offload copies to the host: those that the stage's layers keep.
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
    /// Index of the previous part of the same value, which ended with a copy to the host, or is computed again; kNoPart if
    /// there is none.
    std::uint32_t before = ~std::uint32_t{0};
};
inline constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

/// An offloaded value on the host. Its memory is held from the launch of the copy to the host to the end of the unit that waits
/// for the copy back.
struct HostBuffer {
    std::uint32_t from = 0;  ///< index of the part that is copied to the host
    std::uint32_t to = 0;    ///< index of the part that it is copied back to
    std::uint32_t first = 0; ///< position of the unit before which the copy to the host is launched
    std::uint32_t last = 0;  ///< position of the unit that waits for the copy back
};

/// The buffers of one rank for a step, counted in floats of the engine (operators::enginePrecision()). Messages are not
/// included, because their lifetime depends on the receiver.
class BufferPlan {
public:
    /// O(passes of the device). Fails, naming the passes, if a pass needs a buffer that no earlier pass created or that another
    /// pass freed.
    [[nodiscard]] static base::Result<BufferPlan> make(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                       int device, std::optional<int> replica = {}, int tensor = 0);

    [[nodiscard]] std::span<const PlannedBuffer> buffers() const { return m_buffers; } ///< in the order of their first passes
    /// Places in buffers(), in the order of their last passes.
    [[nodiscard]] std::span<const std::uint32_t> byEnd() const { return m_byEnd; }
    /// Returns the index in buffers(), or kAbsent; for an offloaded value that of its last part.
    static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
    [[nodiscard]] std::uint32_t find(const BufferKey &key) const;
    /// engineFixedBytes()
    [[nodiscard]] const MemoryByCategory &fixed() const { return m_fixed; }
    /// Returns what the rank keeps on its host beside offloaded values.
    [[nodiscard]] const HostState &hostState() const { return m_hostState; }
    /// Returns the bytes of each category at the moment when their sum is greatest.
    [[nodiscard]] MemoryByCategory peak() const;
    /// Offloaded values, in the order of the launches of their copies to the host.
    [[nodiscard]] std::span<const HostBuffer> hostBuffers() const { return m_hostBuffers; }
    /// Returns the range of hostBuffers() that a copy of the device moves: the first, and the one after the last.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> movedBy(std::size_t copy) const { return m_movedBy[copy]; }

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
    HostState m_hostState;
    std::vector<int> m_chunk; ///< of a stage on the device; -1: not there
    std::size_t m_chunks = 1;
    std::size_t m_microbatches = 0;
    std::vector<std::uint32_t> m_table; ///< by kind, chunk and microbatch
};

} // namespace stagelens::simulate
