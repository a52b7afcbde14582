#include "engine/runtime/executor/device_model.h"

#include "engine/layout/shard.h"
#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/runtime/state/dropped_parts.h"
#include "engine/runtime/state/optimizer.h"
#include "engine/simulate/costs/device_share.h"

#include <algorithm>
#include <numeric>

namespace stagelens::runtime {

DeviceModel::DeviceModel(const RunPlan &plan, const RankPlace &place, backend::Pool &pool, backend::Pool *host,
                         backend::Compute &compute)
    : m_plan(plan), m_device(place.device), m_tensor(place.tensor), m_expert(place.expert),
      m_block(operators::blockOf(plan.experiment.model)), m_dense(operators::blockOf(plan.experiment.model, false)),
      m_pool(pool), m_compute(compute), m_host(plan.experiment.schedule, host, compute),
      m_optimizer(optimizerOf(plan.experiment.training.optimizer))
{
    makeStages();
    makeVocabularyParameters();
    std::stable_sort(m_parameters.begin(), m_parameters.end(),
                     [](const auto &a, const auto &b) { return a->index < b->index; });
    divide(place.share);
}

void DeviceModel::divide(int share)
{
    std::vector<bool> areExperts;
    std::vector<operators::PartShape> parts;
    std::int64_t scratch = 0;
    for (const auto &parameter : m_parameters) {
        areExperts.push_back(parameter->isOfExperts);
        parts.push_back(parameter->shape());
        scratch = std::max(scratch, m_optimizer.scratchFloats(parts.back()));
    }
    m_replicaCuts = simulate::replicaCuts(m_plan.experiment.parallel, parts, areExperts,
                                          simulate::indivisiblePieces(m_plan.experiment, parts));
    const model::ParallelPlan &parallel = m_plan.experiment.parallel;
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        // Replicas that train alone have gradients of their own: those of the first are the ones that are read.
        const layout::Interval own = !parallel.averagesWeights() ? m_replicaCuts->share(share % parallel.shardGroup(), i)
                                     : share == 0                ? m_parameters[i]->whole()
                                                                 : layout::Interval{0, 0};
        shareState(m_host.poolOr(m_pool), *m_parameters[i], own, m_plan.experiment.training, m_host.updater());
    }
    dropGradients();
    dropValues();
    m_host.reserve(m_parameters);
    if (scratch > 0)
        m_scratch = m_pool.allocate(size(scratch), category(simulate::MemoryCategory::Workspace));
}

Parameter &DeviceModel::own(int index, layout::MatrixPart part, bool isFetched)
{
    const std::int64_t multiple =
        index == m_plan.outputWeight() && m_plan.tables.holdsOutput(m_device) ? m_plan.shape.outputMultiple : 1;
    m_parameters.push_back(
        std::make_unique<Parameter>(makeParameter({m_pool, m_host.pool(), isFetched, m_host.kernels()}, m_plan.parameters,
                                                  index, m_plan.experiment, std::move(part), multiple, m_compute)));
    Parameter &parameter = *m_parameters.back();
    if (m_plan.schedule.weightUpdate() == schedule::WeightUpdate::DoubleBuffered) {
        parameter.previous = allocateVersion(m_pool, parameter, m_compute);
        m_compute.copy(parameter.numbers(&Parameter::previous), parameter.weights(), parameter.count());
    }
    return parameter;
}

Parameter &DeviceModel::ownRows(int index, const layout::Interval &rows)
{
    return own(index, layout::MatrixPart::ofRows(rows.begin, rows.size(), m_plan.parameters[size(index)].columns));
}

/// Notes that every tensor rank of the device holds the same part of the parameter.
static void repeatOver(const RunPlan &plan, int tensorRank, Parameter &parameter)
{
    parameter.copies = plan.tensorRanks();
    parameter.isRepeated = tensorRank > 0;
    parameter.needsSum = plan.shape.split.isSequenceParallel;
}

/// The same of rows of a table, if tensor ranks divide the tokens.
static void repeatTable(const RunPlan &plan, int tensorRank, Parameter &rows)
{
    if (plan.shape.split.dividesVocabularyByTokens)
        repeatOver(plan, tensorRank, rows);
}

Parameter &DeviceModel::ofStage(Parameter &parameter, int stage)
{
    parameter.isCopy = m_device != m_plan.schedule.placement().deviceOf(stage);
    parameter.stage = stage;
    if (m_plan.isStashed(parameter.index))
        m_stashes[stage].add(parameter);
    return parameter;
}

Parameter &DeviceModel::ownWhole(int index, int stage)
{
    Parameter &parameter = ownRows(index, {0, m_plan.parameters[size(index)].rows});
    repeatOver(m_plan, m_tensor, parameter);
    return ofStage(parameter, stage);
}

