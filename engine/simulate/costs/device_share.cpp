#include "engine/simulate/costs/device_share.h"

#include "engine/layout/shard.h"
#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/sizes.h"
#include "engine/operators/stage_layers.h"
#include "engine/operators/word_sample.h"
#include "engine/schedule/vocabulary_tables.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <ranges>
#include <set>
#include <utility>

namespace stagelens::simulate {

std::vector<int> layersOfStages(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    std::vector<int> layers = operators::stageLayers(experiment);
    layers.resize(static_cast<std::size_t>(schedule.stages()), 0);
    return layers;
}

int tableShards(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    return experiment.parallel.tableRanks() * schedule::VocabularyTables(schedule).parts();
}

/// `engineRows`: of the rank in an engine plan, whose shards differ by a row.
template <class EngineRows>
static std::int64_t rowsOfShard(std::int64_t rows, const model::Experiment &experiment, const schedule::Schedule &schedule,
                                const EngineRows &engineRows)
{
    const bool overDevices = schedule::VocabularyTables(schedule).areDivided();
    const std::int64_t parts = std::int64_t{experiment.parallel.tableRanks()} * (overDevices ? schedule.devices() : 1);
    if (parts == 1 || !operators::isEnginePlan(experiment))
        return (rows + parts - 1) / parts;
    return engineRows(overDevices).size();
}

std::int64_t shardRows(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    return rowsOfShard(experiment.model.outputRows(), experiment, schedule, [&](bool overDevices) {
        return layout::vocabularyRows(experiment, schedule.devices(), device, tensor, overDevices);
    });
}

std::vector<std::int64_t> tailShardRows(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                        int tensor)
{
    std::vector<std::int64_t> rows;
    for (const model::VocabularyTail &tail : experiment.model.tails())
        rows.push_back(rowsOfShard(tail.words(), experiment, schedule, [&](bool overDevices) {
            return layout::tailRows(tail, experiment, schedule.devices(), device, tensor, overDevices);
        }));
    return rows;
}

LogitColumns logitColumns(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    if (!experiment.model.isSampled()) {
        const std::int64_t rows = shardRows(experiment, schedule, device, tensor);
        return {rows, static_cast<double>(rows)};
    }
    const layout::Interval rows = layout::vocabularyRows(experiment, schedule.devices(), device, tensor,
                                                         schedule::VocabularyTables(schedule).areDivided());
    const operators::WordSample sample(experiment.model.vocabularySize, *experiment.model.sampledWords);
    return {1 + sample.mostIn(rows.begin, rows.end), 1 + sample.expectedBefore(rows.end) - sample.expectedBefore(rows.begin)};
}

std::int64_t inputShardRows(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    return rowsOfShard(experiment.model.inputRows(), experiment, schedule, [&](bool overDevices) {
        return layout::inputTableRows(experiment, schedule.devices(), device, tensor, overDevices);
    });
}

namespace {

using operators::ParameterKind;
using operators::PartShape;

/// The parameters of a device in the order of state_dict(), and the elements of them that belong to a tied table.
struct HeldParameters {
    std::vector<PartShape> all;
    std::int64_t count = 0;        ///< elements of all
    std::int64_t narrowFloats = 0; ///< see DeviceParameters
    std::vector<bool> areExperts;  ///< which are divided over expert ranks
    std::int64_t experts = 0;      ///< elements of those
    std::int64_t tied = 0;
    std::int64_t ofEightBits = 0;
    std::int64_t summed = 0;
};

/// All that the parameters of a device depend on.
struct HeldRequest {
    model::ModelConfig model;
    operators::TensorSplit split;
    std::int64_t rows = 0;                   ///< of its output table
    std::int64_t inputRows = 0;              ///< of its input table
    std::vector<std::int64_t> tailRows = {}; ///< of each tail of an adaptive softmax
    bool holdsTokens = false;
    bool holdsOutput = false;
    bool isFirst = false; ///< has the first stage of a direction
    bool isLast = false;
    std::vector<bool> layers = {}; ///< with experts or not; directions of a stage share them
    friend bool operator==(const HeldRequest &, const HeldRequest &) = default;
};

HeldParameters parametersOf(const HeldRequest &request)
{
    const model::ModelConfig &model = request.model;
    const operators::TensorSplit &split = request.split;
    const PartShape table{request.rows, model.tableWidth(), ParameterKind::Table};

    HeldParameters held;
    const auto putWhole = [&](const PartShape &part) {
        held.all.push_back(part);
        held.summed += split.isSequenceParallel ? part.count() : 0;
    };
    const auto putTable = [&](const PartShape &part) {
        held.all.push_back(part);
        held.summed += split.dividesVocabularyByTokens ? part.count() : 0;
    };
    if (model.tied && request.holdsTokens && request.holdsOutput)
        held.tied = table.count();
    if (request.holdsTokens || (model.tied && request.holdsOutput))
        putTable({request.inputRows, model.tableWidth(), ParameterKind::Table});
    if (const std::int64_t positions = operators::positionParameters(model); request.isFirst && positions > 0)
        putWhole({positions / model.hidden, model.hidden, ParameterKind::Table});
    const operators::Block block = operators::partitioned(operators::blockOf(model), split);
    const operators::Block dense = operators::partitioned(operators::blockOf(model, false), split);
    for (const bool hasExperts : request.layers) {
        const operators::Block &layer = model.hasExperts() && !hasExperts ? dense : block;
        held.ofEightBits += operators::eightBitParameters(layer);
        for (const operators::BlockParameter &parameter : layer.parameters) {
            held.all.push_back({parameter.rows, parameter.columns,
                                parameter.isMatrix() ? ParameterKind::Matrix : ParameterKind::Vector,
                                parameter.isOfExperts ? parameter.rows / parameter.experts : 0});
            held.summed += operators::needsSum(parameter, split) ? parameter.count() : 0;
            held.areExperts.resize(held.all.size());
            held.areExperts.back() = operators::isOfExperts(layer, parameter);
            held.experts += held.areExperts.back() ? parameter.count() : 0;
        }
    }
    for (std::int64_t left = request.isLast ? operators::finalNormParameters(model) : 0; left > 0; left -= model.hidden)
        putWhole({1, model.hidden, ParameterKind::Vector});
    if (model.isFactorised() && request.isFirst)
        putWhole({model.tableWidth(), model.hidden, ParameterKind::Matrix});
    if (model.mapsOutput() && request.isLast)
        putWhole({model.outputWidth(), model.hidden, ParameterKind::Matrix});
    const std::vector<model::VocabularyTail> tails = model.tails();
    for (std::size_t i = 0; i < tails.size() && request.holdsOutput; ++i) {
        if (request.isLast)
            putWhole({tails[i].width, model.hidden, ParameterKind::Matrix});
        putTable({request.tailRows[i], tails[i].width, ParameterKind::Table});
    }
    if (!model.tied && request.holdsOutput)
        putTable(table);
    held.areExperts.resize(held.all.size());
    for (const PartShape &part : held.all) {
        held.count += part.count();
        held.narrowFloats += base::floatsOf(part.count(), base::Precision::Bf16);
    }
    return held;
}

/// The lists that a thread made last. Costs and memory plans ask for those of every device several times, and most devices of a
/// pipeline are alike.
class HeldLists {
public:
    std::shared_ptr<const HeldParameters> of(const HeldRequest &request)
    {
        for (const auto &[known, held] : m_entries)
            if (known == request)
                return held;
        auto held = std::make_shared<const HeldParameters>(parametersOf(request));
        if (m_entries.size() < kMostEntries)
            m_entries.emplace_back(request, held);
        else
            m_entries[m_next++ % kMostEntries] = {request, held};
        return held;
    }

private:
    static constexpr std::size_t kMostEntries = 8;
    std::vector<std::pair<HeldRequest, std::shared_ptr<const HeldParameters>>> m_entries;
    std::size_t m_next = 0; ///< to be replaced
};

std::shared_ptr<const HeldParameters> parametersOf(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                   int device, int tensor)
{
    const schedule::Placement &placement = schedule.placement();
    const std::vector<int> layers = layersOfStages(experiment, schedule);
    const schedule::VocabularyTables tables(schedule);
    HeldRequest request{experiment.model,
                        operators::splitOf(experiment.parallel),
                        shardRows(experiment, schedule, device, tensor),
                        inputShardRows(experiment, schedule, device, tensor),
                        tailShardRows(experiment, schedule, device, tensor),
                        tables.holdsTokens(device),
                        tables.holdsOutput(device)};
    const std::vector<int> stages = placement.stagesOf(device);
    for (const int stage : std::set<int>(stages.begin(), stages.end())) {
        request.isFirst = request.isFirst || stage == 0;
        request.isLast = request.isLast || stage == placement.lastStage();
        const auto place = layers.begin() + stage;
        const int before = std::accumulate(layers.begin(), place, 0);
        for (int layer = before; layer < before + *place; ++layer)
            request.layers.push_back(experiment.model.hasExpertsAt(layer));
    }
    thread_local HeldLists lists;
    return lists.of(request);
}

/// Returns the greatest state of a share.
base::Bytes greatestState(const operators::Optimizer &optimizer, const ReplicaCuts &cuts, std::span<const PartShape> parts,
                          int shares)
{
    std::vector<base::Bytes> states(static_cast<std::size_t>(shares));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool isExpert = cuts.experts.place(i).size() > 0;
        const layout::ReplicaCut &cut = isExpert ? cuts.experts : cuts.shared;
        const layout::Interval whole = cut.place(i);
        const auto all = std::views::iota(0, cut.replicas());
        const auto begin = std::ranges::partition_point(all, [&](int each) { return cut.share(each).end <= whole.begin; });
        for (auto each = static_cast<int>(begin - all.begin()); each < cut.replicas() && cut.share(each).begin < whole.end;
             ++each) {
            const base::Bytes bytes =
                optimizer.stateBytes(parts[i].kind, cut.share(each, i).size(), parts[i].columns, parts[i].matrixRows);
            if (!isExpert) {
                states[static_cast<std::size_t>(each)] += bytes;
                continue;
            }
            const int first = cuts.firstShareOf(each);
            for (int replica = 0; replica < cuts.replicasPerExpertGroup; ++replica)
                if (const int share = first + cuts.context * replica; share < shares)
                    states[static_cast<std::size_t>(share)] += bytes;
        }
    }
    return std::ranges::max(states);
}

} // namespace

