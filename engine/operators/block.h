// A transformer layer as a straight list of operators, in which every value is written once. Parameters, FLOPs, memory, kernel
// calls and both halves of the backward follow from the list (differentiate.h, sizes.h).
#pragma once

#include "engine/model/model_config.h"

#include "kernels/include/activation.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace stagelens::operators {

/// Index in Block::values.
using ValueId = int;

/// A tensor of a microbatch: [b s, width].
struct Value {
    std::string_view name;     ///< "norm1"
    std::int64_t width = 0;    ///< numbers per token
    bool isStatistics = false; ///< float in every precision, for the backward; otherwise in the precision of the run
    bool isOwnRows = false;    ///< sequence parallelism: each tensor rank has the rows of its own tokens only
};

enum class Initial : std::uint8_t {
    Ones,
    Zeros,
    Normal,
    NormalResidual, ///< Normal divided by sqrt(2 L), for projections into the residual stream (GPT-2)
    RouterBias,     ///< zeros: the selection bias of a router, which no optimizer updates
};

/// How the ranks of a tensor group divide a parameter (arXiv 1909.08053, section 3).
enum class Cut : std::uint8_t {
    Whole,   ///< every rank has all of it
    Outputs, ///< by the outputs of a linear map, each Section separately
    Inputs,  ///< by its inputs; each rank computes a partial sum
    Partial, ///< every rank has all of it and computes a part of its gradient: a router
};

/// Outputs of a linear map that are divided separately: queries, keys and values of a fused matrix.
struct Section {
    std::int64_t width = 0;
    std::int64_t units = 0; ///< heads, which stay whole. With fewer units than ranks, consecutive ranks have copies of a unit
    /// Returns the number of parts into which `ranks` ranks divide it.
    [[nodiscard]] std::int64_t parts(int ranks) const { return units < ranks ? units : ranks; }
};

/// A parameter of one layer, as Hugging Face stores it; vectors have one row.
struct BlockParameter {
    std::string_view name; ///< after the prefix of the layer: "attn.c_attn.weight"
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    Initial initial = Initial::Normal;
    Cut cut = Cut::Whole;
    std::vector<Section> sections = {}; ///< of Cut::Outputs, in their order
    int experts = 1;                    ///< number of experts whose matrices are stacked by rows
    bool isOfExperts = false;           ///< also true for a single expert
    [[nodiscard]] std::int64_t count() const { return rows * columns; }
    [[nodiscard]] bool isMatrix() const { return initial == Initial::Normal || initial == Initial::NormalResidual; }
};

