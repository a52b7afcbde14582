// The tensor sizes of a microbatch.
#pragma once

#include "engine/backend/memory.h"
#include "engine/layout/context_cut.h"
#include "engine/model/experiment.h"
#include "engine/operators/packing.h"
#include "engine/operators/recompute.h"
#include "engine/passes/pass_recipe.h"
#include "engine/simulate/memory.h"
#include "kernels/include/attention.h"
#include "kernels/include/rotary.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace stagelens::runtime {

/// What the passes do with a layer, and where it saves its tensors.
struct LayerPlan {
    operators::LayerRecipe recipe;
    operators::LayerStorage partly; ///< of a layer that rebuilds the plan's operators, or nothing
    operators::LayerStorage whole;  ///< of a layer that is recomputed as a whole
};

/// A slice of each sequence of a microbatch.
struct SequenceSlice {
    std::int64_t begin = 0; ///< its first token
    std::int64_t tokens = 0;
    std::shared_ptr<const LayerPlan> layer;
    std::shared_ptr<const LayerPlan> dense; ///< of layers without experts where others have some; else null
};

/// The arguments of all kernels. Heads are those of a tensor rank.
struct Shape {
    model::ModelConfig model;
    std::int64_t batch = 0;    ///< sequences of a microbatch
    std::int64_t sequence = 0; ///< tokens of a sequence that a context rank has; of the slice at hand if sequences are cut
    std::int64_t whole = 0;    ///< tokens of a sequence on all context ranks
    std::int64_t begin = 0;    ///< first token of the slice at hand
    std::int64_t hidden = 0;
    std::int64_t tableWidth = 0;  ///< columns of the token tables: hidden, or less if the vocabulary is factorised
    std::int64_t outputHeads = 1; ///< K: rows that each token has in the output layer
    std::int64_t tailWidth = 0;   ///< operators::tailWidth()
    std::int64_t labels = 0;      ///< of a microbatch on all context ranks, of all heads
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t ffn = 0;
    std::int64_t vocabulary = 0;
    std::int64_t microbatches = 0; ///< of a replica
    std::int64_t iterations = 1;   ///< steps that passes run without a drain in between
    std::int64_t replicas = 1;
    std::int64_t lossReplicas = 1; ///< over whose tokens the loss that gradients are of is a mean; 1 if replicas train alone
    operators::TensorSplit split;  ///< over the tensor ranks of a device
    std::int64_t headSize = 0;
    float normEpsilon = 0;                    ///< of RMSNorm
    kernels::RotaryRule rotation;             ///< of rotary positions
    std::int64_t outputMultiple = 1;          ///< operators::outputMultiple()
    float lossScale = 1;                      ///< factor of the loss whose gradients a step computes
    base::Precision precision;                ///< of weights as kernels read them, activations and messages
    bool isOf8Bits;                           ///< the products of layers round what they read to 8 bits
    model::PackedPrecision stored;            ///< of what layers keep from F to B
    std::optional<kernels::Codec> dispatched; ///< of rows on their way to experts; absent: in `precision`
    bool areAllWhole = false;                 ///< every layer is recomputed as a whole
    std::shared_ptr<const LayerPlan> layer;
    std::shared_ptr<const LayerPlan> dense; ///< see SequenceSlice
    std::vector<SequenceSlice> slices;      ///< of each sequence; empty if they are not cut

