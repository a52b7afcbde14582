// The devices of a run in this process, with their kernels, memory and transport.
#pragma once

#include "engine/runtime/executor/executor.h"
#include "engine/runtime/memory/gpu_memory.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/processes/control_channel.h"
#include "engine/runtime/processes/copied_gradients.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

class RunDevices {
public:
    /// `halt` is requested by the user and by failing devices.
    RunDevices(const RunPlan &plan, ControlChannel &control, bool isOverNccl, std::stop_source halt);
    ~RunDevices();
    RunDevices(const RunDevices &) = delete;
    RunDevices &operator=(const RunDevices &) = delete;

    /// Allocates the planned memory and creates devices and transport. `places` is the GPU of each device, empty on processors;
    /// `passes` returns how many passes have ended in this process.
    [[nodiscard]] base::Result<> make(std::vector<int> places, bool isLive, std::function<std::int64_t()> passes);

    [[nodiscard]] const Devices &all() const { return m_devices; }
    /// Null until make() has created it.
    [[nodiscard]] backend::Transport *transport() const { return m_transport.get(); }
    /// Returns the number of passes of a step.
    [[nodiscard]] std::size_t passCount() const { return m_passCount; }
    /// Sums the gradients of copied parameters; see CopiedGradients.
    [[nodiscard]] base::Result<> sumCopies();
    /// Returns what the GPUs hold beside the plan, once, after the first step; empty if unknown.
    [[nodiscard]] std::string takeGpuMemoryText();

private:
    [[nodiscard]] base::Result<> makeMemory();
    [[nodiscard]] base::Result<> makeTransport(std::function<std::int64_t()> passes);
    void makeGroups();
    [[nodiscard]] std::vector<DeviceMemory *> memories() const;
    void watchGpuMemory();

    const RunPlan &m_plan;
    ControlChannel &m_control;
    bool m_isOverNccl;
    std::stop_source m_halt;
    std::stop_token m_halted = m_halt.get_token(); ///< read by kernels
    std::vector<int> m_places;
    std::vector<DevicePlan> m_memoryPlans;                     ///< of the ranks in this process
    std::vector<std::unique_ptr<backend::Compute>> m_computes; ///< must outlive m_memories
    std::vector<std::unique_ptr<DeviceMemory>> m_memories;     ///< must outlive all buffers
    std::unique_ptr<backend::Transport> m_transport;           ///< of all ranks
    using Groups = std::vector<std::unique_ptr<backend::Transport>>;
    Groups m_rails;    ///< of each rank: the devices of its rail; null if there is one rail, which has the transport itself
    Groups m_shares;   ///< of each rank: the replicas and context ranks of its device and tensor coordinate
    Groups m_gangs;    ///< of each rank: the tensor ranks of its device
    Groups m_contexts; ///< of each rank: the context ranks of its device and tensor coordinate
    Groups m_routers;  ///< of each rank: the ranks of its replica and device that route parts of a microbatch
    Groups m_experts;  ///< of each rank: the ranks that share the experts of its device
    Groups m_expertReplicas; ///< of each rank: the ranks with the same experts
    Devices m_devices;
    CopiedGradients m_copies;
    std::optional<GpuMemoryWatch> m_gpuMemory;
    std::size_t m_passCount = 0;
};

} // namespace stagelens::runtime
