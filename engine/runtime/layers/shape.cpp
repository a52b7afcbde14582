#include "engine/runtime/layers/shape.h"

#include "engine/operators/architecture.h"

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
      hidden(experiment.model.hidden), heads(experiment.model.heads / experiment.parallel.tensor),
      kvHeads(std::max(1, experiment.model.kvHeads / experiment.parallel.tensor)), ffn(experiment.model.ffn),
      vocabulary(experiment.model.vocabularySize), microbatches(experiment.parallel.microbatches),
      replicas(experiment.parallel.replicas), split(operators::splitOf(experiment.parallel)),
      headSize(experiment.model.headSize()), normEpsilon(static_cast<float>(experiment.model.rmsNormEpsilon)),
      rotation(rotationOf(experiment.model)), precision(operators::enginePrecision(experiment))
{
    auto plan = std::make_shared<LayerPlan>();
    plan->recipe = operators::recipeOf(operators::engineBlock(experiment));
    const operators::LayerRecipe &recipe = plan->recipe;
    const auto dropped = operators::droppedValues(recipe.block, recipe.saved, experiment.schedule.recomputeModules);
    plan->partly = operators::storageOf(recipe, dropped, tokens(), precision);
    plan->whole = operators::storageOf(recipe, recipe.saved, tokens(), precision);
    layer = std::move(plan);
}

} // namespace stagelens::runtime
