// What a pass does: the messages it receives, the operations it computes and the messages it sends. Requirements, messages,
// planned buffers with their lifetimes, vocabulary costs and the execution follow from these lists.
#pragma once

#include "engine/model/experiment.h"
#include "engine/passes/placement.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::schedule {

/// How a result is transferred from the passes that produce it to the pass that needs it.
enum class Transfer : std::uint8_t {
    Local,      ///< same device: no transfer
    Send,       ///< a [b s, h] tensor between neighbouring stages; no transfer if they are on the same device
    BroadcastX, ///< C0: the last stage's output to all devices, before S
    Statistics, ///< C1: softmax statistics of all shards; Vocab2 also reduces dX here. The naive method has it twice (max, sum)
    ReduceGradient, ///< C2: sum of the shards' dX to the last stage's device
    EmbedReduce,    ///< sum of the shards' embeddings to the first stage's device
    EmbedBroadcast, ///< gradient of the embedding from the first stage's device to all
};
inline constexpr int kTransferCount = 7;

/// A tensor of one microbatch. Kept values stay on their device between passes, in planned buffers (simulate/buffers.h). The
/// others are messages, which are sent or end with the pass that produced them. With sequence parallelism a tensor rank has its
/// own rows of [b s, h] tensors, except of OutputInput and those called partial. The values from OutputInput to ShardFactors
/// belong to a device's shard of the vocabulary, or to the whole output layer on the device of the last stage. E = exp(logit -
/// maximum of the shard), and W is the shard of the output projection.
enum class PassValue : std::uint8_t {
    StageInput,        ///< [b s, h], from F to B or W
    StageSlots,        ///< saved tensors of the layers, and the outputs of all but the last
    Recomputed,        ///< of a split backward: rebuilt and unpacked tensors of the layers, from I to W
    Keys,              ///< slices of sequences: keys and values of the layers, from F to B or I of the first slice
    KeyGradients,      ///< slices: sums of their gradients, from B or I of the last slice to that of the first
    EmbeddingGradient, ///< whole table, split backward: from I to W of the first stage
    TokenRows,         ///< factorised vocabulary: [b s, E], rows of the token table, from F to B or I of the first stage
    NormInput,         ///< of the final norm, from F to B or I of the last stage
    NormStatistics,
    HeadInput,        ///< factorised vocabulary: output of the final norm, from F to B or I of the last stage
    OutputInput,      ///< X: [b s, h]
    Exponentials,     ///< the logits, then E: [b s, V / p]
    LocalStatistics,  ///< [maximum | sum | target] of the shard
    GlobalStatistics, ///< the same of the whole vocabulary
    ShardFactors,     ///< VOCAB-2, last stage's device: a factor for every shard and token

    Output,         ///< of a stage, to the next
    LastOutput,     ///< of the final norm, to all shards
    Maxima,         ///< of the shard's logits
    Sums,           ///< [sum | target] of the shard, with the global maxima
    Statistics,     ///< [maximum | sum | target] of the shard
    WeighedRows,    ///< E W
    LabelRows,      ///< rows of W of the labels in this shard, zeros elsewhere
    OutputGradient, ///< of the final norm's output; a shard's part of it between devices
    Gradient,       ///< of a stage's output before its backward, of its input after it
    Embeddings,     ///< a shard's part of the first stage's input
    FirstGradient,  ///< of the first stage's input
    NormGradient,   ///< factorised vocabulary: of the final norm's output; is not sent
    Partial, ///< sequence parallelism: rows of the output table for all tokens on a tensor rank, a partial sum; is not sent
    TokenPartial, ///< the same of the input table, gathered or a partial sum
};
inline constexpr std::size_t kKeptValues = 15;
inline constexpr std::size_t kMessageKinds = 14;
/// Returns whether a kept value belongs to a shard of the vocabulary, and so to a device instead of a stage.
[[nodiscard]] constexpr bool isOfVocabulary(PassValue kept)
{
    return kept >= PassValue::OutputInput;
}
[[nodiscard]] constexpr bool isMessage(PassValue value)
{
    return value >= PassValue::Output;
}
/// What the rows of a [b s, h] value, or its gradient, belong to. Those of a table are [b s, E] if the vocabulary is
/// factorised; those of the output table have K rows for each token if it has K heads.
enum class RowsOf : std::uint8_t { Layers, InputTable, OutputTable };
[[nodiscard]] constexpr RowsOf rowsOf(PassValue value)
{
    switch (value) {
    case PassValue::EmbeddingGradient:
    case PassValue::TokenRows:
    case PassValue::Embeddings:
    case PassValue::FirstGradient:
    case PassValue::TokenPartial: return RowsOf::InputTable;
    case PassValue::OutputInput:
    case PassValue::LastOutput:
    case PassValue::WeighedRows:
    case PassValue::LabelRows:
    case PassValue::OutputGradient:
    case PassValue::Partial: return RowsOf::OutputTable;
    default: return RowsOf::Layers;
    }
}
/// Returns the index of a message among the messages.
[[nodiscard]] constexpr std::size_t messageIndex(PassValue message)
{
    return static_cast<std::size_t>(message) - kKeptValues;
}
[[nodiscard]] std::string_view name(PassValue value);        ///< "stage-input", in the text of recipes
[[nodiscard]] std::string_view description(PassValue value); ///< "input of the stage", within a sentence

