// Optimizers: one file each in this folder, and a page in resources/docs/optimizers. The schema, memory plans, predictions,
// checkpoints, training and the float64 reference read the description below.
#pragma once

#include "engine/operators/optimizers/choice.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::kernels {
struct Adafactor;
struct AdamW;
struct Lion;
struct Sgd;
} // namespace stagelens::kernels

namespace stagelens::operators {

/// The kinds of parameters that optimizers distinguish.
enum class ParameterKind : unsigned char {
    Table,  ///< embeddings and the output projection; devices may hold some of its rows
    Matrix, ///< a weight matrix of a layer
    Vector, ///< a bias, or the weight of a norm: one row
};

inline constexpr std::size_t kParameterKinds = 3;

/// The unit that a cut of a parameter must not divide, because its update or state has numbers that depend on several elements.
enum class Granularity : unsigned char { Element, Row, Matrix };

/// The elements of a parameter that one rank updates: whole rows, unless the granularity is Element.
struct PartShape {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    ParameterKind kind = ParameterKind::Matrix;
    std::int64_t matrixRows = 0; ///< of each matrix, if several are stacked by rows: those of experts; 0: it is one
    [[nodiscard]] std::int64_t count() const { return rows * columns; }
    [[nodiscard]] std::int64_t matrices() const { return matrixRows > 0 ? rows / matrixRows : 1; }
    /// Returns the shape of one of its matrices.
    [[nodiscard]] PartShape matrix() const { return {matrixRows > 0 ? matrixRows : rows, columns, kind, 0}; }
};

/// A tensor that an optimizer keeps for a parameter, 0 before the first update.
struct StateTensor {
    /// What it stores one number for; a block has kCodeBlock elements of a row (kernels/include/adam8bit.h).
    enum class Extent : unsigned char { Element, Row, Column, Block };
    enum class Format : unsigned char { Float, Code }; ///< Code: a byte
    std::string_view name;                             ///< name of its file in a checkpoint, without ".safetensors"
    bool isNeverNegative = false;                      ///< checkpoints with a negative value are damaged
    std::string_view why = {};                         ///< why no value is negative
    Extent extent = Extent::Element;
    std::array<bool, kParameterKinds> isKept{true, true, true}; ///< by kind of parameter
    Format format = Format::Float;

    [[nodiscard]] bool isOf(ParameterKind kind) const { return isKept[static_cast<std::size_t>(kind)]; }
    /// Returns the number of its values for that many elements, in whole rows of `columns` unless there is one per element.
    /// `matrixRows`: PartShape::matrixRows.
    [[nodiscard]] std::int64_t numbers(std::int64_t elements, std::int64_t columns, std::int64_t matrixRows = 0) const;
    /// Returns the index of an element's value in the tensor of the whole parameter.
    [[nodiscard]] std::int64_t placeOf(std::int64_t element, std::int64_t columns, std::int64_t matrixRows = 0) const;
    /// Returns the floats of its memory for a part; 0 if parameters of that kind do not have it.
    [[nodiscard]] std::int64_t floats(ParameterKind kind, std::int64_t elements, std::int64_t columns,
                                      std::int64_t matrixRows = 0) const
    {
        constexpr std::int64_t kCodes = sizeof(float);
        const std::int64_t all = isOf(kind) ? numbers(elements, columns, matrixRows) : 0;
        return format == Format::Code ? (all + kCodes - 1) / kCodes : all;
    }
};

/// A tensor that an update reads or writes: all its elements, or scratch memory from `offset` on.
struct UpdateTensor {
    enum class Kind : unsigned char { Value, Gradient, State, Scratch };
    Kind kind = Kind::Value;
    std::size_t state = 0;   ///< index in Optimizer::state, of Kind::State
    std::int64_t offset = 0; ///< of Kind::Scratch, in floats
    std::int64_t count = 0;  ///< of Kind::Scratch
};

/// C[rows, columns] = op(A)[rows, inner] op(B)[inner, columns] + beta C, where op may transpose; all stored without gaps.
struct UpdateProduct {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t inner = 0;
    UpdateTensor a;
    UpdateTensor b;
    UpdateTensor c;
    bool transposesA = false;
    bool transposesB = false;
    float beta = 0;
};

/// The kernels of updates. The runtime runs them on a device, over the elements of one parameter.
class UpdateKernels {
public:
    UpdateKernels() = default;
    virtual ~UpdateKernels() = default;
    UpdateKernels(const UpdateKernels &) = delete;
    UpdateKernels &operator=(const UpdateKernels &) = delete;

