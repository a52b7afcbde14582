#include "engine/simulate/host_state.h"

#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/memory.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace stagelens::simulate {

using base::Bytes;

namespace {

/// Returns the precision of the weights that passes read, of the engine or of the machine that the plan describes.
base::Precision precisionOf(const model::Experiment &experiment)
{
    if (operators::isEnginePlan(experiment))
        return operators::enginePrecision(experiment);
    return operators::parameterBytes(experiment).parameter == kFloatBytes ? base::Precision::Fp32 : base::Precision::Bf16;
}

/// Adds layers that are equal.
void addLayers(LayerWeightSizes &sizes, const model::Experiment &experiment, bool haveExperts, int layers,
               base::Precision precision)
{
    if (layers == 0)
        return;
    const operators::Block block =
        operators::partitioned(operators::blockOf(experiment.model, haveExperts), operators::splitOf(experiment.parallel));
    std::int64_t slot = 0;
    for (const operators::BlockParameter &each : block.parameters) {
        const std::int64_t floats = base::floatsOf(each.count(), precision);
        sizes.count += layers * each.count();
        sizes.floats += layers * floats;
        slot += weightPlaceFloats(floats);
    }
    sizes.layers += layers;
    sizes.slot = std::max(sizes.slot, slot);
}

} // namespace

LayerWeightSizes weightsOfStage(const model::Experiment &experiment, const schedule::Schedule &schedule, int stage,
                                base::Precision precision)
{
    const std::vector<int> layers = layersOfStages(experiment, schedule);
    const auto place = layers.begin() + stage;
    const int before = std::accumulate(layers.begin(), place, 0);
    const int withExperts = experiment.model.expertLayers(before + *place) - experiment.model.expertLayers(before);
    LayerWeightSizes sizes;
    addLayers(sizes, experiment, true, withExperts, precision);
    addLayers(sizes, experiment, false, *place - withExperts, precision);
    return sizes;
}

LayerWeightSizes weightsOfDevice(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                 base::Precision precision)
{
    const std::vector<int> stages = schedule.placement().stagesOf(device);
    LayerWeightSizes sum;
    for (const int stage : std::set<int>(stages.begin(), stages.end())) {
        const LayerWeightSizes each = weightsOfStage(experiment, schedule, stage, precision);
        sum = {sum.layers + each.layers, sum.count + each.count, sum.floats + each.floats, std::max(sum.slot, each.slot)};
    }
    return sum;
}

HostState hostState(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                    std::optional<int> replica, int tensor)
{
    HostState state;
    if (!experiment.schedule.offloadOptimizer || !experiment.hasModel)
        return state;
    const DeviceParameters parameters = deviceParameters(experiment, schedule, device, tensor);
    const base::Precision precision = precisionOf(experiment);
    state.weights = kFloatBytes * parameters.count;
    if (experiment.schedule.offloadParameters && precision != base::Precision::Fp32)
        state.weights += kFloatBytes * weightsOfDevice(experiment, schedule, device, precision).floats;
    state.optimizer = optimizerBytes(experiment, schedule, device, replica, tensor).state;
    for (const operators::PartShape &part : deviceParts(experiment, schedule, device, tensor))
        state.gradient = std::max(state.gradient, kFloatBytes * part.count());
    return state;
}

Bytes offloadedWeightBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    if (!experiment.schedule.offloadParameters || !experiment.hasModel)
        return 0;
    const LayerWeightSizes layers = weightsOfDevice(experiment, schedule, device, precisionOf(experiment));
    return kFloatBytes * (layers.floats - weightSlots(layers.layers) * layers.slot);
}

} // namespace stagelens::simulate
