#include "engine/operators/recompute.h"

#include "engine/operators/storage.h"

#include <algorithm>

namespace stagelens::operators {
namespace {

bool contains(std::span<const ValueId> values, ValueId value)
{
    return std::ranges::find(values, value) != values.end();
}

} // namespace

bool isRebuilt(OperatorKind kind, const model::RecomputeModules &modules)
{
    switch (descriptionOf(kind).module) {
    case Module::None: break;
    case Module::Norm: return modules.norms;
    case Module::Activation: return modules.activation;
    case Module::Attention: return modules.attention;
    }
    return false;
}

std::vector<ValueId> droppedValues(const Block &block, std::span<const ValueId> saved, const model::RecomputeModules &modules)
{
    std::vector<ValueId> dropped;
    for (const ValueId value : saved)
        for (const Operator &op : block.operators)
            if (isRebuilt(op.kind, modules) && contains(op.outputs, value))
                dropped.push_back(value);
    return dropped;
}

std::vector<Step> rebuildSteps(const std::vector<Step> &forward, std::span<const ValueId> dropped)
{
    std::vector<Step> steps;
    std::vector<Place> wanted;
    const auto isWanted = [&](const Place &place) {
        return (place.kind == Place::Kind::Saved && contains(dropped, place.index)) ||
               std::ranges::find(wanted, place) != wanted.end();
    };
    for (auto step = forward.rbegin(); step != forward.rend(); ++step) {
        const bool isInner = step->between && isWanted(step->between);
        if (!std::ranges::any_of(step->out, isWanted) && !isInner)
            continue;
        steps.push_back(step->between && step->between.kind == Place::Kind::Saved && !isInner
                            ? Step{.kind = StepKind::Forward, .op = step->activation, .in = {step->between}, .out = step->out}
                            : *step);
        std::vector<Place> read = steps.back().in;
        read.push_back(step->addend);
        for (const Place &place : read)
            if (place.kind != Place::Kind::Saved && place.kind != Place::Kind::Input)
                wanted.push_back(place);
    }
    std::ranges::reverse(steps);
    return steps;
}

LayerStorage storageOf(const LayerRecipe &recipe, std::span<const ValueId> dropped, std::int64_t tokens,
                       base::Precision precision, model::PackedPrecision stored)
{
    std::vector<ValueId> kept;
    for (const ValueId value : recipe.saved)
        if (!contains(dropped, value))
            kept.push_back(value);
    return {savedLayout(recipe.block, kept, tokens, precision), savedLayout(recipe.block, dropped, tokens, precision),
            rebuildSteps(recipe.forward, dropped), packedLayout(recipe.block, kept, tokens, precision, stored)};
}

std::vector<int> recomputedLayers(const model::ScheduleChoice &schedule, std::span<const int> stageLayers)
{
    std::vector<int> layers(stageLayers.begin(), stageLayers.end());
    const std::vector<int> &list = schedule.recomputeLayers;
    for (std::size_t stage = 0; stage < layers.size() && schedule.recompute != model::Recompute::Full; ++stage) {
        const std::size_t entry = list.size() == 1 ? 0 : stage;
        layers[stage] = entry < list.size() ? std::clamp(list[entry], 0, layers[stage]) : 0;
    }
    return layers;
}

} // namespace stagelens::operators
