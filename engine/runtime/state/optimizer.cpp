#include "engine/runtime/state/optimizer.h"

#include "kernels/include/elementwise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace stagelens::runtime {

kernels::AdamW adamwSettings(const model::OptimizerChoice &choice, int updates)
{
    kernels::AdamW settings;
    settings.learningRate = static_cast<float>(choice.learningRate);
    settings.beta1 = static_cast<float>(choice.beta1);
    settings.beta2 = static_cast<float>(choice.beta2);
    settings.weightDecay = static_cast<float>(choice.weightDecay);
    settings.correction1 = static_cast<float>(1.0 - std::pow(choice.beta1, updates + 1));
    settings.correction2 = static_cast<float>(1.0 - std::pow(choice.beta2, updates + 1));
    return settings;
}

void addOutputGradients(const Devices &devices)
{
    for (const auto &device : devices) {
        for (const auto &parameter : device->parameters()) {
            if (parameter->outputGradient.size() == 0)
                continue;
            device->compute().add(parameter->gradient.data(), parameter->outputGradient.data(), parameter->count());
            device->compute().zero(parameter->outputGradient.data(), parameter->count());
        }
        device->compute().finish();
    }
}

void addCopies(const Devices &devices)
{
    struct Original {
        Parameter *parameter = nullptr;
        Device *device = nullptr;
    };
    std::map<int, Original> originals;
    std::vector<Original> copies;
    for (const auto &device : devices) {
        for (const auto &parameter : device->parameters()) {
            if (parameter->isCopy)
                copies.push_back({parameter.get(), device.get()});
            else
                originals[parameter->index] = {parameter.get(), device.get()}; // a shard has no copy
        }
    }
    for (const auto &[copy, device] : copies) {
        const Original &original = originals.at(copy->index);
        original.device->compute().add(original.parameter->gradient.data(), copy->gradient.data(), copy->count());
        original.device->compute().finish();
    }
    for (const auto &[copy, device] : copies) {
        device->compute().copy(copy->gradient.data(), originals.at(copy->index).parameter->gradient.data(), copy->count());
        device->compute().finish();
    }
}

std::vector<double> gradientSquares(const RunPlan &plan, const Device &device)
{
    std::vector<double> squares(plan.parameters.size());
    for (std::size_t index = 0; index < squares.size(); ++index)
        if (const Parameter *part = device.find(static_cast<int>(index)); part != nullptr && !part->isCopy)
            squares[index] = device.compute().sumOfSquares(part->gradient.data(), part->count());
    return squares;
}

double gradientNorm(const std::vector<std::vector<double>> &squares)
{
    double sum = 0;
    for (std::size_t index = 0; index < squares.front().size(); ++index)
        for (const std::vector<double> &ofRank : squares)
            sum += ofRank[index];
    return std::sqrt(sum);
}

float clipFactor(double norm, double clip)
{
    constexpr double kAgainstZero = 1e-6;
    return static_cast<float>(std::min(1.0, clip / (norm + kAgainstZero)));
}

} // namespace stagelens::runtime
