#include "engine/simulate/costs/replica_costs.h"

#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/sizes.h"
#include "engine/passes/recipe_book.h"
#include "engine/schedule/vocabulary_tables.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/costs/device_share.h"

#include <algorithm>
#include <functional>
#include <numeric>
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
    const bool isDivided = schedule::VocabularyTables(schedule).areDivided();
    if (stage == 0) {
        const std::int64_t table =
            isDivided ? 0 : inputShardRows(experiment, schedule, schedule.placement().deviceOf(0)) * width;
        units.insert(units.begin(), {table + operators::inputMapParameters(model) + operators::positionParameters(model)});
    }
    const int last = schedule.placement().lastStage();
    if (stage != last)
        return units;
    const int device = schedule.placement().deviceOf(last);
    std::int64_t ofTails = 0;
    const std::vector<std::int64_t> tailRows = tailShardRows(experiment, schedule, device);
    for (std::size_t i = 0; const model::VocabularyTail &tail : model.tails())
        ofTails += (model.hidden + (isDivided ? 0 : tailRows[i++])) * tail.width;
    const std::int64_t table = isDivided ? 0 : shardRows(experiment, schedule, device) * width;
    units.push_back({ofTails + table + operators::outputMapParameters(model) + operators::finalNormParameters(model)});
    return units;
}

UnitParameters tableUnit(const model::Experiment &experiment, const schedule::Schedule &schedule, PassKind kind, int device)
{
    const model::ModelConfig &model = experiment.model;
    const std::int64_t width = model.tableWidth();
    if (kind == PassKind::EF || kind == PassKind::EB)
        return {inputShardRows(experiment, schedule, device) * width};
    std::int64_t count = shardRows(experiment, schedule, device) * width;
    const std::vector<std::int64_t> tailRows = tailShardRows(experiment, schedule, device);
    for (std::size_t i = 0; const model::VocabularyTail &tail : model.tails())
        count += tailRows[i++] * tail.width;
    return {count};
}

std::int64_t twoUnits(const model::Experiment &experiment, const schedule::Schedule &schedule, int stage)
{
    std::vector<std::int64_t> units;
    for (const UnitParameters &each : unitParameters(experiment, schedule, stage))
        units.push_back(each.exchanged(experiment.parallel));
    std::ranges::sort(units, std::greater());
    return std::accumulate(units.begin(), units.begin() + std::min<std::ptrdiff_t>(2, std::ssize(units)), std::int64_t{0});
}

UnitUse::UnitUse(const model::ParallelPlan &plan, model::VocabularyMethod method)
    : m_isOn(plan.reducesEagerly()), m_gathers(m_isOn && plan.zero == 3),
      m_keeps(plan.zero3 == model::ZeroParameters::KeepUntilBackward),
      m_joinsPasses(schedule::recipeBook(method).hasBarrierInside(PassKind::S))
{}

bool UnitUse::addsGradients(PassKind kind) const
{
    const bool isOfTables = kind == PassKind::T || kind == PassKind::EB || (kind == PassKind::S && m_joinsPasses);
    return m_isOn && (isOfTables || (schedule::isOfStage(kind) && kind != PassKind::F));
}

bool UnitUse::gathers(PassKind kind) const
{
    return uses(kind) && (kind == PassKind::F || !m_keeps);
}

bool UnitUse::uses(PassKind kind) const
{
    return m_gathers && kind != PassKind::W && kind != PassKind::EB;
}

bool UnitUse::reduces(PassKind kind) const
{
    return addsGradients(kind) && kind != PassKind::I; // of which W follows
}

bool UnitUse::drops(PassKind kind) const
{
    return uses(kind) && (kind != PassKind::F || !m_keeps);
}

namespace {

/// What the replicas of a device exchange in a pass.
class PassExchanges {
public:
    PassExchanges(const model::Experiment &experiment, const model::Hardware &hardware, const ReplicaSpans &spans,
                  const UnitUse &use, PassKind kind)
        : m_plan(experiment.parallel), m_hardware(hardware), m_spans(spans), m_kind(kind), m_gathers(use.gathers(kind)),
          m_reduces(use.reduces(kind)), m_each(operators::parameterBytes(experiment))
    {}

    /// Takes the unit that comes next in the forward.
    void add(double compute, const UnitParameters &parameters)
    {
        ExchangeUnit unit{compute};
        if (parameters.count() > 0 && m_gathers)
            unit.gather = exchange(GroupCollective::AllGather, parameters, m_each.parameter);
        if (parameters.count() > 0 && m_reduces)
            unit.reduce = exchange(GroupCollective::ReduceScatter, parameters, m_each.gradient);
        m_units.push_back(unit);
    }
    [[nodiscard]] ReplicaPass pass()
    {
        if (m_kind != PassKind::F)
            std::ranges::reverse(m_units);
        return {secondsWithExchanges(m_units), m_bytes};
    }

private:
    double exchange(GroupCollective collective, const UnitParameters &unit, int bytes)
    {
        return among(collective, m_plan.shardGroup(), m_spans.all, bytes * static_cast<double>(unit.shared)) +
               among(collective, layout::expertShardGroup(m_plan), m_spans.experts, bytes * static_cast<double>(unit.experts));
    }
    double among(GroupCollective collective, int ranks, const layout::NodeSpan &span, double bytes)
    {
        m_bytes += bytesSent(collective, ranks, bytes);
        return collectiveSeconds(m_hardware, collective, ranks, span, bytes);
    }

    const model::ParallelPlan &m_plan;
    const model::Hardware &m_hardware;
    const ReplicaSpans &m_spans;
    PassKind m_kind;
    bool m_gathers;
    bool m_reduces;
    operators::ParameterBytes m_each;
    std::vector<ExchangeUnit> m_units;
    double m_bytes = 0;
};

/// Returns all parameters of a device, which runs exchange at once.
UnitParameters allOf(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    const DeviceParameters all = deviceParameters(experiment, schedule, device);
    return {all.count - all.experts, all.experts};
}

} // namespace

ReplicaPass replicaPass(const model::Experiment &experiment, const schedule::Schedule &schedule,
                        const model::Hardware &hardware, const ReplicaSpans &spans, PassKind kind, int stage,
                        const UnitSeconds &compute)
{
    const std::vector<UnitParameters> parameters = unitParameters(experiment, schedule, stage);
    std::vector<double> seconds(parameters.size(), compute.layer);
    if (stage == 0)
        seconds.front() = compute.embedding;
    if (stage == schedule.placement().lastStage())
        seconds.back() = compute.output;
    PassExchanges exchanges(experiment, hardware, spans, UnitUse(experiment.parallel, schedule.vocabulary()), kind);
    if (operators::isEnginePlan(experiment)) {
        exchanges.add(std::accumulate(seconds.begin(), seconds.end(), 0.0),
                      allOf(experiment, schedule, schedule.placement().deviceOf(stage)));
        return exchanges.pass();
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
        exchanges.add(seconds[i], parameters[i]);
    return exchanges.pass();
}

ReplicaPass vocabularyReplicaPass(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                  const model::Hardware &hardware, const ReplicaSpans &spans, PassKind kind, int device,
                                  double seconds)
{
    PassExchanges exchanges(experiment, hardware, spans, UnitUse(experiment.parallel, schedule.vocabulary()), kind);
    exchanges.add(seconds, operators::isEnginePlan(experiment) ? allOf(experiment, schedule, device)
                                                               : tableUnit(experiment, schedule, kind, device));
    return exchanges.pass();
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
