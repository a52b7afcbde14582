// One rank: a pipeline device of a replica, or one of its tensor and context ranks.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor/compressed_exchange.h"
#include "engine/runtime/executor/device_messages.h"
#include "engine/runtime/executor/device_model.h"
#include "engine/runtime/executor/pass_runner.h"
#include "engine/runtime/executor/replica_exchange.h"
#include "engine/runtime/executor/step_state.h"
#include "engine/runtime/executor/step_tokens.h"
#include "engine/runtime/executor/table_sums.h"
#include "engine/runtime/executor/tensor_collectives.h"
#include "engine/runtime/layers/choice_exchange.h"
#include "engine/runtime/layers/drop_exchange.h"
#include "engine/runtime/layers/expert_exchange.h"
#include "engine/runtime/layers/head_exchange.h"
#include "engine/runtime/layers/key_exchange.h"
#include "engine/runtime/layers/layer_weights.h"
#include "engine/runtime/memory/device_memory.h"
#include "engine/runtime/offload/device_copies.h"
#include "engine/runtime/offload/host_pool.h"
#include "engine/timeline/timeline.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagelens::runtime {

/// Connects the parts of a device: its model, its messages, its pass runner and its copies. A pass runs in three calls:
/// receive() waits for its inputs, compute() is the timed work, publish() sends the results. Used by one thread at a time.
class Device {
public:
    /// The transports of the groups that a rank belongs to.
    struct Transports {
        backend::Transport &all;     ///< all ranks
        backend::Transport &rail;    ///< the pipeline's devices
        backend::Transport &shares;  ///< the ranks that sum the gradients of the device: its replicas and context ranks
        backend::Transport &tensor;  ///< the tensor ranks of the device
        backend::Transport &context; ///< its context ranks
        backend::Transport &routers; ///< the ranks of the device that route parts of a microbatch
        backend::Transport &expert;  ///< the ranks that share the experts of its layers
        backend::Transport &copies;  ///< the ranks with the same experts
    };
    Device(const RunPlan &plan, const RankPlace &place, DeviceMemory &memory, const Transports &transports,
           backend::Compute &compute);
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    [[nodiscard]] const RankPlace &place() const { return m_place; }
    /// Begins a step and drops what a cancelled step left. `batch` must stay valid until the next call.
    void beginStep(const Batch &batch, int step, StepUse use, float lossScale = 1);
    /// Drops the parameters that a replica of ZeRO-3 does not keep between steps.
    void endStep() { m_model.dropValues(); }
    /// Returns the pass at the beginning of its recipe. It runs by receive(), compute() and publish().
    [[nodiscard]] PassRun makeRun(const schedule::Pass &pass) const
    {
        return {pass, m_plan.recipeOf(pass, m_place.device), m_step.use == StepUse::Evaluation,
                m_exchangesInPasses ? &m_unitUse : nullptr};
    }
    /// The copies of activations to its host and back. DeviceCopies::beginUnit() precedes the receive() of each unit.
    [[nodiscard]] DeviceCopies &hostCopies() { return m_hostCopies; }
    /// The weights of layers that its host keeps.
    [[nodiscard]] LayerWeights &layerWeights() { return m_weights; }
    /// Returns the greatest memory of the step on its host.
    [[nodiscard]] base::Bytes peakHost() const { return m_hostCopies.peakHost() + m_host.live(); }
    /// Blocks until the inputs of the pass have arrived. Returns false if the run was stopped.
    [[nodiscard]] bool receive(PassRun &run);
    /// Computes the pass, exchanges with the tensor, context and expert ranks and the replicas that compute it at the same
    /// time, and waits for its kernels. Fails if a loss is not finite.
    [[nodiscard]] base::Result<> compute(PassRun &run);
    /// The parts of compute(), for one thread that runs all ranks of a gang in turn: launch() up to PassRun::exchange(), then
    /// each round of the exchange, until there is none. endCompute() ends the pass.
    void beginCompute(PassRun &run);
    [[nodiscard]] base::Result<> launch(PassRun &run);
    [[nodiscard]] base::Result<> exchange(PassRun &run, int round);
    /// Returns the rounds of an exchange.
    [[nodiscard]] int rounds(TensorExchange::Kind kind) const
    {
        return isOverContext(kind)                        ? KeyExchange::rounds(kind)
               : isOverReplicas(kind)                     ? m_replicas.rounds(anchoredKind(kind), ReplicaExchange::When::InPass)
               : isOverExperts(kind)                      ? m_experts.rounds(kind)
               : kind == TensorExchange::Kind::SumChoices ? ChoiceExchange::kRounds
               : kind == TensorExchange::Kind::DropRows   ? DropExchange::kRounds
                                                          : TensorCollectives::rounds(kind);
    }
    void endCompute(const PassRun &run);
    /// Like beginCompute() and endCompute() for a forward pass, but untimed and with the newest weights whatever version the
    /// schedule requires.
    void beginNewest(PassRun &run);
    void endNewest();
    /// Sends the results of the pass. Never blocks.
    void publish(PassRun &run) { m_messages.send(run); }
    /// Ends a microbatch that gets no backward: receives the messages that the backward would have received, and records the
    /// loss. Call on every device after the forward passes. Fails if the loss is not finite.
    [[nodiscard]] base::Result<> endForward(int microbatch);

