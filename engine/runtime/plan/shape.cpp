#include "engine/runtime/plan/shape.h"

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

/// Gives both kinds of layers the room of the larger, so that the memory of a stage does not depend on their order; see
/// operators::engineFloats().
void makeEqual(LayerPlan &one, LayerPlan &other)
{
    one.recipe.scratch = other.recipe.scratch = operators::widerScratch(one.recipe.scratch, other.recipe.scratch);
    const std::int64_t kept = std::max(one.partly.kept.floats, other.partly.kept.floats);
    const std::int64_t dropped = std::max(one.partly.dropped.floats, other.partly.dropped.floats);
    for (LayerPlan *plan : {&one, &other}) {
        plan->partly.kept.floats = kept;
        plan->partly.dropped.floats = dropped;
        plan->whole.dropped.floats = kept + dropped;
    }
}

} // namespace

Shape::Shape(const model::Experiment &experiment)
    : model(experiment.model), batch(experiment.parallel.microbatchSize),
      sequence(experiment.model.sequence / experiment.parallel.context), whole(sequence * experiment.parallel.context),
      hidden(experiment.model.hidden), tableWidth(experiment.model.tableWidth()), outputHeads(experiment.model.outputHeads),
      tailWidth(operators::tailWidth(experiment)), labels(batch * experiment.model.labelsOfSequence()),
      heads(experiment.model.heads / experiment.parallel.tensor),
      kvHeads(std::max(1, experiment.model.kvHeads / experiment.parallel.tensor)), ffn(experiment.model.ffn),
      vocabulary(experiment.model.vocabularySize), microbatches(experiment.parallel.microbatches),
      replicas(experiment.parallel.replicas), lossReplicas(experiment.parallel.averagesWeights() ? 1 : replicas),
      split(operators::engineSplit(experiment)), headSize(experiment.model.headSize()),
      normEpsilon(static_cast<float>(experiment.model.rmsNormEpsilon)), rotation(rotationOf(experiment.model)),
      outputMultiple(operators::outputMultiple(experiment)), precision(operators::enginePrecision(experiment)),
      isOf8Bits(experiment.model.dtype == model::DataType::Fp8), stored(experiment.schedule.storedActivations),
      dispatched(operators::codecOf(experiment.parallel.dispatchPrecision)),
      areAllWhole(experiment.schedule.recompute == model::Recompute::Full)
{
    const auto planOf = [&](std::int64_t count, bool hasExperts) {
        operators::LayerRecipe recipe = operators::recipeOf(operators::engineBlock(experiment, hasExperts));
        recipe.scratch = operators::withOutputScratch(std::move(recipe.scratch), experiment.model, batch * count);
        const auto dropped = operators::droppedValues(recipe.block, recipe.saved, experiment.schedule.recomputeModules);
        return std::make_shared<LayerPlan>(
            LayerPlan{recipe, operators::storageOf(recipe, dropped, batch * count, precision, stored),
                      operators::storageOf(recipe, recipe.saved, batch * count, precision, stored)});
    };
    const auto sliceOf = [&](std::int64_t first, std::int64_t count) {
        auto plan = planOf(count, experiment.model.hasExperts());
        std::shared_ptr<LayerPlan> other;
        if (experiment.model.mixesLayers()) {
            other = planOf(count, false);
            makeEqual(*plan, *other);
        }
        return SequenceSlice{first, count, std::move(plan), std::move(other)};
    };
    if (split.slices == 1) {
        const SequenceSlice all = sliceOf(0, sequence);
        layer = all.layer;
        dense = all.dense;
        return;
    }
    std::int64_t next = 0;
    for (const int count : operators::sliceLengths(experiment)) {
        slices.push_back(sliceOf(next, count));
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
    dense = slice.dense;
}

} // namespace stagelens::runtime
