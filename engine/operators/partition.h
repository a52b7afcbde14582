// Divides the layers and tables of a model over the ranks of a tensor group (arXiv 1909.08053; sequence parallelism: arXiv
// 2205.05198) and over context ranks, which gather keys and values (arXiv 2407.21783, section 3.3.2), pass them around in a
// ring (arXiv 2310.01889), or exchange tokens for heads (arXiv 2309.14509).
#pragma once

#include "engine/layout/shard.h"
#include "engine/operators/block.h"

namespace stagelens::operators {

struct TensorSplit {
    int ranks = 1;                   ///< t
    bool isSequenceParallel = false; ///< each rank has its own tokens outside attention, MLP and vocabulary layers
    int context = 1;                 ///< c: each rank has its own tokens everywhere; tensor ranks divide those
    model::ContextMethod contextMethod = model::ContextMethod::AllGather;
    int expert = 1; ///< e: each rank has its own experts, for the tokens of all ranks. With tensor ranks, a multiple of them
    double expertHeadroom = model::ParallelPlan::kExpertHeadroom;
    int slices = 1;                         ///< slices per sequence; keys and values are kept for later slices
    bool dividesVocabularyByTokens = false; ///< see model::ParallelPlan::dividesVocabularyByTokens()
    /// Returns by how many ranks the tokens of a context rank are divided in the vocabulary layers.
    [[nodiscard]] int vocabularyRanks() const { return dividesVocabularyByTokens ? ranks : 1; }
    /// Returns a split whose own tokens are those of the vocabulary layers of a rank.
    [[nodiscard]] TensorSplit ofVocabulary() const
    {
        return {.ranks = vocabularyRanks(), .isSequenceParallel = dividesVocabularyByTokens, .context = context};
    }
    /// Returns whether tensor ranks have experts of their own; see model::ParallelPlan::foldsExperts().
    [[nodiscard]] bool foldsExperts() const { return expert > 1 && ranks > 1; }
    friend bool operator==(const TensorSplit &, const TensorSplit &) = default;
};
[[nodiscard]] TensorSplit splitOf(const model::ParallelPlan &plan);
/// Returns the split that the engine runs, with the slices of sequences.
[[nodiscard]] TensorSplit engineSplit(const model::Experiment &experiment);

/// Returns the rows per own token for which an expert rank plans memory: `headroom` times the average k, and at most the rows
/// that arrive if the tokens of all `ranks` choose its experts.
[[nodiscard]] std::int64_t expertRowsPerToken(int experts, int topK, int ranks, double headroom);

/// Returns the part of a block that one rank computes. Divided weights have the size of the rank's part, and a collective
/// follows each partial sum. No head is divided. With context ranks, attention reads gathered keys, or tokens are exchanged for
/// heads before it and back after it. With expert ranks, each rank routes its own tokens and has whole experts. For one rank
/// the block is returned unchanged. Sizes must be divisible: see model::validate().
[[nodiscard]] Block partitioned(Block whole, const TensorSplit &split);

/// Returns the part of a parameter of the whole block that a tensor rank holds. Of experts whose rows are cut it has one row
/// per expert, with that expert's part of the matrix.
[[nodiscard]] layout::MatrixPart partOf(const Block &whole, const BlockParameter &parameter, int rank, int ranks);
/// Returns whether a parameter of a partitioned block is of experts that are divided over ranks.
[[nodiscard]] inline bool isOfExperts(const Block &block, const BlockParameter &parameter)
{
    return block.expertRanks > 1 && parameter.isOfExperts;
}
/// Returns how many consecutive tensor ranks hold the same part of a parameter.
[[nodiscard]] int copiesOf(const BlockParameter &parameter, int ranks);
/// Returns whether the ranks with the same part have partial gradients of it, whose sum is the gradient.
[[nodiscard]] bool needsSum(const BlockParameter &parameter, const TensorSplit &split);

} // namespace stagelens::operators
