// Computes each kind of pass on a device. engine/passes/requirements.h defines which pass needs what.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor/pass_tensors.h"
#include "engine/runtime/executor/step_state.h"

#include <utility>
#include <vector>

namespace stagelens::runtime {

/// Launches the kernels of passes. Used by the thread of its device.
class PassRunner {
public:
    PassRunner(const RunPlan &plan, int rank, const Context &context, const DeviceModel &model, const PassTensors &tensors,
               StepState &step)
        : m_plan(plan), m_rank(rank), m_context(context), m_model(model), m_tensors(tensors), m_step(step)
    {}

    /// Releases messages that a cancelled pass left.
    void beginStep() { m_held.clear(); }
    /// Launches the kernels of the pass and returns what the pass sends. Fails if a loss is not finite. Call finish() before
    /// the result is used.
    [[nodiscard]] base::Result<Payload> run(const schedule::Pass &pass, Payload in);
    /// Waits for all kernels, then releases the messages that they read.
    void finish();
    /// Returns the time that the last pass spent in vocabulary layers if it was F or B. Call after finish().
    [[nodiscard]] base::Nanos vocabularyTime() const;
    /// Computes the loss of a microbatch from the global statistics. Fails if it is not finite; `pass` is named in the message,
    /// unless null.
    [[nodiscard]] base::Result<> recordLoss(int microbatch, const schedule::Pass *pass);

private:
    /// Counts the kernels that are launched during its lifetime as work in vocabulary layers.
    class InVocabulary;

    [[nodiscard]] backend::Compute &compute() const { return m_context.compute; }
    /// Keeps messages alive until finish(), because kernels may still read them.
    void hold(const Payload &payload);
    [[nodiscard]] base::Result<Payload> forward(const schedule::Pass &pass, Payload in);
    /// Computes B or I.
    [[nodiscard]] base::Result<Payload> backward(const schedule::Pass &pass, Payload in);
    void backwardWeights(const schedule::Pass &pass);
    /// Returns the gradient of the final norm's output.
    [[nodiscard]] base::Result<backend::Tensor> outputGradient(const schedule::Pass &pass, Payload in);
    [[nodiscard]] Payload firstVocabularyPass(int microbatch);
    [[nodiscard]] Payload secondVocabularyPass(int microbatch);
    [[nodiscard]] base::Result<Payload> lastVocabularyPass(const schedule::Pass &pass);
    void embed(int microbatch, Values rows) const;
    void addTokenGradients(int microbatch, ConstValues gradient);
    void normalise(const schedule::Pass &pass, Values out) const;
    /// Computes the gradient of the final norm's input.
    void differentiateNorm(const schedule::Pass &pass, Values gradient, ConstValues outGradient) const;
    [[nodiscard]] backend::Tensor messageOf(const float *statistics, std::int64_t floats) const;

    const RunPlan &m_plan;
    int m_rank;
    const Context &m_context;
    const DeviceModel &m_model;
    const PassTensors &m_tensors;
    StepState &m_step;
    std::vector<backend::Tensor> m_held;
    std::vector<std::pair<backend::Compute::Mark, backend::Compute::Mark>> m_inVocabulary; ///< of the last pass
};

} // namespace stagelens::runtime
