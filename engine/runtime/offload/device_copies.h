// The copies of one device between its memory and its host, as the plan anchors them (engine/schedule/copies.h).
#pragma once

#include "engine/backend/compute.h"
#include "engine/runtime/memory/device_memory.h"
#include "engine/runtime/offload/copy_thread.h"
#include "engine/runtime/offload/host_arena.h"
#include "engine/runtime/plan/run_plan.h"
#include "engine/timeline/timeline.h"

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// Runs the steps before each unit of a device: copies, and the lifetimes of buffers in its memory. On the virtual clock each
/// copy is done at its launch. Beside the passes a GPU copies on streams, which events order with its kernels; threads of the
/// host copy for processors, and at a given rate for GPUs. Used by the thread of its device.
class DeviceCopies {
public:
    DeviceCopies(const RunPlan &plan, int device, DeviceMemory &memory, backend::Compute &compute);

    /// Drops what a stopped step left, and begins a step.
    void beginStep();
    /// Makes later steps copy beside the passes; `halt` ends waits for threads.
    void copyBeside(std::stop_token halt);

    /// Launches the copies before the unit, waits for the offloads that it joins, and begins the memory of its passes. Returns
    /// false if the run was stopped.
    [[nodiscard]] bool beginUnit(std::span<const schedule::Pass> unit);
    /// Waits for the reloads that the unit joins. Returns false if the run was stopped.
    [[nodiscard]] bool joinReloads();

    /// Returns the position of the unit that beginUnit() began last.
    [[nodiscard]] std::size_t position() const { return m_position; }
    /// A copy that was launched before the unit.
    struct Done {
        std::size_t copy = 0; ///< place among the device's copies
        base::Nanos duration = 0;
        base::Bytes bytes = 0;
    };
    /// The copies that beginUnit() has done, on the virtual clock.
    [[nodiscard]] std::span<const Done> done() const { return m_done; }
    /// Adds the copies beside the passes to a lane that begins at `zero` by the steady clock. Call after the last pass.
    void note(timeline::Lane &lane, base::Nanos zero) const;
    /// Returns whether the device's own clock measures the copies that note() adds.
    [[nodiscard]] bool areTimedByDevice() const { return m_usesStreams; }

    [[nodiscard]] base::Bytes peakHost() const { return m_host.peak(); }

private:
    /// The copies of a kind in the order of their joins, and how many of them have been joined.
    struct Joins {
        std::vector<std::uint32_t> order;
        std::size_t joined = 0;
    };
    [[nodiscard]] Moves movesOf(std::size_t copy);
    void launch(std::size_t copy);
    /// Returns the one of a list of lanes, or of their threads, that copies it.
    template <class Lane>
    [[nodiscard]] Lane &laneOf(const std::vector<std::unique_ptr<Lane>> &lanes, std::size_t copy) const
    {
        return *(m_copies[copy].kind == schedule::CopyKind::Reload ? lanes.back() : lanes.front());
    }
    [[nodiscard]] bool waitFor(std::size_t copy);
    [[nodiscard]] bool join(Joins &joins);

    std::span<const schedule::Copy> m_copies;
    DeviceMemory &m_memory;
    backend::Compute &m_compute;
    HostArena m_host;
    double m_rate; ///< bytes/s; 0: unlimited
    bool m_takesTurns;
    Joins m_offloads;
    Joins m_reloads;
    std::size_t m_position = 0;
    std::size_t m_next = 0;     ///< position after the unit
    std::size_t m_launched = 0; ///< copies
    std::vector<Done> m_done;
    std::stop_token m_halt;
    std::vector<std::size_t> m_numbers; ///< of the copies on their threads or streams
    bool m_usesStreams = false;         ///< beside the passes
    // One, or one for each direction.
    std::vector<std::unique_ptr<backend::HostLane>> m_lanes; ///< of a GPU; empty: none
    std::vector<std::unique_ptr<CopyThread>> m_threads;      ///< last: uses all of the above; empty: none
};

} // namespace stagelens::runtime
