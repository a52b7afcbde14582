#include "engine/runtime/layers/stage.h"

#include "engine/runtime/layers/expert_kernels.h"
#include "engine/runtime/layers/layer_weights.h"

#include <algorithm>
#include <fmt/format.h>

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
                    return exchangeOf(step, context);
                current.run(step, m_tensors, context);
                noteTime(step, context);
                if (m_work == StageWork::Forward && context.experts != nullptr)
                    noteRoutes(step, context);
            }
        }
        if (m_work == StageWork::Forward && context.shape.packsActivations())
            pack(context);
    }
    return std::nullopt;
}

/// Copies and zeros count for the operator after them.
void StageRun::noteTime(const Step &step, const Context &context) const
{
    if (step.op < 0)
        return;
    const auto name = [&] {
        const operators::Block &block = m_stage->m_layers[size(layer())].plan(context.shape).recipe.block;
        std::string names = block.namesOfOutputs(block.operators[size(step.op)]);
        if (step.activation >= 0 && step.kind == StepKind::Forward)
            names += ", " + block.namesOfOutputs(block.operators[size(step.activation)]);
        const std::string_view part = step.kind == StepKind::WeightGradient  ? " weight"
                                      : step.kind == StepKind::InputGradient ? " input"
                                      : m_work == StageWork::Forward         ? ""
                                                                             : " again";
        return fmt::format("layer {} {}{}", m_stage->m_firstLayer + static_cast<int>(layer()), names, part);
    };
    context.operators->note(name, false);
}

void StageRun::noteRoutes(const Step &step, const Context &context) const
{
    const operators::Block &block = m_stage->m_layers[size(layer())].plan(context.shape).recipe.block;
    if (step.kind != StepKind::Forward || block.operators[size(step.op)].kind != operators::OperatorKind::Dispatch)
        return; // after rows have been dropped
    const auto route = std::ranges::find(block.operators, operators::OperatorKind::Route, &operators::Operator::kind);
    const auto *const routes = reinterpret_cast<const std::int32_t *>(m_tensors.saved(route->outputs[1]));
    context.experts->add(m_stage->m_index, static_cast<int>(layer()), routes, context.values(m_tensors.saved(route->inputs[0])),
                         routingShapeOf(block, context.shape), block.routing.score == model::RouterScore::Sigmoid);
}

TensorExchange StageRun::exchangeOf(const Step &step, const Context &context) const
{
    const auto at = [&](const operators::Place &place) { return m_tensors.at(place, context); };
    TensorExchange exchange{exchangeKind(step.exchange), at(step.in[0]), at(step.out[0]), step.width, step.hop};
    if (!isOverExperts(step.exchange))
        return exchange;
    const auto statistics = [&](const operators::Place &place) { return static_cast<float *>(at(place).address()); };
    const auto gates = [&](const operators::Place &place) {
        return exchange.kind == TensorExchange::Kind::ReturnGradients ? at(place) : Values(statistics(place));
    };
    exchange.gatesIn = gates(step.in[1]);
    exchange.gatesOut = step.out.size() > 1 ? gates(step.out[1]) : Values();
    exchange.routes = statistics(step.in[2]);
    exchange.arrivals = statistics(step.out.size() > 2 ? step.out[2] : step.in[3]);
    return exchange;
}

std::int64_t StageRun::layer() const
{
    const auto done = static_cast<std::int64_t>(m_layersDone);
    return m_work == StageWork::Forward ? done : layers() - 1 - done;
}

/// A stage has one slot per layer: the tensors that it keeps, and its output, unless that leaves the stage. What layers rebuild
/// is in one slab per layer if W needs it too, else in the workspace.
void StageRun::findTensors(const Context &context)
{
    const Shape &shape = context.shape;
    const std::int64_t index = layer();
    const std::int64_t whole = m_stage->m_whole;
    const LayerPlan &plan = m_stage->m_layers[size(index)].plan(shape);
    const operators::LayerStorage &storage = index < whole ? plan.whole : plan.partly;
    const bool isPacked = shape.packsActivations();
    const std::int64_t boundary = shape.keptInput();
    const std::int64_t keptFloats = isPacked ? plan.partly.packed.floats : plan.partly.kept.floats;
    const std::int64_t partly = std::max<std::int64_t>(index - whole, 0);
    const bool hasSlots = layers() > 1 || keptFloats * (layers() - whole) > 0;
    float *const slots = hasSlots ? context.memory.at(PassValue::StageSlots, m_stage->m_index, m_microbatch) : nullptr;
    float *const slot = slots + index * boundary + partly * keptFloats;
    m_tensors = {};
    m_tensors.storage = &storage;
    float *const input = index > 0 ? slot - boundary : context.memory.at(PassValue::StageInput, m_stage->m_index, m_microbatch);
    m_tensors.in = context.values(input);
    m_tensors.kept = slot;
    if (!shape.slices.empty() && m_work != StageWork::WeightGradient) {
        const int sequence = m_microbatch - m_microbatch % shape.sliceCount();
        m_tensors.keys = context.memory.at(PassValue::Keys, m_stage->m_index, sequence) + index * shape.keyFloats();
        if (m_work != StageWork::Forward)
            m_tensors.keyGradients =
                context.memory.at(PassValue::KeyGradients, m_stage->m_index, sequence) + index * shape.keyFloats();
    }
    if (m_work == StageWork::Forward)
        m_tensors.out = index + 1 < layers() ? context.values(slot + storage.kept.floats) : m_tensor;
    if (isPacked) {
        m_packed = slot;
        m_packedInput = input;
        return findUnpacked(context);
    }
    if (storage.dropped.floats == 0)
        return;
    const bool isSplit = m_work == StageWork::InputGradient || m_work == StageWork::WeightGradient;
    m_tensors.rebuilt = isSplit ? context.memory.at(PassValue::Recomputed, m_stage->m_index, m_microbatch) +
                                      std::min(index, whole) * shape.savedFloats() + partly * plan.partly.dropped.floats
                                : context.workspace.recomputed.data();
}

