// The memory that a rank of the engine keeps for a microbatch, in floats.
#pragma once

#include "engine/base/precision.h"
#include "engine/model/experiment.h"
#include "engine/operators/partition.h"
#include "engine/operators/recipe.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::operators {

/// Offsets of the saved values in the slab of a layer, in floats (base/precision.h).
struct SavedLayout {
    std::vector<std::int64_t> offsets; ///< by ValueId; of saved values only
    std::int64_t floats = 0;           ///< of the slab
};
[[nodiscard]] SavedLayout savedLayout(const Block &block, std::span<const ValueId> saved, std::int64_t tokens,
                                      base::Precision precision);

/// A saved value in the slab of a layer, and packed in a shorter one. Offsets are in floats.
struct PackedValue {
    std::int64_t offset = 0;
    std::int64_t packedOffset = 0;
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::int64_t floats = 0; ///< of statistics, which keep their bits; 0: rows that are packed
};
struct PackedLayout {
    std::vector<PackedValue> values;
    std::int64_t floats = 0; ///< of the shorter slab
};
/// Returns nothing if saved values keep their bits.
[[nodiscard]] PackedLayout packedLayout(const Block &block, std::span<const ValueId> saved, std::int64_t tokens,
                                        base::Precision precision, model::PackedPrecision stored);

/// Memory that a rank of the engine needs for one microbatch, in floats.
struct EngineFloats {
    base::Precision precision = base::Precision::Fp32;
    std::int64_t tokens = 0;        ///< their number
    std::int64_t boundary = 0;      ///< one [b s, h] tensor; with sequence parallelism the rows of the rank
    std::int64_t packed = 0;        ///< the same in a message between stages; 0: not packed
    std::int64_t gathered = 0;      ///< rows of the token tables for the tokens of the vocabulary layers: [b s, h], factorised
                                    ///< [b s, E]
    std::int64_t tableRows = 0;     ///< the same for the tokens of a boundary
    std::int64_t outputTokens = 0;  ///< rows of the output layer: one for each token and head
    std::int64_t statisticRows = 0; ///< softmaxes of the output layer: as many, or twice as many if shards compute tails
    std::int64_t outputInput = 0;   ///< X: [b s K, h], factorised [b s K, E], of the tokens of the vocabulary
                                    ///< layers; with the rows that shards read for tails
    std::int64_t outputRows = 0;    ///< the same for the tokens of a boundary
    std::int64_t tensorPart =
        0; ///< part of the widest such tensor, cut by rows for an exchange among tensor ranks; 0 without them
    std::int64_t contextPart = 0;    ///< the greatest message of context ranks: the keys and values of a rank's tokens, or its
                                     ///< fused rows of another rank's heads; 0 without context ranks
    std::int64_t keys = 0;           ///< slices: keys and values of whole sequences, of a layer; 0 for whole sequences
    std::int64_t layer = 0;          ///< saved by a layer from F to B in addition to its input
    std::int64_t dropped = 0;        ///< of them: recomputed in the backward of a layer that is not recomputed as a whole
    std::int64_t normStatistics = 0; ///< saved by one norm in addition to its input
    /// Scratch that a device always holds; recomputation adds the recomputed values of one layer (rebuiltFloats()).
    std::int64_t workspace = 0;
    bool isPacked = false;      ///< what layers keep is packed from F to B
    std::int64_t keptInput = 0; ///< of the input of a layer from F to B
    std::int64_t keptLayer = 0; ///< of its saved values that are not recomputed
    /// Returns the floats that the layers of a stage keep, of which the first `whole` are recomputed as a whole: saved values,
    /// and the outputs between layers.
    [[nodiscard]] std::int64_t keptByStage(int layers, int whole) const
    {
        return (layers - 1) * keptInput + (layers - whole) * keptLayer;
    }
    /// Returns the floats that all layers of a stage recompute or unpack.
    [[nodiscard]] std::int64_t rebuiltByStage(int layers, int whole) const
    {
        return isPacked ? layers * (layer + boundary) : whole * layer + (layers - whole) * dropped;
    }
    /// Returns the floats of the scratch in which packed layers compute: the saved values of one, unless all are recomputed as
    /// a whole, the input of the stage, and input and output of a layer. 0: layers are not packed.
    [[nodiscard]] std::int64_t unpacked(bool areAllWhole) const
    {
        return isPacked ? (areAllWhole ? 0 : layer - dropped) + kUnpackedInputs * boundary : 0;
    }
    static constexpr int kUnpackedInputs = 3;
    int workspaceParts = 0; ///< allocations that it consists of, recomputed tensors included
};
[[nodiscard]] EngineFloats engineFloats(const model::ModelConfig &model, int microbatchSize,
                                        base::Precision precision = base::Precision::Fp32, bool keepsProbabilities = false,
                                        const TensorSplit &split = {}, const model::RecomputeModules &modules = {},
                                        model::PackedPrecision stored = model::PackedPrecision::Same);
/// Uses the model, microbatch size, tensor ranks and precision of the plan. With slices of sequences: of the longest slice.
[[nodiscard]] EngineFloats engineFloats(const model::Experiment &experiment);
/// Returns the same for each slice of a sequence; the workspace is that of the longest.
[[nodiscard]] std::vector<EngineFloats> engineFloatsOfSlices(const model::Experiment &experiment);
/// Returns the numbers of the logits of `tokens` rows of the output layer, which computes `columns` logits of each with a table
/// of `rows` rows. Those of a tail of an adaptive softmax, and those of all rows where training draws some words, use the same
/// room, for as many tokens at a time as it has, and one at least. `shards`: over which the tables of tails are divided.
[[nodiscard]] std::int64_t logitNumbers(std::int64_t tokens, std::int64_t columns, std::int64_t rows,
                                        const model::ModelConfig &model, std::int64_t shards);
/// Returns the scratch of layers, for `tokens`, with room in the first two tensors for the rows of all output heads, and in the
/// first for rows of the words that a sampled softmax draws.
[[nodiscard]] std::vector<std::int64_t> withOutputScratch(std::vector<std::int64_t> scratch, const model::ModelConfig &model,
                                                          std::int64_t tokens);
/// Returns the number of constants that the layers read in addition to parameters: the angles of rotary positions.
[[nodiscard]] std::int64_t constantFloats(const Block &block, std::int64_t sequence, std::int64_t headSize);

/// Returns the block that a rank of the engine runs.
[[nodiscard]] Block engineBlock(const model::Experiment &experiment);
/// Returns the same for a layer with or without experts.
[[nodiscard]] Block engineBlock(const model::Experiment &experiment, bool hasExperts);

} // namespace stagelens::operators
