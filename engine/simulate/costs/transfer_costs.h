// Times of messages and collectives among the devices of a pipeline, from bytes and a hardware preset.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/operators/partition.h"
#include "engine/passes/recipe_book.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/simulate/costs/layer_costs.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace stagelens::simulate {

/// Converts to nanoseconds, at most those of the longest possible pass.
[[nodiscard]] inline base::Nanos toNanos(double seconds)
{
    constexpr auto kLongest = static_cast<double>(base::kLongestPass);
    return static_cast<base::Nanos>(std::clamp(seconds * static_cast<double>(base::kNanosPerSecond), 0.0, kLongest));
}

/// All arguments must outlive it, but for `split`.
class TransferCosts {
public:
    TransferCosts(const model::Experiment &experiment, const model::Hardware &hardware, const schedule::Schedule &schedule,
                  const operators::TensorSplit &split);

    /// Sets the times of sends and collectives. A message ends when its receiver has unpacked it.
    void set(CostModel &costs) const;
    /// Returns the time by which the collectives of a microbatch (of all its slices) slow concurrent passes.
    [[nodiscard]] double contentionSeconds() const;
    /// Returns the time until all devices have received `bytes` from the others.
    [[nodiscard]] double gatherSeconds(double bytes) const;
    /// Returns the bytes that packing or unpacking the message of a stage and microbatch (of all its slices) reads and writes;
    /// 0 if it is not packed.
    [[nodiscard]] double packingBytes() const;
    /// Returns the rank of a device in the first replica.
    [[nodiscard]] int rankOf(int device) const;

private:
    [[nodiscard]] const model::LinkClass &linkBetween(int from, int to) const;
    [[nodiscard]] const model::LinkClass &slowestLink() const { return linkBetween(0, m_schedule.devices() - 1); }
    [[nodiscard]] double sendRate(const model::LinkClass &link) const;
    /// Returns the time of a message between stages, without latency (Hardware::splitsMessages).
    [[nodiscard]] double sendSeconds(const model::LinkClass &link, double bytes) const;
    [[nodiscard]] double reduceSeconds(const model::LinkClass &link, double bytes) const;
    [[nodiscard]] double broadcastSeconds(const model::LinkClass &link, double bytes) const;
    [[nodiscard]] double collectiveSeconds(schedule::Transfer transfer, const model::LinkClass &link) const;

    const model::Experiment &m_experiment;
    const model::Hardware &m_hardware;
    const schedule::Schedule &m_schedule;
    const schedule::RecipeBook &m_recipes;
    const Traffic &m_traffic;
    operators::TensorSplit m_split;
    std::optional<layout::Mesh> m_mesh;
    std::vector<int> m_nodes; ///< of each device, in the first replica
    double m_tokens;          ///< of a microbatch
    double m_boundary;        ///< bytes of [b s, h]
    double m_tableRows;       ///< of rows of the token tables, which are narrower if the vocabulary is factorised
    double m_packed;          ///< of it in a message between stages; 0: not packed
    // The reduction of S over the shards of the vocabulary.
    int m_statistics = 0;        ///< numbers of a token
    bool m_addsGradient = false; ///< with them parts of the gradient of X
};

} // namespace stagelens::simulate