Parameter &DeviceModel::ownOfLayer(int index, const operators::BlockParameter &of, int stage)
{
    const operators::TensorSplit &split = m_plan.shape.split;
    const bool isOfExperts = of.isOfExperts && split.expert > 1;
    const std::int64_t rows = of.rows / split.expert; // of experts
    Parameter &parameter = own(index,
                               isOfExperts ? layout::MatrixPart::ofRows(m_expert * rows, rows, of.columns)
                                           : operators::partOf(m_block, of, m_tensor, split.ranks),
                               m_plan.experiment.schedule.offloadParameters);
    parameter.isOfExperts = isOfExperts;
    parameter.copies = isOfExperts ? 1 : operators::copiesOf(of, split.ranks);
    parameter.isRepeated = m_tensor % parameter.copies > 0;
    parameter.needsSum = operators::needsSum(of, split);
    return ofStage(parameter, stage);
}

void DeviceModel::makeVocabularyParameters()
{
    const model::ModelConfig &model = m_plan.experiment.model;
    const int last = m_plan.schedule.placement().lastStage();
    const bool isFirst = m_stages.contains(0);
    const bool isLastDevice = m_stages.contains(last);
    const schedule::VocabularyTables &tables = m_plan.tables;
    const auto shard = [&](int index, int stage) -> Parameter & {
        Parameter &rows = ownRows(index, m_plan.rowsOf(index, m_device, m_tensor));
        repeatTable(m_plan, m_tensor, rows);
        return tables.areDivided() ? rows : ofStage(rows, stage);
    };
    if (tables.holdsTokens(m_device))
        m_tokenTable = &shard(kTokenTable, 0);
    if (isFirst && operators::architectureOf(model.family).hasPositionTable())
        m_positions = &ownWhole(kPositionTable, 0);
    const int firstMap = firstVocabularyMap(model);
    if (isFirst && model.isFactorised())
        m_inputMap = &ownWhole(firstMap, 0);
    if (isLastDevice && model.mapsOutput())
        m_outputMap = &ownWhole(firstMap + (model.isFactorised() ? 1 : 0), last);
    int next = firstTail(model);
    std::vector<TailShards::Shard> shards;
    for (const model::VocabularyTail &tail : model.tails()) {
        Parameter *const map = isLastDevice ? &ownWhole(next, last) : nullptr;
        if (tables.areDivided())
            shards.push_back({map, shard(next + 1, last)});
        else if (map != nullptr)
            m_tails.emplace_back(tail, *map, ownWhole(next + 1, last));
        next += 2;
    }
    if (isLastDevice) {
        const int weight = firstOfLayer(model, model.layers);
        m_finalNorm.weight = &ownWhole(weight, last);
        if (m_plan.shape.normsHaveBias())
            m_finalNorm.bias = &ownWhole(weight + 1, last);
    }
    if (!tables.holdsOutput(m_device))
        return;
    if (!model.tied || m_tokenTable == nullptr) {
        m_output.emplace(shard(m_plan.outputWeight(), model.tied ? 0 : last));
        if (!shards.empty())
            m_tailShards.emplace(std::move(shards), m_output->weight(),
                                 tables.parts() * m_plan.experiment.parallel.tableRanks());
        return;
    }
    m_tokenTable->outputGradient =
        m_pool.allocate(size(m_tokenTable->paddedCount()), category(simulate::MemoryCategory::Gradients));
    m_compute.zero(m_tokenTable->outputGradient.data(), m_tokenTable->paddedCount());
    m_output.emplace(*m_tokenTable);
}

void DeviceModel::makeStages()
{
    const std::vector<int> whole = operators::recomputedLayers(m_plan.experiment.schedule, m_plan.stageLayers);
    for (const int stage : m_plan.schedule.placement().stagesOf(m_device)) {
        if (m_stages.contains(stage))
            continue;
        const auto place = m_plan.stageLayers.begin() + stage;
        const int first = std::accumulate(m_plan.stageLayers.begin(), place, 0);
        Layers layers;
        for (int layer = first; layer < first + *place; ++layer) {
            std::vector<Parameter *> parameters;
            int next = firstOfLayer(m_plan.experiment.model, layer);
            const bool isDense = m_plan.shape.dense != nullptr && !m_plan.experiment.model.hasExpertsAt(layer);
            for (const operators::BlockParameter &each : (isDense ? m_dense : m_block).parameters)
                parameters.push_back(&ownOfLayer(next++, each, stage));
            layers.emplace_back(std::move(parameters), isDense);
        }
        m_stages.emplace(stage, Stage(stage, first, std::move(layers), whole[size(stage)]));
    }
}

Parameter *DeviceModel::find(int index) const
{
    const auto found =
        std::find_if(m_parameters.begin(), m_parameters.end(), [index](const auto &each) { return each->index == index; });
    return found == m_parameters.end() ? nullptr : found->get();
}

kernels::TableShard DeviceModel::tokenShard() const
{
    return {m_tokenTable->held.rows.begin, m_tokenTable->rows, m_plan.shape.tableWidth};
}

void DeviceModel::clearVersions()
{
    for (auto &[stage, stash] : m_stashes)
        stash.clear();
    m_updates = 0;
}

void DeviceModel::keepVersion(const schedule::Pass &pass)
{
    if (const auto stash = m_stashes.find(pass.stage); stash != m_stashes.end())
        stash->second.keep(pass.microbatch);
}