void StageRun::findUnpacked(const Context &context)
{
    const Shape &shape = context.shape;
    Workspace &workspace = context.workspace;
    const std::int64_t index = layer();
    const auto input = [&](std::int64_t of) { return context.values(workspace.inputs[size(of % 2)].data()); };
    m_tensors.kept = workspace.saved.data();
    m_tensors.rebuilt = workspace.recomputed.data();
    if (m_work == StageWork::Forward) {
        m_tensors.in = index > 0 ? input(index) : context.values(workspace.stageInput.data());
        m_tensors.out = index + 1 < layers() ? input(index + 1) : m_tensor;
        return;
    }
    m_tensors.in = input(0);
    if (m_work != StageWork::Backward) { // from I to W: what the layer rebuilds, what it keeps, and its input
        const operators::LayerStorage &storage = *m_tensors.storage;
        m_tensors.rebuilt = context.memory.at(PassValue::Recomputed, m_stage->m_index, m_microbatch) +
                            index * (shape.savedFloats() + shape.floats(shape.boundary()));
        m_tensors.kept = m_tensors.rebuilt + storage.dropped.floats;
        m_tensors.in = context.values(m_tensors.kept + storage.kept.floats);
    }
    if (m_work != StageWork::WeightGradient)
        unpack(context);
}

void StageRun::pack(const Context &context) const
{
    const auto codec = operators::codecOf(context.shape.stored, false).value();
    for (const operators::PackedValue &each : m_tensors.storage->packed.values) {
        float *const to = m_packed + each.packedOffset;
        float *const from = m_tensors.kept + each.offset;
        if (each.floats > 0)
            context.compute.copy(to, from, each.floats);
        else
            context.compute.pack(to, context.values(from), each.rows, each.width, codec);
    }
    context.compute.pack(m_packedInput, m_tensors.in, context.shape.ownTokens(), context.shape.hidden, codec);
    context.operators->note([] { return std::string("activations pack"); }, false);
}

void StageRun::unpack(const Context &context) const
{
    const auto codec = operators::codecOf(context.shape.stored, false).value();
    for (const operators::PackedValue &each : m_tensors.storage->packed.values) {
        const float *const from = m_packed + each.packedOffset;
        float *const to = m_tensors.kept + each.offset;
        if (each.floats > 0)
            context.compute.copy(to, from, each.floats);
        else
            context.compute.unpack(context.values(to), from, each.rows, each.width, codec);
    }
    context.compute.unpack(m_tensors.in, m_packedInput, context.shape.ownTokens(), context.shape.hidden, codec);
    context.operators->note([] { return std::string("activations unpack"); }, false);
}

void StageRun::fetchWeights(const Context &context) const
{
    if (context.weights == nullptr || m_work == StageWork::WeightGradient) // which reads no weights
        return;
    const std::int64_t next = m_work == StageWork::Forward ? layer() + 1 : layer() - 1;
    context.weights->enter(m_stage->m_layers[size(layer())],
                           next >= 0 && next < layers() ? &m_stage->m_layers[size(next)] : nullptr);
}

void StageRun::enterLayer(const Context &context)
{
    if (static_cast<std::int64_t>(m_layersDone) >= layers())
        return;
    findTensors(context);
    fetchWeights(context);
    const LayerRecipe &recipe = m_stage->m_layers[size(layer())].plan(context.shape).recipe;
    m_lists = {};
    switch (m_work) {
    case StageWork::Forward: m_lists[1] = recipe.forward; break;
    case StageWork::Backward:
    case StageWork::InputGradient:
        m_tensors.gradient = m_tensor;
        m_lists[0] = m_tensors.storage->rebuild;
        m_lists[1] = m_work == StageWork::Backward ? recipe.backward : recipe.inputGradient;
        break;
    case StageWork::WeightGradient: m_lists[1] = recipe.weightGradient; break;
    }
}

} // namespace stagelens::runtime
