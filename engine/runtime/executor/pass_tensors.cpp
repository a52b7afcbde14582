#include "engine/runtime/executor/pass_tensors.h"

namespace stagelens::runtime {

using simulate::BufferKind;

Values PassTensors::input(const schedule::Pass &pass, backend::Tensor &message) const
{
    if (!m_model.stage(pass.stage).isEmpty())
        return m_context.at(BufferKind::StageInput, pass.stage, pass.microbatch);
    return m_plan.isLast(pass) ? m_context.at(BufferKind::NormInput, pass.stage, pass.microbatch) : newMessage(message);
}

Values PassTensors::gradient(const schedule::Pass &pass, backend::Tensor &message) const
{
    return keepsGradient(pass) ? m_context.at(BufferKind::EmbeddingGradient, 0, pass.microbatch) : newMessage(message);
}

Values PassTensors::newMessage(backend::Tensor &message) const
{
    message = m_context.newMessage();
    return m_context.of(message);
}

kernels::SoftmaxStatistics PassTensors::statistics(int microbatch) const
{
    if (!m_plan.isSharded()) // the shard is the whole vocabulary
        return OutputShard::statistics(microbatch, m_context);
    return {m_context.memory.at(BufferKind::GlobalStatistics, 0, microbatch), m_plan.shape.tokens()};
}

} // namespace stagelens::runtime
