// Exchanges of replicas within passes: ZeRO with a reduction after every backward, or with parameters gathered for every pass.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/layout/replica_cut.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/passes/pass.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::simulate {

/// A part of a device that replicas gather and reduce as a whole, as FSDP does (arXiv 2304.11277, section 3.2): a layer, the
/// embedding or output layer with the other parameters of the first or last stage, or a device's rows of a sharded table.
struct ExchangeUnit {
    double compute = 0; ///< seconds, of a pass
    double gather = 0;  ///< seconds before it; 0: none
    double reduce = 0;  ///< seconds after it; 0: none
};

/// Returns the seconds of a pass over units in the order of execution. A device computes one unit at a time and exchanges one
/// unit at a time beside it, in the order of their begins. It holds the parameters and the gradients of two units: the gather
/// for a unit begins with the previous unit, and a unit waits until the gradients of the last but one are reduced. The first
/// gather and the last reduction belong to the pass.
[[nodiscard]] double secondsWithExchanges(std::span<const ExchangeUnit> units);

/// Parameters of a unit on a rank.
struct UnitParameters {
    std::int64_t shared = 0;  ///< that all replicas have
    std::int64_t experts = 0; ///< of experts that are divided over ranks
    [[nodiscard]] std::int64_t count() const { return shared + experts; }
    friend UnitParameters operator+(const UnitParameters &a, const UnitParameters &b)
    {
        return {a.shared + b.shared, a.experts + b.experts};
    }
    /// Returns those that replicas exchange in a pass: not those of experts that only this rank has.
    [[nodiscard]] std::int64_t exchanged(const model::ParallelPlan &plan) const
    {
        return shared + (layout::expertShardGroup(plan) > 1 ? experts : 0);
    }
};
/// Returns the parameters of each unit of a stage on a rank, in the order of the forward. Sharded tables are not among them.
[[nodiscard]] std::vector<UnitParameters> unitParameters(const model::Experiment &experiment,
                                                         const schedule::Schedule &schedule, int stage);
/// Returns the rows of sharded tables that a vocabulary pass of a device uses.
[[nodiscard]] UnitParameters tableUnit(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                       schedule::PassKind kind, int device);
/// Returns the number of exchanged parameters of the two largest units together.
[[nodiscard]] std::int64_t twoUnits(const model::Experiment &experiment, const schedule::Schedule &schedule, int stage);

/// What passes do with the units whose parameters replicas gather, and whose gradients they reduce, in every microbatch. Of
/// plans that exchange once a step all passes do nothing.
class UnitUse {
public:
    /// `method`: of the schedule that has the passes.
    UnitUse(const model::ParallelPlan &plan, model::VocabularyMethod method);

    [[nodiscard]] bool addsGradients(schedule::PassKind kind) const;
    [[nodiscard]] bool gathers(schedule::PassKind kind) const;
    /// Returns whether the pass uses parameters that it, or the forward before it, has gathered.
    [[nodiscard]] bool uses(schedule::PassKind kind) const;
    [[nodiscard]] bool reduces(schedule::PassKind kind) const;
    /// Returns whether the gathered parameters are dropped at its end.
    [[nodiscard]] bool drops(schedule::PassKind kind) const;

private:
    bool m_isOn;
    bool m_gathers;     ///< parameters are gathered
    bool m_keeps;       ///< from a forward to its backward
    bool m_joinsPasses; ///< S does what other methods leave to T
};

/// What a rank of a run holds whole, beside its shares, while passes exchange: gradients from the first pass that adds to them
/// to their reduction, and parameters until they are dropped.
struct WholeParts {
    bool gradients = false;
    bool parameters = false;
    void enter(const UnitUse &use, schedule::PassKind kind)
    {
        gradients = gradients || use.addsGradients(kind);
        parameters = parameters || use.uses(kind);
    }
    void leave(const UnitUse &use, schedule::PassKind kind)
    {
        gradients = gradients && !use.reduces(kind);
        parameters = parameters && !use.drops(kind);
    }
};

/// A pass, including the exchanges of replicas in it.
struct ReplicaPass {
    double seconds = 0; ///< of the whole pass
    double bytes = 0;   ///< that a rank sends
};
/// The seconds that the units of a pass compute for.
struct UnitSeconds {
    double layer = 0;
    double embedding = 0; ///< of the first stage
    double output = 0;    ///< of the last stage
};
/// The nodes of the replicas of a device that shard together, and of their context ranks.
struct ReplicaSpans {
    layout::NodeSpan all;
    layout::NodeSpan experts; ///< of those with the same experts
};
/// Of each unit, replicas exchange first what all of them have, then experts: every rank in this order.
[[nodiscard]] ReplicaPass replicaPass(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                      const model::Hardware &hardware, const ReplicaSpans &spans, schedule::PassKind kind,
                                      int stage, const UnitSeconds &compute);
/// Returns the same of a pass of a device's sharded vocabulary layers, which computes for `seconds`.
[[nodiscard]] ReplicaPass vocabularyReplicaPass(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                const model::Hardware &hardware, const ReplicaSpans &spans,
                                                schedule::PassKind kind, int device, double seconds);

/// Ranks with the same parameters, of which adjacent ones shard them; the groups that do so then sum their shares.
struct ReplicaHolders {
    ReplicaHolders(layout::Group all, int shards, std::int64_t count);

    layout::Group all;
    layout::Group shards; ///< the first group
    layout::Group groups; ///< ranks with the same shares: the first of each group
    double count = 0;     ///< parameters
};

} // namespace stagelens::simulate
