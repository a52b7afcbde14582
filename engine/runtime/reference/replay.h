// Steps of an asynchronous schedule against float64: the reference computes each stage of each microbatch with the version of
// the weights that the schedule gives it, and makes every update itself.
#pragma once

#include "engine/runtime/executor/device.h"
#include "engine/runtime/reference/reference.h"

#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// What a parameter had just before an update.
struct Update {
    std::vector<float> value;
    std::vector<float> gradient;
};
/// The updates of a step, by parameter in the order of parameterList(), each parameter's in the order of time.
using UpdateTrace = std::vector<std::vector<Update>>;

/// Follows a run step by step. Which version a microbatch takes is read from the schedule; that version's values are the run's
/// own, for an update whose gradient is next to 0 is mere rounding, and errors would grow from there. Updates are checked one
/// by one instead.
class Replay {
public:
    /// `stages` are the parameters' (Parameter::stage).
    Replay(const RunPlan &plan, std::vector<int> stages, std::stop_token stop);

    /// Takes the next step: its tokens, what was updated, and the parameters after it. Answers the reference's loss.
    [[nodiscard]] base::Result<double> follow(const Batch &batch, const UpdateTrace &trace,
                                              const std::vector<std::vector<float>> &after);
    /// Of the parameter's gradients of all updates so far, or of its values after them where that is more: Frobenius norm of
    /// the difference over that of the reference.
    [[nodiscard]] double relativeError(std::size_t index) const;

    /// Memory that it takes with the run's trace and the reference.
    [[nodiscard]] static base::Bytes bytes(const model::Experiment &experiment, const schedule::Schedule &schedule);

private:
    /// Squares of differences and of the reference.
    struct Distance {
        double difference = 0;
        double norm = 0;
        void add(double measured, double reference)
        {
            difference += (measured - reference) * (measured - reference);
            norm += reference * reference;
        }
        [[nodiscard]] double relative() const;
    };

    [[nodiscard]] base::Result<double> followBuffered(const Batch &batch, const UpdateTrace &trace);
    [[nodiscard]] base::Result<double> followStashed(const Batch &batch, const UpdateTrace &trace);
    void compareGradient(std::size_t index, const Update &update, const std::vector<double> &reference);
    void checkUpdate(std::size_t index, const Update &update, const std::vector<float> &after, const kernels::AdamW &settings);
    [[nodiscard]] kernels::AdamW settingsOf(std::size_t index, std::size_t update, const UpdateTrace &trace) const;
    [[nodiscard]] bool isStashed(std::size_t index) const { return m_plan.isStashed(static_cast<int>(index)); }

    const RunPlan &m_plan;
    std::vector<int> m_stages;
    std::stop_token m_stop;
    int m_step = 0;
    std::vector<std::vector<float>> m_previous; ///< double-buffered: before the last update
    std::vector<std::vector<double>> m_first;   ///< AdamW's moments
    std::vector<std::vector<double>> m_second;
    std::vector<Distance> m_gradients;
    std::vector<Distance> m_values;
};

} // namespace stagelens::runtime
