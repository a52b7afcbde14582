// Where the tensors of a device's passes are: in a slot of the memory plan, or in a message.
#pragma once

#include "engine/backend/transport.h"
#include "engine/runtime/executor/context.h"
#include "engine/runtime/executor/device_model.h"

namespace stagelens::runtime {

/// What a pass receives without a planned slot, or what it sends.
struct Payload {
    backend::Tensor tensor = {};
    WeightedRows rows = {}; ///< VOCAB-2
};

/// Finds the tensors of passes. Functions with a `message` allocate it if the tensor has no slot in the memory plan. Used by
/// the thread of its device.
class PassTensors {
public:
    PassTensors(const RunPlan &plan, const DeviceModel &model, const Context &context)
        : m_plan(plan), m_model(model), m_context(context)
    {}

    /// Returns where the input of F belongs: the input of the stage, of the final norm if the last stage is empty, or the
    /// message for the next stage if another stage is empty.
    [[nodiscard]] Values input(const schedule::Pass &pass, backend::Tensor &message) const;
    /// Returns where B or I computes its gradient.
    [[nodiscard]] Values gradient(const schedule::Pass &pass, backend::Tensor &message) const;
    /// Returns whether the gradient of I stays on the device, for W to update the token table.
    [[nodiscard]] bool keepsGradient(const schedule::Pass &pass) const
    {
        return pass.kind == schedule::PassKind::I && pass.stage == 0 && !m_plan.isSharded();
    }
    /// Allocates a [b s, h] message.
    [[nodiscard]] Values newMessage(backend::Tensor &message) const;
    /// Returns the softmax statistics over the whole vocabulary.
    [[nodiscard]] kernels::SoftmaxStatistics statistics(int microbatch) const;

private:
    const RunPlan &m_plan;
    const DeviceModel &m_model;
    const Context &m_context;
};

} // namespace stagelens::runtime
