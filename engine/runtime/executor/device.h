// One pipeline device: its stages, its shard of the vocabulary, and how each kind of pass runs on it.
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"
#include "engine/runtime/architectures/norm.h"
#include "engine/runtime/data/batch.h"
#include "engine/runtime/executor/output_shard.h"
#include "engine/runtime/executor/stage.h"
#include "engine/runtime/executor/weight_versions.h"
#include "engine/runtime/memory/device_memory.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"
#include "kernels/include/adamw.h"
#include "kernels/include/embedding.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace stagelens::runtime {

/// What all devices of a run know.
struct RunPlan {
    model::Experiment experiment;   ///< resolved
    schedule::Schedule schedule;    ///< lowered
    bool joinsOutputPasses = false; ///< the schedule's S and T are shown as one S
    Shape shape;
    std::vector<ParameterInfo> parameters;
    std::vector<int> stageLayers;

    RunPlan(const model::Experiment &resolved, const schedule::Schedule &order);
    [[nodiscard]] bool recomputes() const { return experiment.schedule.recompute == model::Recompute::Full; }
    /// Whether each microbatch updates the parameter, and weight versions are kept. The gradients of a tied table come together
    /// at the step's end alone, from two devices: it waits for that.
    [[nodiscard]] bool isStashed(int parameter) const
    {
        return schedule.weightUpdate() == schedule::WeightUpdate::EachMicrobatch &&
               !(parameter == kTokenTable && experiment.model.tied);
    }
    /// Place of the output projection: its own, or the token table where they are tied.
    [[nodiscard]] int outputWeight() const
    {
        return experiment.model.tied ? kTokenTable : static_cast<int>(parameters.size()) - 1;
    }
    [[nodiscard]] const model::VocabularyTraits &vocabulary() const { return model::traits(schedule.vocabulary()); }
    [[nodiscard]] bool isSharded() const { return vocabulary().isSharded; }
    /// Device of a stage on the way of a microbatch, in its direction.
    [[nodiscard]] int deviceOf(int stage, int microbatch) const
    {
        return schedule.placement().deviceOf(stage, schedule.placement().directionOf(microbatch));
    }
    [[nodiscard]] int firstDevice(int microbatch) const { return deviceOf(0, microbatch); }
    [[nodiscard]] int lastDevice(int microbatch) const { return deviceOf(schedule.placement().lastStage(), microbatch); }
};

/// What the passes of a step are for.
enum class StepUse : unsigned char {
    Training,   ///< optimize() follows; weights that change with each microbatch do so in its last pass on a stage
    Gradients,  ///< no weights change
    Evaluation, ///< forward passes alone, with the newest weights whatever the schedule says
};

/// What a pass receives from others beside what has its planned place, or is about to give away.
struct Mail {
    backend::Tensor tensor = {};
    WeightedRows rows = {}; ///< VOCAB-2
};

/// With two directions it holds stages of both, and of a stage that both have there one: the microbatches of both go
/// through the same parameters. Its shards serve both.
/// A pass runs in three parts: receive() waits for what it needs, compute() is the work that is timed, publish() gives the
/// results away and never blocks. Belongs to the thread that runs it.
class Device {
public:
    Device(const RunPlan &plan, int rank, DeviceMemory &memory, backend::Transport &transport, backend::Compute &compute);

