#include "engine/simulate/costs/device_share.h"

#include "engine/layout/shard.h"
#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/sizes.h"
#include "engine/operators/stage_layers.h"

#include <numeric>
#include <set>

namespace stagelens::simulate {

std::vector<int> layersOfStages(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    std::vector<int> layers = operators::stageLayers(experiment);
    layers.resize(static_cast<std::size_t>(schedule.stages()), 0);
    return layers;
}

std::int64_t shardRows(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    const std::int64_t rows = experiment.model.vocabularySize;
    const bool overDevices = model::traits(schedule.vocabulary()).isSharded;
    const std::int64_t parts = std::int64_t{experiment.parallel.tensor} * (overDevices ? schedule.devices() : 1);
    if (parts == 1 || !operators::isEnginePlan(experiment))
        return (rows + parts - 1) / parts;
    return layout::vocabularyRows(experiment, schedule.devices(), device, tensor, overDevices).size();
}

namespace {

/// The elements of each parameter of a device in the order of state_dict(), and which of them belong to a tied table.
struct ParameterCounts {
    std::vector<std::int64_t> all;
    std::int64_t tied = 0;
    std::int64_t summed = 0;
};

ParameterCounts countsOf(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    const model::ModelConfig &model = experiment.model;
    const schedule::Placement &placement = schedule.placement();
    bool first = false;
    bool last = false;
    for (int direction = 0; direction < placement.directions; ++direction) {
        first = first || placement.deviceOf(0, direction) == device;
        last = last || placement.deviceOf(placement.lastStage(), direction) == device;
    }
    const bool sharded = model::traits(schedule.vocabulary()).isSharded;
    const std::vector<int> layers = layersOfStages(experiment, schedule);
    const std::int64_t matrix = shardRows(experiment, schedule, device, tensor) * model.hidden;
    const bool holdsInput = sharded || first;
    const bool holdsOutput = sharded || last;

    ParameterCounts counts;
    const operators::TensorSplit split = operators::splitOf(experiment.parallel);
    const auto put = [&counts](std::int64_t count) { counts.all.push_back(count); };
    const auto putWhole = [&](std::int64_t count) {
        put(count);
        counts.summed += split.isSequenceParallel ? count : 0;
    };
    if (model.tied && holdsInput && holdsOutput)
        counts.tied = matrix;
    if (holdsInput || (model.tied && holdsOutput))
        put(matrix);
    if (const std::int64_t positions = operators::positionParameters(model); first && positions > 0)
        putWhole(positions);
    // Two directions of one stage on one device share its parameters.
    const operators::Block block = operators::partitioned(operators::blockOf(model), split);
    const std::vector<int> stages = placement.stagesOf(device);
    for (const int stage : std::set<int>(stages.begin(), stages.end()))
        for (int layer = 0; layer < layers[static_cast<std::size_t>(stage)]; ++layer)
            for (const operators::BlockParameter &parameter : block.parameters) {
                put(parameter.count());
                counts.summed += operators::needsSum(parameter, split) ? parameter.count() : 0;
            }
    for (std::int64_t left = last ? operators::finalNormParameters(model) : 0; left > 0; left -= model.hidden)
        putWhole(model.hidden);
    if (!model.tied && holdsOutput)
        put(matrix);
    return counts;
}

} // namespace

DeviceParameters deviceParameters(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                  int tensor)
{
    const ParameterCounts counts = countsOf(experiment, schedule, device, tensor);
    return {std::accumulate(counts.all.begin(), counts.all.end(), std::int64_t{0}), counts.tied, counts.summed};
}

layout::ReplicaCut replicaCut(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    return {countsOf(experiment, schedule, device, tensor).all, experiment.parallel.replicas};
}

} // namespace stagelens::simulate