    struct Span {
        base::Nanos begin = 0;
        base::Nanos end = 0;
        /// The part of the time outside exchanges in which the thread had a processor; absent on a GPU.
        std::optional<double> processorShare;
        /// Appends that part of `duration` to the lane, if it was measured.
        void noteProcessor(timeline::Lane &lane, base::Nanos duration) const;
    };
    /// The last compute(), by the steady clock.
    [[nodiscard]] const Span &lastPass() const { return m_lastPass; }
    /// The part of it that F or B spent in vocabulary layers.
    [[nodiscard]] base::Nanos vocabularyTime() const { return m_vocabularyTime; }
    /// Begins of this step's passes in order of execution, by the steady clock.
    [[nodiscard]] const std::vector<base::Nanos> &passBegins() const { return m_passBegins; }
    /// Corrects the drift of the device's clock in a lane of this step whose times came from lastPass(). `zero` is the begin of
    /// the lane by the steady clock. Call after the last pass.
    void correctTimes(timeline::Lane &lane, base::Nanos zero);
    /// Returns the error bound of the corrected times, in either direction.
    [[nodiscard]] base::Nanos clockError() const { return m_clockError; }

    /// Returns the sum of the token losses of each step in microbatch order; 0 except on devices of the last stage.
    [[nodiscard]] std::vector<double> lossSums() const;
    /// Returns whether every gradient is finite. Call after the passes, before replicas exchange gradients.
    [[nodiscard]] bool hasFiniteGradients() { return m_model.hasFiniteGradients(); }
    /// Multiplies all gradients by the factor, which undoes the loss scale.
    void scaleGradients(float factor) { m_model.scaleGradients(factor); }
    /// Sets all gradients to 0: the step is skipped.
    void discardGradients() { m_model.discardGradients(); }
    /// Runs a round of TableSums::rounds() of the optimizer's step, and waits for the kernels. Returns Cancelled if the run was
    /// stopped.
    [[nodiscard]] base::Result<> optimize(float gradientScale, int round);
    // What it exchanges with other ranks at the end of a step, in rounds: see ReplicaExchange and TensorCollectives.
    [[nodiscard]] int rounds(timeline::AnchoredKind kind) const;
    [[nodiscard]] base::Result<> runAnchored(timeline::AnchoredKind kind, int round);
    [[nodiscard]] base::Bytes bytesSent(timeline::AnchoredKind kind) const;
    /// See DeviceModel::watchUpdates().
    void watchUpdates(std::function<void(const Parameter &, backend::Compute &)> watch)
    {
        m_model.watchUpdates(std::move(watch));
    }
    /// Parameters ordered as in RunPlan::parameters.
    [[nodiscard]] const std::vector<std::unique_ptr<Parameter>> &parameters() const { return m_model.parameters(); }
    /// Returns this device's part of the parameter, or null.
    [[nodiscard]] Parameter *find(int index) const { return m_model.find(index); }
    [[nodiscard]] std::vector<std::span<float>> keptByCompression() { return m_compressed.kept(); } ///< see there
    /// Returns what its routers have chosen in the step.
    [[nodiscard]] ExpertRecord::Layers routerCounts() const { return m_record.layers(); }
    /// Returns how long the operators of the step's passes took; empty on a GPU.
    [[nodiscard]] timeline::OperatorTimes operatorTimes() { return m_operators.times(m_place.device); }
    [[nodiscard]] const backend::MemoryMeter &meter() const { return m_context.memory.pool().meter(); }
    [[nodiscard]] backend::Transport &transport() const { return m_messages.transport(); }
    [[nodiscard]] backend::Compute &compute() const { return m_context.compute; }

private:
    [[nodiscard]] const model::ParallelPlan &parallel() const { return m_plan.experiment.parallel; }
    [[nodiscard]] bool isCompressed(timeline::AnchoredKind kind) const
    {
        return kind == timeline::AnchoredKind::ReduceGradients && m_compressed.isOn();
    }
    /// Runs the pass with the weight version that the schedule requires.
    [[nodiscard]] base::Result<> runWithVersion(PassRun &run);

    const RunPlan &m_plan;
    RankPlace m_place;
    Shape m_shape; ///< of the slice that the pass at hand computes
    Workspace m_workspace;
    ExpertRecord m_record;
    OperatorRecord m_operators;
    HostPool m_host;
    LayerWeights m_weights;
    Context m_context;
    DeviceModel m_model;
    StepState m_step;
    DeviceMessages m_messages;
    DeviceCopies m_hostCopies;
    PassRunner m_runner;
    ReplicaExchanges m_replicas;
    CompressedExchange m_compressed; ///< in the place of its gradients, if they are compressed
    simulate::UnitUse m_unitUse;
    bool m_exchangesInPasses; ///< with its replicas (ZeRO), if it has parameters
    TensorCollectives m_collectives;
    KeyExchange m_keys;
    HeadExchange m_heads;
    ChoiceExchange m_choices;
    DropExchange m_drops;
    ExpertExchange m_experts;
    StepTokens m_tokens;
    TableSums m_tableSums;
    // Of the pass at hand.
    backend::Compute::Mark m_begin = 0;
    base::Nanos m_launched = 0;                   ///< time in launch()
    std::optional<base::Nanos> m_launchProcessor; ///< processor time in launch()
    base::Nanos m_vocabularyTime = 0;
    Span m_lastPass;
    std::vector<base::Nanos> m_passBegins;
    base::Nanos m_clockError = 0;
};

} // namespace stagelens::runtime
