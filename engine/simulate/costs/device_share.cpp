#include "engine/simulate/costs/device_share.h"

#include "engine/layout/shard.h"
#include "engine/operators/architecture.h"
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

std::int64_t shardRows(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    const int rows = experiment.model.vocabularySize;
    if (!model::traits(schedule.vocabulary()).isSharded)
        return rows;
    if (!operators::isEnginePlan(experiment))
        return (std::int64_t{rows} + schedule.devices() - 1) / schedule.devices();
    return layout::vocabularyRows(experiment, schedule.devices(), device).size();
}

namespace {

/// The elements of each parameter of a device in the order of state_dict(), and which of them belong to a tied table.
struct ParameterCounts {
    std::vector<std::int64_t> all;
    std::int64_t tied = 0;
};

ParameterCounts countsOf(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
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
    const std::int64_t matrix = shardRows(experiment, schedule, device) * model.hidden;
    const bool holdsInput = sharded || first;
    const bool holdsOutput = sharded || last;

    ParameterCounts counts;
    const auto put = [&counts](std::int64_t count) { counts.all.push_back(count); };
    if (model.tied && holdsInput && holdsOutput)
        counts.tied = matrix;
    if (holdsInput || (model.tied && holdsOutput))
        put(matrix);
    if (const std::int64_t positions = operators::positionParameters(model); first && positions > 0)
        put(positions);
    // Two directions of one stage on one device share its parameters.
    const operators::Block block = operators::blockOf(model);
    const std::vector<int> stages = placement.stagesOf(device);
    for (const int stage : std::set<int>(stages.begin(), stages.end()))
        for (int layer = 0; layer < layers[static_cast<std::size_t>(stage)]; ++layer)
            for (const operators::BlockParameter &parameter : block.parameters)
                put(parameter.count());
    for (std::int64_t left = last ? operators::finalNormParameters(model) : 0; left > 0; left -= model.hidden)
        put(model.hidden);
    if (!model.tied && holdsOutput)
        put(matrix);
    return counts;
}

} // namespace

DeviceParameters deviceParameters(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    const ParameterCounts counts = countsOf(experiment, schedule, device);
    return {std::accumulate(counts.all.begin(), counts.all.end(), std::int64_t{0}), counts.tied};
}

layout::ReplicaCut replicaCut(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    return {countsOf(experiment, schedule, device).all, experiment.parallel.replicas};
}

} // namespace stagelens::simulate
