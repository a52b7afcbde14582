// The work of the passes on one layer: kernel calls on tensors with assigned places. A recipe is derived from a block and is
// the same for every microbatch. The runtime executes it, sizes.h counts it, and text() prints it for goldens.
#pragma once

#include "engine/operators/kinds.h"

#include <span>
#include <string>
#include <vector>

namespace stagelens::operators {

/// The place of a tensor that a step uses.
struct Place {
    enum class Kind : std::uint8_t {
        None,
        Input,        ///< of the layer
        Output,       ///< of the layer
        Gradient,     ///< [b s, h]: of the output before the backward, of the input after it
        Saved,        ///< from F to B or W, in the slab of the layer: `index` is a ValueId
        Scratch,      ///< not preserved between passes: `index` in LayerRecipe::scratch
        Keys,         ///< slices: keys and values of whole sequences, from the forward of the first slice to its backward
        KeyGradients, ///< slices: the sums of their gradients in fp32, from the backward of the last slice to that of the first
    };
    Kind kind = Kind::None;
    int index = 0;
    [[nodiscard]] explicit operator bool() const { return kind != Kind::None; }
    friend bool operator==(const Place &, const Place &) = default;
};

enum class StepKind : std::uint8_t {
    Forward,        ///< of an operator
    InputGradient,  ///< gradients of its inputs, and of a norm's parameters
    WeightGradient, ///< gradients of the weights and biases of a linear map
    Copy,           ///< out <- in
    Zero,           ///< out <- 0
    Exchange,       ///< a collective among the tensor or context ranks of the layer: out <- in
};

/// Exchanges of tensors [b s, width] among tensor ranks, cut by rows into one equal part per rank.
enum class Exchange : std::uint8_t {
    AllGather,     ///< a rank's part -> all parts
    ReduceScatter, ///< partial sums -> the rank's part of the sum, added in rank order
    AllReduce,     ///< partial sums -> the sum
    // Among the context ranks of a layer. Keys are [b s, 2 kv] of whole sequences.
    GatherKeys,  ///< fused rows -> the keys and values of all ranks
    ScatterKeys, ///< gradients of all keys and values -> the sum for the rank's tokens, into the gradient of its fused rows
    // In a ring, by hop. Keys are [b s, 2 kv] of the tokens of one rank; those of hop i come from the i-th previous rank.
    // Gradients follow the keys, and each rank adds its part. Hop 0 sends or keeps a rank's own keys, and hop c returns the sum
    // to its owner.
    RingKeys,
    RingGradients,
    SumChoices, ///< routes -> E n_e - T k of each expert, in float, added over the ranks in their order
    DropRows,   ///< gates -> routes without the rows that experts drop of the tokens of all ranks
    // Between own tokens of all heads and all tokens of own heads, with equally many numbers per own token; fused rows or
    // outputs.
    TokensToHeads,
    HeadsToTokens,
    // Among the expert ranks of a layer: rows of the own tokens <-> rows of the own experts. All read routes and arrivals.
    SendRows,        ///< rows, gates -> rows, gates, arrivals
    ReturnRows,      ///< rows -> rows
    SendGradients,   ///< gradients of returned rows -> those of the experts' rows
    ReturnGradients, ///< gradients of the experts' rows and gates -> those of the own tokens
};
[[nodiscard]] constexpr bool isOverExperts(Exchange exchange)
{
    return exchange >= Exchange::SendRows;
}
[[nodiscard]] std::string_view name(Exchange exchange); ///< "all-gather", ...

/// A kernel call, or one for each projection of a linear map. Operands by operator:
///
///     Forward         norm: in x; out y, statistics                linear: in x; out its outputs; addend, between
///                     activation: in x; out y, unless a product computes it
///                     attention: in qkv (, keys); out y, log-sum-exp (, probabilities)
///                     swiglu: in gate, up; out y        rotary: in and out rows
///                     of experts: the inputs and outputs of the operator; combine: addend
///                     keep-keys: in fused rows; out keys, of the rows
///                     sums of parts, after their exchange: out += bias + addend
///     InputGradient   norm: in dy, x, statistics; out dx           linear: in dy of its outputs; out dx; between
///                     attention: in dy, qkv, y, log-sum-exp (, probabilities) (, keys); out d(qkv) (, d(keys))
///                     swiglu: in dy; out gate, up, replaced by their gradients                rotary: in and out rows
///                     route: in gates' gradient, gates, routes (, sums of choices); out logits, replaced by their gradient
///                     dispatch, combine: in dy, routes; out dx
///                     keep-keys: in d(keys); out d(qkv), of the rows
///                     expert-linear: in dy of its outputs, routes; out dx
///                     expert-swiglu: in dy, gates, routes; out gate, up, replaced by their gradients, and gates' gradient
///                     all-gather, after its exchange, of rows with other readers: in dy of own rows; out dx += dy
///     Exchange        in x; out y, which drop-rows changes. Among expert ranks: in rows, gates (or none), routes, arrivals;
///     out rows, gates, arrivals WeightGradient  linear: in x, dy of its outputs (expert-linear: and routes)    sums of parts:
///     in dy, for the bias
struct Step {
    StepKind kind = StepKind::Forward;
    int op = -1; ///< index in Block::operators; -1: Copy, Zero
    std::vector<Place> in;
    std::vector<Place> out;
    Place addend = {};        ///< Forward of linear: out = x W + b + addend
    Place between = {};       ///< Forward of linear: receives x W + b, and out its activation. InputGradient: dx times the
                              ///< activation's derivative there
    bool accumulates = false; ///< InputGradient: adds to dx; a norm always does
    std::int64_t width = 0;   ///< of Copy and Zero: numbers for each token of the microbatch; of Exchange: of a row
    Exchange exchange = Exchange::AllGather;
    int hop = 0;         ///< in a ring: of the exchange, or of the keys that attention sees
    int activation = -1; ///< with `between`: the operator of the activation function, index in Block::operators
};

struct LayerRecipe {
    Block block;
    std::vector<ValueId> saved; ///< from F to B, in the order of the slab: tensors, then statistics. The input is saved apart
    std::vector<std::int64_t> scratch; ///< numbers a token of the scratch tensors, widest first
    std::vector<Step> forward;
    std::vector<Step> rebuild;  ///< recomputation of all saved values: the steps of `forward` that they need
    std::vector<Step> backward; ///< whole
    /// The halves of a split backward. The first half keeps the gradients that the second reads in the memory of saved values
    /// that are no longer needed, so they need no extra memory.
    std::vector<Step> inputGradient;
    std::vector<Step> weightGradient;
};

/// Compiles a block. Throws std::logic_error if the block needs a kernel that does not exist (an addition or activation that
/// cannot be fused into a product), or if a split backward has no memory for a gradient.
[[nodiscard]] LayerRecipe recipeOf(Block block);

/// Returns the scratch tensors of layers of two kinds, each as wide as the wider kind needs.
[[nodiscard]] std::vector<std::int64_t> widerScratch(std::vector<std::int64_t> scratch, const std::vector<std::int64_t> &other);

/// Returns the input of the AllGather that produces the value, or the value itself.
[[nodiscard]] ValueId beforeGather(const Block &block, ValueId value);

/// Returns whether a value is the keys and values that the slices of a sequence share.
[[nodiscard]] bool isKeptKeys(const Block &block, ValueId value);
/// Returns the operator that provides the keys of other context ranks to an attention, or null.
[[nodiscard]] const Operator *keysOf(const Block &block, const Operator &attention);

/// Returns the values that a layer saves from F to B in addition to its input; see LayerRecipe::saved.
[[nodiscard]] std::vector<ValueId> savedValues(const Block &block);
/// Returns those of the saved values that the backward reads only as operands of products in 8 bits.
[[nodiscard]] std::vector<ValueId> productInputs(const Block &block);

/// Returns a text with one line per value and per step.
[[nodiscard]] std::string text(const LayerRecipe &recipe);

} // namespace stagelens::operators