    [[nodiscard]] int rank() const { return m_rank; }
    /// `batch` must stay until the next call. Forgets what a cancelled step left behind.
    void beginStep(const Batch &batch, int step, StepUse use);
    /// Nothing if the run was stopped meanwhile.
    [[nodiscard]] std::optional<Mail> receive(const schedule::Pass &pass);
    /// What publish() gives away. Fails where a loss is not finite.
    [[nodiscard]] base::Result<Mail> compute(const schedule::Pass &pass, Mail in);
    /// The same of a forward pass with the newest weights, whatever version the schedule has for it.
    [[nodiscard]] base::Result<Mail> computeNewest(const schedule::Pass &pass, Mail in);
    void publish(const schedule::Pass &pass, Mail out);
    /// After the forward passes of a microbatch that gets no backward, on every device: takes what was on its way to the
    /// backward, and the loss, from the transport. Fails where the loss is not finite.
    [[nodiscard]] base::Result<> endForward(int microbatch);
    /// When the work of the last compute() began and ended, by the steady clock.
    struct Span {
        base::Nanos begin = 0;
        base::Nanos end = 0;
    };
    [[nodiscard]] const Span &lastPass() const { return m_lastPass; }
    /// When the passes of this step really began, by the steady clock, in their order.
    [[nodiscard]] const std::vector<base::Nanos> &passBegins() const { return m_passBegins; }
    /// After the last pass of a step whose devices are compared with each other: brings the lane's times, which lastPass() has
    /// answered, onto the steady clock. `zero` is the lane's begin by that.
    void correctTimes(timeline::Lane &lane, base::Nanos zero);
    /// Of those times, either way.
    [[nodiscard]] base::Nanos clockError() const { return m_clockError; }
    /// Part of it that F or B spent in vocabulary layers.
    [[nodiscard]] base::Nanos vocabularyTime() const { return m_vocabularyTime; }

    /// Sum of the step's token losses in microbatch order; 0 except on the devices of the last stage.
    [[nodiscard]] double lossSum() const;
    /// AdamW on every parameter that no pass has updated, its gradient times a scale; gradients become 0.
    void optimize(float gradientScale);
    /// Called with each parameter, copies apart, just before it is updated, on the thread that does so.
    void watchUpdates(std::function<void(const Parameter &, backend::Compute &)> watch) { m_watch = std::move(watch); }
    /// In the order of RunPlan::parameters.
    [[nodiscard]] const std::vector<std::unique_ptr<Parameter>> &parameters() const { return m_parameters; }
    /// The part of that parameter on this device, or null.
    [[nodiscard]] Parameter *find(int index) const;
    [[nodiscard]] const backend::MemoryMeter &meter() const { return m_memory.pool().meter(); }
    [[nodiscard]] backend::Transport &transport() const { return m_transport; }
    [[nodiscard]] backend::Compute &compute() const { return m_context.compute; }

private:
    void makeVocabularyParameters();
    void makeStages();
    Parameter &own(int index, std::int64_t firstRow, std::int64_t rows);
    /// A parameter of that stage, which is a copy unless this is the stage's device in the first direction.
    Parameter &ownWhole(int index, int stage);

    /// Puts the weights that the pass computes with in the place of the newest ones; called again, the other way round.
    void swapWeights(const schedule::Pass &pass);
    void updateStage(const schedule::Pass &pass);
    void update(Parameter &parameter, float gradientScale);