enum class OperatorKind : std::uint8_t {
    LayerNorm,  ///< x -> y, statistics [mean | rstd]; parameters weight and bias
    RmsNorm,    ///< x -> y, statistics [rstd]; parameter weight
    Linear,     ///< x -> the outputs of its projections
    Activation, ///< x -> y, by the function of the operator
    SwiGlu,     ///< gate, up -> silu(gate) up; the backward overwrites gate and up with their gradients
    Rotary,     ///< rotates the queries and keys of fused rows in place
    /// queries, keys and values in fused rows -> y, log of the sum of exponentials of each head, and the probabilities of each
    /// head and key if they are kept (withProbabilities()). With context ranks or slices also reads the keys of all tokens
    Attention,
    LatentAttention, ///< queries, keys and values without rotation, rotated keys of all heads -> y, log of the sums; not run
    Add,             ///< x, residual -> sum
    // Of a mixture of experts (kernels/include/experts.h). The k rows of each token are sorted by (expert, token), so that a
    // value of width k w has k rows of w for each token.
    /// logits -> gates of a token's k experts, and its routes; the backward overwrites the logits. The parameter of a sigmoid
    /// router is its selection bias
    Route,
    Dispatch,     ///< x, routes -> rows
    ExpertLinear, ///< rows, routes -> rows of its projections, each by the matrix of its expert
    ExpertSwiGlu, ///< gate, up, gates, routes -> rows of g silu(gate) up; the backward overwrites gate and up
    Combine,      ///< rows, routes -> the sum of the k rows of each token, in the order of its choices
    // Between the ranks of a tensor group (partition.h). The first two are each other's backward, and so are the last two.
    AllGather,     ///< own rows of x -> all rows
    ReduceScatter, ///< partial sums -> own rows of the sum, plus a bias if there is one
    Replicate,     ///< x -> the same x; the backward adds the parts of its gradient
    AllReduce,     ///< partial sums -> the sum, plus a bias if there is one
    // Between context ranks. The last two are each other's backward; a rank has all tokens of its heads between them.
    GatherKeys,    ///< fused rows -> the keys and values of the whole sequences
    TokensToHeads, ///< fused rows of own tokens, all heads -> fused rows of all tokens, own heads
    HeadsToTokens, ///< outputs of all tokens, own heads -> outputs of own tokens, all heads
    // Between the ranks that share the experts of a layer. A rank has the rows of its own tokens sorted by (expert, token), and
    // those of its own experts, of all ranks' tokens, sorted by (expert, rank, token).
    SendToExperts,     ///< rows, gates and routes of the own tokens -> rows and gates of the own experts, and arrivals
    ReturnFromExperts, ///< rows of the own experts, arrivals, routes -> rows of the own tokens
    /// Of slices of sequences: fused rows -> the keys and values of the whole sequences, to which each slice adds its own
    KeepKeys,
    /// Of ranks that route different tokens of a microbatch: routes -> by how much the choices of each expert exceed the mean
    /// in all of it. The backward of Route reads it, and the forward does not compute it.
    SumChoices,
    /// Of such ranks, if experts have a capacity: routes, gates -> the same routes without the rows that experts drop of all of
    /// the microbatch.
    DropRows,
};

/// One weight of a linear operator: writes columns of a value.
struct Projection {
    int weight = 0; ///< index in Block::parameters
    int bias = -1;  ///< -1: none
    ValueId out = 0;
    std::int64_t firstColumn = 0;
};

struct Operator {
    OperatorKind kind = OperatorKind::Add;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    std::vector<int> parameters;         ///< of a norm; the bias of a sum
    std::vector<Projection> projections; ///< of Linear and ExpertLinear
    int ring = 0; ///< of GatherKeys: ranks of the ring, in which attention reads one part at a time; 0: all parts at once
    kernels::Activation activation = kernels::Activation::Gelu; ///< of Activation
};

/// Layout of a stored weight matrix of a linear map.
enum class WeightLayout : std::uint8_t {
    InputByOutput, ///< [in, out], as GPT-2's Conv1D
    OutputByInput, ///< [out, in], as PyTorch's Linear
};

/// The router of a mixture of experts; see model::ModelConfig.
struct Routing {
    int experts = 0;
    int topK = 0;
    double auxLoss = 0; ///< coefficients of its losses
    double zLoss = 0;
    model::RouterScore score = model::RouterScore::Softmax;
    double scale = 1;
    int groups = 1;
    int chosenGroups = 1;
    double capacityFactor = 0; ///< 0: no limit
    model::DropRule dropRule = model::DropRule::Gate;
};

struct Block {
    std::vector<Value> values;              ///< the first is the input of the block
    std::vector<BlockParameter> parameters; ///< in the order of state_dict()
    std::vector<Operator> operators;
    ValueId output = 0;
    WeightLayout layout = WeightLayout::InputByOutput;
    /// Number of [b s, h] tensors to which frameworks apply dropout, with a mask of one byte per number. The engine has no
    /// dropout.
    int dropouts = 0;
    Routing routing = {};
    int expertRanks = 1;         ///< that share the experts
    std::int64_t expertRows = 0; ///< with several: rows per token for which a rank has memory
    int tensorRanks = 1;         ///< that share the layer; the widths and parameters are those of one of them
    static constexpr ValueId kInput = 0;

