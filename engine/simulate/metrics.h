// The figures beside a timeline (resources/docs/glossary.md).
#pragma once

#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/simulate/memory.h"
#include "engine/timeline/timeline.h"

#include <optional>
#include <vector>

namespace stagelens::simulate {

/// Busy, bubble and makespan come from passes alone; `iteration` adds the tail. Byte, FLOP and MFU metrics are absent for a
/// teaching example without a model.
struct Metrics {
    base::Nanos makespan = 0;
    base::Nanos iteration = 0;
    std::optional<base::Nanos> lowerBound;
    /// Iteration of the same plan with the published vocabulary order; only where `best` was asked for and the order is a
    /// choice.
    std::optional<base::Nanos> publishedIteration;
    double bubbleRatio = 0;                   ///< 1 - busy / (devices x makespan)
    std::vector<double> bubbleRatioPerDevice; ///< 1 - busy of the device / makespan
    std::vector<base::Nanos> busyPerDevice;
    /// Vocabulary work / busy, a device; empty if unknown.
    std::vector<double> vocabularySharePerDevice;
    std::optional<double> tokensPerSecond;
    std::optional<double> mfu;        ///< model FLOP/s over the devices' peak; attention counted in full
    std::optional<double> modelFlops; ///< of an iteration
    std::optional<double> mfuCausal;  ///< the same with attention counted under its causal mask
    std::optional<double> modelFlopsCausal;
    std::vector<base::Bytes> peakMemory; ///< a device; empty if unknown
    std::vector<MemoryByCategory> peakMemoryByCategory;
    std::vector<double> peakActivationMicrobatches;
};

/// Metrics of any timeline of a schedule. `costs` gives the lower bound and may be null (measured runs); `peakFlops` of one
/// device gives MFU and may be 0.
[[nodiscard]] Metrics computeMetrics(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                     const timeline::Timeline &timeline, const CostModel *costs, double peakFlops);

/// The bubble by cause, from re-simulations with the cause removed; device-time in nanoseconds, parts add up to the whole.
struct BubbleCauses {
    base::Nanos fillAndDrain = 0;     ///< what is left with equal stages and free communication
    base::Nanos unequalStages = 0;    ///< what equal stages (mean durations) would save, vocabulary layers apart
    base::Nanos vocabularyLayers = 0; ///< what vocabulary work spread evenly would save
    base::Nanos communication = 0;    ///< what free barriers and messages would save
};
[[nodiscard]] BubbleCauses bubbleCauses(const schedule::Schedule &schedule, const CostModel &costs);

} // namespace stagelens::simulate
