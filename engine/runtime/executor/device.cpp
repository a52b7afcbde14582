#include "engine/runtime/executor/device.h"

#include "engine/model/partition.h"
#include "engine/runtime/architectures/architecture.h"
#include "engine/runtime/executor/lowering.h"
#include "engine/runtime/state/optimizer.h"

#include <algorithm>
#include <numeric>

namespace stagelens::runtime {

RunPlan::RunPlan(const model::Experiment &resolved, const schedule::Schedule &order)
    : experiment(resolved), schedule(lowered(order)), joinsOutputPasses(model::traits(order.vocabulary()).joinsSAndT),
      shape(resolved), parameters(parameterList(resolved.model)), stageLayers(model::stageLayers(resolved))
{}

Device::Device(const RunPlan &plan, int rank, DeviceMemory &memory, backend::Transport &transport, backend::Compute &compute)
    : m_plan(plan), m_rank(rank), m_memory(memory), m_transport(transport),
      m_workspace(memory.pool(), plan.shape, plan.recomputes(), compute), m_context{plan.shape, memory, m_workspace, compute}
{
    makeStages();
    makeVocabularyParameters();
    std::stable_sort(m_parameters.begin(), m_parameters.end(),
                     [](const auto &a, const auto &b) { return a->index < b->index; });
}

Parameter &Device::own(int index, std::int64_t firstRow, std::int64_t rows)
{
    m_parameters.push_back(std::make_unique<Parameter>(
        makeParameter(m_memory.pool(), m_plan.parameters, index, m_plan.experiment.training.seed, firstRow, rows, compute())));
    Parameter &parameter = *m_parameters.back();
    if (m_plan.schedule.weightUpdate() == schedule::WeightUpdate::DoubleBuffered) {
        parameter.previous = takeVersion(m_memory.pool(), parameter);
        compute().copy(parameter.numbers(&Parameter::previous), parameter.weights(), parameter.count());
    }
    return parameter;
}

Parameter &Device::ownWhole(int index, int stage)
{
    Parameter &parameter = own(index, 0, m_plan.parameters[size(index)].rows);
    parameter.isCopy = m_rank != m_plan.schedule.placement().deviceOf(stage);
    parameter.stage = stage;
    if (m_plan.isStashed(index))
        m_stashes[stage].add(parameter);
    return parameter;
}

void Device::makeVocabularyParameters()
{
    const model::ModelConfig &model = m_plan.experiment.model;
    const int last = m_plan.schedule.placement().lastStage();
    const bool isFirst = m_stages.contains(0);
    const bool isLastDevice = m_stages.contains(last);
    const auto shard = [&](int index, int stage) -> Parameter & {
        if (!m_plan.isSharded())
            return ownWhole(index, stage);
        const auto [begin, end] = model::vocabularyShard(model.vocabularySize, m_plan.schedule.devices(), m_rank);
        return own(index, begin, end - begin);
    };
    if (m_plan.isSharded() || isFirst)
        m_table = &shard(kTokenTable, 0);
    const Anatomy anatomy = m_plan.shape.architecture->anatomy();
    if (isFirst && anatomy.hasPositionTable)
        m_positions = &ownWhole(kPositionTable, 0);
    if (isLastDevice) {
        const int weight = m_plan.shape.architecture->firstOfLayer(model.layers);
        m_finalNorm.weight = &ownWhole(weight, last);
        if (anatomy.normsHaveBias)
            m_finalNorm.bias = &ownWhole(weight + 1, last);
    }
    if (!m_plan.isSharded() && !isLastDevice)
        return;
    if (!model.tied || m_table == nullptr) {
        m_output.emplace(shard(m_plan.outputWeight(), model.tied ? 0 : last));
        return;
    }
    m_table->outputGradient = m_memory.pool().take(size(m_table->count()), category(simulate::MemoryCategory::Gradients));
    compute().zero(m_table->outputGradient.data(), m_table->count());
    m_output.emplace(*m_table);
}

void Device::makeStages()
{
    for (const int stage : m_plan.schedule.placement().stagesOf(m_rank)) {
        if (m_stages.contains(stage))
            continue;
        const auto place = m_plan.stageLayers.begin() + stage;
        const int first = std::accumulate(m_plan.stageLayers.begin(), place, 0);
        const Architecture &architecture = *m_plan.shape.architecture;
        Layers layers;
        for (int layer = first; layer < first + *place; ++layer) {
            std::vector<Parameter *> parameters;
            for (int next = architecture.firstOfLayer(layer); next < architecture.firstOfLayer(layer + 1); ++next)
                parameters.push_back(&ownWhole(next, stage));
            layers.push_back(architecture.makeLayer(parameters));
        }
        // The backward of attention makes its matrix again in any case: selective recomputation has nothing more to do.
        m_stages.emplace(stage, Stage(stage, std::move(layers), m_plan.recomputes()));
    }
}

Parameter *Device::find(int index) const
{
    const auto found =
        std::find_if(m_parameters.begin(), m_parameters.end(), [index](const auto &each) { return each->index == index; });
    return found == m_parameters.end() ? nullptr : found->get();
}

void Device::beginStep(const Batch &batch, int step, StepUse use)
{
    compute().beginStep();
    m_passBegins.clear();
    m_held.clear();
    m_inputs = compute().tokens(batch.allInputs());
    m_labels = compute().tokens(batch.allLabels());
    m_countedTokens = batch.countedTokens();
    m_step = step;
    m_use = use;
    for (auto &[index, stash] : m_stashes)
        stash.clear();
    m_memory.begin(use == StepUse::Evaluation ? DeviceMemory::Order::Free : DeviceMemory::Order::Planned);
    m_hasStatistics.assign(size(m_plan.shape.microbatches), false);
    m_losses.assign(size(m_plan.shape.microbatches), 0.0);
    m_memory.pool().meter().restartPeak();
}

void Device::correctTimes(timeline::Lane &lane, base::Nanos zero)
{
    const backend::ClockFit fit = compute().endStep();
    m_clockError = fit.uncertainty;
    for (std::vector<base::Nanos> *times : {&lane.begin, &lane.end})
        for (base::Nanos &time : *times)
            time = fit.corrected(time + zero) - zero;
    for (std::size_t i = 0; i < lane.vocabulary.size(); ++i)
        lane.vocabulary[i] = std::min(lane.vocabulary[i], lane.end[i] - lane.begin[i]);
}

double Device::lossSum() const
{
    return std::accumulate(m_losses.begin(), m_losses.end(), 0.0);
}

void Device::swapWeights(const schedule::Pass &pass)
{
    if (const auto stash = m_stashes.find(pass.stage); stash != m_stashes.end())
        return stash->second.swap(pass.microbatch);
    for (const auto &parameter : m_parameters)
        if (parameter->previous.size() > 0)
            std::swap(parameter->read(), parameter->previous);
}

void Device::updateStage(const schedule::Pass &pass)
{
    const auto stash = m_stashes.find(pass.stage);
    if (stash == m_stashes.end())
        return;
    compute().finish(); // kernels may still read the weights that go back
    stash->second.release(pass.microbatch);
    if (m_use != StepUse::Training)
        return;
    stash->second.keepNewest(m_memory.pool(), compute());
    // Each microbatch is a batch of its own: the mean is over its tokens alone.
    for (Parameter *parameter : stash->second.parameters())
        update(*parameter, static_cast<float>(m_plan.schedule.microbatches()));
}

void Device::optimize(float gradientScale)
{
    for (const auto &parameter : m_parameters)
        if (!m_plan.isStashed(parameter->index))
            update(*parameter, gradientScale);
    compute().finish();
}

void Device::update(Parameter &parameter, float gradientScale)
{
    if (m_watch && !parameter.isCopy)
        m_watch(parameter, compute());
    if (parameter.previous.size() > 0) // what is newest now, the next step computes with
        compute().copy(parameter.numbers(&Parameter::previous), parameter.weights(), parameter.count());
    kernels::AdamW settings = adamwSettings(m_plan.experiment.training.optimizer, parameter.updates++);
    settings.gradientScale = gradientScale;
    compute().adamwStep(parameter.value.data(), parameter.numbers(&Parameter::rounded), parameter.gradient.data(),
                        parameter.firstMoment.data(), parameter.secondMoment.data(), settings, parameter.count());
}

} // namespace stagelens::runtime
