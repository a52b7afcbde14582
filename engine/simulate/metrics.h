// The metrics of a timeline (resources/docs/glossary.md).
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

/// The least part of the passes' time with a processor on an idle machine; the rest is interrupts and clock reads.
inline constexpr double kIdleMachineShare = 0.95;

/// Busy time, bubble and makespan count only the passes of one replica; `iteration` adds the work after them. Tokens and FLOPs
/// are those of all replicas, memory that of a rank (of the fullest replica). Byte, FLOP and MFU metrics are absent for a
/// teaching example without a model.
struct Metrics {
    base::Nanos makespan = 0;
    base::Nanos iteration = 0;
    std::optional<base::Nanos> lowerBound;
    /// Iteration of the same plan with the published vocabulary order; only if `best` was requested and there is a choice.
    std::optional<base::Nanos> publishedIteration;
    double bubbleRatio = 0;                   ///< 1 - busy / (devices x makespan)
    std::vector<double> bubbleRatioPerDevice; ///< 1 - busy of the device / makespan
    std::vector<base::Nanos> busyPerDevice;
    /// Vocabulary work / busy, by device; empty if unknown.
    std::vector<double> vocabularySharePerDevice;
    std::optional<double> tokensPerSecond;
    std::optional<double> mfu;        ///< model FLOP/s over the devices' peak; attention counted in full
    std::optional<double> modelFlops; ///< of an iteration
    std::optional<double> mfuCausal;  ///< the same with attention counted under its causal mask
    std::optional<double> modelFlopsCausal;
    std::vector<base::Bytes> peakMemory; ///< by device; empty if unknown
    std::vector<MemoryByCategory> peakMemoryByCategory;
    /// Over the times of passes and copies.
    std::vector<double> peakActivationMicrobatches;
    /// With offload: the same by the anchors of copies, for which memory is planned, and the host memory, by device.
    std::vector<double> anchoredActivationMicrobatches;
    std::vector<base::Bytes> peakHost;
    /// With replicas or context ranks: by how much the sum of gradients and the gather of weights lengthen the iteration, and
    /// the bytes that a rank sends in them, by device. If replicas train alone, the same of the average of weights: iteration,
    /// exposure and traffic are means over the steps from one average to the next.
    std::optional<base::Nanos> exposedExchange;
    /// With tensor ranks: the time of each device's passes in exchanges among them, and the bytes that a rank sends in them and
    /// in the sum of gradients; empty if unknown.
    std::vector<base::Nanos> tensorPerDevice;
    std::vector<base::Bytes> tensorTraffic;
    std::vector<base::Bytes> replicaTraffic;
    /// With exchanges among replicas in every microbatch (ZeRO): the time of each device's passes that waits for them.
    std::vector<base::Nanos> replicaPerDevice;
    /// With a model and several devices: the bytes that a rank sends from its stages to those of other devices.
    std::vector<base::Bytes> pipelineTraffic;
    /// With context ranks: the time of each device's passes in exchanges among them, and the bytes that a rank sends.
    std::vector<base::Nanos> contextPerDevice;
    std::vector<base::Bytes> contextTraffic;
    /// With expert ranks: the time of each device's passes in all-to-alls among them, and the bytes that a rank sends.
    std::vector<base::Nanos> expertPerDevice;
    std::vector<base::Bytes> expertTraffic;
    /// With experts of unequal popularity: the rows of the busiest expert rank, relative to the mean of all.
    std::optional<double> expertLoad;
    /// Of a measured timeline: the part of the passes' time in which their threads had a processor. Absent on GPUs.
    std::optional<double> processorShare;
    /// Of a timeline of several steps (Timeline::iterations); absent for one. Makespan, its lower bound and the bubbles are
    /// then those of all of them, from the first fill to the last drain; the bubbles leave out the time between two steps in
    /// which no device runs a pass. Everything else is that of one step, and `iteration` is the period: from the end of the
    /// first step to that of the last, divided by the steps in between, or from begin to begin if the pipeline drains.
    std::optional<std::int64_t> iterations;
    std::optional<base::Nanos> makespanPerIteration; ///< with its part of fill and drain, without the time in between
    std::optional<double> steadyBubbleRatio;         ///< 1 - busy of a step / (devices x iteration)
    /// Of the typical step of a run: over how many steps it is typical (engine/simulate/steps/typical_step.h).
    std::optional<std::int64_t> typicalOfSteps;

    /// Whether other programs had the processors for a noticeable part of the time, so that passes took longer than they need.
    [[nodiscard]] bool wasMachineBusy() const { return processorShare.value_or(1) < kIdleMachineShare; }
};

/// Returns the metrics of any timeline of a schedule. `costs` is used for the lower bound and may be null (measured runs);
/// `peakFlops` of one device is used for MFU and may be 0.
[[nodiscard]] Metrics computeMetrics(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                     const timeline::Timeline &timeline, const CostModel *costs, double peakFlops);

/// The bubble by cause, from simulations with the cause removed; device-time in nanoseconds. The parts add up to the bubble.
struct BubbleCauses {
    base::Nanos fillAndDrain = 0;     ///< the bubble with equal stages and free communication
    base::Nanos unequalStages = 0;    ///< saved by equal stages (mean durations), without vocabulary layers
    base::Nanos vocabularyLayers = 0; ///< saved by evenly distributed vocabulary work
    base::Nanos communication = 0;    ///< saved by free barriers and messages
    base::Nanos slowParts = 0;        ///< saved without what-ifs: slow devices and links, unequal microbatches
};
/// `planned` are the costs without what-ifs; null if there are none.
[[nodiscard]] BubbleCauses bubbleCauses(const schedule::Schedule &schedule, const CostModel &costs,
                                        const CostModel *planned = nullptr);

} // namespace stagelens::simulate
