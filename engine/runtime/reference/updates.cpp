#include "engine/runtime/reference/updates.h"

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
            state.emplace_back(tensor.isOf(info.kind()) ? size(tensor.numbers(info.count(), info.columns)) : 0);
}

operators::PartShape ReferenceUpdates::partOf(std::size_t index) const
{
    const ParameterInfo &info = m_plan.parameters[index];
    return {info.rows, info.columns, info.kind()};
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
        m_optimizer.reference(m_plan.experiment.training.optimizer, step, {partOf(index), values, precise, m_state[index]});
    return values;
}

double ReferenceUpdates::bytes(const model::Experiment &experiment)
{
    const operators::Optimizer &optimizer = optimizerOf(experiment.training.optimizer);
    double numbers = 0;
    for (const ParameterInfo &info : parameterList(experiment.model))
        for (const operators::StateTensor &tensor : optimizer.state)
            numbers += tensor.isOf(info.kind()) ? static_cast<double>(tensor.numbers(info.count(), info.columns)) : 0;
    return numbers * sizeof(double);
}

} // namespace stagelens::runtime
