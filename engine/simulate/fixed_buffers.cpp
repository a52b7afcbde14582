#include "engine/simulate/fixed_buffers.h"

#include "engine/operators/packing.h"
#include "engine/operators/recompute.h"
#include "engine/schedule/vocabulary_tables.h"
#include "engine/simulate/costs/compression_costs.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/expert_dispatch.h"
#include "engine/simulate/host_state.h"

#include <algorithm>

namespace stagelens::simulate {

std::int64_t replicaChunkFloats(const layout::ReplicaCut &cut)
{
    constexpr std::int64_t kLargest = 1 << 18; // a message of 1 MiB: long enough for a network, and within a cache
    return std::min(kLargest, cut.largestShare());
}

namespace {

/// Returns the floats of the longest message among replicas: of compressed gradients, and of parameters (ZeRO-1).
std::int64_t exchangedChunk(const model::Experiment &experiment, const layout::ReplicaCut &cut,
                            const operators::CompressedSizes &compressed)
{
    const std::int64_t shorter = operators::compressedChunk(compressed, experiment.parallel.gradientRanks());
    const bool isCompressed = !compressed.isCompressed.empty();
    return isCompressed && experiment.parallel.zero == 0 ? shorter : std::max(shorter, replicaChunkFloats(cut));
}

/// What pads the output projection of a device.
struct Padding {
    std::int64_t elements = 0;
    std::int64_t floats = 0; ///< in the precision of passes
};
Padding outputPadding(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    if (!schedule::VocabularyTables(schedule).holdsOutput(device))
        return {};
    const std::int64_t rows = shardRows(experiment, schedule, device, tensor);
    const std::int64_t width = experiment.model.tableWidth();
    const std::int64_t padded = operators::paddedRows(rows, operators::outputMultiple(experiment));
    const base::Precision precision = operators::enginePrecision(experiment);
    return {(padded - rows) * width, base::floatsOf(padded * width, precision) - base::floatsOf(rows * width, precision)};
}

} // namespace

std::int64_t tensorSumFloats(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    const int ranks = experiment.parallel.tensor;
    if (ranks == 1)
        return 0;
    const std::int64_t statistics = 2 * operators::engineFloats(experiment).statisticRows;
    return std::max(statistics, std::min(kTensorSumFloats, deviceParameters(experiment, schedule, device).summed));
}

std::int64_t expertMessages(const model::Experiment &experiment)
{
    const model::ParallelPlan &plan = experiment.parallel;
    if (plan.expert == 1 || !experiment.model.hasExperts())
        return 0;
    const std::int64_t tokens = operators::engineFloats(experiment).tokens / (plan.foldsExperts() ? plan.tensor : 1);
    const std::int64_t rows = tokens * operators::expertRowsPerToken(experiment.model.experts, experiment.model.topK,
                                                                     plan.expert, plan.expertHeadroom);
    const std::int64_t messages = rows / kExpertRows + plan.expert;
    if (plan.expertDispatch == model::ExpertDispatch::PerExpert)
        return 2 * messages;
    const auto mesh = layout::meshOf(plan, std::max(plan.devices, 1));
    if (!mesh)
        return 2 * messages;
    const layout::NodeSpan span = layout::nodeSpan(mesh->group(0, {layout::Axis::Expert}), ranksPerNode(experiment));
    const std::int64_t toNodes = tokens * std::min(experiment.model.topK, span.nodes) / kExpertRows + span.nodes;
    // One partial message of each source to each rank of the node. Groups may lie on nodes in different ways.
    const std::int64_t partial = plan.expert + std::int64_t{span.nodes} * span.mostInNode;
    return 2 * (messages + partial + toNodes);
}

namespace {

std::int64_t longestExpertMessage(const model::Experiment &experiment, base::Precision precision)
{
    const model::ParallelPlan &plan = experiment.parallel;
    const std::int64_t experts = experiment.model.experts / plan.expert;
    const std::int64_t width = experiment.model.hidden;
    const auto codec = operators::codecOf(plan.dispatchPrecision);
    std::int64_t floats = expertMessageFloats(experts, width, precision);
    if (codec)
        floats = std::max(floats, expertMessageFloats(experts, width, precision, codec));
    if (plan.expertDispatch == model::ExpertDispatch::PerNode)
        floats = std::max(floats, forwardedMessageFloats(experts, experiment.model.topK, width, precision, codec));
    return floats;
}

} // namespace

std::int64_t choiceFloats(const model::Experiment &experiment)
{
    return experiment.parallel.foldsExperts() && experiment.model.hasExperts() ? 2 * std::int64_t{experiment.model.experts} : 0;
}

std::int64_t dropFloats(const model::Experiment &experiment)
{
    const model::ParallelPlan &plan = experiment.parallel;
    if (!experiment.model.hasExperts() || !experiment.model.capacityFactor || (plan.context == 1 && !plan.foldsExperts()))
        return 0;
    const std::int64_t tokens = operators::engineFloats(experiment).tokens / (plan.foldsExperts() ? plan.tensor : 1);
    return 2 * tokens * experiment.model.topK;
}

MemoryByCategory engineFixedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                  std::optional<int> replica, int tensor)
{
    const int replicas = experiment.parallel.gradientRanks();
    const ReplicaCuts cuts = replicaCuts(experiment, schedule, device, tensor);
    const DeviceParameters parameters = deviceParameters(experiment, schedule, device, tensor);
    const base::Precision precision = operators::enginePrecision(experiment);
    const operators::EngineFloats floats = operators::engineFloats(experiment);
    const std::int64_t again = rebuiltFloats(experiment, schedule, device);
    MemoryByCategory bytes{};
    // Passes read a version of the weights; in 16 bits these are copies of the fp32 master weights.
    const bool isOnHost = experiment.schedule.offloadOptimizer;
    const std::int64_t master = precision == base::Precision::Fp32 || isOnHost ? 0 : kFloatBytes;
    const std::int64_t copy = precision == base::Precision::Fp32 ? parameters.count : parameters.narrowFloats;
    const Padding padding = outputPadding(experiment, schedule, device, tensor);
    const std::int64_t version = copy + padding.floats;
    bytes[at(MemoryCategory::Parameters)] = parameters.count * master +
                                            kFloatBytes * version * weightVersions(schedule, device) -
                                            offloadedWeightBytes(experiment, schedule, device);
    bytes[at(MemoryCategory::Gradients)] =
        kFloatBytes * (parameters.count + parameters.tied + padding.elements * (parameters.tied > 0 ? 2 : 1));
    const OptimizerBytes optimizer = optimizerBytes(experiment, schedule, device, replica, tensor);
    const operators::CompressedSizes compressed = compressedSizes(experiment, schedule, device, tensor);
    bytes[at(MemoryCategory::Optimizer)] = (isOnHost ? 0 : optimizer.state) + kFloatBytes * compressed.kept();
    bytes[at(MemoryCategory::Communication)] =
        optimizer.messages +
        (replicas > 1 ? kFloatBytes * replicaMessages(experiment.parallel) * exchangedChunk(experiment, cuts.shared, compressed)
                      : 0) +
        kFloatBytes * compressed.buffers(replicas) +
        kFloatBytes * expertReplicaMessages(experiment.parallel) * replicaChunkFloats(cuts.experts) +
        kFloatBytes * expertMessages(experiment) * longestExpertMessage(experiment, floats.precision);
    bytes[at(MemoryCategory::Communication)] += kFloatBytes * (tensorMessages(experiment.parallel.tensor) * floats.tensorPart +
                                                               contextMessages(experiment.parallel) * floats.contextPart +
                                                               2 * tensorSumFloats(experiment, schedule, device) +
                                                               choiceFloats(experiment) + 2 * dropFloats(experiment));
    bytes[at(MemoryCategory::Workspace)] =
        kFloatBytes * (floats.workspace + again + floats.unpacked(experiment.schedule.recompute == model::Recompute::Full)) +
        optimizer.scratch;
    return bytes;
}

