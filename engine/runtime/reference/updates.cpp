#include "engine/runtime/reference/updates.h"

#include <algorithm>

namespace stagelens::runtime {

double Distance::relative() const
{
    return std::sqrt(norm > 0 ? difference / norm : difference);
}

ReferenceUpdates::ReferenceUpdates(const RunPlan &plan)
    : m_plan(plan), m_optimizer(optimizerOf(plan.experiment.training.optimizer))
{
    for (const ParameterInfo &info : plan.parameters)
        for (auto &state = m_state.emplace_back(); const operators::StateTensor &tensor : m_optimizer.state)
            state.emplace_back(tensor.isOf(info.kind()) ? size(tensor.numbers(info.count(), info.columns, info.matrixRows))
                                                        : 0);
}

operators::PartShape ReferenceUpdates::partOf(std::size_t index) const
{
    return m_plan.parameters[index].shape();
}

void ReferenceUpdates::updateMatrix(std::size_t index, std::int64_t matrix, std::span<double> values,
                                    std::span<const double> gradient, const operators::UpdateStep &step)
{
    const operators::PartShape each = partOf(index).matrix();
    std::vector<std::vector<double>> &all = m_state[index];
    std::vector<std::vector<double>> own;
    const auto begin = [&](std::size_t tensor) { return all[tensor].begin() + matrix * std::ssize(own[tensor]); };
    for (std::size_t i = 0; i < all.size(); ++i) {
        own.emplace_back(all[i].size() / size(partOf(index).matrices()));
        std::copy_n(begin(i), own[i].size(), own[i].begin());
    }
    operators::UpdateStep ofMatrix = step;
    ofMatrix.part = each;
    const auto first = size(matrix * each.count());
    m_optimizer.reference(m_plan.experiment.training.optimizer, ofMatrix,
                          {each, values.subspan(first, size(each.count())), gradient.subspan(first, size(each.count())), own});
    for (std::size_t i = 0; i < all.size(); ++i)
        std::ranges::copy(own[i], begin(i));
}

std::vector<double> ReferenceUpdates::updated(std::size_t index, const std::vector<float> &value,
                                              const std::vector<float> &gradient, const operators::UpdateStep &step)
{
    std::vector<double> values(value.begin(), value.end());
    const std::vector<double> precise(gradient.begin(), gradient.end());
    if (m_plan.parameters[index].isRouterBias)
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] -= precise[i] == 0 ? 0 : std::copysign(m_plan.experiment.model.routerBiasRate, precise[i]);
    else
        for (std::int64_t matrix = 0; matrix < partOf(index).matrices(); ++matrix)
            updateMatrix(index, matrix, values, precise, step);
    return values;
}

double ReferenceUpdates::bytes(const model::Experiment &experiment)
{
    const operators::Optimizer &optimizer = optimizerOf(experiment.training.optimizer);
    double numbers = 0;
    for (const ParameterInfo &info : parameterList(experiment.model))
        for (const operators::StateTensor &tensor : optimizer.state)
            numbers +=
                tensor.isOf(info.kind()) ? static_cast<double>(tensor.numbers(info.count(), info.columns, info.matrixRows)) : 0;
    return numbers * sizeof(double);
}

} // namespace stagelens::runtime
