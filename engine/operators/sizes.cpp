#include "engine/operators/sizes.h"

#include "engine/model/family_shape.h"

#include "engine/operators/architecture.h"
#include "engine/operators/recompute.h"
#include "engine/operators/slices.h"

#include <algorithm>
#include <optional>

namespace stagelens::operators {

using model::DataType;
using model::Experiment;
using model::ModelConfig;

namespace {

/// Returns the tokens of a microbatch on a context rank.
std::int64_t tokensOf(const ModelConfig &model, int microbatchSize, const TensorSplit &split = {})
{
    return std::int64_t{microbatchSize} * model.sequence / split.context;
}

std::int64_t parametersOf(const Block &block)
{
    std::int64_t count = 0;
    for (const BlockParameter &parameter : block.parameters)
        count += parameter.count();
    return count;
}

/// Returns the sum of `each` over the layers of the model, of which some may be dense.
template <class Each>
auto sumOfLayers(const ModelConfig &model, const Each &each)
{
    const int others = model.mixesLayers() ? model.layers - model.expertLayers(model.layers) : 0;
    const auto sum = (model.layers - others) * each(blockOf(model));
    return others > 0 ? sum + others * each(blockOf(model, false)) : sum;
}

/// Scratch of the CPU's attention: five padded panels of a head, two tiles of scores, three of queries
/// (kernels/include/attention.h).
std::int64_t attentionScratch(std::int64_t sequence, std::int64_t headSize)
{
    constexpr std::int64_t kPanel = 16;
    constexpr std::int64_t kQueries = 64;
    constexpr std::int64_t kKeys = 128;
    const auto padded = [](std::int64_t count) { return (count + kPanel - 1) / kPanel * kPanel; };
    return 5 * padded(sequence) * padded(headSize) + 2 * kQueries * kKeys + 3 * kQueries * padded(headSize);
}

} // namespace

std::int64_t layerParameters(const ModelConfig &model)
{
    return parametersOf(blockOf(model));
}

std::int64_t embeddingParameters(const ModelConfig &model)
{
    return std::int64_t{model.vocabularySize} * model.hidden;
}

std::int64_t positionParameters(const ModelConfig &model)
{
    return architectureOf(model.family).hasPositionTable() ? std::int64_t{model.sequence} * model.hidden : 0;
}

std::int64_t finalNormParameters(const ModelConfig &model)
{
    return (architectureOf(model.family).normsHaveBias ? 2 : 1) * std::int64_t{model.hidden};
}

std::int64_t totalParameters(const ModelConfig &model)
{
    return sumOfLayers(model, parametersOf) + (model.tied ? 1 : 2) * embeddingParameters(model) + positionParameters(model) +
           finalNormParameters(model);
}

std::int64_t activeParameters(const ModelConfig &model)
{
    return totalParameters(model) - sumOfLayers(model, [&model](const Block &block) {
               std::int64_t idle = 0;
               for (const BlockParameter &parameter : block.parameters)
                   idle += parameter.count() / parameter.experts * std::max(0, parameter.experts - std::max(1, model.topK));
               return idle;
           });
}

OperatorWork workOf(const Block &block, const Operator &op)
{
    OperatorWork work;
    const auto width = [&](ValueId value) { return static_cast<double>(block.heldWidth(value)); };
    switch (op.kind) {
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm: work.residualNumbers = 2 * width(op.inputs[0]); break;
    case OperatorKind::Add: work.residualNumbers = 3 * width(op.inputs[0]); break;
    case OperatorKind::Gelu: work.innerNumbers = 2 * width(op.inputs[0]); break;
    case OperatorKind::SwiGlu: work.innerNumbers = 3 * width(op.inputs[0]); break;
    case OperatorKind::Linear:
        for (const Projection &projection : op.projections)
            work.matrixEntries += static_cast<double>(block.parameter(projection.weight).count());
        break;
    case OperatorKind::Attention:
        work.attentionWidth = width(op.outputs[0]);
        work.probabilities = static_cast<double>(probabilityWidth(block, op));
        break;
    case OperatorKind::LatentAttention: { // scores as wide as keys, sums as wide as values
        const double values = width(op.outputs[0]);
        const double heads = width(op.outputs[1]);
        const double keys = width(op.inputs[1]) - values + heads * width(op.inputs[2]);
        work.attentionWidth = (keys + values) / 2;
        break;
    }
    case OperatorKind::ExpertLinear: // each token with the matrices of k experts
        for (const Projection &projection : op.projections) {
            const BlockParameter &weight = block.parameter(projection.weight);
            work.matrixEntries += static_cast<double>(weight.count() / weight.experts * block.routing.topK);
        }
        break;
    case OperatorKind::ExpertSwiGlu: // of as many rows as there are on average
        work.innerNumbers =
            3 * width(op.inputs[0]) * (block.expertRanks > 1 ? block.routing.topK / static_cast<double>(block.expertRows) : 1);
        break;
    case OperatorKind::Route: work.innerNumbers = width(op.inputs[0]); break;
    case OperatorKind::Dispatch:
    case OperatorKind::Combine: work.residualNumbers = width(op.inputs[0]) + width(op.outputs[0]); break;
    case OperatorKind::Rotary: break; // part of the efficiency of attention in the hardware presets
    case OperatorKind::AllGather:
    case OperatorKind::ReduceScatter:
    case OperatorKind::Replicate:
    case OperatorKind::AllReduce:
    case OperatorKind::TokensToHeads:
    case OperatorKind::HeadsToTokens:
    case OperatorKind::SendToExperts:
    case OperatorKind::ReturnFromExperts:
    case OperatorKind::GatherKeys: break; // their time is that of a network
    case OperatorKind::KeepKeys: break;   // copies a part of what attention reads
    }
    return work;
}

OperatorWork workOf(const Block &block)
{
    OperatorWork sum;
    for (const Operator &op : block.operators) {
        const OperatorWork work = workOf(block, op);
        sum.matrixEntries += work.matrixEntries;
        sum.attentionWidth += work.attentionWidth;
        sum.residualNumbers += work.residualNumbers;
        sum.innerNumbers += work.innerNumbers;
        sum.probabilities += work.probabilities;
    }
    return sum;
}

double layerMatrixFlops(const ModelConfig &model, int microbatchSize)
{
    return 2.0 * static_cast<double>(tokensOf(model, microbatchSize)) * workOf(blockOf(model)).matrixEntries;
}

double attentionFlops(const ModelConfig &model, int microbatchSize, AttentionCount count)
{
    const double positions = count == AttentionCount::Full ? model.sequence : (model.sequence + 1) / 2.0;
    return 4.0 * static_cast<double>(tokensOf(model, microbatchSize)) * positions * workOf(blockOf(model)).attentionWidth;
}

double outputFlops(const ModelConfig &model, int microbatchSize)
{
    return 2.0 * static_cast<double>(tokensOf(model, microbatchSize)) * static_cast<double>(embeddingParameters(model));
}

double iterationFlops(const Experiment &experiment, AttentionCount count)
{
    const ModelConfig &model = experiment.model;
    const int b = experiment.parallel.microbatchSize;
    const auto matrices = [&](const Block &block) {
        return 2.0 * static_cast<double>(tokensOf(model, b)) * workOf(block).matrixEntries;
    };
    const double forward =
        model.mixesLayers()
            ? sumOfLayers(model, matrices) + model.layers * attentionFlops(model, b, count) + outputFlops(model, b)
            : model.layers * (layerMatrixFlops(model, b) + attentionFlops(model, b, count)) + outputFlops(model, b);
    return 3.0 * static_cast<double>(experiment.parallel.stepMicrobatches()) * forward;
}

ParameterBytes parameterBytes(const Experiment &experiment)
{
    constexpr int kMaster = 4;
    switch (experiment.model.dtype) {
    case DataType::Bf16: return {2, 4, kMaster};
    case DataType::Fp16: return {2, 2, kMaster};
    case DataType::Fp32: break;
    }
    return {4, 4, 0};
}

int elementBytes(DataType dtype)
{
    return dtype == DataType::Fp32 ? 4 : 2;
}

base::Precision enginePrecision(const Experiment &experiment)
{
    const bool isBf16 = experiment.training.backend == "cuda" && experiment.model.dtype == DataType::Bf16;
    return isBf16 ? base::Precision::Bf16 : base::Precision::Fp32;
}

bool isEnginePlan(const Experiment &experiment)
{
    if (model::slicesOf(experiment.schedule) > 1 && experiment.training.backend != "cpu")
        return false; // only predicted
    return experiment.model.dtype == DataType::Fp32 || enginePrecision(experiment) == base::Precision::Bf16;
}

SavedLayout savedLayout(const Block &block, std::span<const ValueId> saved, std::int64_t tokens, base::Precision precision)
{
    SavedLayout layout{std::vector<std::int64_t>(block.values.size(), -1)};
    for (const ValueId id : saved) {
        const Value &value = block.value(id);
        const std::int64_t rows = value.isOwnRows ? tokens / block.tensorRanks : tokens;
        layout.offsets[static_cast<std::size_t>(id)] = layout.floats;
        layout.floats += value.isStatistics ? base::filledFloats(rows * value.width, precision)
                                            : base::floatsOf(rows * value.width, precision);
    }
    return layout;
}

namespace {

/// The recipes of the layers of a model on a rank.
struct LayerRecipes {
    LayerRecipe layer;
    std::optional<LayerRecipe> dense; ///< of layers without experts where others have some
};

LayerRecipes recipesFor(const ModelConfig &model, bool keepsProbabilities, const TensorSplit &split)
{
    const auto recipeWith = [&](bool hasExperts) {
        Block block = blockOf(model, hasExperts);
        return recipeOf(partitioned(keepsProbabilities ? withProbabilities(std::move(block), model) : block, split));
    };
    LayerRecipes recipes{recipeWith(model.hasExperts()), {}};
    if (model.mixesLayers())
        recipes.dense = recipeWith(false);
    return recipes;
}

/// `tokens`: of a sequence that a pass computes on a context rank.
EngineFloats derivedFloats(const ModelConfig &model, int microbatchSize, base::Precision precision, const LayerRecipes &recipes,
                           const TensorSplit &split, const model::RecomputeModules &modules, std::int64_t tokens)
{
    const LayerRecipe &recipe = recipes.layer;
    const auto dropped = [&](const LayerRecipe &of) {
        return savedLayout(of.block, droppedValues(of.block, of.saved, modules), microbatchSize * tokens, precision).floats;
    };
    const auto values = [precision](std::int64_t numbers) { return base::floatsOf(numbers, precision); };
    EngineFloats floats;
    floats.precision = precision;
    floats.tokens = microbatchSize * tokens;
    const std::int64_t ownTokens = split.isSequenceParallel ? floats.tokens / split.ranks : floats.tokens;
    floats.boundary = values(ownTokens * model.hidden);
    floats.gathered = values(floats.tokens * model.hidden);
    if (split.ranks > 1)
        floats.tensorPart = values((floats.tokens + split.ranks - 1) / split.ranks * model.hidden);
    const std::int64_t kvHeads = std::max(1, model.kvHeads / split.ranks);
    if (split.context > 1) {
        const bool isByHeads = split.contextMethod == model::ContextMethod::Ulysses;
        const std::int64_t width = isByHeads ? (model.heads / split.ranks + 2 * kvHeads) / split.context : 2 * kvHeads;
        floats.contextPart = values(floats.tokens * width * model.headSize());
    }
    if (split.slices > 1)
        floats.keys = values(std::int64_t{microbatchSize} * model.sequence * 2 * kvHeads * model.headSize());
    floats.normStatistics = (architectureOf(model.family).normsHaveBias ? 2 : 1) * ownTokens; // [mean | rstd]
    floats.layer = savedLayout(recipe.block, recipe.saved, floats.tokens, precision).floats;
    floats.dropped = dropped(recipe);
    std::vector<std::int64_t> scratch = recipe.scratch;
    if (recipes.dense) { // every layer has room for the larger kind
        const LayerRecipe &dense = *recipes.dense;
        const std::int64_t kept =
            std::max(floats.layer - floats.dropped,
                     savedLayout(dense.block, dense.saved, floats.tokens, precision).floats - dropped(dense));
        floats.dropped = std::max(floats.dropped, dropped(dense));
        floats.layer = kept + floats.dropped;
        scratch = widerScratch(scratch, dense.scratch);
    }
    // In bf16 there are GPUs, whose attention brings its own scratch.
    const bool seesParts = split.contextMethod == model::ContextMethod::Ring;
    const std::int64_t positions = seesParts ? model.sequence / split.context : model.sequence;
    const std::int64_t attention = precision == base::Precision::Bf16 ? 0 : attentionScratch(positions, model.headSize());
    floats.workspace = attention + constantFloats(recipe.block, model.sequence / split.context, model.headSize());
    floats.workspaceParts = static_cast<int>(scratch.size()) + 3;
    for (const std::int64_t width : scratch)
        floats.workspace += values(floats.tokens * width);
    return floats;
}

} // namespace

EngineFloats engineFloats(const ModelConfig &model, int microbatchSize, base::Precision precision, bool keepsProbabilities,
                          const TensorSplit &split, const model::RecomputeModules &modules)
{
    // A prediction calls this several times for each device; deriving a layer takes about 10 us.
    struct Known {
        ModelConfig model;
        int microbatchSize;
        base::Precision precision;
        bool keepsProbabilities;
        TensorSplit split;
        model::RecomputeModules modules;
        EngineFloats floats;
    };
    thread_local std::optional<Known> known;
    if (!known || known->microbatchSize != microbatchSize || known->precision != precision ||
        known->keepsProbabilities != keepsProbabilities || known->split != split || known->modules != modules ||
        known->model != model)
        known = Known{model,
                      microbatchSize,
                      precision,
                      keepsProbabilities,
                      split,
                      modules,
                      derivedFloats(model, microbatchSize, precision, recipesFor(model, keepsProbabilities, split), split,
                                    modules, model.sequence / split.context)};
    return known->floats;
}

EngineFloats engineFloats(const Experiment &experiment)
{
    if (model::slicesOf(experiment.schedule) > 1)
        return std::ranges::max(engineFloatsOfSlices(experiment), {}, &EngineFloats::tokens);
    return engineFloats(experiment.model, experiment.parallel.microbatchSize, enginePrecision(experiment),
                        keepsProbabilities(experiment.schedule.attention, experiment.schedule.recompute),
                        splitOf(experiment.parallel), experiment.schedule.recomputeModules);
}

std::vector<EngineFloats> engineFloatsOfSlices(const Experiment &experiment)
{
    if (model::slicesOf(experiment.schedule) == 1)
        return {engineFloats(experiment)};
    const TensorSplit split = engineSplit(experiment);
    const LayerRecipes recipes =
        recipesFor(experiment.model, keepsProbabilities(experiment.schedule.attention, experiment.schedule.recompute), split);
    std::vector<EngineFloats> all;
    std::int64_t workspace = 0;
    for (const int length : sliceLengths(experiment)) {
        all.push_back(derivedFloats(experiment.model, experiment.parallel.microbatchSize, enginePrecision(experiment), recipes,
                                    split, experiment.schedule.recomputeModules, length));
        workspace = std::max(workspace, all.back().workspace);
    }
    for (EngineFloats &floats : all)
        floats.workspace = workspace;
    return all;
}

Block engineBlock(const Experiment &experiment)
{
    return engineBlock(experiment, experiment.model.hasExperts());
}

Block engineBlock(const Experiment &experiment, bool hasExperts)
{
    Block block = blockOf(experiment.model, hasExperts);
    const bool keeps = keepsProbabilities(experiment.schedule.attention, experiment.schedule.recompute);
    return partitioned(keeps ? withProbabilities(std::move(block), experiment.model) : block, engineSplit(experiment));
}

std::int64_t constantFloats(const Block &block, std::int64_t sequence, std::int64_t headSize)
{
    return block.has(OperatorKind::Rotary) ? sequence * headSize : 0;
}

base::Bytes layerActivationBytes(const ModelConfig &model, int microbatchSize, model::Recompute recompute,
                                 model::Attention attention, const TensorSplit &split, const model::RecomputeModules &modules)
{
    // Full recomputation keeps the input of a layer; selective recomputation drops the probabilities of attention.
    if (recompute == model::Recompute::Full)
        return boundaryBytes(model, microbatchSize, split);
    if (model.dtype == DataType::Fp32) {
        const EngineFloats floats = engineFloats(model, microbatchSize, base::Precision::Fp32,
                                                 keepsProbabilities(attention, recompute), split, modules);
        return 4 * (floats.layer - floats.dropped + floats.boundary);
    }
    // What frameworks save: the input and what the backward reads in 16 bit, and the masks of dropout in a byte each.
    const Block block = partitioned(blockOf(model), split);
    const std::int64_t hidden = block.heldWidth(Block::kInput);
    std::int64_t numbers = hidden;
    const std::vector<ValueId> saved = savedValues(block);
    for (const ValueId value : saved)
        numbers += block.value(value).isStatistics ? 0 : block.heldWidth(value);
    for (const ValueId value : droppedValues(block, saved, modules))
        numbers -= block.value(value).isStatistics ? 0 : block.heldWidth(value);
    // Frameworks that drop out the output of a layer's halves drop out probabilities too: 2 bytes before, 2 after, a mask.
    const std::int64_t probabilities =
        keepsProbabilities(attention, recompute) && !modules.attention
            ? std::int64_t{model.heads} / split.ranks * model.sequence * (block.dropouts > 0 ? 5 : 2)
            : 0;
    return tokensOf(model, microbatchSize, split) * (2 * numbers + std::int64_t{block.dropouts} * hidden + probabilities);
}

base::Bytes boundaryBytes(const ModelConfig &model, int microbatchSize, const TensorSplit &split)
{
    const std::int64_t tokens = tokensOf(model, microbatchSize, split) / (split.isSequenceParallel ? split.ranks : 1);
    return tokens * model.hidden * elementBytes(model.dtype);
}

base::Bytes vocabularyTransientBytes(const ModelConfig &model, int microbatchSize, int devices, model::VocabularyMethod method,
                                     const TensorSplit &split)
{
    const std::int64_t shards = std::int64_t{split.ranks} * (traits(method).isSharded ? devices : 1);
    const std::int64_t columns = (model.vocabularySize + shards - 1) / shards;
    // The softmax is in fp32; a 16-bit product needs a copy of it in 16 bit.
    const std::int64_t softmax = columns * (4 + 2);
    constexpr std::int64_t kStatistics = 16;
    const base::Bytes whole = boundaryBytes(model, microbatchSize, {1, false, split.context});
    const base::Bytes kept = tokensOf(model, microbatchSize, split) * (softmax + kStatistics) + whole;
    // Algorithm 2 holds A and the gathered rows of the labels until its barrier.
    return kept + (traits(method).isGradientFromS ? 2 * whole : 0);
}

base::Bytes embeddingSumBytes(const ModelConfig &model, int microbatchSize, const TensorSplit &split)
{
    return model.dtype == DataType::Fp32 ? 0 : boundaryBytes(model, microbatchSize, split);
}

} // namespace stagelens::operators
