#include "engine/runtime/state/optimizer.h"

#include "kernels/include/elementwise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

namespace stagelens::runtime {

namespace {

/// Runs an update on the device of a parameter.
class DeviceUpdate final : public operators::UpdateKernels {
public:
    DeviceUpdate(Parameter &parameter, backend::Compute &compute)
        : m_parameter(parameter), m_updated(parameter.updated()), m_compute(compute)
    {}

    void scale(operators::UpdateTensor tensor, float factor) override
    {
        const backend::Values values = valuesOf(tensor);
        m_compute.scale(values, values, factor, m_updated.size());
    }
    void addScaled(operators::UpdateTensor to, operators::UpdateTensor from, float factor) override
    {
        m_compute.addScaled(valuesOf(to), valuesOf(from), factor, m_updated.size());
    }
    void adamw(const kernels::AdamW &settings) override
    {
        const auto from = [this](const ParameterPart &part) { return m_parameter.numbersFrom(part, m_updated.begin); };
        m_compute.adamwStep(from(&Parameter::value).floats(), from(&Parameter::rounded), from(&Parameter::gradient).floats(),
                            m_parameter.state[0].data(), m_parameter.state[1].data(), settings, m_updated.size());
        m_isDone = m_updated.size() == m_parameter.count();
    }
    /// Clears the gradient and rounds the value, unless the kernel of the update did.
    void finish()
    {
        if (m_isDone)
            return;
        m_compute.zero(m_parameter.gradient.data(), m_parameter.count());
        if (const backend::Values rounded = m_parameter.numbers(&Parameter::rounded))
            m_compute.round(rounded, m_parameter.value.data(), m_parameter.count());
    }

private:
    [[nodiscard]] backend::Values valuesOf(operators::UpdateTensor tensor)
    {
        switch (tensor.kind) {
        case operators::UpdateTensor::Kind::Value: break;
        case operators::UpdateTensor::Kind::Gradient: return m_parameter.numbersFrom(&Parameter::gradient, m_updated.begin);
        case operators::UpdateTensor::Kind::State: return m_parameter.state[tensor.state].data();
        }
        return m_parameter.numbersFrom(&Parameter::value, m_updated.begin);
    }

    Parameter &m_parameter;
    layout::Interval m_updated;
    backend::Compute &m_compute;
    bool m_isDone = false;
};

} // namespace

void updateParameter(Parameter &parameter, const model::OptimizerChoice &choice, float gradientScale, backend::Compute &compute)
{
    updateParameter(parameter, optimizerOf(choice), choice, gradientScale, compute);
}

void updateParameter(Parameter &parameter, const operators::Optimizer &optimizer, const model::OptimizerChoice &choice,
                     float gradientScale, backend::Compute &compute)
{
    DeviceUpdate update(parameter, compute);
    if (const int updates = parameter.updates++; parameter.updated().size() > 0)
        optimizer.update(choice, {updates, gradientScale}, update);
    update.finish();
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
    std::map<std::tuple<int, int, int>, Original> originals; ///< by replica, tensor rank and parameter
    std::vector<Original> copies;
    const auto keyOf = [](const Device &device, const Parameter &parameter) {
        return std::tuple(device.place().replica, device.place().tensor, parameter.index);
    };
    for (const auto &device : devices) {
        for (const auto &parameter : device->parameters()) {
            if (parameter->isCopy)
                copies.push_back({parameter.get(), device.get()});
            else
                originals[keyOf(*device, *parameter)] = {parameter.get(), device.get()}; // a shard has no copy
        }
    }
    for (const auto &[copy, device] : copies) {
        const Original &original = originals.at(keyOf(*device, *copy));
        original.device->compute().add(original.parameter->gradient.data(), copy->gradient.data(), copy->count());
        original.device->compute().finish();
    }
    for (const auto &[copy, device] : copies) {
        device->compute().copy(copy->gradient.data(), originals.at(keyOf(*device, *copy)).parameter->gradient.data(),
                               copy->count());
        device->compute().finish();
    }
}

std::vector<double> gradientSquares(const RunPlan &plan, const Device &device)
{
    std::vector<double> squares(plan.parameters.size());
    for (std::size_t index = 0; index < squares.size(); ++index)
        if (const Parameter *part = device.find(static_cast<int>(index)); part != nullptr && !part->isCopy && !part->isRepeated)
            squares[index] = device.compute().sumOfSquares(part->gradient.data() + part->share.begin, part->share.size());
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
