#include "engine/operators/sizes.h"

#include "engine/model/conditions.h"
#include "engine/model/family_shape.h"

#include "engine/operators/architecture.h"
#include "engine/operators/engine_floats.h"
#include "engine/operators/packing.h"
#include "engine/operators/recompute.h"
#include "engine/operators/slices.h"

#include <algorithm>
#include <cmath>
#include <numbers>
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

/// Returns those whose vocabulary layers a rank computes.
std::int64_t vocabularyTokensOf(const ModelConfig &model, int microbatchSize, const TensorSplit &split)
{
    return tokensOf(model, microbatchSize, split) / split.vocabularyRanks();
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

} // namespace

std::int64_t layerParameters(const ModelConfig &model)
{
    return parametersOf(blockOf(model));
}

std::int64_t embeddingParameters(const ModelConfig &model)
{
    return std::int64_t{model.vocabularySize} * model.tableWidth();
}

std::int64_t inputParameters(const ModelConfig &model)
{
    return std::int64_t{model.inputRows()} * model.tableWidth();
}

std::int64_t outputTableParameters(const ModelConfig &model)
{
    return std::int64_t{model.outputRows()} * model.tableWidth();
}

std::int64_t tailParameters(const ModelConfig &model, const model::VocabularyTail &tail)
{
    return std::int64_t{tail.width} * (model.hidden + tail.words());
}

/// Returns 1 + 1/2 + ... + 1/n; of many terms by their asymptotic series.
static double harmonicNumber(int n)
{
    constexpr int kTerms = 100;
    double sum = 0;
    if (n <= kTerms) {
        for (int i = n; i > 0; --i)
            sum += 1.0 / i;
        return sum;
    }
    const double x = n;
    return std::log(x) + std::numbers::egamma + 1 / (2 * x) - 1 / (12 * x * x);
}

double roundingError(const Experiment &experiment)
{
    return experiment.model.dtype == DataType::Fp8 ? kEightBitError : base::roundingError(enginePrecision(experiment));
}

double tailShare(const ModelConfig &model, const model::VocabularyTail &tail)
{
    return (harmonicNumber(tail.end) - harmonicNumber(tail.first)) / harmonicNumber(model.vocabularySize);
}

std::int64_t inputMapParameters(const ModelConfig &model)
{
    return model.isFactorised() ? std::int64_t{model.tableWidth()} * model.hidden : 0;
}

std::int64_t outputMapParameters(const ModelConfig &model)
{
    return model.mapsOutput() ? model.outputWidth() * model.hidden : 0;
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
    std::int64_t tails = 0;
    for (const model::VocabularyTail &tail : model.tails())
        tails += tailParameters(model, tail);
    return sumOfLayers(model, parametersOf) + outputTableParameters(model) + tails + (model.tied ? 0 : inputParameters(model)) +
           inputMapParameters(model) + outputMapParameters(model) + positionParameters(model) + finalNormParameters(model);
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
    const std::int64_t rows = std::int64_t{model.logitColumns()} * model.tableWidth();
    auto entries = static_cast<double>(model.outputHeads * rows + outputMapParameters(model));
    for (const model::VocabularyTail &tail : model.tails())
        entries += tailShare(model, tail) * static_cast<double>(tailParameters(model, tail));
    return 2.0 * static_cast<double>(tokensOf(model, microbatchSize)) * entries;
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
    const double map = 2.0 * static_cast<double>(tokensOf(model, b)) * static_cast<double>(inputMapParameters(model));
    return 3.0 * static_cast<double>(experiment.parallel.stepMicrobatches()) * (forward + map);
}

