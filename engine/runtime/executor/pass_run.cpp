#include "engine/runtime/executor/pass_run.h"

#include "engine/runtime/executor/message_order.h"

#include <algorithm>

namespace stagelens::runtime {

using schedule::PassStep;
using schedule::PassValue;

void PassRun::dropUnused()
{
    for (std::size_t i = 0; i < m_messages.size(); ++i) {
        const auto message = static_cast<PassValue>(schedule::kKeptValues + i);
        const bool isUsed =
            std::ranges::any_of(m_steps, [message](const PassStep &step) { return std::ranges::count(step.in, message) > 0; });
        if (!isUsed)
            m_messages[i].reset();
    }
}

Values PassRun::kept(PassValue value, const Context &context) const
{
    if (value == PassValue::StageInput && context.shape.packsActivations()) // packed by the layers
        return context.values(context.workspace.stageInput.data());
    return context.at(value, schedule::isOfVocabulary(value) ? simulate::kVocabularyStage : m_pass.stage, m_pass.microbatch);
}

Values PassRun::out(PassValue value, const Context &context)
{
    if (!schedule::isMessage(value))
        return kept(value, context);
    backend::Tensor &tensor = message(value);
    if (!tensor)
        tensor = context.memory.allocateMessage(messageFloats(value, context.shape));
    return context.of(tensor);
}

Values PassRun::in(PassValue value, const Context &context)
{
    return schedule::isMessage(value) ? context.of(message(value)) : kept(value, context);
}

} // namespace stagelens::runtime
