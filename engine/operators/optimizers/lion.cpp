// Lion (Chen et al., arXiv 2302.06675).
#include "kernels/include/lion.h"

#include "engine/operators/optimizers/optimizer.h"

#include <array>

namespace stagelens::operators {
namespace {

constexpr std::array kLionState{StateTensor{"momentum"}};
constexpr std::array<std::string_view, 2> kLionOptions{"betas", "weight_decay"};

kernels::Lion lionSettings(const OptimizerChoice &choice, const UpdateStep &step)
{
    return {.learningRate = static_cast<float>(choice.learningRate),
            .beta1 = static_cast<float>(choice.beta1),
            .beta2 = static_cast<float>(choice.beta2),
            .weightDecay = static_cast<float>(choice.weightDecay),
            .gradientScale = step.gradientScale};
}

void updateByLion(const OptimizerChoice &choice, const UpdateStep &step, UpdateKernels &kernels)
{
    kernels.lion(lionSettings(choice, step));
}

/// The momentum and the sum whose sign decides are rounded to float where the kernel rounds: an update jumps at a sum of 0, so
/// that a difference of rounding would count as an error of the whole step.
void lionInDouble(const OptimizerChoice &choice, const UpdateStep &step, const ReferencePart &part)
{
    const kernels::Lion settings = lionSettings(choice, step);
    for (std::size_t i = 0; i < part.values.size(); ++i) {
        const auto momentum = static_cast<float>(part.state[0][i]);
        const float gradient = static_cast<float>(part.gradient[i]) * settings.gradientScale;
        const float mix = settings.beta1 * momentum + (1.0F - settings.beta1) * gradient;
        const double direction = mix > 0 ? 1 : (mix < 0 ? -1 : 0);
        part.state[0][i] = static_cast<double>(settings.beta2 * momentum + (1.0F - settings.beta2) * gradient);
        part.values[i] -= static_cast<double>(settings.learningRate) *
                          (direction + static_cast<double>(settings.weightDecay) * part.values[i]);
    }
}

} // namespace

const Optimizer &lion()
{
    static constexpr Optimizer kLion{.name = "lion",
                                     .caption = "Lion",
                                     .description = "the sign of a mean of gradients: one number a parameter",
                                     .state = kLionState,
                                     .options = kLionOptions,
                                     .usualRate = 1e-4,
                                     .usualBeta2 = 0.99,
                                     .update = updateByLion,
                                     .reference = lionInDouble};
    return kLion;
}

} // namespace stagelens::operators