    [[nodiscard]] bool receiveForward(const schedule::Pass &pass, Mail &in);
    [[nodiscard]] bool receiveBackward(const schedule::Pass &pass, Mail &in);
    [[nodiscard]] bool receiveStatistics(int microbatch);
    /// False if there is none: the run was stopped.
    [[nodiscard]] bool copyInto(Values place, const backend::Tensor &tensor) const;
    /// Where the input of F goes: to the layers, past them to the last norm, or at once to the next stage as `message`.
    [[nodiscard]] Values inputPlace(const schedule::Pass &pass, backend::Tensor &message);
    /// Where the gradient of B or I is worked on: in a message, unless it waits for W.
    [[nodiscard]] Values gradientPlace(const schedule::Pass &pass, backend::Tensor &message);
    [[nodiscard]] Values newMessage(backend::Tensor &message);
    /// compute() with the weights that the pass needs in the place of the newest ones.
    [[nodiscard]] base::Result<Mail> computeWithVersion(const schedule::Pass &pass, Mail in);
    [[nodiscard]] base::Result<Mail> carryOut(const schedule::Pass &pass, Mail in);
    /// Kernels use these messages: they go back to whom they came from after finish(), for kernels may be late.
    void hold(const Mail &mail);
    /// Waits for all kernels.
    void finish();
    [[nodiscard]] base::Result<Mail> forward(const schedule::Pass &pass, Mail in);
    /// B or I.
    [[nodiscard]] base::Result<Mail> backward(const schedule::Pass &pass, Mail in);
    /// The gradient of what the final norm makes, from the output layer.
    [[nodiscard]] base::Result<backend::Tensor> outputGradient(const schedule::Pass &pass, Mail in);
    void backwardWeights(const schedule::Pass &pass);
    void addTokenGradients(int microbatch, ConstValues gradient);
    [[nodiscard]] Mail firstVocabularyPass(int microbatch);
    [[nodiscard]] base::Result<Mail> lastVocabularyPass(const schedule::Pass &pass);
    [[nodiscard]] Mail secondVocabularyPass(int microbatch);
    void embed(int microbatch, Values rows) const;
    void normalise(const schedule::Pass &pass, Values out) const;
    /// Gradient of the final norm's input.
    void differentiateNorm(const schedule::Pass &pass, Values gradient, ConstValues outGradient) const;
    [[nodiscard]] backend::Tensor messageOf(const float *statistics, std::int64_t floats) const;
    /// Of the whole vocabulary.
    [[nodiscard]] kernels::SoftmaxStatistics statistics(int microbatch) const;
    /// `pass` is where the loss is known, null outside of one.
    [[nodiscard]] base::Result<> recordLoss(int microbatch, const schedule::Pass *pass);
    /// "step 2 of 50", as progress counts.
    [[nodiscard]] std::string stepText() const;
    [[nodiscard]] kernels::TableShard tableShard() const;
    /// Of a microbatch, in the device's memory.
    [[nodiscard]] Labels labels(int microbatch) const { return m_labels + microbatch * m_plan.shape.tokens(); }
    [[nodiscard]] const std::int32_t *inputs(int microbatch) const { return m_inputs + microbatch * m_plan.shape.tokens(); }
    /// Addresses of the last gathering's parts.
    [[nodiscard]] kernels::ShardParts parts();
    /// Counts what is asked for from its making to its end as work in vocabulary layers.
    class InVocabulary;
    [[nodiscard]] bool isLast(const schedule::Pass &pass) const
    {
        return pass.stage == m_plan.schedule.placement().lastStage();
    }

    const RunPlan &m_plan;
    int m_rank;
    DeviceMemory &m_memory;
    backend::Transport &m_transport;
    Workspace m_workspace;
    Context m_context;
    std::vector<std::unique_ptr<Parameter>> m_parameters;
    std::map<int, Stage> m_stages;
    std::map<int, WeightStash> m_stashes; ///< by stage; empty unless weights change with each microbatch
    Parameter *m_table = nullptr;         ///< rows of the token embedding
    Parameter *m_positions = nullptr;     ///< where the family has a table of them
    Norm m_finalNorm;
    std::optional<OutputShard> m_output;

    std::function<void(const Parameter &, backend::Compute &)> m_watch;

    // of the step
    const std::int32_t *m_inputs = nullptr; ///< of all microbatches, in the device's memory
    const std::int32_t *m_labels = nullptr;
    std::int64_t m_countedTokens = 0; ///< of each microbatch, from its first on; the loss is theirs
    int m_step = 0;
    StepUse m_use = StepUse::Gradients;
    std::vector<bool> m_hasStatistics;    ///< of the whole vocabulary, by microbatch
    std::vector<backend::Tensor> m_parts; ///< of the last gathering
    std::vector<const float *> m_addresses;
    std::vector<double> m_losses;
    // of the pass
    std::vector<backend::Tensor> m_held; ///< until finish()
    std::vector<std::pair<backend::Compute::Mark, backend::Compute::Mark>> m_inVocabulary;
    base::Nanos m_vocabularyTime = 0;
    Span m_lastPass;
    std::vector<base::Nanos> m_passBegins; ///< of the step
    base::Nanos m_clockError = 0;
};

} // namespace stagelens::runtime
