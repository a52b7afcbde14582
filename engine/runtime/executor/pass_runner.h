// Computes the passes of a device, operation by operation, as their recipes say (engine/passes/pass_recipe.h).
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor/device_model.h"
#include "engine/runtime/executor/output/sampled_output.h"
#include "engine/runtime/executor/pass_run.h"
#include "engine/runtime/executor/step_state.h"

#include <optional>
#include <utility>
#include <vector>

namespace stagelens::runtime {

/// Launches the kernels of passes. Used by the thread of its device.
class PassRunner {
public:
    PassRunner(const RunPlan &plan, const RankPlace &place, const Context &context, const DeviceModel &model, StepState &step)
        : m_plan(plan), m_device(place.device), m_tensor(place.tensor), m_context(context), m_model(model), m_step(step)
    {
        if (plan.experiment.model.isSampled())
            m_sampled.emplace(plan.experiment, step);
    }

    /// Releases messages that a cancelled pass left.
    void beginStep() { m_held.clear(); }
    /// Begins the operations of a pass whose inputs have arrived.
    void begin(PassRun &run);
    /// Launches the kernels of the operations that are next in the pass, up to an exchange among tensor ranks
    /// (PassRun::exchange) or to the end. Fails if a loss is not finite. Call finish() before the results are sent.
    [[nodiscard]] base::Result<> run(PassRun &run);
    /// Waits for all kernels, then releases the messages that they read.
    void finish();
    /// Returns the time that the last pass spent in vocabulary layers if it was F, B, I or W. Call after finish().
    [[nodiscard]] base::Nanos vocabularyTime() const;
    /// Computes the loss of a microbatch from the global statistics. Fails if it is not finite; `pass` is named in the message,
    /// unless null.
    [[nodiscard]] base::Result<> recordLoss(int microbatch, const kernels::SoftmaxStatistics &all, const schedule::Pass *pass);

private:
    [[nodiscard]] backend::Compute &compute() const { return m_context.compute; }
    /// Keeps the messages of a pass alive until finish(), because kernels may still read them.
    void hold(PassRun &run);
    /// Launches the kernels of one operation.
    [[nodiscard]] base::Result<> launch(PassRun &run, const schedule::PassStep &step);
    /// Returns where an operation writes a value, and holds it if it is a message.
    [[nodiscard]] Values place(PassRun &run, schedule::PassValue value);
    void embed(PassRun &run, schedule::PassValue rows);
    void addTokenGradients(PassRun &run, schedule::PassValue gradient);
    /// Computes the layers of a stage in the given direction and half, up to an exchange.
    void runLayers(PassRun &run, const schedule::PassStep &step);
    [[nodiscard]] StageRun beginLayers(PassRun &run, const schedule::PassStep &step);
    /// Returns the exchange of a step among tensor ranks.
    [[nodiscard]] TensorExchange exchangeOf(PassRun &run, const schedule::PassStep &step);
    /// Calls `visit(first row, first position, rows)` for the own tokens of each sequence.
    template <class Visit>
    void eachSequence(const Visit &visit) const;
    void normalise(PassRun &run, schedule::PassValue out);
    /// Computes the gradient of the final norm's input.
    void differentiateNorm(PassRun &run, const schedule::PassStep &step);
    void copyStatistics(PassRun &run, schedule::PassValue message);
    /// Packs the messages that the pass sends to other devices in fewer bits.
    void packMessages(PassRun &run);
    /// Runs an operation of the output layer, on the rows of the vocabulary that the device holds (OutputShard).
    void runOutput(PassRun &run, const schedule::PassStep &step, const TokenPart &part);
    /// Runs one that is another with a sampled softmax.
    void runSampled(PassRun &run, const schedule::PassStep &step, const TokenPart &part);
    /// Returns where a step of the output layer writes rows.
    [[nodiscard]] Values rowsOf(PassRun &run, const schedule::PassStep &step, const TokenPart &part);
    /// Returns the first of the own tokens among those of the context rank.
    [[nodiscard]] std::int64_t firstOwn() const { return m_context.shape.firstOwn(m_tensor); }
    /// Fails if the loss of a microbatch is not finite; `pass` is named in the message, unless null.
    [[nodiscard]] base::Result<> checkLoss(int microbatch, const schedule::Pass *pass) const;
    /// Runs the operations that come next on one part of the tokens after another (PassStep::isOfPart).
    void runParts(PassRun &run);
    /// Records the time of an operation.
    void note(const schedule::Pass &pass, const schedule::PassStep &step) const;

    const RunPlan &m_plan;
    int m_device;
    int m_tensor;
    const Context &m_context;
    const DeviceModel &m_model;
    StepState &m_step;
    std::optional<SampledOutput> m_sampled;
    std::vector<backend::Tensor> m_held;
    std::vector<std::pair<backend::Compute::Mark, backend::Compute::Mark>> m_inVocabulary; ///< of the last pass
};

} // namespace stagelens::runtime
