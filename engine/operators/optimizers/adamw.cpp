// AdamW (Loshchilov & Hutter, arXiv 1711.05101) as PyTorch computes it, in one kernel.
#include "kernels/include/adamw.h"

#include "engine/operators/optimizers/optimizer.h"

#include <array>
#include <cmath>

namespace stagelens::operators {
namespace {

constexpr std::array kAdamwState{StateTensor{"first-moments"},
                                 StateTensor{"second-moments", true, "second moments are sums of squares"}};
constexpr std::array<std::string_view, 2> kAdamwOptions{"betas", "weight_decay"};

kernels::AdamW adamwSettings(const OptimizerChoice &choice, const UpdateStep &step)
{
    kernels::AdamW settings;
    settings.learningRate = static_cast<float>(choice.learningRate);
    settings.beta1 = static_cast<float>(choice.beta1);
    settings.beta2 = static_cast<float>(choice.beta2);
    settings.weightDecay = static_cast<float>(choice.weightDecay);
    settings.gradientScale = step.gradientScale;
    settings.correction1 = static_cast<float>(1.0 - std::pow(choice.beta1, step.updates + 1));
    settings.correction2 = static_cast<float>(1.0 - std::pow(choice.beta2, step.frozenAfter.value_or(step.updates + 1)));
    return settings;
}

void updateByAdamw(const OptimizerChoice &choice, const UpdateStep &step, UpdateKernels &kernels)
{
    kernels.adamw(adamwSettings(choice, step));
}

void adamwInDouble(const OptimizerChoice &choice, const UpdateStep &step, const ReferencePart &part)
{
    adamwReference(adamwSettings(choice, step), part, 0);
}

} // namespace

void adamwReference(const kernels::AdamW &settings, const ReferencePart &part, std::size_t state)
{
    const auto beta1 = static_cast<double>(settings.beta1);
    const auto beta2 = static_cast<double>(settings.beta2);
    const auto rate = static_cast<double>(settings.learningRate);
    for (std::size_t i = 0; i < part.values.size(); ++i) {
        const double gradient = part.gradient[i] * static_cast<double>(settings.gradientScale);
        double &first = part.state[state][i];
        double &second = part.state[state + 1][i];
        first = beta1 * first + (1 - beta1) * gradient;
        second = beta2 * second + (1 - beta2) * gradient * gradient;
        const double direction =
            first / static_cast<double>(settings.correction1) /
            (std::sqrt(second / static_cast<double>(settings.correction2)) + static_cast<double>(settings.epsilon));
        part.values[i] -= rate * (static_cast<double>(settings.weightDecay) * part.values[i] + direction);
    }
}

const Optimizer &adamw()
{
    static constexpr Optimizer kAdamw{.name = "adamw",
                                      .caption = "AdamW",
                                      .description = "mean and square of the gradient, and a decay of weights",
                                      .state = kAdamwState,
                                      .options = kAdamwOptions,
                                      .update = updateByAdamw,
                                      .reference = adamwInDouble};
    return kAdamw;
}

} // namespace stagelens::operators