std::int64_t rebuiltFloats(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    const operators::EngineFloats floats = operators::engineFloats(experiment);
    if (experiment.schedule.recompute == model::Recompute::Full)
        return floats.layer;
    const std::vector<int> layers = layersOfStages(experiment, schedule);
    const std::vector<int> whole = operators::recomputedLayers(experiment.schedule, layers);
    std::int64_t most = 0;
    for (const int each : schedule.placement().stagesOf(device)) {
        const auto stage = static_cast<std::size_t>(each);
        most = std::max(most, whole[stage] > 0 ? floats.layer : layers[stage] > 0 ? floats.dropped : 0);
    }
    return most;
}

MemoryByCategory engineDroppedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                    std::optional<int> replica, int tensor)
{
    MemoryByCategory bytes{};
    if (experiment.parallel.zero < 2)
        return bytes;
    const ReplicaCuts cuts = replicaCuts(experiment, schedule, device, tensor);
    const DeviceParameters parameters = deviceParameters(experiment, schedule, device, tensor);
    const std::int64_t others =
        parameters.count - cuts.owned(replica ? *replica % experiment.parallel.shardGroup() : cuts.fullest());
    bytes[at(MemoryCategory::Gradients)] = kFloatBytes * (others + parameters.tied);
    if (experiment.parallel.zero >= 3) {
        const base::Precision precision = operators::enginePrecision(experiment);
        const std::int64_t master = precision == base::Precision::Fp32 ? 0 : kFloatBytes;
        bytes[at(MemoryCategory::Parameters)] = (master + base::elementBytes(precision)) * others;
    }
    return bytes;
}

} // namespace stagelens::simulate
