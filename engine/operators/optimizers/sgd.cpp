// Gradient descent with momentum (Polyak), as torch.optim.SGD computes it.
#include "kernels/include/sgd.h"

#include "engine/operators/optimizers/optimizer.h"

#include <array>

namespace stagelens::operators {
namespace {

constexpr std::array kSgdState{StateTensor{"momentum"}};
constexpr std::array<std::string_view, 2> kSgdOptions{"momentum", "weight_decay"};

kernels::Sgd sgdSettings(const OptimizerChoice &choice, const UpdateStep &step)
{
    return {.learningRate = static_cast<float>(choice.learningRate),
            .momentum = static_cast<float>(choice.momentum),
            .weightDecay = static_cast<float>(choice.weightDecay),
            .gradientScale = step.gradientScale};
}

void updateBySgd(const OptimizerChoice &choice, const UpdateStep &step, UpdateKernels &kernels)
{
    kernels.sgd(sgdSettings(choice, step));
}

void sgdInDouble(const OptimizerChoice &choice, const UpdateStep &step, const ReferencePart &part)
{
    const kernels::Sgd settings = sgdSettings(choice, step);
    for (std::size_t i = 0; i < part.values.size(); ++i) {
        double &momentum = part.state[0][i];
        const double gradient = part.gradient[i] * static_cast<double>(settings.gradientScale);
        momentum = static_cast<double>(settings.momentum) * momentum + gradient +
                   static_cast<double>(settings.weightDecay) * part.values[i];
        part.values[i] -= static_cast<double>(settings.learningRate) * momentum;
    }
}

} // namespace

const Optimizer &sgd()
{
    static constexpr Optimizer kSgd{.name = "sgd",
                                    .caption = "SGD with momentum",
                                    .description = "a decaying sum of the gradients: one number a parameter",
                                    .state = kSgdState,
                                    .options = kSgdOptions,
                                    .usualRate = 0.1,
                                    .update = updateBySgd,
                                    .reference = sgdInDouble};
    return kSgd;
}

} // namespace stagelens::operators
