#include "engine/model/accounting.h"

#include <algorithm>

namespace stagelens::model {
namespace {

/// Entries of the weight matrices of one layer: attention, then MLP (two matrices in gpt, three with SwiGLU).
std::int64_t layerMatrixEntries(const ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    const std::int64_t attention = 2 * h * queryWidth(model) + 2 * h * keyValueWidth(model);
    return attention + innerTensors(model) * h * model.ffn;
}

std::int64_t tokens(const ModelConfig &model, int microbatchSize)
{
    return std::int64_t{microbatchSize} * model.sequence;
}

/// Bytes a token that one layer keeps in 16 bit. Gpt: Korthikanti et al. without the attention matrix, 34 h where ffn is 4 h
/// (measured so in the paper's artifact). Llama: the inputs of each operation of the layer.
std::int64_t halfPrecisionBytesPerToken(const ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    const std::int64_t f = model.ffn;
    if (model.family == ModelFamily::Gpt)
        return 18 * h + 4 * f;
    return 8 * h + 4 * queryWidth(model) + 4 * keyValueWidth(model) + 6 * f;
}

} // namespace

std::int64_t queryWidth(const ModelConfig &model)
{
    return std::int64_t{model.headSize()} * model.heads;
}

std::int64_t keyValueWidth(const ModelConfig &model)
{
    return std::int64_t{model.headSize()} * model.kvHeads;
}

int innerTensors(const ModelConfig &model)
{
    return model.family == ModelFamily::Gpt ? 2 : 3;
}

std::int64_t layerParameters(const ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    if (model.family == ModelFamily::Llama)
        return layerMatrixEntries(model) + 2 * h;
    const std::int64_t biases = 2 * h + 2 * keyValueWidth(model) + model.ffn + h;
    const std::int64_t norms = 4 * h;
    return layerMatrixEntries(model) + biases + norms;
}

std::int64_t embeddingParameters(const ModelConfig &model)
{
    return std::int64_t{model.vocabularySize} * model.hidden;
}

std::int64_t positionParameters(const ModelConfig &model)
{
    return model.family == ModelFamily::Gpt ? std::int64_t{model.sequence} * model.hidden : 0;
}

std::int64_t finalNormParameters(const ModelConfig &model)
{
    return (model.family == ModelFamily::Gpt ? 2 : 1) * std::int64_t{model.hidden};
}

std::int64_t totalParameters(const ModelConfig &model)
{
    return model.layers * layerParameters(model) + (model.tied ? 1 : 2) * embeddingParameters(model) +
           positionParameters(model) + finalNormParameters(model);
}

double layerMatrixFlops(const ModelConfig &model, int microbatchSize)
{
    return 2.0 * static_cast<double>(tokens(model, microbatchSize)) * static_cast<double>(layerMatrixEntries(model));
}

double attentionFlops(const ModelConfig &model, int microbatchSize, AttentionCount count)
{
    const double positions = count == AttentionCount::Full ? model.sequence : (model.sequence + 1) / 2.0;
    return 4.0 * static_cast<double>(tokens(model, microbatchSize)) * positions * static_cast<double>(queryWidth(model));
}

double outputFlops(const ModelConfig &model, int microbatchSize)
{
    return 2.0 * static_cast<double>(tokens(model, microbatchSize)) * static_cast<double>(embeddingParameters(model));
}

double iterationFlops(const Experiment &experiment, AttentionCount count)
{
    const ModelConfig &model = experiment.model;
    const int b = experiment.parallel.microbatchSize;
    const double forward =
        model.layers * (layerMatrixFlops(model, b) + attentionFlops(model, b, count)) + outputFlops(model, b);
    return 3.0 * experiment.parallel.microbatches * forward;
}

ParameterBytes parameterBytes(DataType dtype)
{
    switch (dtype) {
    case DataType::Bf16: return {2, 4, 12};
    case DataType::Fp16: return {2, 2, 12};
    case DataType::Fp32: break;
    }
    return {4, 4, 8};
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
    return experiment.model.dtype == DataType::Fp32 || enginePrecision(experiment) == base::Precision::Bf16;
}

EngineFloats engineFloats(const ModelConfig &model, int microbatchSize, base::Precision precision)
{
    const std::int64_t h = model.hidden;
    const std::int64_t f = model.ffn;
    const std::int64_t queries = queryWidth(model);
    const std::int64_t queriesKeysValues = queries + 2 * keyValueWidth(model);
    const bool isGpt = model.family == ModelFamily::Gpt;
    const auto values = [precision](std::int64_t numbers) { return base::floatsOf(numbers, precision); };
    const auto filled = [precision](std::int64_t floats) { return base::filledFloats(floats, precision); };
    EngineFloats floats;
    floats.precision = precision;
    floats.tokens = tokens(model, microbatchSize);
    floats.boundary = values(floats.tokens * h);
    floats.normStatistics = (isGpt ? 2 : 1) * floats.tokens; // a mean has LayerNorm only
    // Outputs of both norms, queries with keys and values, attention and its sum with the input; the MLP's inner tensors (two,
    // and three with SwiGLU); statistics of the norms, and of each head's softmax.
    floats.layer = 3 * floats.boundary + values(floats.tokens * queries) + values(floats.tokens * queriesKeysValues) +
                   innerTensors(model) * values(floats.tokens * f) + filled(floats.tokens * model.heads) +
                   2 * filled(floats.normStatistics);
    // The gradients of a layer's widest tensor and of its output or its attention's, the scratch of attention (five padded
    // panels of a head, two tiles of scores, three of queries: kernels/include/attention.h; in bf16 there are GPUs, which bring
    // their own), and the angles of rotary positions.
    constexpr std::int64_t kPanel = 16;
    constexpr std::int64_t kQueries = 64;
    constexpr std::int64_t kKeys = 128;
    const auto padded = [](std::int64_t count) { return (count + kPanel - 1) / kPanel * kPanel; };
    const std::int64_t headSize = model.headSize();
    const std::int64_t attention =
        precision == base::Precision::Bf16
            ? 0
            : 5 * padded(model.sequence) * padded(headSize) + 2 * kQueries * kKeys + 3 * kQueries * padded(headSize);
    floats.workspace = values(floats.tokens * std::max({h, f, queriesKeysValues})) +
                       values(floats.tokens * std::max(h, queries)) + attention + (isGpt ? 0 : model.sequence * headSize);
    return floats;
}

EngineFloats engineFloats(const Experiment &experiment)
{
    return engineFloats(experiment.model, experiment.parallel.microbatchSize, enginePrecision(experiment));
}

base::Bytes layerActivationBytes(const ModelConfig &model, int microbatchSize, Recompute recompute)
{
    // Full recomputation keeps a layer's input. Selective recomputation redoes the attention matrix, which neither flash
    // attention nor the CPU engine keeps anyway.
    if (recompute == Recompute::Full)
        return boundaryBytes(model, microbatchSize);
    if (model.dtype != DataType::Fp32)
        return tokens(model, microbatchSize) * halfPrecisionBytesPerToken(model);
    const EngineFloats floats = engineFloats(model, microbatchSize);
    return 4 * (floats.layer + floats.boundary);
}

base::Bytes boundaryBytes(const ModelConfig &model, int microbatchSize)
{
    return tokens(model, microbatchSize) * model.hidden * elementBytes(model.dtype);
}

base::Bytes vocabularyTransientBytes(const ModelConfig &model, int microbatchSize, int devices, VocabularyMethod method)
{
    const std::int64_t shards = traits(method).isSharded ? devices : 1;
    const std::int64_t columns = (model.vocabularySize + shards - 1) / shards;
    // The softmax stands in fp32; a 16-bit product needs a copy of it in 16 bit.
    const std::int64_t softmax = columns * (4 + 2);
    constexpr std::int64_t kStatistics = 16;
    const base::Bytes kept = tokens(model, microbatchSize) * (softmax + kStatistics) + boundaryBytes(model, microbatchSize);
    // Algorithm 2 holds A and the gathered rows of the labels until its barrier.
    return kept + (traits(method).isGradientFromS ? 2 * boundaryBytes(model, microbatchSize) : 0);
}

base::Bytes embeddingSumBytes(const ModelConfig &model, int microbatchSize)
{
    return model.dtype == DataType::Fp32 ? 0 : boundaryBytes(model, microbatchSize);
}

} // namespace stagelens::model
