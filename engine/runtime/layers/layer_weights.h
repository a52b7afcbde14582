// The weights of layers that the host keeps. A device holds those of two layers: one computes while the other is copied.
#pragma once

#include "engine/backend/compute.h"
#include "engine/runtime/layers/layer.h"
#include "engine/runtime/offload/copy_thread.h"
#include "engine/runtime/plan/run_plan.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// Copies the weights of a layer to the device before the layer computes, and those of the layer that follows in the same pass
/// beside it. The last layers stay until others need their places, so that a backward that follows its forward finds them. A
/// GPU copies on a stream, which events order with its kernels; threads of the host copy for processors, and at a given rate
/// for GPUs. On the virtual clock a copy is part of the pass that launches it. Builds with memory checks fill a place with NaN
/// before the next copy. Used by the thread of its device.
class LayerWeights {
public:
    /// Allocates the places from `pool`, if the plan offloads parameters. The arguments must outlive this object.
    LayerWeights(const RunPlan &plan, int device, backend::Pool &pool, backend::Compute &compute);

    /// Forgets what is on the device: the host may have updated it.
    void beginStep();
    /// Makes later steps copy beside the passes; `halt` ends waits for a thread.
    void copyBeside(std::stop_token halt);
    /// Begins a layer: waits for its weights, and launches the copy of those of `next`, unless null.
    void enter(const Layer &layer, const Layer *next);
    /// Returns how many layers have been copied since beginStep().
    [[nodiscard]] std::size_t copied() const { return m_copied; }

private:
    /// A place of the weights of one layer, with room for any.
    struct Slot {
        backend::Buffer values;
        const Layer *layer = nullptr; ///< null: empty
        std::size_t lastCopy = 0;     ///< number of the last part of its copy on the lane or the thread
        bool isArriving = false;      ///< whether it may still be copied
    };
    [[nodiscard]] Slot *find(const Layer &layer);
    /// Replaces what is in the slot.
    void launch(Slot &slot, const Layer &layer);
    /// Copies on the lane, on the thread, or at once.
    void copy(Slot &slot, const Moves &moves);
    /// Returns whether a lane copies, at its own rate.
    [[nodiscard]] bool usesStream() const { return m_lane && m_rate == 0; }
    /// Waits for the copy to a slot, or makes kernels wait for it. Returns false if the run was stopped.
    [[nodiscard]] bool waitFor(Slot &slot);
    void copyNow(const Moves &moves);
    static void release(Slot &slot);

    backend::Compute &m_compute;
    double m_rate; ///< bytes/s; 0: unlimited
    std::vector<Slot> m_slots;
    std::size_t m_current = 0; ///< the slot of the layer that computes
    std::size_t m_copied = 0;
    std::stop_token m_halt;
    std::unique_ptr<backend::HostLane> m_lane; ///< of a GPU
    std::unique_ptr<CopyThread> m_thread;      ///< null without a lane: copies are done at their launch
};

} // namespace stagelens::runtime
