// Parameters, FLOPs and bytes of a model, from the operators of its layers. A multiply-add counts two FLOPs.
#pragma once

#include "engine/base/precision.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/operators/kinds.h"
#include "engine/operators/partition.h"

#include <cstdint>

namespace stagelens::operators {

/// Parameters of one transformer layer, of one embedding matrix (V x h, factorised V x E), of the map E x h of a factorised
/// vocabulary (otherwise 0), of the position table (s x h, if there is one) and of the final norm.
[[nodiscard]] std::int64_t layerParameters(const model::ModelConfig &model);
[[nodiscard]] std::int64_t embeddingParameters(const model::ModelConfig &model);
[[nodiscard]] std::int64_t inputParameters(const model::ModelConfig &model); ///< of the input table, of untied weights
/// Returns the parameters of the output table, of untied weights: those of the head of an adaptive softmax.
[[nodiscard]] std::int64_t outputTableParameters(const model::ModelConfig &model);
/// Returns the parameters of a tail of an adaptive softmax: its map from the layers and its table.
[[nodiscard]] std::int64_t tailParameters(const model::ModelConfig &model, const model::VocabularyTail &tail);
/// Returns the part of the labels that belong to a tail, if the frequency of a word is in proportion to 1 / its rank (Zipf).
[[nodiscard]] double tailShare(const model::ModelConfig &model, const model::VocabularyTail &tail);
[[nodiscard]] std::int64_t inputMapParameters(const model::ModelConfig &model);
[[nodiscard]] std::int64_t outputMapParameters(const model::ModelConfig &model); ///< of all output heads
[[nodiscard]] std::int64_t positionParameters(const model::ModelConfig &model);
[[nodiscard]] std::int64_t finalNormParameters(const model::ModelConfig &model);
[[nodiscard]] std::int64_t totalParameters(const model::ModelConfig &model);
/// Returns the number of parameters that compute one token: all except those of unselected experts, including both tables.
[[nodiscard]] std::int64_t activeParameters(const model::ModelConfig &model);

/// How the FLOPs of attention are counted: for all pairs of positions, as in the papers, or for those under a causal mask.
enum class AttentionCount : unsigned char { Full, Causal };

/// Returns the forward FLOPs of one layer for b sequences: matrix products with weights, and attention: 4 b s^2 h in full and
/// 2 b s (s + 1) h with a causal mask, where h is the width of the queries. Grouped queries save neither.
[[nodiscard]] double layerMatrixFlops(const model::ModelConfig &model, int microbatchSize);
[[nodiscard]] double attentionFlops(const model::ModelConfig &model, int microbatchSize,
                                    AttentionCount count = AttentionCount::Full);
/// Returns the forward FLOPs of the output projection: 2 b s h V, or 2 b s E (V + h) with a factorised vocabulary.
[[nodiscard]] double outputFlops(const model::ModelConfig &model, int microbatchSize);
/// Returns the model FLOPs of an iteration, forward and backward: 3 m (L (layer + attention) + output), and the map
/// after the look-up if the vocabulary is factorised.
[[nodiscard]] double iterationFlops(const model::Experiment &experiment, AttentionCount count = AttentionCount::Full);

/// Bytes of one parameter: the parameter, its gradient and, in 16 bit, its master weight. With AdamW's state of 8 bytes the
/// total is 16 in fp16 and fp32, and 18 in bf16.
struct ParameterBytes {
    int parameter = 4;
    int gradient = 4;
    int master = 0;
};
[[nodiscard]] ParameterBytes parameterBytes(const model::Experiment &experiment);
[[nodiscard]] int elementBytes(model::DataType dtype);

/// Returns the precision in which the engine trains the plan, beside products in 8 bits.
[[nodiscard]] base::Precision enginePrecision(const model::Experiment &experiment);
/// Returns the relative error of the coarsest rounding in that training: base::roundingError(), or that of operands in 8 bits.
[[nodiscard]] double roundingError(const model::Experiment &experiment);
/// The relative root mean square error of normal numbers that kernels::roundTiles() rounds. Measured in
/// tests/unit/kernels/codec.cpp.
inline constexpr double kEightBitError = 2.66e-2;
/// Returns the number of which the rows of the engine's output projection on a device are a multiple: 64 on GPUs, because
/// products with odd sizes take seven times as long (resources/docs/gpu-kernels.md). The rows added are zeros, which change no
/// result.
[[nodiscard]] std::int64_t outputMultiple(const model::Experiment &experiment);
/// Returns the rows of a shard of the output projection with those added, which are the columns of its logits.
[[nodiscard]] constexpr std::int64_t paddedRows(std::int64_t rows, std::int64_t multiple)
{
    return (rows + multiple - 1) / multiple * multiple;
}
/// Returns whether the plan describes the engine, so that the engine's memory is the plan's. A 16-bit plan that trains on
/// processors with the hardware of another machine describes that machine, whose frameworks keep other tensors.
[[nodiscard]] bool isEnginePlan(const model::Experiment &experiment);

/// Returns whether layers keep attention's probabilities from the forward to the backward; selective recomputation drops them.
[[nodiscard]] constexpr bool keepsProbabilities(model::Attention attention, model::Recompute recompute)
{
    return attention == model::Attention::Materialised && recompute != model::Recompute::Selective;
}
/// Returns the bytes of activations that one layer saves from F to B for one microbatch. Without recomputation, a GPT in 16 bit
/// saves 34 s b h with flash attention and 5 a s^2 b more with materialised attention (Korthikanti et al. 2022, arXiv
/// 2205.05198); in fp32 this is what the CPU engine saves, with the input of the layer. `split` divides it over tensor ranks as
/// in equations 2 to 4 there; gathered tensors are gathered again instead of saved. Values that `modules` recompute are not
/// saved. Context ranks divide all of it. `stored` packs the rest; masks and probabilities keep their bits.
[[nodiscard]] base::Bytes layerActivationBytes(const model::ModelConfig &model, int microbatchSize, model::Recompute recompute,
                                               model::Attention attention = model::Attention::Flash,
                                               const TensorSplit &split = {}, const model::RecomputeModules &modules = {},
                                               model::PackedPrecision stored = model::PackedPrecision::Same);
/// Returns the bytes of one [b s, h] tensor in the compute dtype: a message between stages. With sequence parallelism each
/// tensor rank sends its rows.
[[nodiscard]] base::Bytes boundaryBytes(const model::ModelConfig &model, int microbatchSize, const TensorSplit &split = {});
/// Returns the same of rows of the token tables, which are narrower if the vocabulary is factorised.
[[nodiscard]] base::Bytes tableRowBytes(const model::ModelConfig &model, int microbatchSize, const TensorSplit &split = {});
/// Returns the same of the output layer, in which a token has a row for each head. `tailWidth`: see tailWidth().
[[nodiscard]] base::Bytes outputRowBytes(const model::ModelConfig &model, int microbatchSize, const TensorSplit &split = {},
                                         std::int64_t tailWidth = 0);
/// Returns how many numbers of a token the shards of an adaptive softmax read and differentiate for its tail, in addition to
/// its row: as many as the widest tail has columns. 0 if one device computes the tails, or there are none.
[[nodiscard]] std::int64_t tailWidth(const model::Experiment &experiment);
/// Returns the bytes of such a tensor in a message between stages on different devices; 0: it is not packed, and has as many.
[[nodiscard]] base::Bytes packedBytes(const model::Experiment &experiment, const TensorSplit &split);
/// Returns the bytes that a rank holds for S and T of one microbatch in 16 bit: its share of the softmax, statistics, X, and
/// `parts` more [b s, h] tensors of the gradient of X until their barrier. It computes `columns` logits of a token.
[[nodiscard]] base::Bytes vocabularyTransientBytes(const model::ModelConfig &model, int microbatchSize, std::int64_t columns,
                                                   int parts, const TensorSplit &split = {}, std::int64_t tailWidth = 0);
/// Returns the part of them that the softmax is.
[[nodiscard]] base::Bytes exponentialBytes(const model::ModelConfig &model, int microbatchSize, std::int64_t columns,
                                           const TensorSplit &split = {});
/// Returns the bytes that the first stage keeps of a microbatch from F to B in addition to its own input if the embedding is
/// sharded: the sum of the shards' embeddings, to which positions are added (in 16 bit; the CPU engine adds in place). With a
/// factorised vocabulary these are the rows of the table, which the gradient of the map needs whether it is sharded or not.
[[nodiscard]] base::Bytes embeddingSumBytes(const model::ModelConfig &model, int microbatchSize, bool isSharded,
                                            const TensorSplit &split = {});

} // namespace stagelens::operators
