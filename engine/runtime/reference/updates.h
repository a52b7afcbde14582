// The updates of an optimizer in float64, with which those of a run are compared.
#pragma once

#include "engine/runtime/plan/run_plan.h"
#include "engine/runtime/state/optimizer.h"

#include <cmath>
#include <vector>

namespace stagelens::runtime {

/// Sums of squares of differences and of the reference.
struct Distance {
    double difference = 0;
    double norm = 0;
    void add(double measured, double reference)
    {
        difference += (measured - reference) * (measured - reference);
        norm += reference * reference;
    }
    /// Returns the Frobenius norm of the difference over that of the reference; the norm itself if the reference is 0.
    [[nodiscard]] double relative() const;
};

/// Updates parameters one by one. It keeps the optimizer's state of each in double; values and gradients are those of the run,
/// because updates with gradients near 0 are dominated by rounding, and errors would accumulate.
class ReferenceUpdates {
public:
    explicit ReferenceUpdates(const RunPlan &plan);

    /// Returns the values of a parameter after an update. Parameters are numbered as in parameterList().
    [[nodiscard]] std::vector<double> updated(std::size_t index, const std::vector<float> &value,
                                              const std::vector<float> &gradient, const operators::UpdateStep &step);
    /// Returns the factor that limits the norm of all gradients as the plan says, 1 without a limit. `gradientOf(i)` is the
    /// gradient of parameter i.
    template <class GradientOf>
    [[nodiscard]] float gradientScale(const GradientOf &gradientOf) const
    {
        const auto &clip = m_plan.experiment.training.optimizer.clip;
        double squares = 0;
        for (std::size_t i = 0; clip && i < m_plan.parameters.size(); ++i)
            for (const float value : gradientOf(i))
                squares += m_plan.parameters[i].isRouterBias ? 0 : static_cast<double>(value) * static_cast<double>(value);
        return clip ? clipFactor(std::sqrt(squares), *clip) : 1.0F;
    }
    [[nodiscard]] operators::PartShape partOf(std::size_t index) const;

    /// Returns the bytes of the state.
    [[nodiscard]] static double bytes(const model::Experiment &experiment);

private:
    /// Updates one of the matrices of a parameter: that of an expert, or all of it.
    void updateMatrix(std::size_t index, std::int64_t matrix, std::span<double> values, std::span<const double> gradient,
                      const operators::UpdateStep &step);

    const RunPlan &m_plan;
    const operators::Optimizer &m_optimizer;
    std::vector<std::vector<std::vector<double>>> m_state; ///< by parameter and tensor
};

} // namespace stagelens::runtime
