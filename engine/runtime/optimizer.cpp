#include "engine/runtime/optimizer.h"

#include "kernels/include/elementwise.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime {

kernels::AdamW adamwSettings(const model::OptimizerChoice &choice, int step)
{
    kernels::AdamW settings;
    settings.learningRate = static_cast<float>(choice.learningRate);
    settings.beta1 = static_cast<float>(choice.beta1);
    settings.beta2 = static_cast<float>(choice.beta2);
    settings.weightDecay = static_cast<float>(choice.weightDecay);
    settings.correction1 = static_cast<float>(1.0 - std::pow(choice.beta1, step + 1));
    settings.correction2 = static_cast<float>(1.0 - std::pow(choice.beta2, step + 1));
    return settings;
}

void sumTiedGradients(const Devices &devices)
{
    Parameter *original = nullptr;
    Parameter *copy = nullptr;
    for (const auto &device : devices) {
        Parameter *table = device->find(kTokenTable);
        if (table == nullptr)
            continue;
        (table->isCopy ? copy : original) = table;
        if (table->outputGradient.size() == 0)
            continue;
        kernels::add(table->gradient.data(), table->outputGradient.data(), table->count());
        std::fill_n(table->outputGradient.data(), table->count(), 0.0F);
    }
    if (copy == nullptr)
        return;
    // Without vocabulary parallelism the first stage's device holds the original, and the last stage's the only copy.
    kernels::add(original->gradient.data(), copy->gradient.data(), copy->count());
    std::copy_n(original->gradient.data(), copy->count(), copy->gradient.data());
}

double gradientNorm(const RunPlan &plan, const Devices &devices)
{
    double squares = 0;
    for (int index = 0; index < static_cast<int>(plan.parameters.size()); ++index)
        for (const auto &device : devices)
            if (const Parameter *part = device->find(index); part != nullptr && !part->isCopy)
                squares += kernels::sumOfSquares(part->gradient.data(), part->count());
    return std::sqrt(squares);
}

float clipFactor(double norm, double clip)
{
    constexpr double kAgainstZero = 1e-6;
    return static_cast<float>(std::min(1.0, clip / (norm + kAgainstZero)));
}

} // namespace stagelens::runtime
