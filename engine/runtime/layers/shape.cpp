#include "engine/runtime/layers/shape.h"

#include "engine/operators/architecture.h"
#include "engine/operators/slices.h"

#include <algorithm>

namespace stagelens::runtime {
namespace {

kernels::RotaryRule rotationOf(const model::ModelConfig &model)
{
    kernels::RotaryRule rule{model.ropeTheta};
    if (const auto &scaling = model.ropeScaling)
        rule.scaling = {scaling->factor, scaling->lowFrequencyFactor, scaling->highFrequencyFactor,
                        static_cast<double>(scaling->originalSequence)};
    return rule;
}

} // namespace

Shape::Shape(const model::Experiment &experiment)
    : batch(experiment.parallel.microbatchSize), sequence(experiment.model.sequence / experiment.parallel.context),
      whole(sequence * experiment.parallel.context), hidden(experiment.model.hidden),
      heads(experiment.model.heads / experiment.parallel.tensor),
      kvHeads(std::max(1, experiment.model.kvHeads / experiment.parallel.tensor)), ffn(experiment.model.ffn),
      vocabulary(experiment.model.vocabularySize), microbatches(experiment.parallel.microbatches),
      replicas(experiment.parallel.replicas), split(operators::engineSplit(experiment)), headSize(experiment.model.headSize()),
      normEpsilon(static_cast<float>(experiment.model.rmsNormEpsilon)), rotation(rotationOf(experiment.model)),
      precision(operators::enginePrecision(experiment))
{
    const operators::LayerRecipe recipe = operators::recipeOf(operators::engineBlock(experiment));
    const auto dropped = operators::droppedValues(recipe.block, recipe.saved, experiment.schedule.recomputeModules);
    const auto planOf = [&](std::int64_t count) {
        return std::make_shared<const LayerPlan>(
            LayerPlan{recipe, operators::storageOf(recipe, dropped, batch * count, precision),
                      operators::storageOf(recipe, recipe.saved, batch * count, precision)});
    };
    if (split.slices == 1) {
        layer = planOf(sequence);
        return;
    }
    std::int64_t next = 0;
    for (const int count : operators::sliceLengths(experiment)) {
        slices.push_back({next, count, planOf(count)});
        next += count;
    }
    choose(static_cast<int>(std::ranges::max_element(slices, {}, &SequenceSlice::tokens) - slices.begin()));
}

void Shape::choose(int microbatch)
{
    if (slices.empty())
        return;
    const SequenceSlice &slice = slices[size(microbatch % sliceCount())];
    begin = slice.begin;
    sequence = slice.tokens;
    layer = slice.layer;
}

} // namespace stagelens::runtime
