// The durations of passes and messages as dense tables, independent of their source.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/passes/requirements.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// Duration of a pass, and its part in vocabulary layers.
struct PassCost {
    base::Nanos duration = 0;
    base::Nanos vocabulary = 0;
    base::Nanos tensor = 0;       ///< its part in exchanges among tensor ranks, those of vocabulary layers included
    base::Bytes tensorBytes = 0;  ///< that a rank sends in them
    base::Nanos replica = 0;      ///< its part that waits for exchanges among replicas (ZeRO, in every microbatch)
    base::Bytes replicaBytes = 0; ///< that a rank sends in them
    base::Nanos quadratic = 0;    ///< its part that grows with the square of a sequence's length; 0 if unknown
    base::Nanos recomputed = 0;   ///< its part that recomputes values which the forward has dropped; 0 if unknown
    base::Nanos context = 0;      ///< its part in exchanges among context ranks
    base::Bytes contextBytes = 0; ///< that a rank sends in them
    base::Nanos expert = 0;       ///< its part in all-to-alls among expert ranks
    base::Bytes expertBytes = 0;  ///< that a rank sends in them
    base::Nanos latency = 0;      ///< their part that does not depend on the number of tokens
    base::Nanos fetch = 0;        ///< what it takes at least, for the copies of its weights from the host
};

/// The work of each microbatch of a replica, or of each slice of its sequences, relative to that of the plan. Each has the
/// whole latency of its all-to-alls, and copies all weights.
struct MicrobatchWork {
    std::vector<double> tokens;    ///< to which what it exchanges is proportional
    std::vector<double> compute;   ///< time of what does not read other tokens
    std::vector<double> quadratic; ///< proportional to the squares of the sequence lengths
};

/// Replicas that are equal to each other, and how they differ from the plan.
struct ReplicaClass {
    int first = 0;            ///< the number of one of them
    int count = 1;            ///< how many there are
    std::vector<double> slow; ///< factor of each device; empty: 1
    std::shared_ptr<const MicrobatchWork> work;
};

/// Tokens and model FLOPs of a step in all replicas, if sequences have individual lengths.
struct StepWork {
    double tokens = 0;
    double flops = 0;
    double flopsCausal = 0;
};

/// The exchange among a device's replicas at the end of a step.
struct Exchange {
    base::Nanos duration = 0;
    base::Bytes bytes = 0; ///< that a rank sends
};

/// The copies of a stage's activations of one microbatch.
struct CopyCost {
    base::Nanos out = 0; ///< to the host
    base::Nanos in = 0;
    base::Bytes bytes = 0;
    bool isCopied = false; ///< the stage keeps activations, and the plan offloads
};

/// Costs resolved for one placement.
class CostModel {
public:
    CostModel(int devices, int stages);

    [[nodiscard]] const PassCost &pass(int device, schedule::PassKind kind, int stage) const
    {
        return m_passes[m_slots[place(device, stage)] + static_cast<std::size_t>(kind)];
    }
    void setPass(int device, schedule::PassKind kind, int stage, PassCost cost);

    /// Returns the cost of one pass, with the work of its microbatch.
    [[nodiscard]] PassCost of(int device, const schedule::Pass &pass) const
    {
        const PassCost &cost = this->pass(device, pass.kind, pass.stage);
        return work || updates ? varied(cost, device, pass) : cost;
    }
    /// Return the least time of a pass of any microbatch, and the time of one pass for each of them. With `hasPairs`, a pass
    /// may be in an overlapped pair.
    [[nodiscard]] base::Nanos least(const PassCost &cost, bool hasPairs) const;
    [[nodiscard]] base::Nanos sum(const PassCost &cost, bool hasPairs) const;
    /// Multiplies the times of all passes of a device and of its optimizer step. Exchanges among replicas in passes take as
    /// long as before.
    void slowDown(int device, double factor);
    /// Returns the costs of the replicas of one class.
    [[nodiscard]] CostModel ofReplicas(const ReplicaClass &each) const;

    /// Returns the time of a message between two devices, or of a collective (`from` and `to` are then ignored). Transfers
    /// within a device are free.
    [[nodiscard]] base::Nanos transfer(schedule::Transfer transfer, int from, int to) const;
    void setSend(int from, int to, base::Nanos duration);
    void setCollective(schedule::Transfer transfer, base::Nanos duration);

    /// Returns the time of a device's optimizer step; 0 if unknown.
    [[nodiscard]] base::Nanos optimizer(int device) const { return m_optimizer[static_cast<std::size_t>(device)]; }
    void setOptimizer(int device, base::Nanos duration) { m_optimizer[static_cast<std::size_t>(device)] = duration; }

    /// Returns the first part of that time, after which the device has sent the sums of its table rows; see sumsOverDevices.
    [[nodiscard]] base::Nanos optimizerSums(int device) const { return m_optimizerSums[static_cast<std::size_t>(device)]; }
    void setOptimizerSums(int device, base::Nanos duration) { m_optimizerSums[static_cast<std::size_t>(device)] = duration; }

