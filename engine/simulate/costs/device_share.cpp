#include "engine/simulate/costs/device_share.h"

#include "engine/layout/shard.h"
#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/sizes.h"
#include "engine/operators/stage_layers.h"

#include <algorithm>
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

using operators::ParameterKind;
using operators::PartShape;

/// The parameters of a device in the order of state_dict(), and the elements of them that belong to a tied table.
struct HeldParameters {
    std::vector<PartShape> all;
    std::vector<bool> areExperts; ///< which are divided over expert ranks
    std::int64_t experts = 0;     ///< elements of those
    std::int64_t tied = 0;
    std::int64_t summed = 0;
};

HeldParameters parametersOf(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
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
    const PartShape table{shardRows(experiment, schedule, device, tensor), model.hidden, ParameterKind::Table};
    const bool holdsInput = sharded || first;
    const bool holdsOutput = sharded || last;

    HeldParameters held;
    const operators::TensorSplit split = operators::splitOf(experiment.parallel);
    const auto putWhole = [&](const PartShape &part) {
        held.all.push_back(part);
        held.summed += split.isSequenceParallel ? part.count() : 0;
    };
    if (model.tied && holdsInput && holdsOutput)
        held.tied = table.count();
    if (holdsInput || (model.tied && holdsOutput))
        held.all.push_back(table);
    if (const std::int64_t positions = operators::positionParameters(model); first && positions > 0)
        putWhole({positions / model.hidden, model.hidden, ParameterKind::Table});
    // Two directions of one stage on one device share its parameters.
    const operators::Block block = operators::partitioned(operators::blockOf(model), split);
    const std::vector<int> stages = placement.stagesOf(device);
    for (const int stage : std::set<int>(stages.begin(), stages.end()))
        for (int layer = 0; layer < layers[static_cast<std::size_t>(stage)]; ++layer)
            for (const operators::BlockParameter &parameter : block.parameters) {
                held.all.push_back(
                    {parameter.rows, parameter.columns, parameter.isMatrix() ? ParameterKind::Matrix : ParameterKind::Vector});
                held.summed += operators::needsSum(parameter, split) ? parameter.count() : 0;
                held.areExperts.resize(held.all.size());
                held.areExperts.back() = operators::isOfExperts(block, parameter);
                held.experts += held.areExperts.back() ? parameter.count() : 0;
            }
    for (std::int64_t left = last ? operators::finalNormParameters(model) : 0; left > 0; left -= model.hidden)
        putWhole({1, model.hidden, ParameterKind::Vector});
    if (!model.tied && holdsOutput)
        held.all.push_back(table);
    held.areExperts.resize(held.all.size());
    return held;
}

} // namespace

DeviceParameters deviceParameters(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                  int tensor)
{
    const HeldParameters held = parametersOf(experiment, schedule, device, tensor);
    DeviceParameters parameters{0, held.tied, held.experts, held.summed};
    for (const PartShape &part : held.all)
        parameters.count += part.count();
    return parameters;
}

std::vector<PartShape> deviceParts(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                   int tensor)
{
    return parametersOf(experiment, schedule, device, tensor).all;
}

std::vector<std::int64_t> indivisiblePieces(const model::Experiment &experiment, std::span<const PartShape> parts)
{
    const operators::Optimizer &optimizer = optimizerOf(experiment.training.optimizer);
    std::vector<std::int64_t> pieces;
    for (const PartShape &part : parts)
        pieces.push_back(optimizer.indivisible(part));
    return pieces;
}

int ReplicaCuts::fullest() const
{
    int fullest = 0;
    for (int share = 1; share < shared.replicas(); ++share)
        if (owned(share) > owned(fullest))
            fullest = share;
    return fullest;
}

ReplicaCuts replicaCuts(const model::ParallelPlan &plan, std::span<const PartShape> parts, const std::vector<bool> &areExperts,
                        std::span<const std::int64_t> pieces)
{
    std::vector<std::int64_t> shared;
    std::vector<std::int64_t> experts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        shared.push_back(areExperts[i] ? 0 : parts[i].count());
        experts.push_back(areExperts[i] ? parts[i].count() : 0);
    }
    // Every rank has a share of both cuts, an empty one of the experts where none are divided. Plans that divide experts have
    // neither context ranks nor shard groups, so that each share of theirs is that of a replica of the expert.
    return {layout::ReplicaCut(shared, plan.shardGroup(), layout::ReplicaCut::kBlock, pieces),
            layout::ReplicaCut(experts, std::max(1, plan.shardGroup() / plan.expert), layout::ReplicaCut::kBlock, pieces),
            plan.expert};
}

ReplicaCuts replicaCuts(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    const HeldParameters held = parametersOf(experiment, schedule, device, tensor);
    return replicaCuts(experiment.parallel, held.all, held.areExperts, indivisiblePieces(experiment, held.all));
}

OptimizerBytes optimizerBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                              std::optional<int> replica, int tensor)
{
    const operators::Optimizer &optimizer = optimizerOf(experiment.training.optimizer);
    const HeldParameters held = parametersOf(experiment, schedule, device, tensor);
    const std::vector<PartShape> &parts = held.all;
    std::optional<ReplicaCuts> cut;
    if (experiment.parallel.zero > 0)
        cut = replicaCuts(experiment.parallel, parts, held.areExperts, indivisiblePieces(experiment, parts));
    OptimizerBytes bytes;
    const int group = experiment.parallel.shardGroup();
    const int first = replica.value_or(0) % group;
    for (int each = first; each < (cut && !replica ? group : first + 1); ++each) {
        base::Bytes state = 0;
        for (std::size_t i = 0; i < parts.size(); ++i)
            state += optimizer.stateBytes(parts[i].kind, cut ? cut->share(each, i).size() : parts[i].count(), parts[i].columns);
        bytes.state = std::max(bytes.state, state);
    }
    for (const PartShape &part : parts) {
        bytes.allState += optimizer.stateBytes(part.kind, part.count(), part.columns);
        bytes.scratch = std::max(bytes.scratch, optimizer.scratchFloats(part) * static_cast<base::Bytes>(sizeof(float)));
    }
    if (sumsOverDevices(experiment, schedule))
        bytes.messages = optimizer.sums(ParameterKind::Table, experiment.model.hidden) * (experiment.model.tied ? 1 : 2) *
                         static_cast<base::Bytes>(sizeof(double));
    return bytes;
}

bool sumsOverDevices(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    return model::traits(schedule.vocabulary()).isSharded && optimizerOf(experiment.training.optimizer).sums != nullptr;
}

} // namespace stagelens::simulate
