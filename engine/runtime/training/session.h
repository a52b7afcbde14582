// A run in progress: its devices, transport and tokens.
#pragma once

#include "engine/runtime/executor/executor.h"
#include "engine/runtime/processes/control_channel.h"
#include "engine/runtime/state/loss_scaler.h"
#include "engine/runtime/training/model_tensors.h"
#include "engine/runtime/training/run_devices.h"
#include "engine/runtime/training/training_run.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagelens::runtime {

class Session {
public:
    /// Checks plan, schedule and memory, opens the tokens and creates the devices. Errors name the field at fault. With several
    /// processes, each opens a session and makes the same calls; reports are complete on the first one only.
    [[nodiscard]] static base::Result<std::unique_ptr<Session>> open(const model::Experiment &experiment,
                                                                     const schedule::Schedule &schedule, std::stop_token stop,
                                                                     const TransportOptions &transport = {});
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    /// Computes the gradients of a step, or of all iterations of a schedule that does not drain between them; with `optimize`,
    /// also updates the parameters, which clears them. `inspect` (if set) may read the gradients in between.
    [[nodiscard]] base::Result<StepReport> step(int index, bool optimize, const TrainingObserver &observer,
                                                const std::function<base::Result<>()> &inspect = {});

    /// Returns parameters, gradients and optimizer state of the whole model.
    [[nodiscard]] ModelTensors &tensors() { return m_tensors; }
    [[nodiscard]] Tensors parameters() const { return m_tensors.read(&Parameter::value); }
    [[nodiscard]] Tensors gradients() const { return m_tensors.read(&Parameter::gradient); }
    /// Returns the bytes of the first process, in all of them.
    [[nodiscard]] base::Result<backend::Bytes> fromFirst(backend::Bytes own) { return m_control.fromFirst(std::move(own)); }
    /// Returns the mean loss over the held-back tokens after `steps` steps; nothing if there are none.
    [[nodiscard]] base::Result<std::optional<double>> evaluate(int steps);
    /// Returns false if a loss of the last step was NaN or infinite.
    [[nodiscard]] bool isLossFinite() const;
    /// Records the GPU kernels of that step.
    void recordKernels(int step) { m_recordedStep = step; }
    /// Sets an entry of StepReport::facts.
    void noteFact(const std::string &name, std::string text) { m_facts[name] = std::move(text); }
    /// See Device::watchUpdates().
    void watchUpdates(const std::function<void(const Parameter &, backend::Compute &)> &watch);
    /// Returns the state of loss scaling, which a checkpoint keeps; null if the run does not scale its loss.
    [[nodiscard]] const LossScale *lossScale() const { return m_scaler.isOn() ? &m_scaler.state() : nullptr; }
    void restoreLossScale(LossScale state) { m_scaler.restore(std::move(state)); }
    [[nodiscard]] ControlChannel &control() { return m_control; }
    [[nodiscard]] const RunPlan &plan() const { return m_plan; }
    /// The tokens of the last step.
    [[nodiscard]] const Batch &batch() const { return m_batch; }

private:
    Session(const model::Experiment &experiment, const schedule::Schedule &schedule, std::stop_token stop,
            const TransportOptions &transport);
    [[nodiscard]] base::Result<StepReport> runStep(int index, bool optimize, const TrainingObserver &observer,
                                                   const std::function<base::Result<>()> &inspect);
    /// Returns the cause of an error: if the run was only cancelled because the transport failed, the error of the transport.
    [[nodiscard]] base::Error reasonOf(base::Error error) const;
    /// Returns whether each device has a thread of its own.
    [[nodiscard]] bool isLive() const;
    [[nodiscard]] base::Result<timeline::Timeline> runPasses(const StepHooks &hooks, ControlChannel::Clock::time_point begin);
    /// With parameters that replicas gather first (ZeRO-3): makes them whole outside of a step. Device::endStep() drops them.
    [[nodiscard]] base::Result<> gatherParameters();
    [[nodiscard]] StepHooks hooksOf(int index, bool optimize, const TrainingObserver &observer,
                                    const std::function<base::Result<>()> &inspect);
    timeline::RouterStepPtr noteExperts(int index, const std::vector<DeviceOutcome> &outcomes);
    /// Undoes the loss scale, or discards all gradients if one of any rank is not finite.
    [[nodiscard]] base::Result<> settleGradients();
    void noteFacts();
    [[nodiscard]] std::vector<std::vector<base::Nanos>> passBegins() const;
    void countPass(int index, const TrainingObserver &observer);

    RunPlan m_plan;
    std::stop_source m_halt; ///< requested by the user and by failing devices
    std::stop_token m_halted = m_halt.get_token();
    std::stop_callback<std::function<void()>> m_link;   ///< forwards the user's stop to m_halt
    std::stop_callback<std::function<void()>> m_broken; ///< forwards the failure of other processes to m_halt
    ControlChannel m_control;
    bool m_isOverNccl;
    std::vector<backend::Message> m_messages;   ///< announced in each step; empty unless the transport needs them
    std::atomic<std::int64_t> m_passesEver = 0; ///< passes ended in this process
    Batch m_batch;
    std::unique_ptr<TokenSource> m_tokens;
    RunDevices m_devices;
    ModelTensors m_tensors{m_plan, m_control, m_devices.all()};
    ExpertLog m_experts;
    std::map<std::string, std::string> m_facts; ///< StepReport::facts
    base::Nanos m_clockError = 0;               ///< greatest so far
    int m_recordedStep = -1;
    std::vector<float> m_clipFactors{1}; ///< one for all replicas, or for each if they train alone
    LossScaler m_scaler{m_plan.experiment};
    bool m_isSkipped = false; ///< the step at hand: a gradient is not finite
    std::mutex m_progress;    ///< serialises calls of the observer
    std::size_t m_passesDone = 0;
};

} // namespace stagelens::runtime
