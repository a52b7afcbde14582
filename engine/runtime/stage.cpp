#include "engine/runtime/stage.h"

namespace stagelens::runtime {

using backend::Tensor;
using simulate::MemoryCategory;

Tensor Stage::forward(int microbatch, Tensor input, const Context &context)
{
    if (m_layers.empty())
        return input;
    const Shape &shape = context.shape;
    const auto count = static_cast<std::int64_t>(m_layers.size());
    const std::int64_t slot = savedInSlot(shape) + shape.boundary();
    InFlight &kept = m_inFlight[microbatch];
    kept.input = std::move(input);
    kept.slots = context.pool.take(size(count * slot - shape.boundary()), category(MemoryCategory::Activations));
    backend::Buffer forgotten;
    if (m_recomputes)
        forgotten = context.pool.take(size(savedFloats(shape)), category(MemoryCategory::Workspace));
    auto output =
        std::make_shared<backend::Buffer>(context.pool.take(size(shape.boundary()), category(MemoryCategory::Communication)));
    const float *in = kept.input->data();
    for (std::int64_t layer = 0; layer < count; ++layer) {
        float *own = kept.slots.data() + layer * slot;
        float *out = layer + 1 < count ? own + savedInSlot(shape) : output->data();
        m_layers[size(layer)]->forward(out, in, m_recomputes ? forgotten.data() : own, context);
        in = out;
    }
    return output;
}

template <class Work>
void Stage::fromLast(InFlight &kept, Backward part, const Shape &shape, const Work &work) const
{
    const std::int64_t slot = savedInSlot(shape) + shape.boundary();
    const std::int64_t stride = !m_recomputes ? slot : part == Backward::Whole ? 0 : savedFloats(shape);
    float *saved = (m_recomputes ? kept.again : kept.slots).data();
    for (auto layer = static_cast<std::int64_t>(m_layers.size()) - 1; layer >= 0; --layer) {
        float *in = layer > 0 ? kept.slots.data() + layer * slot - shape.boundary() : kept.input->data();
        work(*m_layers[size(layer)], in, saved + layer * stride);
    }
}

Tensor Stage::backward(int microbatch, Tensor gradient, Backward part, const Context &context)
{
    if (m_layers.empty())
        return gradient;
    const bool isWhole = part == Backward::Whole;
    const auto found = m_inFlight.find(microbatch);
    InFlight &kept = found->second;
    if (m_recomputes) {
        const std::size_t floats = size(savedFloats(context.shape));
        kept.again = isWhole ? context.pool.take(floats, category(MemoryCategory::Workspace))
                             : context.pool.take(m_layers.size() * floats, category(MemoryCategory::Activations));
    }
    fromLast(kept, part, context.shape, [&](const Layer &layer, float *in, float *saved) {
        if (m_recomputes)
            layer.forward(nullptr, in, saved, context);
        layer.backward(gradient->data(), in, saved, part, context);
    });
    if (isWhole)
        m_inFlight.erase(found);
    return gradient;
}

void Stage::backwardWeights(int microbatch, const Context &context)
{
    if (m_layers.empty())
        return;
    const auto found = m_inFlight.find(microbatch);
    fromLast(found->second, Backward::Inputs, context.shape,
             [&](const Layer &layer, const float *in, float *saved) { layer.backwardWeights(in, saved, context); });
    m_inFlight.erase(found);
}

} // namespace stagelens::runtime
