// One pipeline device: its stages, its shard of the vocabulary, and how each kind of pass runs on it.
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"
#include "engine/runtime/batch.h"
#include "engine/runtime/norm.h"
#include "engine/runtime/output_shard.h"
#include "engine/runtime/stage.h"
#include "engine/schedule/schedule.h"
#include "kernels/include/adamw.h"
#include "kernels/include/embedding.h"

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
    /// Place of the output projection: its own, or the token table where they are tied.
    [[nodiscard]] int outputWeight() const
    {
        return experiment.model.tied ? kTokenTable : static_cast<int>(parameters.size()) - 1;
    }
    [[nodiscard]] bool isSharded() const { return model::isSharded(schedule.vocabulary()); }
    /// Device of a stage on the way of a microbatch, through its replica of the model.
    [[nodiscard]] int deviceOf(int stage, int microbatch) const
    {
        return schedule.placement().deviceOf(stage, schedule.placement().replicaOf(microbatch));
    }
    [[nodiscard]] int firstDevice(int microbatch) const { return deviceOf(0, microbatch); }
    [[nodiscard]] int lastDevice(int microbatch) const { return deviceOf(schedule.placement().lastStage(), microbatch); }
};

/// What a pass receives from others, or is about to give away.
struct Mail {
    backend::Tensor tensor = {};
    WeightedRows rows = {};          ///< VOCAB-2
    std::vector<float> maximum = {}; ///< naive U
};

/// With two replicas of the model it holds stages of both, and of a stage that both have there one: the microbatches of both go
/// through the same parameters. Its shards serve both.
/// A pass runs in three parts: receive() waits for what it needs, compute() is the work that is timed, publish() gives the
/// results away and never blocks. Belongs to the thread that runs it.
class Device {
public:
    Device(const RunPlan &plan, int rank, backend::Pool &pool, backend::Transport &transport, kernels::Interrupt interrupt);

    /// `batch` must stay until the next call. Forgets what a cancelled step left behind.
    void beginStep(const Batch &batch, int step);
    /// Nothing if the run was stopped meanwhile.
    [[nodiscard]] std::optional<Mail> receive(const schedule::Pass &pass);
    /// What publish() gives away. Fails where a loss is not finite.
    [[nodiscard]] base::Result<Mail> compute(const schedule::Pass &pass, Mail in);
    void publish(const schedule::Pass &pass, Mail out);
    /// Part of the last compute() that F or B spent in vocabulary layers.
    [[nodiscard]] base::Nanos vocabularyTime() const { return m_vocabularyTime; }

    /// Sum of the step's token losses in microbatch order; 0 except on the devices of the last stage.
    [[nodiscard]] double lossSum() const;
    /// AdamW on every parameter; gradients become 0.
    void optimize(const kernels::AdamW &settings);
    /// In the order of RunPlan::parameters.
    [[nodiscard]] const std::vector<std::unique_ptr<Parameter>> &parameters() const { return m_parameters; }
    /// The part of that parameter on this device, or null.
    [[nodiscard]] Parameter *find(int index) const;
    [[nodiscard]] backend::MemoryMeter &meter() { return m_pool.meter(); }

private:
    struct NormInFlight {
        backend::Tensor input;
        backend::Buffer statistics;
    };

    void makeVocabularyParameters();
    void makeStages();
    Parameter &own(int index, std::int64_t firstRow, std::int64_t rows);
    /// A parameter of that stage, which is a copy unless this is the stage's device in the first replica.
    Parameter &ownWhole(int index, int stage);

    [[nodiscard]] bool receiveForward(const schedule::Pass &pass, backend::Tensor &input);
    [[nodiscard]] bool receiveBackward(const schedule::Pass &pass, Mail &in);
    [[nodiscard]] bool receiveStatistics(int microbatch);
    [[nodiscard]] base::Result<Mail> forward(const schedule::Pass &pass, backend::Tensor x);
    /// B or I.
    [[nodiscard]] base::Result<Mail> backward(const schedule::Pass &pass, Mail in);
    void backwardWeights(const schedule::Pass &pass);
    void addTokenGradients(int microbatch, const backend::Tensor &gradient);
    [[nodiscard]] Mail firstVocabularyPass(int microbatch, backend::Tensor x);
    [[nodiscard]] base::Result<Mail> lastVocabularyPass(int microbatch);
    [[nodiscard]] backend::Tensor embed(int microbatch);
    [[nodiscard]] backend::Tensor normalise(int microbatch, backend::Tensor input);
    [[nodiscard]] backend::Tensor differentiateNorm(int microbatch, const backend::Tensor &outGradient);
    [[nodiscard]] base::Result<> recordLoss(int microbatch);
    [[nodiscard]] kernels::TableShard tableShard() const;
    [[nodiscard]] bool isLast(const schedule::Pass &pass) const
    {
        return pass.stage == m_plan.schedule.placement().lastStage();
    }

    const RunPlan &m_plan;
    int m_rank;
    backend::Pool &m_pool;
    backend::Transport &m_transport;
    Workspace m_workspace;
    Context m_context;
    std::vector<std::unique_ptr<Parameter>> m_parameters;
    std::map<int, Stage> m_stages;
    Parameter *m_table = nullptr;     ///< rows of the token embedding
    Parameter *m_positions = nullptr; ///< where the family has a table of them
    Norm m_finalNorm;
    std::optional<OutputShard> m_output;

    // of the step
    const Batch *m_batch = nullptr;
    int m_step = 0;
    std::map<int, NormInFlight> m_norms;
    std::map<int, SoftmaxStatistics> m_statistics;                 ///< global ones, by microbatch
    std::map<int, std::vector<float>> m_maxima;                    ///< naive: global ones, from U to T
    std::map<int, std::vector<std::vector<float>>> m_shardFactors; ///< VOCAB-2's last device: of every shard, until B
    std::map<int, backend::Tensor> m_embeddingGradients;           ///< whole table, split backward: from I to W
    std::vector<double> m_losses;
    // of the pass
    base::Nanos m_vocabularyTime = 0;
};

} // namespace stagelens::runtime
