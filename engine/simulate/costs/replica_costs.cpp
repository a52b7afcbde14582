#include "engine/simulate/costs/replica_costs.h"

#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/costs/device_share.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

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

std::vector<UnitParameters> unitParameters(const model::Experiment &experiment, const schedule::Schedule &schedule, int stage)
{
    const model::ModelConfig &model = experiment.model;
    const auto countOf = [&](bool hasExperts) {
        const operators::Block block =
            operators::partitioned(operators::blockOf(model, hasExperts), operators::splitOf(experiment.parallel));
        UnitParameters unit;
        for (const operators::BlockParameter &each : block.parameters)
            (operators::isOfExperts(block, each) ? unit.experts : unit.shared) += each.count();
        return unit;
    };
    const std::vector<int> stages = layersOfStages(experiment, schedule);
    const int before = std::accumulate(stages.begin(), stages.begin() + stage, 0);
    const int layers = stages[static_cast<std::size_t>(stage)];
    std::vector<UnitParameters> units(static_cast<std::size_t>(layers), countOf(model.hasExperts()));
    for (int layer = 0; layer < layers && model.mixesLayers(); ++layer)
        if (!model.hasExpertsAt(before + layer))
            units[static_cast<std::size_t>(layer)] = countOf(false);
    const std::int64_t width = model.tableWidth();
    if (stage == 0)
        units.insert(units.begin(), {inputShardRows(experiment, schedule, schedule.placement().deviceOf(0)) * width +
                                     operators::inputMapParameters(model) + operators::positionParameters(model)});
    const int last = schedule.placement().lastStage();
    if (stage != last)
        return units;
    const int device = schedule.placement().deviceOf(last);
    std::int64_t ofTails = 0;
    const std::vector<std::int64_t> tailRows = tailShardRows(experiment, schedule, device);
    for (std::size_t i = 0; const model::VocabularyTail &tail : model.tails())
        ofTails += (model.hidden + tailRows[i++]) * tail.width;
    units.push_back({ofTails + shardRows(experiment, schedule, device) * width + operators::outputMapParameters(model) +
                     operators::finalNormParameters(model)});
    return units;
}

std::int64_t twoUnits(const model::Experiment &experiment, const schedule::Schedule &schedule, int stage)
{
    std::vector<std::int64_t> units;
    for (const UnitParameters &each : unitParameters(experiment, schedule, stage))
        units.push_back(each.exchanged(experiment.parallel));
    std::ranges::sort(units, std::greater());
    return std::accumulate(units.begin(), units.begin() + std::min<std::ptrdiff_t>(2, std::ssize(units)), std::int64_t{0});
}

bool gathersUnits(const model::ParallelPlan &plan, PassKind kind)
{
    const bool isBackward = kind == PassKind::B || kind == PassKind::I;
    return plan.zero == 3 &&
           ((kind == PassKind::F && plan.reducesEagerly()) || (isBackward && plan.zero3 == model::ZeroParameters::Reshard));
}

bool usesUnits(const model::ParallelPlan &plan, PassKind kind)
{
    return plan.zero == 3 && plan.reducesEagerly() && (kind == PassKind::F || kind == PassKind::B || kind == PassKind::I);
}

bool reducesUnits(const model::ParallelPlan &plan, PassKind kind)
{
    return plan.reducesEagerly() && (kind == PassKind::B || kind == PassKind::W);
}

bool dropsUnits(const model::ParallelPlan &plan, PassKind kind)
{
    return usesUnits(plan, kind) && (kind != PassKind::F || plan.zero3 == model::ZeroParameters::Reshard);
}

ReplicaPass replicaPass(const model::Experiment &experiment, const schedule::Schedule &schedule,
                        const model::Hardware &hardware, const ReplicaSpans &spans, PassKind kind, int stage,
                        const UnitSeconds &compute)
{
    const model::ParallelPlan &plan = experiment.parallel;
    const operators::ParameterBytes each = operators::parameterBytes(experiment);
    std::vector<UnitParameters> parameters = unitParameters(experiment, schedule, stage);
    ReplicaPass pass;
    std::vector<ExchangeUnit> units;
    const auto among = [&](GroupCollective collective, int ranks, const layout::NodeSpan &span, double bytes) {
        pass.bytes += bytesSent(collective, ranks, bytes);
        return collectiveSeconds(hardware, collective, ranks, span, bytes);
    };
    const auto exchange = [&](GroupCollective collective, const UnitParameters &unit, int bytes) {
        return among(collective, plan.replicas, spans.all, bytes * static_cast<double>(unit.shared)) +
               among(collective, plan.expertReplicas(), spans.experts, bytes * static_cast<double>(unit.experts));
    };
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool isEmbedding = stage == 0 && i == 0;
        const bool isOutput = stage == schedule.placement().lastStage() && i + 1 == parameters.size();
        units.push_back({isEmbedding ? compute.embedding : isOutput ? compute.output : compute.layer});
    }
    if (operators::isEnginePlan(experiment)) { // whose runs exchange all of a device at once
        ExchangeUnit whole;
        for (const ExchangeUnit &unit : units)
            whole.compute += unit.compute;
        units.assign(1, whole);
        parameters.assign(1, {});
        const std::vector<int> stages = schedule.placement().stagesOf(schedule.placement().deviceOf(stage));
        for (const int own : std::set<int>(stages.begin(), stages.end()))
            for (const UnitParameters &unit : unitParameters(experiment, schedule, own))
                parameters.front() = parameters.front() + unit;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (gathersUnits(plan, kind))
            units[i].gather = exchange(GroupCollective::AllGather, parameters[i], each.parameter);
        if (reducesUnits(plan, kind))
            units[i].reduce = exchange(GroupCollective::ReduceScatter, parameters[i], each.gradient);
    }
    if (kind != PassKind::F)
        std::ranges::reverse(units);
    pass.seconds = secondsWithExchanges(units);
    return pass;
}

ReplicaHolders::ReplicaHolders(layout::Group those, int ofShards, std::int64_t parameters)
    : all(std::move(those)), count(static_cast<double>(parameters))
{
    const auto size = static_cast<std::size_t>(ofShards);
    for (std::size_t i = 0; i < all.ranks.size(); ++i) {
        if (i < size)
            shards.ranks.push_back(all.ranks[i]);
        if (i % size == 0)
            groups.ranks.push_back(all.ranks[i]);
    }
}

} // namespace stagelens::simulate
