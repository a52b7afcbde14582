#include "engine/simulate/static_memory.h"

#include "engine/operators/sizes.h"
#include "engine/simulate/buffers.h"
#include "engine/simulate/costs/compression_costs.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/host_state.h"

namespace stagelens::simulate {

using base::Bytes;

MemoryByCategory staticBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    if (operators::isEnginePlan(experiment))
        return engineFixedBytes(experiment, schedule, device);
    const DeviceParameters parameters = deviceParameters(experiment, schedule, device);
    const operators::ParameterBytes each = operators::parameterBytes(experiment);
    MemoryByCategory bytes{};
    bytes[at(MemoryCategory::Parameters)] = parameters.count * each.parameter * weightVersions(schedule, device);
    if (experiment.model.dtype == model::DataType::Fp8) // what products read, beside the weights in 16 bits
        bytes[at(MemoryCategory::Parameters)] += parameters.ofEightBits;
    bytes[at(MemoryCategory::Parameters)] -= offloadedWeightBytes(experiment, schedule, device);
    bytes[at(MemoryCategory::Gradients)] = (parameters.count + parameters.tied) * each.gradient;
    const Bytes replicas = experiment.parallel.zero > 0 ? experiment.parallel.shardGroup() : 1;
    const Bytes ofExperts = experiment.parallel.zero > 0 ? layout::expertShardGroup(experiment.parallel) : 1;
    // Experts that are divided over ranks have fewer replicas.
    const auto shared = [=](Bytes all, Bytes experts) {
        return (all - experts + replicas - 1) / replicas + (experts + ofExperts - 1) / ofExperts;
    };
    const OptimizerBytes optimizer = optimizerBytes(experiment, schedule, device);
    // Shares of elements differ by a block or the alignment of a parameter at most, which is nothing beside such plans.
    const Bytes master = parameters.count * each.master;
    const Bytes expertMaster = parameters.experts * each.master;
    bytes[at(MemoryCategory::Optimizer)] = optimizerOf(experiment.training.optimizer).isElementwise()
                                               ? shared(master + optimizer.allState, expertMaster + optimizer.allExpertState)
                                               : shared(master, expertMaster) + optimizer.state;
    if (experiment.schedule.offloadOptimizer)
        bytes[at(MemoryCategory::Optimizer)] = 0;
    constexpr Bytes kFloat = 4;
    const operators::CompressedSizes compressed = compressedSizes(experiment, schedule, device);
    bytes[at(MemoryCategory::Optimizer)] += kFloat * compressed.kept();
    bytes[at(MemoryCategory::Communication)] += kFloat * compressed.buffers(experiment.parallel.gradientRanks());
    return bytes;
}

MemoryByCategory droppedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    if (operators::isEnginePlan(experiment))
        return engineDroppedBytes(experiment, schedule, device);
    const DeviceParameters parameters = deviceParameters(experiment, schedule, device);
    const operators::ParameterBytes each = operators::parameterBytes(experiment);
    const auto othersOf = [](std::int64_t count, int ranks) { return count - (count + ranks - 1) / ranks; };
    const std::int64_t others = othersOf(parameters.count - parameters.experts, experiment.parallel.shardGroup()) +
                                othersOf(parameters.experts, layout::expertShardGroup(experiment.parallel));
    MemoryByCategory bytes{};
    if (experiment.parallel.zero >= 2)
        bytes[at(MemoryCategory::Gradients)] = (others + parameters.tied) * each.gradient;
    if (experiment.parallel.zero >= 3)
        bytes[at(MemoryCategory::Parameters)] = others * each.parameter;
    return bytes;
}

} // namespace stagelens::simulate
