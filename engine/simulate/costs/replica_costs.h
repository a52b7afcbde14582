// Exchanges of replicas within passes: ZeRO with a reduction after every backward, or with parameters gathered for every pass.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/passes/pass.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::simulate {

/// A part of a stage that replicas gather and reduce as a whole, as FSDP does (arXiv 2304.11277, section 3.2): a layer, or the
/// embedding or output layer with the other parameters of the first or last stage.
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

/// Returns the number of parameters of each unit of a stage on a rank, in the order of the forward.
[[nodiscard]] std::vector<std::int64_t> unitParameters(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                       int stage);
/// Returns the number of parameters of the two largest units together.
[[nodiscard]] std::int64_t twoUnits(const model::Experiment &experiment, const schedule::Schedule &schedule, int stage);

/// Which passes gather parameters, and which reduce gradients.
[[nodiscard]] bool gathersUnits(const model::ParallelPlan &plan, schedule::PassKind kind);
[[nodiscard]] bool reducesUnits(const model::ParallelPlan &plan, schedule::PassKind kind);

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
/// `span`: the nodes of the replicas of the stage's device.
[[nodiscard]] ReplicaPass replicaPass(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                      const model::Hardware &hardware, const layout::NodeSpan &span, schedule::PassKind kind,
                                      int stage, const UnitSeconds &compute);

} // namespace stagelens::simulate
