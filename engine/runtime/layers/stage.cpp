#include "engine/runtime/layers/stage.h"

namespace stagelens::runtime {

using schedule::PassValue;

float *Stage::keptSlots(int microbatch, const Context &context) const
{
    const bool areNone = m_recomputes && m_layers.size() == 1;
    return areNone ? nullptr : context.memory.at(PassValue::StageSlots, m_index, microbatch);
}

void Stage::forward(int microbatch, Values output, const Context &context) const
{
    const Shape &shape = context.shape;
    const auto count = static_cast<std::int64_t>(m_layers.size());
    const std::int64_t slot = savedInSlot(shape) + shape.floats(shape.boundary());
    Values in = context.at(PassValue::StageInput, m_index, microbatch);
    float *const kept = keptSlots(microbatch, context);
    for (std::int64_t layer = 0; layer < count; ++layer) {
        float *own = kept + layer * slot;
        const Values out = layer + 1 < count ? context.values(own + savedInSlot(shape)) : output;
        m_layers[size(layer)].forward(out, in, m_recomputes ? context.workspace.recomputed.data() : own, context);
        in = out;
    }
}

template <class Work>
void Stage::fromLast(int microbatch, Backward part, const Context &context, const Work &work) const
{
    const Shape &shape = context.shape;
    const std::int64_t boundary = shape.floats(shape.boundary());
    const std::int64_t slot = savedInSlot(shape) + boundary;
    const std::int64_t stride = !m_recomputes ? slot : part == Backward::Whole ? 0 : shape.savedFloats();
    float *const kept = keptSlots(microbatch, context);
    float *const saved = !m_recomputes             ? kept
                         : part == Backward::Whole ? context.workspace.recomputed.data()
                                                   : context.memory.at(PassValue::Recomputed, m_index, microbatch);
    for (auto layer = static_cast<std::int64_t>(m_layers.size()) - 1; layer >= 0; --layer) {
        const Values in =
            layer > 0 ? context.values(kept + layer * slot - boundary) : context.at(PassValue::StageInput, m_index, microbatch);
        work(m_layers[size(layer)], in, saved + layer * stride);
    }
}

void Stage::backward(int microbatch, Values gradient, Backward part, const Context &context) const
{
    fromLast(microbatch, part, context, [&](const Layer &layer, Values in, float *saved) {
        if (m_recomputes)
            layer.forward({}, in, saved, context);
        layer.backward(gradient, in, saved, part, context);
    });
}

void Stage::backwardWeights(int microbatch, const Context &context) const
{
    fromLast(microbatch, Backward::Inputs, context,
             [&](const Layer &layer, Values in, float *saved) { layer.backwardWeights(in, saved, context); });
}

} // namespace stagelens::runtime