    [[nodiscard]] const Value &value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const BlockParameter &parameter(int index) const { return parameters[static_cast<std::size_t>(index)]; }
    /// Widths of the input and the output of a weight.
    [[nodiscard]] std::int64_t inputWidth(const Projection &projection) const;
    [[nodiscard]] std::int64_t outputWidth(const Projection &projection) const;
    [[nodiscard]] bool has(OperatorKind kind) const;
    /// Returns the values that the operator writes, without statistics: "norm1", "gate, up".
    [[nodiscard]] std::string namesOfOutputs(const Operator &op) const;
    /// Returns the numbers that a rank holds of a value, for each token of the microbatch, rounded up.
    [[nodiscard]] std::int64_t heldWidth(ValueId id) const
    {
        return value(id).isOwnRows ? (value(id).width + tensorRanks - 1) / tensorRanks : value(id).width;
    }
    /// Returns the part of the microbatch's tokens of which a rank has rows of a value.
    [[nodiscard]] double heldShare(ValueId id) const { return value(id).isOwnRows ? 1.0 / tensorRanks : 1; }
    /// Returns whether each tensor rank routes its own tokens only; see model::ParallelPlan::foldsExperts().
    [[nodiscard]] bool routesOwnRows() const { return expertRanks > 1 && tensorRanks > 1; }
};

/// Returns the block with attention that keeps its probabilities, [heads, s] a token, from the forward to the backward.
[[nodiscard]] Block withProbabilities(Block block, const model::ModelConfig &model);
/// Returns the numbers per token of an operator's kept probabilities; 0 if it keeps none.
[[nodiscard]] std::int64_t probabilityWidth(const Block &block, const Operator &op);

/// Builds a block. The functions that append an operator return its first output.
class BlockBuilder {
public:
    BlockBuilder(std::int64_t hidden, WeightLayout layout);

    /// Appends a parameter and returns its index. Call in the order of state_dict().
    int vector(std::string_view name, std::int64_t width, Initial initial);
    int matrix(std::string_view name, std::int64_t in, std::int64_t out, Initial initial = Initial::Normal);
    /// Sets how tensor ranks divide a parameter. Cut::Outputs needs sections.
    void cut(int parameter, Cut cut, std::vector<Section> sections = {});

    ValueId value(std::string_view name, std::int64_t width);
    ValueId layerNorm(std::string_view name, std::string_view statistics, ValueId x, int weight, int bias);
    ValueId rmsNorm(std::string_view name, std::string_view statistics, ValueId x, int weight);
    /// Appends a linear map with one weight.
    ValueId linear(std::string_view name, ValueId x, int weight, int bias = -1);
    /// Appends a linear map with several weights. Its outputs are values from value().
    void linear(ValueId x, std::vector<Projection> projections);
    ValueId activation(std::string_view name, ValueId x, kernels::Activation function);
    ValueId swiGlu(std::string_view name, ValueId gate, ValueId up);
    ValueId rotary(std::string_view name, ValueId qkv);
    ValueId attention(std::string_view name, ValueId qkv, const model::ModelConfig &model);
    /// `keyValues`: the unrotated part of each head's key, and its value; `rotated`: the rotated part, shared by all keys.
    ValueId latentAttention(std::string_view name, ValueId queries, ValueId keyValues, ValueId rotated,
                            const model::ModelConfig &model);
    ValueId add(std::string_view name, ValueId x, ValueId residual);

    // Of a mixture of experts.
    struct Routed {
        ValueId gates;
        ValueId routes;
    };
    void routing(const Routing &routing) { m_block.routing = routing; }
    int expertMatrices(std::string_view name, std::int64_t in, std::int64_t out, Initial initial = Initial::Normal);
    /// `bias`: the parameter of a sigmoid router; -1: none.
    Routed route(ValueId logits, int bias);
    ValueId dispatch(std::string_view name, ValueId x, const Routed &routed);
    void expertLinear(ValueId rows, const Routed &routed, std::vector<Projection> projections);
    ValueId expertSwiGlu(std::string_view name, ValueId gate, ValueId up, const Routed &routed);
    ValueId combine(std::string_view name, ValueId rows, const Routed &routed);
    [[nodiscard]] Block build(ValueId output);

private:
    ValueId append(OperatorKind kind, std::vector<ValueId> inputs, std::string_view name, std::int64_t width);
    ValueId statistics(std::string_view name, std::int64_t width);

    Block m_block;
};

} // namespace stagelens::operators
