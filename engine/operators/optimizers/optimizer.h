// Optimizers: one file each in this folder, and a page in resources/docs/optimizers. The schema, memory plans, predictions,
// checkpoints, training and the float64 reference read the description below.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stagelens::kernels {
struct AdamW;
} // namespace stagelens::kernels

namespace stagelens::operators {

/// The optimizer of a plan and its options.
struct OptimizerChoice {
    std::string name = "adamw";
    double learningRate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double weightDecay = 0.0;
    std::optional<double> clip; ///< greatest norm of the whole gradient; absent: off
    friend bool operator==(const OptimizerChoice &, const OptimizerChoice &) = default;
};

/// A tensor that an optimizer keeps for each parameter: a float for each of its elements, 0 before the first update.
struct StateTensor {
    std::string_view name;        ///< of its file in a checkpoint, without ".safetensors"
    bool isNeverNegative = false; ///< checkpoints with a negative value are damaged
    std::string_view why = {};    ///< why no value is negative
};

/// A tensor that an update reads or writes.
struct UpdateTensor {
    enum class Kind : unsigned char { Value, Gradient, State };
    Kind kind = Kind::Value;
    std::size_t state = 0; ///< index in Optimizer::state, of Kind::State
};

/// The kernels that updates are made of. The runtime runs them on a device, over all elements of one parameter.
class UpdateKernels {
public:
    UpdateKernels() = default;
    virtual ~UpdateKernels() = default;
    UpdateKernels(const UpdateKernels &) = delete;
    UpdateKernels &operator=(const UpdateKernels &) = delete;

    /// Multiplies a tensor by a factor.
    virtual void scale(UpdateTensor tensor, float factor) = 0;
    /// Adds factor x from.
    virtual void addScaled(UpdateTensor to, UpdateTensor from, float factor) = 0;
    /// Updates the value and states 0 and 1 in one kernel.
    virtual void adamw(const kernels::AdamW &settings) = 0;
};

/// Which update of a parameter it is.
struct UpdateStep {
    int updates = 0;         ///< of the parameter before this one
    float gradientScale = 1; ///< multiplies the gradient
};

/// Computes the new value of an element and changes its state.
using ElementUpdate = std::function<double(double value, double gradient, std::span<double> state)>;

struct Optimizer {
    std::string_view name;        ///< in documents and on the command line
    std::string_view caption;     ///< in lists
    std::string_view description; ///< one line
    std::span<const StateTensor> state;
    /// The options that it reads beside learning rate and clipping: keys below "training.optimizer".
    std::span<const std::string_view> options;
    /// Updates a parameter. The caller clears the gradient afterwards.
    void (*update)(const OptimizerChoice &choice, const UpdateStep &step, UpdateKernels &kernels);
    /// Returns the same update in float64, independent of the kernels. Its settings are rounded to float as those of the
    /// kernels are, so that this rounding does not count as an error.
    ElementUpdate (*reference)(const OptimizerChoice &choice, const UpdateStep &step);

    /// Returns the bytes of its state for one element of a parameter.
    [[nodiscard]] int stateBytes() const { return static_cast<int>(state.size() * sizeof(float)); }
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

} // namespace stagelens::operators