ParameterBytes parameterBytes(const Experiment &experiment)
{
    constexpr int kMaster = 4;
    switch (experiment.model.dtype) {
    case DataType::Bf16:
    case DataType::Fp8: return {2, 4, kMaster};
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
    switch (experiment.model.dtype) {
    case DataType::Bf16:
    case DataType::Fp8: return base::Precision::Bf16;
    case DataType::Fp16: return base::Precision::Fp16;
    case DataType::Fp32: break;
    }
    return base::Precision::Fp32;
}

std::int64_t outputMultiple(const Experiment &experiment)
{
    return model::kIsOnGpus(experiment) ? 64 : 1;
}

bool isEnginePlan(const Experiment &experiment)
{
    if (experiment.model.dtype == DataType::Fp32 || experiment.training.backend == "cuda")
        return true;
    const auto *const hardware = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    return hardware != nullptr && hardware->isThisMachine();
}

base::Bytes layerActivationBytes(const ModelConfig &model, int microbatchSize, model::Recompute recompute,
                                 model::Attention attention, const TensorSplit &split, const model::RecomputeModules &modules,
                                 model::PackedPrecision stored)
{
    const std::int64_t tokens = tokensOf(model, microbatchSize, split);
    const auto packed = [&](std::int64_t rows, std::int64_t width) { return 4 * packedFloats(stored, rows, width); };
    const bool isPacked = stored != model::PackedPrecision::Same;
    // Full recomputation keeps the input of a layer; selective recomputation drops the probabilities of attention.
    if (recompute == model::Recompute::Full)
        return isPacked ? packed(split.isSequenceParallel ? tokens / split.ranks : tokens, model.hidden)
                        : boundaryBytes(model, microbatchSize, split);
    if (model.dtype == DataType::Fp32) {
        const EngineFloats floats = engineFloats(model, microbatchSize, base::Precision::Fp32,
                                                 keepsProbabilities(attention, recompute), split, modules, stored);
        return 4 * (floats.keptLayer + floats.keptInput);
    }
    // What frameworks save: the input and what the backward reads in 16 bit, and the masks of dropout in a byte each.
    const Block block = partitioned(blockOf(model), split);
    const std::int64_t hidden = block.heldWidth(Block::kInput);
    const auto bytesOf = [&](std::int64_t width) { return isPacked ? packed(tokens, width) : 2 * tokens * width; };
    base::Bytes bytes = bytesOf(hidden);
    const std::vector<ValueId> saved = savedValues(block);
    const std::vector<ValueId> cast = model.dtype == DataType::Fp8 && !isPacked ? productInputs(block) : std::vector<ValueId>();
    const auto savedBytes = [&](ValueId value) -> base::Bytes {
        const std::int64_t width = block.heldWidth(value);
        if (std::ranges::find(cast, value) != cast.end())
            return 4 * packedFloats(model::PackedPrecision::Fp8, tokens, width);
        return block.value(value).isStatistics ? 0 : bytesOf(width);
    };
    for (const ValueId value : saved)
        bytes += savedBytes(value);
    for (const ValueId value : droppedValues(block, saved, modules))
        bytes -= savedBytes(value);
    // Frameworks that drop out the output of a layer's halves drop out probabilities too: 2 bytes before, 2 after, a mask.
    const std::int64_t probabilities =
        keepsProbabilities(attention, recompute) && !modules.attention
            ? std::int64_t{model.heads} / split.ranks * model.sequence * (block.dropouts > 0 ? 5 : 2)
            : 0;
    return bytes + tokens * (std::int64_t{block.dropouts} * hidden + probabilities);
}

base::Bytes boundaryBytes(const ModelConfig &model, int microbatchSize, const TensorSplit &split)
{
    const std::int64_t tokens = tokensOf(model, microbatchSize, split) / (split.isSequenceParallel ? split.ranks : 1);
    return tokens * model.hidden * elementBytes(model.dtype);
}

base::Bytes tableRowBytes(const ModelConfig &model, int microbatchSize, const TensorSplit &split)
{
    return boundaryBytes(model, microbatchSize, split) / model.hidden * model.tableWidth();
}

base::Bytes outputRowBytes(const ModelConfig &model, int microbatchSize, const TensorSplit &split, std::int64_t tailWidth)
{
    return model.outputHeads * tableRowBytes(model, microbatchSize, split) +
           boundaryBytes(model, microbatchSize, split) / model.hidden * tailWidth;
}

std::int64_t tailWidth(const Experiment &experiment)
{
    const std::vector<model::VocabularyTail> tails = experiment.model.tails();
    return tails.empty() || !model::shardsVocabulary(experiment.schedule) ? 0 : tails.front().width;
}

base::Bytes packedBytes(const model::Experiment &experiment, const TensorSplit &split)
{
    const std::int64_t tokens = tokensOf(experiment.model, experiment.parallel.microbatchSize, split);
    return 4 * packedFloats(experiment.parallel.messagePrecision, split.isSequenceParallel ? tokens / split.ranks : tokens,
                            experiment.model.hidden);
}

base::Bytes exponentialBytes(const ModelConfig &model, int microbatchSize, std::int64_t columns, const TensorSplit &split)
{
    // The softmax is in fp32; a 16-bit product needs a copy of it in 16 bit.
    return model.outputHeads * vocabularyTokensOf(model, microbatchSize, split) * columns * (4 + 2);
}

base::Bytes vocabularyTransientBytes(const ModelConfig &model, int microbatchSize, std::int64_t columns, int parts,
                                     const TensorSplit &split, std::int64_t tailWidth)
{
    constexpr std::int64_t kStatistics = 16;
    const base::Bytes whole = outputRowBytes(model, microbatchSize, split.ofVocabulary(), tailWidth);
    const int softmaxes = tailWidth > 0 ? 2 : 1; // of a token
    return exponentialBytes(model, microbatchSize, columns, split) +
           softmaxes * model.outputHeads * vocabularyTokensOf(model, microbatchSize, split) * kStatistics + (1 + parts) * whole;
}

base::Bytes embeddingSumBytes(const ModelConfig &model, int microbatchSize, bool isSharded, const TensorSplit &split)
{
    const bool isKept = model.isFactorised() || (isSharded && model.dtype != DataType::Fp32);
    return isKept ? tableRowBytes(model, microbatchSize, split) : 0;
}

} // namespace stagelens::operators
