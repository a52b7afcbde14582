// Parameters, FLOPs and bytes of a model, by layer. Formulas: arXiv 2411.05288 table 4; Narayanan et al. 2021; Korthikanti et
// al. 2022 (2205.05198). Multiply-add counts two FLOPs.
#pragma once

#include "engine/base/precision.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"

#include <cstdint>

namespace stagelens::model {

/// Matrices of an MLP, and tensors of its inner width: two, and three with SwiGLU (gate, up and their product).
[[nodiscard]] int innerTensors(const ModelConfig &model);

/// Width of the queries of all heads together; of all keys together, which is that of all values.
[[nodiscard]] std::int64_t queryWidth(const ModelConfig &model);
[[nodiscard]] std::int64_t keyValueWidth(const ModelConfig &model);

/// Parameters of one transformer layer, of one embedding matrix (V x h), of the positional table (s x h, gpt only) and of the
/// final norm.
[[nodiscard]] std::int64_t layerParameters(const ModelConfig &model);
[[nodiscard]] std::int64_t embeddingParameters(const ModelConfig &model);
[[nodiscard]] std::int64_t positionParameters(const ModelConfig &model);
[[nodiscard]] std::int64_t finalNormParameters(const ModelConfig &model);
[[nodiscard]] std::int64_t totalParameters(const ModelConfig &model);

/// How attention's FLOPs are counted: of all pairs of positions, as the papers do, or of those that a causal mask leaves.
enum class AttentionCount : unsigned char { Full, Causal };

/// Forward FLOPs of one layer for b sequences: matrix products with weights, and attention, 4 b s^2 h in full and with a causal
/// mask 2 b s (s + 1) h, where h is the width of the queries. Grouped queries save neither.
[[nodiscard]] double layerMatrixFlops(const ModelConfig &model, int microbatchSize);
[[nodiscard]] double attentionFlops(const ModelConfig &model, int microbatchSize, AttentionCount count = AttentionCount::Full);
/// Forward FLOPs of the output projection, 2 b s h V.
[[nodiscard]] double outputFlops(const ModelConfig &model, int microbatchSize);
/// Model FLOPs of a whole iteration, forward and backward: 3 m (L (layer + attention) + output).
[[nodiscard]] double iterationFlops(const Experiment &experiment, AttentionCount count = AttentionCount::Full);

/// Bytes that one parameter takes as parameter, as gradient and as optimizer state: 16 together in fp16 and fp32, 18 in bf16.
struct ParameterBytes {
    int parameter = 4;
    int gradient = 4;
    int optimizer = 8;
};
[[nodiscard]] ParameterBytes parameterBytes(DataType dtype);
[[nodiscard]] int elementBytes(DataType dtype);

/// In which the engine trains the plan: GPUs in bf16 where the model's dtype is that, processors in fp32 whatever it is.
[[nodiscard]] base::Precision enginePrecision(const Experiment &experiment);
/// Whether that is the model's dtype, so that the engine's memory is the plan's. A plan in 16 bit for processors is one for
/// other machines, whose frameworks hold other things.
[[nodiscard]] bool isEnginePlan(const Experiment &experiment);

/// What the engine takes for one microbatch, in floats (base/precision.h).
struct EngineFloats {
    base::Precision precision = base::Precision::Fp32;
    std::int64_t tokens = 0;         ///< their number
    std::int64_t boundary = 0;       ///< one [b s, h] tensor
    std::int64_t layer = 0;          ///< kept by a layer from F to B beside its input
    std::int64_t normStatistics = 0; ///< kept by one norm beside its input
    /// Scratch that a device has all the time; full recomputation adds what one layer keeps.
    std::int64_t workspace = 0;
};
[[nodiscard]] EngineFloats engineFloats(const ModelConfig &model, int microbatchSize,
                                        base::Precision precision = base::Precision::Fp32);
/// Of a plan's model and microbatches, as the engine computes them.
[[nodiscard]] EngineFloats engineFloats(const Experiment &experiment);

/// Activations that one layer keeps from F to B for one microbatch, in bytes (34 s b h in 16 bit with flash attention and no
/// recomputation; in fp32 what the CPU engine keeps, the layer's input among it).
[[nodiscard]] base::Bytes layerActivationBytes(const ModelConfig &model, int microbatchSize, Recompute recompute);
/// One [b s, h] tensor in the compute dtype: a message between stages.
[[nodiscard]] base::Bytes boundaryBytes(const ModelConfig &model, int microbatchSize);
/// What a device holds for S and T of one microbatch in 16 bit: its share of the softmax, statistics, and (Vocab2, until the
/// barrier) A.
[[nodiscard]] base::Bytes vocabularyTransientBytes(const ModelConfig &model, int microbatchSize, int devices,
                                                   VocabularyMethod method);
/// What the first stage keeps of a microbatch from F to B beside its own input where the embedding is sharded: the sum of the
/// shards' embeddings, to which positions are added (in 16 bit; the CPU engine adds in place).
[[nodiscard]] base::Bytes embeddingSumBytes(const ModelConfig &model, int microbatchSize);

} // namespace stagelens::model