    /// Computes to = factor x from; both may be the same tensor.
    virtual void scale(UpdateTensor to, UpdateTensor from, float factor) = 0;
    /// Adds factor x from.
    virtual void addScaled(UpdateTensor to, UpdateTensor from, float factor) = 0;
    /// Returns the sum of squares.
    [[nodiscard]] virtual double squares(UpdateTensor tensor) = 0;
    virtual void multiply(const UpdateProduct &product) = 0;
    // Each updates the value and the states, numbered from 0 or from `state` on, in one kernel.
    virtual void adamw(const kernels::AdamW &settings, std::size_t state = 0) = 0;
    virtual void adam8bit(const kernels::AdamW &settings) = 0;
    virtual void sgd(const kernels::Sgd &settings) = 0;
    virtual void lion(const kernels::Lion &settings) = 0;
    /// In the first half, updates the means of the rows and computes the sums; see Optimizer::sums.
    virtual void adafactor(const kernels::Adafactor &settings) = 0;
};

/// Describes one update of a parameter.
struct UpdateStep {
    int updates = 0;         ///< of the parameter before this one
    float gradientScale = 1; ///< multiplies the gradient
    PartShape part;          ///< whole rows, unless the granularity is Element: then only its kind counts
    /// For optimizers with sums, whose update has two halves.
    enum class Half : unsigned char { Sums, Update } half = Half::Update;
    /// Updates of second moments that stay as they are (1-bit Adam).
    std::optional<int> frozenAfter = {};
};

/// A whole parameter in float64, for references.
struct ReferencePart {
    PartShape shape;
    std::span<double> values;
    std::span<const double> gradient;          ///< before UpdateStep::gradientScale
    std::span<std::vector<double>> state = {}; ///< by tensor of Optimizer::state
};

struct Optimizer {
    std::string_view name;        ///< in documents and on the command line
    std::string_view caption;     ///< in lists
    std::string_view description; ///< one line
    std::span<const StateTensor> state;
    /// The options that it reads beside learning rate and clipping: keys below "training.optimizer".
    std::span<const std::string_view> options;
    // Its usual options, which replace those of the previous optimizer when a plan selects it.
    double usualRate = OptimizerChoice().learningRate;
    double usualBeta2 = OptimizerChoice().beta2;
    std::array<Granularity, kParameterKinds> granularity{}; ///< by kind of parameter
    int gradientReads = 1;                                  ///< of an update, for its time
    /// Return the FLOPs of matrix products, and the floats of scratch memory of an update; null: none.
    double (*flops)(const PartShape &part) = nullptr;
    std::int64_t (*scratch)(const PartShape &part) = nullptr;
    /// Returns the number of doubles that an update sums over all rows of a parameter before it changes values; null: none.
    /// Devices that hold rows of one table exchange these sums (arXiv 2411.05288 shards tables by rows).
    std::int64_t (*sums)(ParameterKind kind, std::int64_t columns) = nullptr;
    /// Updates a parameter. With `sums` it is called for each half. The caller clears the gradient afterwards.
    void (*update)(const OptimizerChoice &choice, const UpdateStep &step, UpdateKernels &kernels);
    /// Computes the same update in float64, independent of the kernels. Its settings are rounded to float as those of the
    /// kernels are, so that this rounding does not count as an error.
    void (*reference)(const OptimizerChoice &choice, const UpdateStep &step, const ReferencePart &part);

    [[nodiscard]] Granularity granularityOf(ParameterKind kind) const { return granularity[static_cast<std::size_t>(kind)]; }
    /// Returns whether parameters may be cut anywhere.
    [[nodiscard]] bool isElementwise() const;
    /// Returns the number of elements of a part that ZeRO must not divide.
    [[nodiscard]] std::int64_t indivisible(const PartShape &part) const;
    /// Returns the bytes of its state for that many elements of a parameter; `matrixRows`: PartShape::matrixRows.
    [[nodiscard]] std::int64_t stateBytes(ParameterKind kind, std::int64_t elements, std::int64_t columns,
                                          std::int64_t matrixRows = 0) const;
    /// Returns the scratch floats that the update of a part needs.
    [[nodiscard]] std::int64_t scratchFloats(const PartShape &part) const;
    [[nodiscard]] bool reads(std::string_view option) const;
};

/// Returns all optimizers, ordered by name.
[[nodiscard]] std::span<const Optimizer *const> optimizers();
/// Returns their names in that order.
[[nodiscard]] std::string optimizerNames(std::string_view separator);
/// Returns the optimizer of that name, or null.
[[nodiscard]] const Optimizer *findOptimizer(std::string_view name);
/// Returns the optimizer of a plan. A name that does not exist, which validate() reports, counts as the default's.
[[nodiscard]] const Optimizer &optimizerOf(const OptimizerChoice &choice);

/// Computes an update of AdamW in float64, with the states `state` and `state` + 1.
void adamwReference(const kernels::AdamW &settings, const ReferencePart &part, std::size_t state);

/// After a change of the optimizer, replaces options by the usual ones of the new optimizer if they were the usual ones of the
/// previous optimizer and `isGiven(key)` is false. Keys are "lr" and "betas".
template <class IsGiven>
void followOptimizer(const OptimizerChoice &before, OptimizerChoice &choice, const IsGiven &isGiven)
{
    const Optimizer &former = optimizerOf(before);
    const Optimizer &now = optimizerOf(choice);
    if (&former == &now)
        return;
    if (!isGiven("lr") && choice.learningRate == former.usualRate)
        choice.learningRate = now.usualRate;
    if (!isGiven("betas") && choice.beta2 == former.usualBeta2)
        choice.beta2 = now.usualBeta2;
}

} // namespace stagelens::operators
