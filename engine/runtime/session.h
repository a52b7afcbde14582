// A run in progress: devices, transport and tokens, and what a step does with them.
#pragma once

#include "engine/runtime/executor/executor.h"
#include "engine/runtime/memory/gpu_memory.h"
#include "engine/runtime/training_run.h"
#include "engine/runtime/worker/control_channel.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// Parameters or gradients of the whole model, tensor after tensor in Hugging Face order.
using Tensors = std::vector<std::vector<float>>;

class Session {
public:
    /// Checks plan, schedule and memory, opens the tokens and makes the devices. The error names the field at fault. Of
    /// several processes, every one opens a session and makes the same calls; reports are whole in the first one alone.
    [[nodiscard]] static base::Result<std::unique_ptr<Session>> open(const model::Experiment &experiment,
                                                                     const schedule::Schedule &schedule, std::stop_token stop,
                                                                     const Travel &travel = {});
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    /// Makes the step's gradients; with `optimize` then AdamW's step, which clears them. `inspect` (if any) may read the
    /// gradients in between.
    [[nodiscard]] base::Result<StepReport> step(int index, bool optimize, const TrainingObserver &observer,
                                                const std::function<base::Result<>()> &inspect = {});

    [[nodiscard]] Tensors parameters() const { return tensors(&Parameter::value); }
    [[nodiscard]] Tensors gradients() const { return tensors(&Parameter::gradient); }
    /// Values, gradients or moments of the whole model, where all of it is in this process.
    [[nodiscard]] Tensors tensors(backend::Buffer Parameter::*part) const;
    /// The same from all processes, in the first one alone.
    [[nodiscard]] base::Result<Tensors> collect(backend::Buffer Parameter::*part);
    /// Those to go on with in place of what is there; as tensors() answers them. Does nothing where a
    /// parameter has no such part.
    void setTensors(backend::Buffer Parameter::*part, const Tensors &tensors);
    /// AdamW's updates of each parameter so far, where all of it is in this process.
    [[nodiscard]] std::vector<int> updates() const;
    void setUpdates(const std::vector<int> &counts);
    /// Mean loss over the tokens held back from training, with the parameters as they are after `steps` steps; nothing where
    /// none are held back.
    [[nodiscard]] base::Result<std::optional<double>> evaluate(int steps);
    /// False once the last step met a loss that is not a number or infinite.
    [[nodiscard]] bool isLossFinite() const;
    /// Records the GPUs' kernels in that step.
    void recordKernels(int step) { m_recordedStep = step; }
    /// Adds to StepReport::facts.
    void noteFact(const std::string &name, std::string text) { m_facts[name] = std::move(text); }
    /// See Device::watchUpdates().
    void watchUpdates(const std::function<void(const Parameter &, backend::Compute &)> &watch);
    /// Parameter::stage of each.
    [[nodiscard]] std::vector<int> parameterStages() const;
    [[nodiscard]] const ControlChannel &control() const { return m_control; }
    [[nodiscard]] const RunPlan &plan() const { return m_plan; }
    /// The tokens of the last step.
    [[nodiscard]] const Batch &batch() const { return m_batch; }

private:
    Session(const model::Experiment &experiment, const schedule::Schedule &schedule, std::stop_token stop,
            const Travel &travel);
    [[nodiscard]] base::Result<> makeDevices();
    [[nodiscard]] base::Result<> makeTransport();
    [[nodiscard]] std::vector<DeviceMemory *> memories() const;
    [[nodiscard]] base::Result<StepReport> runStep(int index, bool optimize, const TrainingObserver &observer,
                                                   const std::function<base::Result<>()> &inspect);
    /// Of what ended: where it was merely stopped because the transport failed, why that did.
    [[nodiscard]] base::Error reasonOf(base::Error error) const;
    /// Whether each device has a thread of its own.
    [[nodiscard]] bool isLive() const;
    [[nodiscard]] base::Result<timeline::Timeline> runPasses(const StepHooks &hooks, ControlChannel::Clock::time_point begin);
    [[nodiscard]] StepHooks hooksOf(int index, bool optimize, const TrainingObserver &observer,
                                    const std::function<base::Result<>()> &inspect);
    void watchGpuMemory();
    void noteFacts();
    [[nodiscard]] std::vector<std::vector<base::Nanos>> passBegins() const;
    void countPass(int index, const TrainingObserver &observer);
    [[nodiscard]] kernels::Interrupt interrupt() const;

    RunPlan m_plan;
    std::stop_source m_halt; ///< asked by the person's stop and by a device that fails
    std::stop_token m_halted = m_halt.get_token();
    std::stop_callback<std::function<void()>> m_link;   ///< from the person's stop to m_halt
    std::stop_callback<std::function<void()>> m_broken; ///< from the other processes' end to m_halt
    ControlChannel m_control;
    bool m_isOverNccl;
    std::vector<int> m_places;                  ///< the GPU of each device; empty on processors
    std::vector<backend::Message> m_messages;   ///< of a step, where the transport wants to know
    std::atomic<std::int64_t> m_passesEver = 0; ///< that have ended here
    Batch m_batch;
    std::unique_ptr<TokenSource> m_tokens;
    std::vector<DevicePlan> m_memoryPlans;
    std::vector<std::unique_ptr<backend::Compute>> m_computes; ///< outlive their memory
    std::vector<std::unique_ptr<DeviceMemory>> m_memories;     ///< outlive every buffer
    std::unique_ptr<backend::Transport> m_transport;
    Devices m_devices;
    std::optional<GpuMemoryWatch> m_gpuMemory;
    std::map<std::string, std::string> m_facts; ///< StepReport::facts
    base::Nanos m_clockError = 0;               ///< the greatest so far
    int m_recordedStep = -1;
    float m_clipFactor = 1;
    std::mutex m_progress; ///< the observer is called by one thread at a time
    std::size_t m_passesDone = 0;
    std::size_t m_passCount = 0; ///< of a step, on the devices here
};

} // namespace stagelens::runtime
