#include "engine/simulate/metrics.h"

#include "engine/operators/sizes.h"
#include "engine/simulate/costs/expert_load.h"
#include "engine/simulate/offload/offload_plan.h"
#include "engine/simulate/simulate.h"
#include "engine/simulate/steps/iterations.h"
#include "engine/simulate/steps/step_end.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagelens::simulate {

using base::Nanos;

namespace {

Nanos busyTime(const timeline::Lane &lane)
{
    Nanos busy = 0;
    for (std::size_t i = 0; i < lane.size(); ++i)
        busy += lane.end[i] - lane.begin[i];
    return busy;
}

double ratio(Nanos part, Nanos whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

base::Bytes sentFor(const timeline::Lane &lane, bool areReplicas)
{
    base::Bytes sent = 0;
    for (const timeline::AnchoredSlice &slice : lane.anchored)
        if (!timeline::isCopy(slice.kind))
            sent += (slice.kind != timeline::AnchoredKind::SumReplicated) == areReplicas ? slice.bytes : 0;
    return sent;
}

void addTensor(Metrics &metrics, const timeline::Timeline &timeline, const CostModel &costs)
{
    for (int device = 0; device < timeline.devices(); ++device) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        Nanos time = 0;
        base::Bytes sent = sentFor(lane, false);
        for (const schedule::Pass &pass : lane.pass) {
            const PassCost cost = costs.of(device, pass);
            time += cost.tensor;
            sent += cost.tensorBytes;
        }
        metrics.tensorPerDevice.push_back(time / timeline.iterations);
        metrics.tensorTraffic.push_back(sent / timeline.iterations);
    }
}

void addContext(Metrics &metrics, const timeline::Timeline &timeline, const CostModel &costs)
{
    for (int device = 0; device < timeline.devices(); ++device) {
        Nanos &time = metrics.contextPerDevice.emplace_back(0);
        base::Bytes &sent = metrics.contextTraffic.emplace_back(0);
        for (const schedule::Pass &pass : timeline.lanes[static_cast<std::size_t>(device)].pass) {
            const PassCost cost = costs.of(device, pass);
            time += cost.context;
            sent += cost.contextBytes;
        }
        time /= timeline.iterations;
        sent /= timeline.iterations;
    }
}

void addExperts(Metrics &metrics, const timeline::Timeline &timeline, const CostModel &costs)
{
    for (int device = 0; device < timeline.devices(); ++device) {
        Nanos &time = metrics.expertPerDevice.emplace_back(0);
        base::Bytes &sent = metrics.expertTraffic.emplace_back(0);
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        Nanos inPairs = 0; // overlapped pairs hide what the compute of the other pass covers
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const PassCost cost = costs.of(device, lane.pass[i]);
            sent += cost.expertBytes;
            if (timeline::isPaired(lane, i))
                inPairs += costs.inPair(cost) - cost.duration + cost.expert;
            else
                time += cost.expert;
        }
        time = (time + std::max<Nanos>(0, inPairs)) / timeline.iterations;
        sent /= timeline.iterations;
    }
}

void addVocabularyShares(Metrics &metrics, const timeline::Timeline &timeline)
{
    std::vector<double> shares;
    for (std::size_t device = 0; device < timeline.lanes.size(); ++device) {
        const timeline::Lane &lane = timeline.lanes[device];
        if (lane.vocabulary.size() != lane.size())
            return;
        const Nanos vocabulary = std::accumulate(lane.vocabulary.begin(), lane.vocabulary.end(), Nanos{0});
        shares.push_back(ratio(vocabulary, metrics.busyPerDevice[device]));
    }
    metrics.vocabularySharePerDevice = std::move(shares);
}

/// `averageEvery`: the steps that share what is sent.
void addExchange(Metrics &metrics, const timeline::Timeline &timeline, const CostModel *costs, int averageEvery)
{
    if (timeline.period > 0)
        metrics.exposedExchange = exposedExchange(timeline);
    for (const timeline::Lane &lane : timeline.lanes)
        metrics.replicaTraffic.push_back(sentFor(lane, true) / averageEvery / timeline.iterations);
    if (costs == nullptr)
        return;
    std::vector<Nanos> times;
    bool hasExchanges = false;
    for (int device = 0; device < timeline.devices(); ++device) {
        Nanos &time = times.emplace_back(0);
        base::Bytes sent = 0;
        for (const schedule::Pass &pass : timeline.lanes[static_cast<std::size_t>(device)].pass) {
            const PassCost cost = costs->of(device, pass);
            time += cost.replica;
            sent += cost.replicaBytes;
        }
        hasExchanges = hasExchanges || sent > 0;
        time /= timeline.iterations;
        metrics.replicaTraffic[static_cast<std::size_t>(device)] += sent / timeline.iterations;
    }
    if (hasExchanges)
        metrics.replicaPerDevice = std::move(times);
}