    [[nodiscard]] const Exchange &exchange(int device, timeline::AnchoredKind kind) const
    {
        return m_exchanges[static_cast<std::size_t>(device)][static_cast<std::size_t>(kind)];
    }
    void setExchange(int device, timeline::AnchoredKind kind, Exchange exchange)
    {
        m_exchanges[static_cast<std::size_t>(device)][static_cast<std::size_t>(kind)] = exchange;
    }
    /// Returns the cost of the copies of a stage; zero without offload.
    [[nodiscard]] CopyCost copy(int stage) const
    {
        return copies.empty() ? CopyCost() : copies[static_cast<std::size_t>(stage)];
    }
    std::vector<CopyCost> copies; ///< by stage; empty without offload
    bool copiesTakeTurns = true;  ///< one lane for both directions
    int replicas = 1;
    int context = 1; ///< ranks that share each sequence, and sum their gradients as replicas do
    [[nodiscard]] bool sumsGradients() const { return replicas * context > 1; }
    int averageEvery = 1; ///< steps after which replicas that train alone average their weights; 1: they sum gradients instead
    /// The classes of replicas if they differ; otherwise empty.
    std::vector<ReplicaClass> classes;
    std::shared_ptr<const MicrobatchWork> work; ///< null: all microbatches have the plan's
    std::optional<StepWork> stepWork;
    /// When the weights change between passes, as in several steps of an asynchronous schedule: the optimizer is then part of
    /// the backward after which it runs, not of the end of the step.
    struct Updates {
        int everyMicrobatches = 1;
        int chunks = 1; ///< stages of a device, which share the time of its optimizer
    };
    std::optional<Updates> updates;
    bool gathersFirst = false; ///< whether replicas gather the parameters before the passes, not after the optimizer
    bool limitsNorm = false;   ///< whether the optimizer needs the norm of the whole gradient
    /// Whether devices that hold rows of one table wait for the sums of all others before they update them, and the time of the
    /// messages.
    bool sumsOverDevices = false;
    base::Nanos tableSums = 0;

    /// Whether `PassCost::vocabulary` is known for F, B, I and W that include vocabulary work.
    bool vocabularyKnown = false;
    model::Collectives collectives = model::Collectives::Overlapped;
    /// Time of an overlapped pair divided by the sum of the times of its passes, if a duration of pairs is given.
    double pairScale = 1;
    /// The share of the all-to-alls of its passes that an overlapped pair hides.
    double hiddenInPairs = 0;
    /// Returns the time that a pass adds to its overlapped pair.
    [[nodiscard]] base::Nanos inPair(const PassCost &cost) const;

private:
    [[nodiscard]] PassCost worked(const PassCost &cost, std::size_t microbatch) const;
    [[nodiscard]] PassCost varied(const PassCost &cost, int device, const schedule::Pass &pass) const;
    [[nodiscard]] std::size_t place(int device, int stage) const
    {
        return static_cast<std::size_t>(device) * static_cast<std::size_t>(m_stages) + static_cast<std::size_t>(stage);
    }
    int m_devices;
    int m_stages;
    /// Index in m_passes of the first kind, by device and stage. Few of these pairs occur; the others share the zeros at index
    /// 0.
    std::vector<std::uint32_t> m_slots;
    std::vector<PassCost> m_passes;
    std::vector<base::Nanos> m_send; ///< devices x devices
    std::array<base::Nanos, schedule::kTransferCount> m_collective{};
    std::vector<base::Nanos> m_optimizer;
    std::vector<base::Nanos> m_optimizerSums;
    std::vector<std::array<Exchange, timeline::kAnchoredKinds>> m_exchanges;
};

/// Returns costs in teaching units (defaults of absent kinds: resources/docs/command-line.md; c0, c1, c2 are BroadcastX,
/// Statistics, ReduceGradient).
[[nodiscard]] base::Result<CostModel> uniformCosts(const model::UniformCosts &costs, const schedule::Schedule &schedule);
/// Reads a durations CSV. The error contains every problem with line and column. `*` matches any value; the most specific row
/// wins, of equally specific rows the last.
[[nodiscard]] base::Result<CostModel> measuredCosts(std::string_view csv, const std::string &source,
                                                    const schedule::Schedule &schedule);
/// Returns costs from FLOPs, bytes and a hardware preset.
[[nodiscard]] CostModel analyticCosts(const model::Experiment &experiment, const model::Hardware &hardware,
                                      const schedule::Schedule &schedule);
/// Returns the medians of a measured timeline, to predict a run from its own durations. Messages and collectives have the costs
/// of `base`.
[[nodiscard]] CostModel costsOf(const timeline::Timeline &timeline, const schedule::Schedule &schedule, const CostModel &base);
/// Returns the experiment's costs without what-ifs, for which its passes are ordered. Reads the hardware preset or the
/// durations file.
[[nodiscard]] base::Result<CostModel> plannedCosts(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Returns the costs with what-ifs (costs/what_if_costs.h), for which times are predicted.
[[nodiscard]] base::Result<CostModel> makeCostModel(const model::Experiment &experiment, const schedule::Schedule &schedule);

} // namespace stagelens::simulate
