// The kinds of operators: one description each, from which sizes, saved values, recomputation and costs follow. What else a
// kind needs are its steps forward (recipe.cpp, unless its operands are its inputs and outputs) and backward
// (differentiate.cpp), and its kernels.
#pragma once

#include "engine/operators/block.h"

namespace stagelens::operators {

/// The modules that model::RecomputeModules names.
enum class Module : std::uint8_t { None, Norm, Activation, Attention };

/// The work of an operator's forward for one token.
struct OperatorWork {
    double matrixEntries = 0;   ///< of its weights; 2 FLOPs each
    double eightBitEntries = 0; ///< of these, of products that fp8 computes in 8 bits
    double castNumbers = 0;     ///< that they read, and that fp8 rounds before
    double castGradients = 0;   ///< gradients that their backward reads
    double attentionWidth = 0;  ///< of its queries; 4 FLOPs each for every position attended to
    double residualNumbers = 0; ///< read and written by norms and additions
    double innerNumbers = 0;    ///< read and written by the activation function
    double routedNumbers = 0;   ///< read and written to sort rows by expert and to sum them
    double gatedNumbers = 0;    ///< read and written by the activation function of routed rows
    double probabilities = 0;   ///< kept by attention
};

/// The values that the backward of an operator reads, by half. A gathered value is gathered again, from its input.
struct BackwardReads {
    std::vector<ValueId> input;
    std::vector<ValueId> weight;
};

/// Kernels that the usual frameworks launch for an operator: a norm with its casts, a product with its bias, the copies and
/// kernels of attention. A GPT's layer has 20, 24 and 16.
struct Launches {
    int forward = 0;
    int input = 0;
    int weight = 0;
};

/// A set of an operator's inputs and outputs: bit i is that of index i.
struct Operands {
    static constexpr unsigned kAll = ~0U;
    unsigned inputs = 0;
    unsigned outputs = 0;
};

struct Description {
    std::string_view name; ///< in recipes: "layer-norm"
    Module module = Module::None;
    Launches launches;                                               ///< of a linear map: for each projection
    Operands reads;                                                  ///< by the backward, in its half of input gradients
    Operands weightReads;                                            ///< in its half of weight gradients
    OperatorWork (*work)(const Block &, const Operator &) = nullptr; ///< null: none, or that of a network
};
[[nodiscard]] const Description &descriptionOf(OperatorKind kind);

[[nodiscard]] std::string_view name(const Operator &op); ///< that of its kind, or of its activation function
[[nodiscard]] OperatorWork workOf(const Block &block, const Operator &op);
/// Returns the sum over the operators of the block.
[[nodiscard]] OperatorWork workOf(const Block &block);
[[nodiscard]] BackwardReads backwardReads(const Block &block, const Operator &op);
[[nodiscard]] Launches launchesOf(const Operator &op);
/// Returns whether fp8 computes the operator's products in 8 bits: those of layers and experts, not those of a router.
[[nodiscard]] bool isOf8Bits(const Block &block, const Operator &op);
/// Returns the numbers of the matrices of these products.
[[nodiscard]] std::int64_t eightBitParameters(const Block &block);

} // namespace stagelens::operators
