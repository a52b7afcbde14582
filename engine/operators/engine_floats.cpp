#include "engine/operators/engine_floats.h"

#include "engine/model/family_shape.h"
#include "engine/operators/architecture.h"
#include "engine/operators/packing.h"
#include "engine/operators/recompute.h"
#include "engine/operators/sizes.h"
#include "engine/operators/slices.h"

#include <algorithm>
#include <optional>

namespace stagelens::operators {

using model::Experiment;
using model::ModelConfig;

namespace {

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

PackedLayout packedLayout(const Block &block, std::span<const ValueId> saved, std::int64_t tokens, base::Precision precision,
                          model::PackedPrecision stored)
{
    PackedLayout layout;
    if (stored == model::PackedPrecision::Same)
        return layout;
    const SavedLayout whole = savedLayout(block, saved, tokens, precision);
    for (const ValueId id : saved) {
        const Value &value = block.value(id);
        const std::int64_t rows = value.isOwnRows ? tokens / block.tensorRanks : tokens;
        const std::int64_t statistics = value.isStatistics ? rows * value.width : 0;
        layout.values.push_back({whole.offsets[static_cast<std::size_t>(id)], layout.floats, rows, value.width, statistics});
        layout.floats += value.isStatistics ? statistics : packedFloats(stored, rows, value.width);
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
                           const TensorSplit &split, const model::RecomputeModules &modules, model::PackedPrecision stored,
                           std::int64_t tokens)
{
    const LayerRecipe &recipe = recipes.layer;
    const auto storage = [&](const LayerRecipe &of) {
        return storageOf(of, droppedValues(of.block, of.saved, modules), microbatchSize * tokens, precision, stored);
    };
    const auto dropped = [&](const LayerRecipe &of) {
        return savedLayout(of.block, droppedValues(of.block, of.saved, modules), microbatchSize * tokens, precision).floats;
    };
    const auto values = [precision](std::int64_t numbers) { return base::floatsOf(numbers, precision); };
    EngineFloats floats;
    floats.precision = precision;
    floats.tokens = microbatchSize * tokens;
    const std::int64_t ownTokens = split.isSequenceParallel ? floats.tokens / split.ranks : floats.tokens;
    floats.boundary = values(ownTokens * model.hidden);
    const std::int64_t vocabularyTokens = floats.tokens / split.vocabularyRanks();
    floats.gathered = values(vocabularyTokens * model.tableWidth());
    floats.tableRows = values(ownTokens * model.tableWidth());
    floats.outputTokens = floats.statisticRows = vocabularyTokens * model.outputHeads;
    floats.outputInput = values(vocabularyTokens * model.outputWidth());
    floats.outputRows = values(ownTokens * model.outputWidth());
    if (split.ranks > 1) {
        const std::int64_t exchanged = split.dividesVocabularyByTokens ? 0 : model.outputWidth();
        floats.tensorPart =
            values((floats.tokens + split.ranks - 1) / split.ranks * std::max<std::int64_t>(model.hidden, exchanged));
    }
    const std::int64_t kvHeads = std::max(1, model.kvHeads / split.ranks);
    if (split.context > 1) {
        const bool isByHeads = split.contextMethod == model::ContextMethod::Ulysses;
        const std::int64_t width = isByHeads ? (model.heads / split.ranks + 2 * kvHeads) / split.context : 2 * kvHeads;
        floats.contextPart = values(floats.tokens * width * model.headSize());
        if (recipe.block.has(OperatorKind::SumChoices))
            floats.contextPart = std::max<std::int64_t>(floats.contextPart, model.experts);
    }
    if (split.slices > 1)
        floats.keys = values(std::int64_t{microbatchSize} * model.sequence * 2 * kvHeads * model.headSize());
    floats.normStatistics = (architectureOf(model.family).normsHaveBias ? 2 : 1) * ownTokens; // [mean | rstd]
    floats.layer = savedLayout(recipe.block, recipe.saved, floats.tokens, precision).floats;
    floats.dropped = dropped(recipe);
    floats.keptLayer = floats.layer - floats.dropped;
    floats.keptInput = floats.boundary;
    std::vector<std::int64_t> scratch = withOutputScratch(recipe.scratch, model, floats.tokens);
    if (recipes.dense) { // every layer has room for the larger kind
        const LayerRecipe &dense = *recipes.dense;
        const std::int64_t kept =
            std::max(floats.layer - floats.dropped,
                     savedLayout(dense.block, dense.saved, floats.tokens, precision).floats - dropped(dense));
        floats.dropped = std::max(floats.dropped, dropped(dense));
        floats.layer = kept + floats.dropped;
        floats.keptLayer = kept;
        scratch = widerScratch(scratch, dense.scratch);
    }
    if (stored != model::PackedPrecision::Same) {
        floats.isPacked = true;
        floats.keptInput = packedFloats(stored, ownTokens, model.hidden);
        floats.keptLayer = storage(recipe).packed.floats;
        if (recipes.dense)
            floats.keptLayer = std::max(floats.keptLayer, storage(*recipes.dense).packed.floats);
    }
    // Backends of 16 bits bring the scratch of attention.
    const bool seesParts = split.contextMethod == model::ContextMethod::Ring;
    const std::int64_t positions = seesParts ? model.sequence / split.context : model.sequence;
    const std::int64_t attention = precision == base::Precision::Fp32 ? attentionScratch(positions, model.headSize()) : 0;
    floats.workspace = attention + constantFloats(recipe.block, model.sequence / split.context, model.headSize());
    floats.workspaceParts = static_cast<int>(scratch.size()) + 3 + (floats.isPacked ? 1 + EngineFloats::kUnpackedInputs : 0);
    for (const std::int64_t width : scratch)
        floats.workspace += values(floats.tokens * width);
    return floats;
}

} // namespace

EngineFloats engineFloats(const ModelConfig &model, int microbatchSize, base::Precision precision, bool keepsProbabilities,
                          const TensorSplit &split, const model::RecomputeModules &modules, model::PackedPrecision stored)
{
    // A prediction calls this several times for each device; deriving a layer takes about 10 us.
    struct Known {
        ModelConfig model;
        int microbatchSize;
        base::Precision precision;
        bool keepsProbabilities;
        TensorSplit split;
        model::RecomputeModules modules;
        model::PackedPrecision stored;
        EngineFloats floats;
    };
    thread_local std::optional<Known> known;
    if (!known || known->microbatchSize != microbatchSize || known->precision != precision ||
        known->keepsProbabilities != keepsProbabilities || known->split != split || known->modules != modules ||
        known->stored != stored || known->model != model)
        known = Known{model,
                      microbatchSize,
                      precision,
                      keepsProbabilities,
                      split,
                      modules,
                      stored,
                      derivedFloats(model, microbatchSize, precision, recipesFor(model, keepsProbabilities, split), split,
                                    modules, stored, model.sequence / split.context)};
    return known->floats;
}

namespace {

/// Returns the floats with those of a packed message of the rank's own tokens, and with what shards compute of tails.
EngineFloats ofPlan(EngineFloats floats, const Experiment &experiment, const TensorSplit &split)
{
    const std::int64_t ownTokens = split.isSequenceParallel ? floats.tokens / split.ranks : floats.tokens;
    floats.packed = packedFloats(experiment.parallel.messagePrecision, ownTokens, experiment.model.hidden);
    const std::int64_t width = tailWidth(experiment);
    if (width == 0)
        return floats;
    floats.statisticRows *= 2;
    floats.outputInput += base::floatsOf(floats.tokens / split.vocabularyRanks() * width, floats.precision);
    floats.outputRows += base::floatsOf(ownTokens * width, floats.precision);
    if (split.ranks > 1 && !split.dividesVocabularyByTokens)
        floats.tensorPart = base::floatsOf((floats.tokens + split.ranks - 1) / split.ranks * (experiment.model.hidden + width),
                                           floats.precision);
    return floats;
}

} // namespace

EngineFloats engineFloats(const Experiment &experiment)
{
    if (model::slicesOf(experiment.schedule) > 1)
        return std::ranges::max(engineFloatsOfSlices(experiment), {}, &EngineFloats::tokens);
    const TensorSplit split = splitOf(experiment.parallel);
    return ofPlan(engineFloats(experiment.model, experiment.parallel.microbatchSize, enginePrecision(experiment),
                               keepsProbabilities(experiment.schedule.attention, experiment.schedule.recompute), split,
                               experiment.schedule.recomputeModules, experiment.schedule.storedActivations),
                  experiment, split);
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
        all.push_back(
            ofPlan(derivedFloats(experiment.model, experiment.parallel.microbatchSize, enginePrecision(experiment), recipes,
                                 split, experiment.schedule.recomputeModules, experiment.schedule.storedActivations, length),
                   experiment, split));
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

std::int64_t logitNumbers(std::int64_t tokens, std::int64_t columns, std::int64_t rows, const ModelConfig &model,
                          std::int64_t shards)
{
    std::int64_t numbers = std::max(tokens * columns, rows);
    for (const model::VocabularyTail &tail : model.tails())
        numbers = std::max<std::int64_t>(numbers, (tail.words() + shards - 1) / shards);
    return numbers;
}

std::vector<std::int64_t> withOutputScratch(std::vector<std::int64_t> scratch, const ModelConfig &model, std::int64_t tokens)
{
    if (model.isSampled()) { // after the factors of all tokens
        const std::int64_t rows = *model.sampledWords * std::int64_t{model.tableWidth()};
        scratch = widerScratch(std::move(scratch), {1 + (rows + tokens - 1) / tokens, model.tableWidth()});
    }
    if (model.outputHeads > 1)
        scratch = widerScratch(std::move(scratch), {model.outputWidth(), model.outputWidth()});
    return scratch;
}

std::int64_t constantFloats(const Block &block, std::int64_t sequence, std::int64_t headSize)
{
    return block.has(OperatorKind::Rotary) ? sequence * headSize : 0;
}

} // namespace stagelens::operators
