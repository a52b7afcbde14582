#include "engine/simulate/costs/replica_costs.h"

#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/costs/device_share.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stagelens::simulate {

using schedule::PassKind;

double secondsWithExchanges(std::span<const ExchangeUnit> units)
{
    double lane = 0;          // end of the last exchange
    double begin = 0;         // of the last unit
    double end = 0;           // of it
    double reduced = 0;       // end of the reduction of the unit before it
    double reduceSeconds = 0; // of the last unit
    for (const ExchangeUnit &unit : units) {
        double gathered = 0;
        if (unit.gather > 0)
            gathered = lane = std::max(lane, begin) + unit.gather;
        const double reducedBefore = reduced;
        if (reduceSeconds > 0)
            reduced = lane = std::max(lane, end) + reduceSeconds;
        begin = std::max({end, gathered, reducedBefore});
        end = begin + unit.compute;
        reduceSeconds = unit.reduce;
    }
    return reduceSeconds > 0 ? std::max(lane, end) + reduceSeconds : end;
}

std::vector<std::int64_t> unitParameters(const model::Experiment &experiment, const schedule::Schedule &schedule, int stage)
{
    const model::ModelConfig &model = experiment.model;
    const auto countOf = [&](bool hasExperts) {
        const operators::Block block =
            operators::partitioned(operators::blockOf(model, hasExperts), operators::splitOf(experiment.parallel));
        return std::transform_reduce(block.parameters.begin(), block.parameters.end(), std::int64_t{0}, std::plus(),
                                     [](const auto &each) { return each.count(); });
    };
    const std::vector<int> stages = layersOfStages(experiment, schedule);
    const int before = std::accumulate(stages.begin(), stages.begin() + stage, 0);
    const int layers = stages[static_cast<std::size_t>(stage)];
    std::vector<std::int64_t> units(static_cast<std::size_t>(layers), countOf(model.hasExperts()));
    for (int layer = 0; layer < layers && model.mixesLayers(); ++layer)
        if (!model.hasExpertsAt(before + layer))
            units[static_cast<std::size_t>(layer)] = countOf(false);
    const std::int64_t width = model.tableWidth();
    if (stage == 0)
        units.insert(units.begin(), inputShardRows(experiment, schedule, schedule.placement().deviceOf(0)) * width +
                                        operators::inputMapParameters(model) + operators::positionParameters(model));
    const int last = schedule.placement().lastStage();
    if (stage != last)
        return units;
    const int device = schedule.placement().deviceOf(last);
    std::int64_t ofTails = 0;
    const std::vector<std::int64_t> tailRows = tailShardRows(experiment, schedule, device);
    for (std::size_t i = 0; const model::VocabularyTail &tail : model.tails())
        ofTails += (model.hidden + tailRows[i++]) * tail.width;
    units.push_back(ofTails + shardRows(experiment, schedule, device) * width + operators::outputMapParameters(model) +
                    operators::finalNormParameters(model));
    return units;
}

std::int64_t twoUnits(const model::Experiment &experiment, const schedule::Schedule &schedule, int stage)
{
    std::vector<std::int64_t> units = unitParameters(experiment, schedule, stage);
    std::ranges::sort(units, std::greater());
    return std::accumulate(units.begin(), units.begin() + std::min<std::ptrdiff_t>(2, std::ssize(units)), std::int64_t{0});
}

bool gathersUnits(const model::ParallelPlan &plan, PassKind kind)
{
    return plan.zero == 3 && plan.reducesEagerly() && (kind == PassKind::F || kind == PassKind::B || kind == PassKind::I);
}

bool reducesUnits(const model::ParallelPlan &plan, PassKind kind)
{
    return plan.reducesEagerly() && (kind == PassKind::B || kind == PassKind::W);
}

ReplicaPass replicaPass(const model::Experiment &experiment, const schedule::Schedule &schedule,
                        const model::Hardware &hardware, const layout::NodeSpan &span, PassKind kind, int stage,
                        const UnitSeconds &compute)
{
    const model::ParallelPlan &plan = experiment.parallel;
    const operators::ParameterBytes each = operators::parameterBytes(experiment);
    const std::vector<std::int64_t> parameters = unitParameters(experiment, schedule, stage);
    ReplicaPass pass;
    std::vector<ExchangeUnit> units;
    const auto exchange = [&](GroupCollective collective, double bytes) {
        pass.bytes += bytesSent(collective, plan.replicas, bytes);
        return collectiveSeconds(hardware, collective, plan.replicas, span, bytes);
    };
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool isEmbedding = stage == 0 && i == 0;
        const bool isOutput = stage == schedule.placement().lastStage() && i + 1 == parameters.size();
        ExchangeUnit &unit = units.emplace_back();
        unit.compute = isEmbedding ? compute.embedding : isOutput ? compute.output : compute.layer;
        const auto count = static_cast<double>(parameters[i]);
        if (gathersUnits(plan, kind))
            unit.gather = exchange(GroupCollective::AllGather, each.parameter * count);
        if (reducesUnits(plan, kind))
            unit.reduce = exchange(GroupCollective::ReduceScatter, each.gradient * count);
    }
    if (kind != PassKind::F)
        std::ranges::reverse(units);
    pass.seconds = secondsWithExchanges(units);
    return pass;
}

} // namespace stagelens::simulate
