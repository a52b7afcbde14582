// The part of the model that one pipeline device holds: its stages, its vocabulary shard, and the updates of their parameters.
#pragma once

#include "engine/runtime/executor/output/output_shard.h"
#include "engine/runtime/executor/output/output_tail.h"
#include "engine/runtime/executor/output/tail_shards.h"
#include "engine/runtime/layers/norm.h"
#include "engine/runtime/layers/stage.h"
#include "engine/runtime/plan/run_plan.h"
#include "engine/runtime/state/host_update.h"
#include "engine/runtime/state/weight_versions.h"
#include "engine/simulate/costs/device_share.h"
#include "kernels/include/embedding.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace stagelens::runtime {

/// With two directions a device holds stages of both. A stage that both directions have on this device exists once, and the
/// microbatches of both use the same parameters. Used by the thread of its device.
class DeviceModel {
public:
    /// Allocates and initialises the parameters; those that the host updates in `host`, which is null if it updates none.
    DeviceModel(const RunPlan &plan, const RankPlace &place, backend::Pool &pool, backend::Pool *host,
                backend::Compute &compute);

    [[nodiscard]] const Stage &stage(int index) const { return m_stages.at(index); }
    /// Rows of the token embedding; null on devices without them.
    [[nodiscard]] Parameter *tokenTable() const { return m_tokenTable; }
    [[nodiscard]] kernels::TableShard tokenShard() const;
    /// Null if the architecture has no position table, or on devices without stage 0.
    [[nodiscard]] Parameter *positions() const { return m_positions; }
    /// The maps [E, h] of a factorised vocabulary; null on devices without the first, or the last, stage.
    [[nodiscard]] Parameter *inputMap() const { return m_inputMap; }
    [[nodiscard]] Parameter *outputMap() const { return m_outputMap; }
    /// The tails of an adaptive softmax; none on devices without the last stage, or if shards compute them.
    [[nodiscard]] const std::vector<OutputTail> &tails() const { return m_tails; }
    /// Set if shards compute them.
    [[nodiscard]] const std::optional<TailShards> &tailShards() const { return m_tailShards; }
    /// Set on devices of the last stage.
    [[nodiscard]] const Norm &finalNorm() const { return m_finalNorm; }
    /// The device must hold rows of the output projection.
    [[nodiscard]] const OutputShard &output() const { return *m_output; }

    /// Parameters ordered as in RunPlan::parameters.
    [[nodiscard]] const std::vector<std::unique_ptr<Parameter>> &parameters() const { return m_parameters; }
    /// Returns how the replicas and context ranks of this device divide parameters().
    [[nodiscard]] const simulate::ReplicaCuts &replicaCuts() const { return *m_replicaCuts; }
    /// Returns this device's part of the parameter, or null.
    [[nodiscard]] Parameter *find(int index) const;

    /// Drops the weight versions that a cancelled step left.
    void clearVersions();
    /// Records that a forward pass uses the newest weights of its stage.
    void keepVersion(const schedule::Pass &pass);
    /// Exchanges the newest weights with those that the pass computes with; a second call undoes the first.
    void swapWeights(const schedule::Pass &pass);
    /// Releases the weight version of the pass; when training, also updates the stage from the microbatch's gradient. Call
    /// after the last pass of a microbatch on a stage. Does nothing if the stage has no weight versions.
    void endMicrobatch(const schedule::Pass &pass, bool isTraining);
    // See Device.
    [[nodiscard]] bool hasFiniteGradients();
    void scaleGradients(float factor);
    void discardGradients();
    /// Rounds what replicas have gathered or averaged, for the passes of a run of 16 bits.
    void roundValues();
    // With ZeRO-2 and 3 each does, else nothing: what a replica holds only for a part of a step.
    void restoreGradients(); ///< whole and 0, before the passes
    void dropGradients();    ///< but the share, after their reduction
    void restoreValues();    ///< whole, before they are gathered
    void dropValues();       ///< but the share
    /// Updates each parameter that neither endMicrobatch() nor updateFromSums() updates, with its gradient scaled; clears
    /// gradients.
    void optimize(float gradientScale);
    /// For rows of a table of which other devices hold others, if RunPlan::sumsOverDevices(): computes what the update adds
    /// over all rows, and updates these rows once the sums of all stand in updateSums().
    void sumForUpdate(Parameter &parameter, float gradientScale, double *sums);
    [[nodiscard]] double *updateSums() { return reinterpret_cast<double *>(m_scratch.data()); }
    void updateFromSums(Parameter &parameter, float gradientScale);
    /// `watch` is called with each parameter, except copies, before each update, on the device's thread.
    void watchUpdates(std::function<void(const Parameter &, backend::Compute &)> watch) { m_watch = std::move(watch); }

private:
    void makeStages();
    void makeVocabularyParameters();
    /// Gives each parameter its share (RankPlace::share), when all are made.
    void divide(int share);
    Parameter &own(int index, layout::MatrixPart part, bool isFetched = false);
    /// Adds rows of a table.
    Parameter &ownRows(int index, const layout::Interval &rows);
    /// Adds a parameter of a layer of `stage`, or the rank's part of it.
    Parameter &ownOfLayer(int index, const operators::BlockParameter &parameter, int stage);
    Parameter &ofStage(Parameter &parameter, int stage);
    /// Adds a parameter of `stage` that all tensor ranks hold. It is a copy unless this device runs the stage in the first
    /// direction.
    Parameter &ownWhole(int index, int stage);
    void update(Parameter &parameter, float gradientScale);
    /// With double-buffered weights: updates them after the last microbatch of a step if others follow without a drain.
    void endBufferedStep(const schedule::Pass &pass);

    const RunPlan &m_plan;
    int m_device;
    int m_tensor;
    int m_expert;
    operators::Block m_block; ///< a whole layer
    operators::Block m_dense; ///< one without experts
    backend::Pool &m_pool;
    backend::Compute &m_compute;
    HostUpdate m_host;
    const operators::Optimizer &m_optimizer;
    std::vector<std::unique_ptr<Parameter>> m_parameters;
    backend::Buffer m_scratch; ///< of updates
    std::optional<simulate::ReplicaCuts> m_replicaCuts;
    std::map<int, Stage> m_stages;
    int m_updates = 0;                    ///< of double-buffered weights since clearVersions()
    std::map<int, WeightStash> m_stashes; ///< by stage; empty unless each microbatch updates the weights
    Parameter *m_tokenTable = nullptr;
    Parameter *m_positions = nullptr;
    Parameter *m_inputMap = nullptr;
    Parameter *m_outputMap = nullptr;
    std::vector<OutputTail> m_tails;
    std::optional<TailShards> m_tailShards;
    Norm m_finalNorm;
    std::optional<OutputShard> m_output;
    std::function<void(const Parameter &, backend::Compute &)> m_watch;
};

} // namespace stagelens::runtime
