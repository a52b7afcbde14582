// Receives the inputs of a device's passes and sends their results. engine/passes/requirements.h defines which pass needs what.
#pragma once

#include "engine/runtime/executor/pass_tensors.h"

#include <optional>
#include <vector>

namespace stagelens::runtime {

/// The communication of one device. Used by the thread of its device.
class DeviceMessages {
public:
    DeviceMessages(const RunPlan &plan, int rank, const Context &context, const PassTensors &tensors,
                   backend::Transport &transport)
        : m_plan(plan), m_rank(rank), m_context(context), m_tensors(tensors), m_transport(transport)
    {}

    void beginStep();
    /// Blocks until the inputs of the pass have arrived; copies them to their planned slots and returns the others. Returns
    /// nothing if the run was stopped.
    [[nodiscard]] std::optional<Payload> receive(const schedule::Pass &pass);
    /// Sends the result of the pass. Never blocks.
    void send(const schedule::Pass &pass, Payload result);
    /// Receives what the passes before a backward sent, for a microbatch without one, so that no message is left in the
    /// transport. The global statistics are known afterwards. Returns false if the run was stopped.
    [[nodiscard]] bool receiveWithoutBackward(int microbatch);
    [[nodiscard]] backend::Transport &transport() const { return m_transport; }

private:
    [[nodiscard]] backend::Compute &compute() const { return m_context.compute; }
    [[nodiscard]] bool receiveForward(const schedule::Pass &pass, Payload &in);
    [[nodiscard]] bool receiveBackward(const schedule::Pass &pass, Payload &in);
    [[nodiscard]] bool receiveMaxima(int microbatch);
    [[nodiscard]] bool receiveStatistics(int microbatch);
    /// Returns false if there is no tensor because the run was stopped.
    [[nodiscard]] bool copyInto(Values place, const backend::Tensor &tensor) const;
    void sendToAll(schedule::Transfer transfer, int slot, int microbatch, backend::Tensor tensor);
    void sendTo(int device, schedule::Transfer transfer, int slot, int microbatch, backend::Tensor tensor);
    /// Returns the addresses of m_parts.
    [[nodiscard]] kernels::ShardParts parts();

    const RunPlan &m_plan;
    int m_rank;
    const Context &m_context;
    const PassTensors &m_tensors;
    backend::Transport &m_transport;
    std::vector<bool> m_hasStatistics;    ///< over the whole vocabulary, by microbatch of the step
    std::vector<backend::Tensor> m_parts; ///< of the last gather
    std::vector<const float *> m_addresses;
};

} // namespace stagelens::runtime