    /// With slices the shape is that of the longest.
    explicit Shape(const model::Experiment &experiment);
    [[nodiscard]] std::int64_t wholeSequence() const { return whole; }
    /// Returns into how many slices a sequence is cut, 1 for none. Microbatch numbers of passes count slices.
    [[nodiscard]] int sliceCount() const { return std::max(1, static_cast<int>(slices.size())); }
    [[nodiscard]] std::int64_t units() const { return iterations * stepUnits(); } ///< microbatches of passes
    [[nodiscard]] std::int64_t stepUnits() const { return microbatches * sliceCount(); }
    /// Makes the shape that of the slice which passes of a microbatch number compute.
    void choose(int microbatch);
    /// Returns the floats of the keys and values of a layer that the slices of a microbatch share.
    [[nodiscard]] std::int64_t keyFloats() const { return floats(batch * whole * 2 * fusedRows().kvWidth()); }
    /// Calls `visit(first row, its position, rows)` as layout::ContextCut::eachRun() for the rows of a microbatch or slice.
    template <class Visit>
    void eachRun(int contextRank, const layout::Interval &rows, const Visit &visit) const
    {
        if (slices.empty())
            return contextCut(contextRank).eachRun(rows, visit);
        for (std::int64_t row = rows.begin; row < rows.end;) {
            const std::int64_t count = std::min(sequence - row % sequence, rows.end - row);
            visit(row, begin + row % sequence, count);
            row += count;
        }
    }
    /// Returns the tokens of a microbatch on all context ranks.
    [[nodiscard]] std::int64_t wholeTokens() const { return batch * wholeSequence(); }
    [[nodiscard]] std::int64_t tokens() const { return batch * sequence; }
    [[nodiscard]] layout::ContextCut contextCut(int rank) const { return {wholeSequence(), split.context, rank}; }
    /// Returns the tokens that a rank has outside of attention, MLP and the vocabulary layers.
    [[nodiscard]] std::int64_t ownTokens() const { return split.isSequenceParallel ? tokens() / split.ranks : tokens(); }
    [[nodiscard]] std::int64_t boundary() const { return ownTokens() * hidden; } ///< numbers of a [b s, h] tensor of own tokens
    [[nodiscard]] std::int64_t tableRows() const { return ownTokens() * tableWidth; } ///< numbers of their rows of the tables
    /// Returns the tokens whose vocabulary layers a rank computes.
    [[nodiscard]] std::int64_t vocabularyTokens() const { return tokens() / split.vocabularyRanks(); }
    /// Returns the first own token of a tensor rank among the tokens of its context rank.
    [[nodiscard]] std::int64_t firstOwn(int tensorRank) const
    {
        return split.isSequenceParallel ? tensorRank * ownTokens() : 0;
    }
    [[nodiscard]] std::int64_t gathered() const { return vocabularyTokens() * tableWidth; } ///< as tableRows(), of those tokens
    /// Returns the rows of the output layer: one for each token and head, token by token. [b s, K E] and [b s K, E] are one.
    [[nodiscard]] std::int64_t outputTokens() const { return vocabularyTokens() * outputHeads; }
    /// Returns the softmaxes of the output layer: one for each of these rows, and if shards compute tails one more for each.
    [[nodiscard]] std::int64_t statisticRows() const { return tailWidth > 0 ? 2 * outputTokens() : outputTokens(); }
    /// Return the numbers of all these rows, and of those of own tokens. What shards read for tails follows the rows.
    [[nodiscard]] std::int64_t outputInput() const { return gathered() * outputHeads + vocabularyTokens() * tailWidth; }
    [[nodiscard]] std::int64_t outputRows() const { return tableRows() * outputHeads + ownTokens() * tailWidth; }
    /// Returns the numbers of the rows of own tokens.
    [[nodiscard]] std::int64_t ownNumbers(schedule::RowsOf rows) const
    {
        switch (rows) {
        case schedule::RowsOf::InputTable: return tableRows();
        case schedule::RowsOf::OutputTable: return outputRows();
        case schedule::RowsOf::Layers: break;
        }
        return boundary();
    }
    [[nodiscard]] std::int64_t stepMicrobatches() const { return microbatches * replicas; }
    [[nodiscard]] bool packsActivations() const { return stored != model::PackedPrecision::Same; }
    /// Returns the floats of the input of a layer from F to B.
    [[nodiscard]] std::int64_t keptInput() const
    {
        return packsActivations() ? operators::packedFloats(stored, ownTokens(), hidden) : floats(boundary());
    }
    /// Returns the floats that a tensor of `numbers` occupies.
    [[nodiscard]] std::int64_t floats(std::int64_t numbers) const { return base::floatsOf(numbers, precision); }
    /// Returns the microbatches over which the gradients are a mean: those of a step, or of a replica that trains alone.
    [[nodiscard]] std::int64_t lossMicrobatches() const { return microbatches * lossReplicas; }
    /// Returns the weight of a microbatch, and of a label, in the scaled loss, which is the mean over all labels of these.
    [[nodiscard]] float microbatchWeight() const { return lossScale / static_cast<float>(lossMicrobatches()); }
    /// Returns the weight of the tokens of a pass in it: of a microbatch, or of the slice at hand its share of the tokens.
    [[nodiscard]] float passWeight() const
    {
        return slices.empty() ? microbatchWeight()
                              : microbatchWeight() * static_cast<float>(sequence) / static_cast<float>(whole);
    }
    [[nodiscard]] float labelWeight() const { return lossScale / static_cast<float>(lossMicrobatches() * labels); }
    /// Returns the floats of all saved values of a layer; its input is apart.
    [[nodiscard]] std::int64_t savedFloats() const { return layer->whole.dropped.floats; }
    /// Returns the floats of the constants that the layers read; those of a slice begin at its first token.
    [[nodiscard]] std::int64_t constantFloats() const
    {
        return operators::constantFloats(layer->recipe.block, whole / split.context, headSize);
    }
    [[nodiscard]] bool normsHaveBias() const { return layer->recipe.block.has(operators::OperatorKind::LayerNorm); }
    /// Returns the fused rows of the tokens of a rank, of all heads.
    [[nodiscard]] kernels::AttentionShape fusedRows() const { return {batch, sequence, heads, kvHeads, headSize}; }
    /// Returns the arguments of attention on a context rank; in a ring, to the keys of the `hop`-th rank before it.
    [[nodiscard]] kernels::AttentionShape attention(int rank, int hop = 0) const
    {
        if (split.context > 1 && split.contextMethod == model::ContextMethod::Ulysses)
            return {batch, wholeSequence(), heads / split.context, kvHeads / split.context, headSize};
        kernels::AttentionShape shape = fusedRows();
        if (split.context > 1 && split.contextMethod == model::ContextMethod::Ring) {
            const std::int64_t chunk = sequence / 2;
            const int source = (rank + split.context - hop) % split.context;
            shape.keys = sequence;
            shape.extends = hop > 0;
            // Chunk i comes before, and 2 c - 1 - i after, the two chunks of every rank after i.
            shape.visibleKeys = source < rank ? chunk : sequence;
            shape.skipsFirst = source > rank;
            shape.firstChunk = hop == 0 ? 0 : sequence;
            shape.secondChunk = hop == 0 ? chunk : sequence;
        } else if (!slices.empty()) {
            shape.keys = whole;
            shape.firstChunk = begin;
            shape.visibleKeys = begin + sequence;
            shape.isOneChunk = true;
            shape.addsKeyGradients = begin + sequence < whole;
        } else if (split.context > 1) {
            const auto chunks = contextCut(rank).chunks();
            shape.keys = wholeSequence();
            shape.firstChunk = chunks[0].begin;
            shape.secondChunk = chunks[1].begin;
        }
        return shape;
    }
};

[[nodiscard]] constexpr std::size_t size(std::int64_t count)
{
    return static_cast<std::size_t>(count);
}
[[nodiscard]] constexpr std::uint8_t category(simulate::MemoryCategory use)
{
    return static_cast<std::uint8_t>(use);
}
static_assert(backend::kCategories == simulate::kMemoryCategoryCount);
static_assert(backend::kMessages == category(simulate::MemoryCategory::Communication));

} // namespace stagelens::runtime
