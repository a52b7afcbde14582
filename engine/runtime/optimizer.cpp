#include "engine/runtime/optimizer.h"

#include "kernels/include/elementwise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

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

void addOutputGradients(const Devices &devices)
{
    for (const auto &device : devices) {
        for (const auto &parameter : device->parameters()) {
            if (parameter->outputGradient.size() == 0)
                continue;
            kernels::add(parameter->gradient.data(), parameter->outputGradient.data(), parameter->count());
            std::fill_n(parameter->outputGradient.data(), parameter->count(), 0.0F);
        }
    }
}

void addCopies(const Devices &devices)
{
    std::map<int, Parameter *> originals;
    std::vector<Parameter *> copies;
    for (const auto &device : devices) {
        for (const auto &parameter : device->parameters()) {
            if (parameter->isCopy)
                copies.push_back(parameter.get());
            else
                originals[parameter->index] = parameter.get(); // a shard has no copy
        }
    }
    for (const Parameter *copy : copies)
        kernels::add(originals.at(copy->index)->gradient.data(), copy->gradient.data(), copy->count());
    for (Parameter *copy : copies)
        std::copy_n(originals.at(copy->index)->gradient.data(), copy->count(), copy->gradient.data());
}

std::vector<double> gradientSquares(const RunPlan &plan, const Device &device)
{
    std::vector<double> squares;
    for (int index = 0; index < static_cast<int>(plan.parameters.size()); ++index) {
        const Parameter *part = device.find(index);
        const bool counts = part != nullptr && !part->isCopy;
        squares.push_back(counts ? kernels::sumOfSquares(part->gradient.data(), part->count()) : 0.0);
    }
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
