// The part of the model on a device, for the analytic costs and the memory profile.
#pragma once

#include "engine/base/units.h"
#include "engine/layout/replica_cut.h"
#include "engine/model/experiment.h"
#include "engine/operators/optimizers/optimizer.h"
#include "engine/schedule/schedule.h"

#include <optional>
#include <span>
#include <vector>

namespace stagelens::simulate {

/// Returns the number of layers of every stage of the schedule; 0 for stages that are not in the plan's list.
[[nodiscard]] std::vector<int> layersOfStages(const model::Experiment &experiment, const schedule::Schedule &schedule);

/// Returns the vocabulary rows of a rank's shard, including padding (which the engine does not use): over the tensor ranks,
/// unless these divide the tokens, and over the devices if the vocabulary is sharded.
[[nodiscard]] std::int64_t shardRows(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                     int tensor = 0);
/// Returns the same of the input table, which has other rows if the input is hashed.
[[nodiscard]] std::int64_t inputShardRows(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                          int tensor = 0);
/// Returns over how many ranks the rows of a table are divided.
[[nodiscard]] int tableShards(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Returns the rows of each tail of an adaptive softmax in a rank's shard.
[[nodiscard]] std::vector<std::int64_t> tailShardRows(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                      int device, int tensor = 0);
/// Logits that a rank computes of a token: one for each row of its shard, or with a sampled softmax one for each word that is
/// drawn from the shard, and one for the label.
struct LogitColumns {
    std::int64_t most = 0; ///< that a draw may have
    double expected = 0;
};
[[nodiscard]] LogitColumns logitColumns(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                        int tensor = 0);

/// Parameters on a rank: layers, embeddings, positions (first stage) and final norm (last stage).
struct DeviceParameters {
    std::int64_t count = 0;
    /// Parameters among `count` with gradients of both embedding layers (tied weights): they have two gradient buffers until
    /// the end of the step.
    std::int64_t tied = 0;
    std::int64_t narrowFloats = 0; ///< memory of a copy in 16 bits, see base::floatsOf()
    std::int64_t experts = 0;      ///< of `count`: parameters of experts that are divided over ranks
    std::int64_t ofEightBits = 0;  ///< of `count`: matrices whose products fp8 computes in 8 bits
    std::int64_t summed = 0; ///< of `count`: parameters whose gradients are partial on tensor ranks (operators::needsSum())
};
[[nodiscard]] DeviceParameters deviceParameters(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                int device, int tensor = 0);

/// Returns the parameters of a device in the order of state_dict(), as many rows of each as it holds.
[[nodiscard]] std::vector<operators::PartShape> deviceParts(const model::Experiment &experiment,
                                                            const schedule::Schedule &schedule, int device, int tensor = 0);
/// Returns the pieces of those parameters that replicas must not divide, because of the plan's optimizer.
[[nodiscard]] std::vector<std::int64_t> indivisiblePieces(const model::Experiment &experiment,
                                                          std::span<const operators::PartShape> parts);
/// How ranks with the same parameters divide them. Experts that are divided over ranks have fewer replicas than other
/// parameters.
struct ReplicaCuts {
    layout::ReplicaCut shared; ///< over the replicas and context ranks, or those of a shard group; experts that are cut count 0
    layout::ReplicaCut experts; ///< over the ranks of them with the same experts; all other parameters count 0
    int context = 1;            ///< context ranks, which have consecutive shares
    int replicasPerExpertGroup = 1;

    /// Returns the number of a rank among those of `experts`; `share` is its number among those of `shared`.
    [[nodiscard]] int expertShare(int share) const
    {
        return share % context + context * (share / context / replicasPerExpertGroup);
    }
    /// Returns the first of the shares with that number; the others follow, one for each replica of an expert group.
    [[nodiscard]] int firstShareOf(int expertShare) const
    {
        return expertShare % context + context * (expertShare / context * replicasPerExpertGroup);
    }
    /// Returns the elements of a parameter that a rank owns.
    [[nodiscard]] layout::Interval share(int share, std::size_t parameter) const
    {
        return experts.place(parameter).size() > 0 ? experts.share(expertShare(share), parameter)
                                                   : shared.share(share, parameter);
    }
    [[nodiscard]] std::int64_t owned(int share) const { return shared.owned(share) + experts.owned(expertShare(share)); }
    /// Returns the share that owns the most elements.
    [[nodiscard]] int fullest() const;
};
[[nodiscard]] ReplicaCuts replicaCuts(const model::ParallelPlan &plan, std::span<const operators::PartShape> parts,
                                      const std::vector<bool> &areExperts, std::span<const std::int64_t> pieces);
[[nodiscard]] ReplicaCuts replicaCuts(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                      int tensor = 0);

/// The memory of the optimizer on a device of the engine.
struct OptimizerBytes {
    base::Bytes allState = 0;       ///< of all replicas' shares together
    base::Bytes allExpertState = 0; ///< of it: of experts that are divided over ranks
    base::Bytes state = 0;
    base::Bytes scratch = 0;  ///< while it updates a parameter
    base::Bytes messages = 0; ///< the sums that it sends to the other devices that hold rows of a table
};
/// With ZeRO, the memory of the given replica; without one, that of the replica with the most state.
[[nodiscard]] OptimizerBytes optimizerBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                            std::optional<int> replica = {}, int tensor = 0);

/// Returns whether devices that hold rows of a table exchange sums for its update. See Optimizer::sums.
[[nodiscard]] bool sumsOverDevices(const model::Experiment &experiment, const schedule::Schedule &schedule);

} // namespace stagelens::simulate
