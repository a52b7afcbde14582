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
    const std::int64_t slot = slotFloats(shape);
    InFlight &kept = m_inFlight[microbatch];
    kept.input = std::move(input);
    kept.saved = context.pool.take(size(count * slot - shape.boundary()), category(MemoryCategory::Activations));
    auto output =
        std::make_shared<backend::Buffer>(context.pool.take(size(shape.boundary()), category(MemoryCategory::Communication)));
    const float *in = kept.input->data();
    for (std::int64_t layer = 0; layer < count; ++layer) {
        float *saved = kept.saved.data() + layer * slot;
        float *out = layer + 1 < count ? saved + savedFloats(shape) : output->data();
        forwardLayer(m_layers[size(layer)], out, in, saved, context);
        in = out;
    }
    return output;
}

template <class Work>
void Stage::fromLast(InFlight &kept, const Shape &shape, const Work &work) const
{
    for (auto layer = static_cast<std::int64_t>(m_layers.size()) - 1; layer >= 0; --layer) {
        float *saved = kept.saved.data() + layer * slotFloats(shape);
        work(m_layers[size(layer)], layer > 0 ? saved - shape.boundary() : kept.input->data(), saved);
    }
}

Tensor Stage::backward(int microbatch, Tensor gradient, Backward part, const Context &context)
{
    if (m_layers.empty())
        return gradient;
    const auto found = m_inFlight.find(microbatch);
    fromLast(found->second, context.shape, [&](const LayerParameters &layer, float *in, float *saved) {
        backwardLayer(layer, gradient->data(), in, saved, part, context);
    });
    if (part == Backward::Whole)
        m_inFlight.erase(found);
    return gradient;
}

void Stage::backwardWeights(int microbatch, const Context &context)
{
    if (m_layers.empty())
        return;
    const auto found = m_inFlight.find(microbatch);
    fromLast(found->second, context.shape, [&](const LayerParameters &layer, const float *in, float *saved) {
        runtime::backwardWeights(layer, in, saved, context);
    });
    m_inFlight.erase(found);
}

} // namespace stagelens::runtime