/// The slices of a sequence together send what one message of it has.
void addPipeline(Metrics &metrics, const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    const operators::TensorSplit split = operators::splitOf(experiment.parallel);
    const base::Bytes packed = operators::packedBytes(experiment, split);
    const base::Bytes message =
        packed > 0 ? packed : operators::boundaryBytes(experiment.model, experiment.parallel.microbatchSize, split);
    const schedule::Placement &placement = schedule.placement();
    for (int device = 0; device < schedule.devices(); ++device) {
        const auto sends = std::ranges::count_if(
            schedule.device(device), [&placement](const schedule::Pass &pass) { return placement.crossesDevices(pass); });
        metrics.pipelineTraffic.push_back(sends * message / schedule.slices() / schedule.iterations());
    }
}

void addModelFigures(Metrics &metrics, const model::Experiment &experiment, const schedule::Schedule &schedule,
                     const timeline::Timeline &timeline, const StepWork *work, double peakFlops)
{
    metrics.modelFlops = work ? work->flops : operators::iterationFlops(experiment);
    metrics.modelFlopsCausal =
        work ? work->flopsCausal : operators::iterationFlops(experiment, operators::AttentionCount::Causal);
    const double seconds = static_cast<double>(metrics.iteration) / static_cast<double>(base::kNanosPerSecond);
    if (seconds > 0) {
        const double tokens = static_cast<double>(experiment.parallel.stepMicrobatches()) * experiment.parallel.microbatchSize *
                              experiment.model.sequence;
        metrics.tokensPerSecond = (work ? work->tokens : tokens) / seconds;
        if (const double possible = seconds * peakFlops * static_cast<double>(experiment.parallel.ranks(timeline.devices()));
            possible > 0) {
            metrics.mfu = *metrics.modelFlops / possible;
            metrics.mfuCausal = *metrics.modelFlopsCausal / possible;
        }
    }
    for (int device = 0; device < timeline.devices(); ++device) {
        const MemoryPeak peak = memoryPeak(experiment, schedule, timeline, device);
        metrics.peakMemory.push_back(peak.total);
        metrics.peakMemoryByCategory.push_back(peak.byCategory);
    }
}

/// Makes the busy times of all iterations those of one.
void addIterations(Metrics &metrics, const timeline::Timeline &timeline)
{
    metrics.iterations = timeline.iterations;
    metrics.makespanPerIteration = (metrics.makespan - betweenSteps(timeline)) / timeline.iterations;
    for (Nanos &busy : metrics.busyPerDevice)
        busy /= timeline.iterations;
    const Nanos busy = std::accumulate(metrics.busyPerDevice.begin(), metrics.busyPerDevice.end(), Nanos{0});
    if (metrics.iteration > 0)
        metrics.steadyBubbleRatio =
            1.0 - static_cast<double>(busy) / timeline.devices() / static_cast<double>(metrics.iteration);
}

} // namespace

Metrics computeMetrics(const model::Experiment &experiment, const schedule::Schedule &schedule,
                       const timeline::Timeline &timeline, const CostModel *costs, double peakFlops)
{
    Metrics metrics;
    metrics.makespan = timeline.makespan();
    metrics.iteration = timeline.iteration();
    if (costs != nullptr)
        metrics.lowerBound = lowerBound(schedule, *costs);
    double busy = 0;
    const Nanos inSteps = metrics.makespan - betweenSteps(timeline);
    for (int device = 0; device < timeline.devices(); ++device) {
        const Nanos own = busyTime(timeline.lanes[static_cast<std::size_t>(device)]);
        busy += ratio(own, inSteps);
        metrics.busyPerDevice.push_back(own);
        metrics.bubbleRatioPerDevice.push_back(inSteps > 0 ? 1.0 - ratio(own, inSteps) : 0.0);
        metrics.peakActivationMicrobatches.push_back(peakActivationMicrobatches(timeline, schedule.placement(), device));
    }
    for (int device = 0; schedule.hasCopies() && device < timeline.devices(); ++device)
        metrics.anchoredActivationMicrobatches.push_back(anchoredPeakMicrobatches(schedule, device));
    for (int device = 0; usesHost(experiment, schedule) && device < timeline.devices(); ++device)
        metrics.peakHost.push_back(peakHostBytes(experiment, schedule, device));
    if (inSteps > 0)
        metrics.bubbleRatio = 1.0 - busy / timeline.devices();
    addVocabularyShares(metrics, timeline);
    if (timeline.iterations > 1)
        addIterations(metrics, timeline);
    metrics.processorShare = timeline.processorShare();
    if (experiment.parallel.gradientRanks() > 1)
        addExchange(metrics, timeline, costs, experiment.parallel.syncEvery);
    if (experiment.parallel.tensor > 1 && costs != nullptr)
        addTensor(metrics, timeline, *costs);
    if (experiment.parallel.context > 1 && costs != nullptr)
        addContext(metrics, timeline, *costs);
    if (experiment.parallel.expert > 1 && costs != nullptr) {
        addExperts(metrics, timeline, *costs);
        if (experiment.whatIf.expertSkew)
            metrics.expertLoad = busiestRank(experiment);
    }
    if (experiment.hasModel && schedule.devices() > 1 && costs != nullptr)
        addPipeline(metrics, experiment, schedule);
    if (experiment.hasModel)
        addModelFigures(metrics, experiment, schedule, timeline,
                        costs != nullptr && costs->stepWork ? &*costs->stepWork : nullptr, peakFlops);
    return metrics;
}

} // namespace stagelens::simulate
