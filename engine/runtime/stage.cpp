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

Tensor Stage::backward(int microbatch, Tensor gradient, const Context &context)
{
    if (m_layers.empty())
        return gradient;
    const Shape &shape = context.shape;
    const std::int64_t slot = slotFloats(shape);
    const auto found = m_inFlight.find(microbatch);
    InFlight &kept = found->second;
    for (auto layer = static_cast<std::int64_t>(m_layers.size()) - 1; layer >= 0; --layer) {
        float *saved = kept.saved.data() + layer * slot;
        const float *in = layer > 0 ? saved - shape.boundary() : kept.input->data();
        backwardLayer(m_layers[size(layer)], gradient->data(), in, saved, context);
    }
    m_inFlight.erase(found);
    return gradient;
}

} // namespace stagelens::runtime