void DeviceModel::swapWeights(const schedule::Pass &pass)
{
    if (const auto stash = m_stashes.find(pass.stage); stash != m_stashes.end())
        return stash->second.swap(pass.microbatch);
    // Before the update of the step before, what that step leaves to this one is still the newest.
    if (m_plan.schedule.stepOf(pass) != m_updates)
        return;
    for (const auto &parameter : m_parameters)
        if (parameter->previous.size() > 0)
            std::swap(parameter->read(), parameter->previous);
}

void DeviceModel::endMicrobatch(const schedule::Pass &pass, bool isTraining)
{
    const auto stash = m_stashes.find(pass.stage);
    if (stash == m_stashes.end())
        return isTraining ? endBufferedStep(pass) : void();
    m_compute.finish(); // kernels may still read the version that is released
    stash->second.release(pass.microbatch);
    if (!isTraining)
        return;
    stash->second.keepNewest(m_pool, m_compute);
    // Each microbatch is a batch of its own: its gradient is the mean over its own tokens.
    for (Parameter *parameter : stash->second.parameters())
        update(*parameter, static_cast<float>(m_plan.schedule.stepMicrobatches()));
}

void DeviceModel::endBufferedStep(const schedule::Pass &pass)
{
    const schedule::Schedule &schedule = m_plan.schedule;
    const bool isLast = schedule.stepOf(pass) + 1 == schedule.iterations(); // optimize() follows
    if (isLast || (pass.microbatch + 1) % schedule.stepMicrobatches() != 0)
        return;
    m_compute.finish();
    optimize(1);
    ++m_updates;
}

bool DeviceModel::hasFiniteGradients()
{
    std::vector<std::span<const float>> gradients;
    for (const auto &parameter : m_parameters)
        gradients.push_back(parameter->liveGradient());
    // A sum of squares of floats does not overflow in double.
    return std::ranges::all_of(m_compute.sumsOfSquares(gradients), [](double sum) { return std::isfinite(sum); });
}

void DeviceModel::scaleGradients(float factor)
{
    for (const auto &parameter : m_parameters)
        if (!parameter->biasRate) { // counts of choices
            const std::span<float> gradient = parameter->liveGradient();
            m_compute.scale(gradient.data(), gradient.data(), factor, std::ssize(gradient));
        }
    m_compute.finish();
}

void DeviceModel::discardGradients()
{
    for (const auto &parameter : m_parameters)
        m_compute.zero(parameter->liveGradient().data(), std::ssize(parameter->liveGradient()));
    m_compute.finish();
}

void DeviceModel::roundValues()
{
    for (const auto &parameter : m_parameters)
        refreshRead(*parameter, m_compute);
    m_compute.finish();
}

void DeviceModel::restoreGradients()
{
    for (const auto &parameter : m_parameters)
        DroppedParts(m_pool.meter(), m_compute).restoreGradient(*parameter);
}

void DeviceModel::dropGradients()
{
    if (m_plan.experiment.parallel.zero >= 2)
        for (const auto &parameter : m_parameters)
            DroppedParts(m_pool.meter(), m_compute).dropGradient(*parameter);
}

void DeviceModel::restoreValues()
{
    for (const auto &parameter : m_parameters)
        DroppedParts(m_pool.meter(), m_compute).restoreValue(*parameter);
}

void DeviceModel::dropValues()
{
    if (m_plan.experiment.parallel.zero >= 3)
        for (const auto &parameter : m_parameters)
            DroppedParts(m_pool.meter(), m_compute).dropValue(*parameter);
}

void DeviceModel::optimize(float gradientScale)
{
    for (const auto &parameter : m_parameters)
        if (!m_plan.isStashed(parameter->index) && !m_plan.sumsOverDevices(parameter->index))
            update(*parameter, gradientScale);
    m_compute.finish();
}

void DeviceModel::sumForUpdate(Parameter &parameter, float gradientScale, double *sums)
{
    if (m_watch)
        m_watch(parameter, m_compute);
    runtime::sumForUpdate(parameter, m_optimizer, m_plan.experiment.training.optimizer, gradientScale, m_compute, sums);
    m_compute.finish();
}

void DeviceModel::updateFromSums(Parameter &parameter, float gradientScale)
{
    runtime::updateFromSums(parameter, m_optimizer, m_plan.experiment.training.optimizer, gradientScale, m_compute,
                            m_scratch.data());
    m_compute.finish();
}

void DeviceModel::update(Parameter &parameter, float gradientScale)
{
    if (m_watch && !parameter.isCopy)
        m_watch(parameter, m_compute);
    if (parameter.previous.size() > 0) // the next step computes with the weights that are newest now
        m_compute.copy(parameter.numbers(&Parameter::previous), parameter.weights(), parameter.count());
    m_host.run(parameter, [&](Parameter &each, backend::Compute &compute) {
        updateParameter(each, m_optimizer, m_plan.experiment.training.optimizer, gradientScale, compute, m_scratch.data());
    });
}

} // namespace stagelens::runtime
