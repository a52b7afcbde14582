#include "engine/model/accounting.h"

namespace stagelens::model {
namespace {

/// Width of all key heads together, and of all value heads.
std::int64_t keyValueWidth(const ModelConfig &model)
{
    return std::int64_t{model.hidden} / model.heads * model.kvHeads;
}

/// Entries of the weight matrices of one layer: attention, then MLP (two matrices in gpt, three with SwiGLU).
std::int64_t layerMatrixEntries(const ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    const std::int64_t attention = 2 * h * h + 2 * h * keyValueWidth(model);
    return attention + (model.family == ModelFamily::Gpt ? 2 : 3) * h * model.ffn;
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
    return 12 * h + 4 * keyValueWidth(model) + 6 * f;
}

/// Numbers a token that the CPU engine keeps for one layer: inputs of both norms with their statistics, inputs of each matrix
/// product, attention's log-sum-exp.
std::int64_t floatsPerToken(const ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    const std::int64_t f = model.ffn;
    const std::int64_t statistics = (model.family == ModelFamily::Gpt ? 4 : 2) + model.heads;
    const std::int64_t mlp = (model.family == ModelFamily::Gpt ? 2 : 3) * f;
    return 6 * h + 2 * keyValueWidth(model) + mlp + statistics;
}

} // namespace

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
    return 4.0 * static_cast<double>(tokens(model, microbatchSize)) * positions * model.hidden;
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

base::Bytes layerActivationBytes(const ModelConfig &model, int microbatchSize, Recompute recompute)
{
    // Full recomputation keeps a layer's input. Selective recomputation redoes the attention matrix, which neither flash
    // attention nor the CPU engine keeps anyway.
    if (recompute == Recompute::Full)
        return boundaryBytes(model, microbatchSize);
    const std::int64_t perToken = model.dtype == DataType::Fp32 ? 4 * floatsPerToken(model) : halfPrecisionBytesPerToken(model);
    return tokens(model, microbatchSize) * perToken;
}

base::Bytes boundaryBytes(const ModelConfig &model, int microbatchSize)
{
    return tokens(model, microbatchSize) * model.hidden * elementBytes(model.dtype);
}

base::Bytes vocabularyTransientBytes(const ModelConfig &model, int microbatchSize, int devices, VocabularyMethod method)
{
    const std::int64_t shards = isSharded(method) ? devices : 1;
    const std::int64_t columns = (model.vocabularySize + shards - 1) / shards;
    // The softmax stands in fp32; a 16-bit product needs a copy of it in 16 bit.
    const std::int64_t softmax = columns * (model.dtype == DataType::Fp32 ? 4 : 4 + 2);
    constexpr std::int64_t kStatistics = 16;
    const base::Bytes kept = tokens(model, microbatchSize) * (softmax + kStatistics) + boundaryBytes(model, microbatchSize);
    // Algorithm 2 holds A and the gathered rows of the labels until its barrier.
    return kept + (method == VocabularyMethod::Vocab2 ? 2 * boundaryBytes(model, microbatchSize) : 0);
}

base::Bytes embeddingSumBytes(const ModelConfig &model, int microbatchSize)
{
    return model.dtype == DataType::Fp32 ? 0 : boundaryBytes(model, microbatchSize);
}

} // namespace stagelens::model