DeviceParameters deviceParameters(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                  int tensor)
{
    const auto held = parametersOf(experiment, schedule, device, tensor);
    return {held->count, held->tied, held->narrowFloats, held->experts, held->ofEightBits, held->summed};
}

std::vector<PartShape> deviceParts(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                   int tensor)
{
    return parametersOf(experiment, schedule, device, tensor)->all;
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
    return layout::fullest(shared.replicas(), [this](int share) { return owned(share); });
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
    // Every rank has a share of both cuts, an empty one of the experts where none are divided.
    return {layout::ReplicaCut(shared, plan.shardGroup(), layout::ReplicaCut::kBlock, pieces),
            layout::ReplicaCut(experts, layout::expertShardGroup(plan), layout::ReplicaCut::kBlock, pieces), plan.context,
            plan.replicasPerExpertGroup()};
}

ReplicaCuts replicaCuts(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    const auto held = parametersOf(experiment, schedule, device, tensor);
    return replicaCuts(experiment.parallel, held->all, held->areExperts, indivisiblePieces(experiment, held->all));
}

OptimizerBytes optimizerBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                              std::optional<int> replica, int tensor)
{
    const operators::Optimizer &optimizer = optimizerOf(experiment.training.optimizer);
    const auto held = parametersOf(experiment, schedule, device, tensor);
    const std::vector<PartShape> &parts = held->all;
    OptimizerBytes bytes;
    const auto stateOf = [&](const auto &elementsOf) {
        base::Bytes state = 0;
        for (std::size_t i = 0; i < parts.size(); ++i)
            state += optimizer.stateBytes(parts[i].kind, elementsOf(i), parts[i].columns, parts[i].matrixRows);
        return state;
    };
    if (experiment.parallel.zero == 0) {
        bytes.state = stateOf([&](std::size_t i) { return parts[i].count(); });
    } else {
        const ReplicaCuts cuts =
            replicaCuts(experiment.parallel, parts, held->areExperts, indivisiblePieces(experiment, parts));
        const int group = experiment.parallel.shardGroup();
        bytes.state = replica ? stateOf([&](std::size_t i) { return cuts.share(*replica % group, i).size(); })
                              : greatestState(optimizer, cuts, parts, group);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const PartShape &part = parts[i];
        const base::Bytes all = optimizer.stateBytes(part.kind, part.count(), part.columns, part.matrixRows);
        bytes.allState += all;
        bytes.allExpertState += held->areExperts[i] ? all : 0;
        bytes.scratch = std::max(bytes.scratch, optimizer.scratchFloats(part) * static_cast<base::Bytes>(sizeof(float)));
    }
    if (!sumsOverDevices(experiment, schedule))
        return bytes;
    const auto sumsOf = [&](std::int64_t columns) {
        return optimizer.sums(ParameterKind::Table, columns) * static_cast<base::Bytes>(sizeof(double));
    };
    bytes.messages = sumsOf(experiment.model.tableWidth()) * (experiment.model.tied ? 1 : 2);
    for (const model::VocabularyTail &tail : experiment.model.tails())
        bytes.messages += sumsOf(tail.width);
    return bytes;
}

bool sumsOverDevices(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    return schedule::VocabularyTables(schedule).areDivided() && optimizerOf(experiment.training.optimizer).sums != nullptr;
}

} // namespace stagelens::simulate
