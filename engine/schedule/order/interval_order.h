// The building-block method: a device's order is one repeated interval; at both ends, passes that do not exist are omitted (Qi
// et al., arXiv 2405.15362, section 2). Each vocabulary barrier inserts one more interval between F and B of the last stage
// (arXiv 2411.05288, section 5.2).
#pragma once

#include "engine/base/units.h"
#include "engine/passes/pass.h"

#include <utility>
#include <vector>

namespace stagelens::schedule {

/// Writes the order of one device with one stage. Each call emits the next microbatch of its kind. It emits nothing if none is
/// left or, for vocabulary passes, if there are no barriers, so that rules need no special case at the ends.
class OrderWriter {
public:
    OrderWriter(int stage, int microbatches, int barriers);

    void forward() { emit(PassKind::F, m_forward); }
    void backward() { emit(PassKind::B, m_backward); }
    void embedForward();
    void embedBackward();
    /// Slot n contains T of microbatch n - lag, U of n - 1 (naive only) and S of n; lag is the number of slots from S to T.
    /// Slots that no B depends on are emitted by remainingSlots().
    void slot();
    void remainingSlots();
    void remainingEmbedBackwards();

    /// Returns the number of calls of slot() so far, including those without passes.
    [[nodiscard]] int slotsPassed() const { return m_slots; }
    [[nodiscard]] std::vector<Pass> take() { return std::move(m_passes); }

private:
    void emit(PassKind kind, int &next);
    void emitSlot(int slot);
    [[nodiscard]] bool has(int microbatch) const { return microbatch >= 0 && microbatch < m_microbatches; }

    int m_stage;
    int m_microbatches;
    int m_barriers;
    int m_lag;
    int m_forward = 0;
    int m_backward = 0;
    int m_embedForward = 0;
    int m_embedBackward = 0;
    int m_slots = 0;
    std::vector<Pass> m_passes;
};

/// The repeating interval of a device.
struct Interval {
    int forwards = 1;       ///< F before the first slot (without slots: before the first B)
    int leadingSlots = 0;   ///< slots right before the first B
    bool slotAfterB = true; ///< B, slot, F; else B, F, slot
};

/// Returns the intervals of 1F1B on p devices with one stage each. The slots are placed so that no device waits for another's
/// slot, for passes of these durations (the placement rule of sail-sg/VocabularyParallelism).
[[nodiscard]] std::vector<Interval> oneForwardOneBackwardIntervals(int devices, base::Nanos forward, base::Nanos backward);

/// Returns the order of a device of a linear pipeline, given the intervals of all devices.
[[nodiscard]] std::vector<Pass> intervalOrder(const std::vector<Interval> &intervals, int device, int microbatches,
                                              int barriers);

} // namespace stagelens::schedule
