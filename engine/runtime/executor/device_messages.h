// Receives the inputs of a device's passes and sends their results, as their recipes say (engine/passes/pass_recipe.h).
#pragma once

#include "engine/runtime/executor/pass_run.h"
#include "engine/runtime/executor/step_state.h"
#include "engine/runtime/plan/run_plan.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// The communication of one device. Used by the thread of its device.
class DeviceMessages {
public:
    /// `transport` connects the devices of a rail.
    DeviceMessages(const RunPlan &plan, const RankPlace &place, const Context &context, const StepState &step,
                   backend::Transport &transport)
        : m_plan(plan), m_device(place.device), m_tensor(place.tensor), m_context(context), m_step(step), m_transport(transport)
    {}

    void beginStep();
    /// Runs the receives that are next in the pass; blocks until the messages have arrived. Returns false if the run was
    /// stopped.
    [[nodiscard]] bool receive(PassRun &run);
    /// Runs the sends that are next in the pass. Never blocks.
    void send(PassRun &run);
    /// Receives what the passes before a backward sent, for a microbatch without one, so that no message is left in the
    /// transport. The last device knows the global statistics afterwards. Returns false if the run was stopped.
    [[nodiscard]] bool receiveWithoutBackward(int microbatch);
    [[nodiscard]] backend::Transport &transport() const { return m_transport; }

private:
    [[nodiscard]] backend::Compute &compute() const { return m_context.compute; }
    [[nodiscard]] bool receive(PassRun &run, const schedule::PassStep &step);
    /// Receives the parts of all devices and combines them.
    [[nodiscard]] bool combine(PassRun &run, const schedule::PassStep &step);
    void makeShardFactors(float *factors, const kernels::SoftmaxStatistics &all, int microbatch);
    /// Returns the rows of the output layer of own tokens, and those of its tails if shards compute them; until the next call.
    [[nodiscard]] std::span<const backend::RowBlock> outputBlocks(int microbatch);
    /// Returns the device that sends a message to the pass.
    [[nodiscard]] int senderOf(const schedule::Pass &pass, schedule::PassValue message) const;
    /// Returns the tensor of a message to this device, the sum of its parts if there are several. Null if the run was stopped.
    [[nodiscard]] backend::Tensor arrival(const schedule::Pass &pass, const schedule::PassStep &step);

    const RunPlan &m_plan;
    int m_device;
    int m_tensor;
    const Context &m_context;
    const StepState &m_step;
    backend::Transport &m_transport;
    std::vector<std::uint16_t> m_combined; ///< by microbatch of the step: a bit for each message from everyone
    std::vector<backend::Tensor> m_parts;  ///< of the last gather
    std::vector<const float *> m_addresses;
    std::vector<backend::RowBlock> m_blocks; ///< see outputBlocks(): a step allocates none
};

} // namespace stagelens::runtime