/// The sender and the receivers of a message.
enum class Route : std::uint8_t {
    Next,      ///< a stage to the next one
    Previous,  ///< a stage to the one before
    FromLast,  ///< the last stage's device to all devices
    FromFirst, ///< the first stage's device to all devices
    ToLast,    ///< all devices to the last stage's device, which adds the parts in rank order
    ToFirst,   ///< the same, to the first stage's device
    Everyone,  ///< all devices to all devices
};

/// Returns the stage whose device receives a message of a pass of `stage`; nothing if all devices receive it.
[[nodiscard]] constexpr std::optional<int> destinationOf(Route route, int stage, int lastStage)
{
    switch (route) {
    case Route::Next: return stage + 1;
    case Route::Previous: return stage - 1;
    case Route::ToFirst: return 0;
    case Route::ToLast: return lastStage;
    case Route::FromFirst:
    case Route::FromLast:
    case Route::Everyone: break;
    }
    return std::nullopt;
}

struct MessageTraits {
    Transfer transfer = Transfer::Local;
    Route route = Route::Next;
    int statistics = 0; ///< floats a token; 0: a [b s, h] tensor in the precision of the run
};
[[nodiscard]] const MessageTraits &traits(PassValue message);
/// Returns whether a message is sent from a stage to a neighbour.
[[nodiscard]] inline bool isBetweenStages(PassValue message)
{
    return traits(message).transfer == Transfer::Send;
}

enum class PassStepKind : std::uint8_t {
    /// in: the message, and the value that the receiver combines it with; out: the destination. Parts from all devices are
    /// combined, parts to one device are added.
    Receive,
    Send, ///< in: the message
    Embed,
    AddPositions, ///< nothing without a position table
    LayersForward,
    LayersBackward,
    LayersInputGradient,
    LayersWeightGradient,
    FinalNorm,
    FinalNormBackward,
    Logits,              ///< X W^T
    LocalSoftmax,        ///< E and the local statistics from the logits
    RowMaxima,           ///< local maxima of the logits
    Exponentiate,        ///< E and its local sums from the logits and the maxima
    RebuildExponentials, ///< E from logits that are computed again, and the maxima; the statistics stay
    CopyStatistics,      ///< into a message
    WeighRows,           ///< E W
    LabelRows,           ///< rows of W of the local labels
    ScaleRows,           ///< E W to the gradient of X, with the factors of the softmax and the loss
    SubtractLabels,      ///< VOCAB-2: (sum of the scaled E W - label rows) / tokens, the gradient of X
    WeightGradient,      ///< adds D^T X, where D is the gradient of the logits
    /// Of the microbatch, from global statistics: only reported. Its gradient is in ScaleRows and WeightGradient.
    Loss,
    PositionGradient, ///< adds to the gradient of the position table; does nothing without one
    TokenGradient,    ///< adds to the gradient of the rows of the token table
    // Of a factorised vocabulary, whose tables have E columns.
    Widen,          ///< rows of the token table, times the input map R [E, h]
    WidenBackward,  ///< gradient of the rows; adds that of the map
    Narrow,         ///< output of the final norm, times the transposed output map R [E, h]; for shards of tails, followed by
                    ///< narrow rows
    NarrowBackward, ///< gradient of the norm's output; adds that of the map, or of the maps of tails
    // Of an adaptive softmax, whose head is the output layer. In the room of the exponentials, which they change; on one
    // device, also of the statistics.
    Tails,          ///< of the tokens whose labels are in tails: adds their loss and gradients, also to that of X
    TailLoss,       ///< adds their loss
    TailStatistics, ///< of a shard: local statistics; VOCAB-2: also E U and the rows of U of the local labels
    RescaleTails,   ///< local sums, and E U if it was made, from those with the maxima of the shard to those with common ones
    TailGradients,  ///< of a shard, from global statistics: adds that of U; makes that of the narrow rows if it has an output
    // Among the tensor ranks of a device.
    GatherRows,    ///< own rows -> all rows
    SumRows,       ///< partial sums -> the sum: own rows with sequence parallelism, otherwise in place
    SumMaxima,     ///< local maxima of the ranks' shards -> their maxima
    SumStatistics, ///< local sums and targets, with common maxima -> those of all the ranks' shards
};
[[nodiscard]] constexpr bool isExchange(PassStepKind kind)
{
    return kind >= PassStepKind::GatherRows;
}

