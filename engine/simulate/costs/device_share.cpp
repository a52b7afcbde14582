#include "engine/simulate/costs/device_share.h"

#include "engine/layout/shard.h"
#include "engine/operators/sizes.h"
#include "engine/operators/stage_layers.h"

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

DeviceParameters deviceParameters(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
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

    DeviceParameters parameters;
    // Two directions of one stage on one device share its parameters.
    const std::vector<int> stages = placement.stagesOf(device);
    for (const int stage : std::set<int>(stages.begin(), stages.end()))
        parameters.count += layers[static_cast<std::size_t>(stage)] * operators::layerParameters(model);
    if (first)
        parameters.count += operators::positionParameters(model);
    if (last)
        parameters.count += operators::finalNormParameters(model);

    const std::int64_t matrix = shardRows(experiment, schedule, device) * model.hidden;
    const bool holdsInput = sharded || first;
    const bool holdsOutput = sharded || last;
    if (model.tied && holdsInput && holdsOutput) {
        parameters.count += matrix;
        parameters.tied = matrix;
    } else {
        parameters.count += (holdsInput ? matrix : 0) + (holdsOutput ? matrix : 0);
    }
    return parameters;
}

} // namespace stagelens::simulate
