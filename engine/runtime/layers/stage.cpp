#include "engine/runtime/layers/stage.h"

namespace stagelens::runtime {

using operators::LayerRecipe;
using operators::Step;
using operators::StepKind;
using schedule::PassValue;

StageRun::StageRun(const Stage &stage, StageWork work, int microbatch, Values tensor, const Context &context)
    : m_stage(&stage), m_work(work), m_microbatch(microbatch), m_tensor(tensor)
{
    enterLayer(context);
}

std::optional<TensorExchange> StageRun::advance(const Context &context)
{
    for (; m_layersDone < m_stage->m_layers.size(); ++m_layersDone, m_list = 0, enterLayer(context)) {
        const Layer &current = m_stage->m_layers[size(layer())];
        for (; m_list < m_lists.size(); ++m_list) {
            for (Steps &steps = m_lists[m_list]; !steps.empty();) {
                const Step &step = steps.front();
                steps = steps.subspan(1);
                if (step.kind == StepKind::Exchange)
                    return TensorExchange{exchangeKind(step.exchange), m_tensors.at(step.in[0], context),
                                          m_tensors.at(step.out[0], context), step.width};
                current.run(step, m_tensors, context);
            }
        }
    }
    return std::nullopt;
}

std::int64_t StageRun::layer() const
{
    const auto done = static_cast<std::int64_t>(m_layersDone);
    return m_work == StageWork::Forward ? done : static_cast<std::int64_t>(m_stage->m_layers.size()) - 1 - done;
}

float *StageRun::keptSlots(const Context &context) const
{
    const bool areNone = m_stage->m_recomputes && m_stage->m_layers.size() == 1;
    return areNone ? nullptr : context.memory.at(PassValue::StageSlots, m_stage->m_index, m_microbatch);
}

void StageRun::enterLayer(const Context &context)
{
    const auto count = static_cast<std::int64_t>(m_stage->m_layers.size());
    if (static_cast<std::int64_t>(m_layersDone) >= count)
        return;
    const Shape &shape = context.shape;
    const LayerRecipe &recipe = shape.layer->recipe;
    const bool recomputes = m_stage->m_recomputes;
    const std::int64_t saved = recomputes ? 0 : shape.savedFloats();
    const std::int64_t boundary = shape.floats(shape.boundary());
    const std::int64_t slot = saved + boundary;
    const std::int64_t index = layer();
    float *const kept = keptSlots(context);
    m_tensors = {};
    m_tensors.in = index > 0 ? context.values(kept + index * slot - boundary)
                             : context.at(PassValue::StageInput, m_stage->m_index, m_microbatch);
    const bool isSplit = m_work == StageWork::InputGradient || m_work == StageWork::WeightGradient;
    m_tensors.saved =
        !recomputes ? kept + index * slot
        : isSplit   ? context.memory.at(PassValue::Recomputed, m_stage->m_index, m_microbatch) + index * shape.savedFloats()
                    : context.workspace.recomputed.data();
    m_lists = {};
    switch (m_work) {
    case StageWork::Forward:
        m_tensors.out = index + 1 < count ? context.values(kept + index * slot + saved) : m_tensor;
        m_lists[1] = recipe.forward;
        break;
    case StageWork::Backward:
    case StageWork::InputGradient:
        m_tensors.gradient = m_tensor;
        if (recomputes)
            m_lists[0] = recipe.rebuild;
        m_lists[1] = m_work == StageWork::Backward ? recipe.backward : recipe.inputGradient;
        break;
    case StageWork::WeightGradient: m_lists[1] = recipe.weightGradient; break;
    }
}

} // namespace stagelens::runtime