/// How the tensor ranks of a device divide its vocabulary layers. Together they act as one shard of the vocabulary.
enum class Sharing : std::uint8_t {
    None,     ///< one rank, or each is a shard for its own tokens
    Tensor,   ///< each has all tokens
    Sequence, ///< each has its own tokens, except in attention, MLP and the vocabulary layers
};
inline constexpr std::size_t kSharings = 3;
[[nodiscard]] inline Sharing sharingOf(const model::ParallelPlan &plan)
{
    return plan.tableRanks() == 1 ? Sharing::None : plan.sequenceParallel ? Sharing::Sequence : Sharing::Tensor;
}

struct PassStep {
    PassStepKind kind = PassStepKind::Receive;
    std::vector<PassValue> in;
    std::vector<PassValue> out;
    bool copies = false;      ///< Receive: into a tensor that the pass may change; a message itself is read-only
    bool countsApart = false; ///< in F, B, I and W: vocabulary work, whose time is measured separately
    /// Computes a part of the tokens. Such steps that follow each other are repeated together, once for each part.
    bool isOfPart = false;
};

/// How a pass uses a kept value.
enum class Use : std::uint8_t {
    Makes,
    Reads,
    Frees,
    MakesAndFrees,
    Shares, ///< the first of two passes produces it, the second frees it; both receive its message
};
struct KeptUse {
    PassValue value = PassValue::StageInput;
    Use use = Use::Reads;
};

/// A pass that must have ended; with all devices, the passes of that kind and microbatch on every device.
struct RelativeRequirement {
    enum class Stage : std::uint8_t { Own, Previous, Next, First, Last, AllDevices };
    PassKind kind = PassKind::F;
    Stage stage = Stage::Own;
    Transfer transfer = Transfer::Local;
};

struct PassRecipe {
    std::vector<PassStep> steps;
    /// Of a forward without backward, which has to compute the loss itself; empty: the same.
    std::vector<PassStep> evaluation;
    std::vector<KeptUse> uses; ///< in the order of PassValue
    std::vector<RelativeRequirement> requirements;
    [[nodiscard]] bool isEmpty() const { return steps.empty(); }
};

/// The properties that distinguish the recipes of a method.
struct PassRole {
    PassKind kind = PassKind::F;
    bool isFirst = false;        ///< F, B, I, W: of the first stage
    bool isLast = false;         ///< F, B, I, W: of the last stage
    bool hasLayers = true;       ///< F, B, I, W
    bool isOnLastDevice = false; ///< vocabulary passes: on the last stage's device
};

/// `device`: where the pass runs.
[[nodiscard]] inline PassRole roleOf(const Pass &pass, const Placement &placement, bool hasLayers, int device)
{
    const int last = placement.lastStage();
    if (isOfStage(pass.kind))
        return {.kind = pass.kind, .isFirst = pass.stage == 0, .isLast = pass.stage == last, .hasLayers = hasLayers};
    return {.kind = pass.kind, .isOnLastDevice = device == placement.deviceOf(last, placement.directionOf(pass.microbatch))};
}

} // namespace stagelens::schedule
