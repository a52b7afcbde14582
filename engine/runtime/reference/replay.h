// Checks steps of an asynchronous schedule against float64. The reference computes each stage of each microbatch with the
// weight version that the schedule prescribes, and computes every update itself.
#pragma once

#include "engine/runtime/executor/device.h"
#include "engine/runtime/reference/reference.h"
#include "engine/runtime/reference/updates.h"

#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// The state of a parameter just before an update.
struct Update {
    std::vector<float> value;
    std::vector<float> gradient;
};
/// The updates of a step by parameter, ordered as parameterList(); each in order of time.
using UpdateTrace = std::vector<std::vector<Update>>;

/// Follows a run step by step. The schedule determines the version of each microbatch; its values are those of the run, because
/// updates with gradients near 0 are dominated by rounding, and errors would accumulate. Updates are checked one by one
/// instead.
class Replay {
public:
    /// `stages` is Parameter::stage of each parameter.
    Replay(const RunPlan &plan, std::vector<int> stages, std::stop_token stop);

    /// Checks the next step from its tokens, its updates, and the parameters after it. Returns the loss of the reference.
    [[nodiscard]] base::Result<double> follow(const Batch &batch, const UpdateTrace &trace,
                                              const std::vector<std::vector<float>> &after);
    /// Returns the error of a parameter: of its gradients over all updates, or of its values after them if greater; the
    /// Frobenius norm of the difference over that of the reference.
    [[nodiscard]] double relativeError(std::size_t index) const;

    /// Returns the memory that it needs, including the trace of the run and the reference.
    [[nodiscard]] static base::Bytes bytes(const model::Experiment &experiment, const schedule::Schedule &schedule);

private:
    [[nodiscard]] base::Result<double> followBuffered(const Batch &batch, const UpdateTrace &trace);
    [[nodiscard]] base::Result<double> followStashed(const Batch &batch, const UpdateTrace &trace);
    void compareGradient(std::size_t index, const Update &update, const std::vector<double> &reference);
    void checkUpdate(std::size_t index, const Update &update, const std::vector<float> &after,
                     const operators::UpdateStep &step);
    [[nodiscard]] operators::UpdateStep stepOf(std::size_t index, std::size_t update) const;
    [[nodiscard]] bool isStashed(std::size_t index) const { return m_plan.isStashed(static_cast<int>(index)); }

    const RunPlan &m_plan;
    std::vector<int> m_stages;
    std::stop_token m_stop;
    int m_step = 0;
    std::vector<std::vector<float>> m_previous; ///< with double buffering: values before the last update
    ReferenceUpdates m_updates;
    float m_gradientScale = 1; ///< of the step at hand
    std::vector<Distance> m_gradients;
    std::vector<Distance> m_values;
};

} // namespace stagelens::runtime
