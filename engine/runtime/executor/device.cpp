#include "engine/runtime/executor/device.h"

#include "engine/runtime/executor/kernel_recorder.h"
#include "engine/schedule/weight_versions.h"
#include "engine/simulate/buffers.h"
#include "engine/simulate/costs/expert_dispatch.h"
#include "engine/simulate/costs/replica_costs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <new>
#include <numeric>

namespace stagelens::runtime {

namespace {

/// Returns whether a rank routes tokens that no lower tensor rank routes.
bool routes(const RunPlan &plan, const RankPlace &place)
{
    return place.tensor == 0 || plan.shape.split.foldsExperts();
}

} // namespace

Device::Device(const RunPlan &plan, const RankPlace &place, DeviceMemory &memory, const Transports &transports,
               backend::Compute &compute)
    : m_plan(plan), m_place(place), m_shape(plan.shape),
      m_workspace(memory.pool(), m_shape, place.context, simulate::rebuiltFloats(plan.experiment, plan.schedule, place.device),
                  compute),
      m_record(compute), m_host(memory.plan(), compute.linkedMemory()), m_weights(plan, place.device, memory.pool(), compute),
      m_context{m_shape,       memory,
                m_workspace,   compute,
                place.context, routes(plan, place) ? &m_record : nullptr,
                &m_operators,  plan.experiment.schedule.offloadParameters ? &m_weights : nullptr},
      m_model(plan, place, memory.pool(), m_host.pool(), compute), m_messages(plan, place, m_context, m_step, transports.rail),
      m_hostCopies(plan, place.device, memory, compute), m_runner(plan, place, m_context, m_model, m_step),
      m_replicas(plan, place.share, m_context, m_model, transports.shares, transports.copies),
      m_compressed(plan, place.share, m_context, m_model, transports.shares),
      m_unitUse(plan.experiment.parallel, plan.schedule.vocabulary()),
      m_exchangesInPasses(parallel().reducesEagerly() &&
                          m_replicas.rounds(timeline::AnchoredKind::ReduceGradients, ReplicaExchange::When::InPass) > 0),
      m_collectives(place, m_context, m_model, transports.tensor, plan.experiment.parallel.reducesEagerly()),
      m_keys(m_context, transports.context), m_heads(m_context, transports.context),
      m_choices(m_context, place.router, transports.routers), m_drops(m_context, place.router, transports.routers),
      m_experts(m_context, place.expert, transports.expert, simulate::forwardingNodes(plan.experiment, plan.mesh, place.rank)),
      m_tokens(plan.shape, place), m_tableSums(plan, place, m_context, m_model, transports.all)
{}

void Device::beginStep(const Batch &batch, int step, StepUse use, float lossScale)
{
    m_shape.lossScale = lossScale;
    compute().beginStep();
    m_passBegins.clear();
    m_record.clear();
    m_operators.clear();
    m_runner.beginStep();
    m_step.index = step;
    m_step.use = use;
    m_compressed.beginStep(step);
    m_tokens.load(batch, m_place.replica, m_plan.replicas(), compute(), m_step);
    m_step.losses.assign(size(m_plan.shape.units()), 0.0);
    m_model.clearVersions();
    if (use != StepUse::Evaluation && !parallel().reducesEagerly())
        m_model.restoreGradients();
    m_weights.beginStep();
    m_hostCopies.beginStep(); // before its memory is used again
    m_context.memory.begin(use == StepUse::Evaluation ? DeviceMemory::Order::Free : DeviceMemory::Order::Planned);
    m_messages.beginStep();
    m_context.memory.pool().meter().restartPeak();
}

bool Device::receive(PassRun &run)
{
    m_shape.choose(run.pass().microbatch);
    return m_messages.receive(run);
}

base::Result<> Device::compute(PassRun &run)
{
    const schedule::Pass &pass = run.pass();
    const bool hasOneVersion = m_plan.schedule.isSynchronous() || m_step.use == StepUse::Evaluation;
    const auto place = [&] {
        return fmt::format("device {} in {}, pass {}", m_place.device, m_step.text(m_plan), schedule::text(pass));
    };
    try {
        beginCompute(run);
        base::Result<> made = hasOneVersion ? launch(run) : runWithVersion(run);
        while (made && run.exchange()) {
            const int count = rounds(run.exchange()->kind);
            for (int round = 0; made && round < count; ++round)
                made = exchange(run, round);
            if (made)
                made = launch(run);
        }
        endCompute(run);
        return made;
    } catch (const std::bad_alloc &) {
        return base::Error::failed(place() + " ran out of memory; lower model.hidden, model.sequence or "
                                             "parallel.microbatch_size");
    } catch (const std::exception &error) {
        return base::Error::failed(place() + " stopped: " + error.what());
    }
}

void Device::beginCompute(PassRun &run)
{
    const schedule::Pass &pass = run.pass();
    m_shape.choose(pass.microbatch);
    compute().beginPass(
        {schedule::name(pass.kind), pass.stage, pass.microbatch, kernelOwner(m_place.device, m_passBegins.size())});
    m_begin = compute().mark();
    m_launched = 0;
    m_launchProcessor.reset();
    if (m_exchangesInPasses && m_unitUse.addsGradients(pass.kind))
        m_model.restoreGradients();
    m_runner.begin(run);
    if (compute().processorTime()) // kernels end before their calls return
        m_operators.begin(pass);
}

base::Result<> Device::launch(PassRun &run)
{
    if (run.isComputed() || run.beginsGather())
        return {};
    const auto begin = std::chrono::steady_clock::now();
    const std::optional<base::Nanos> processor = compute().processorTime();
    auto done = m_runner.run(run);
    if (processor) {
        m_launchProcessor = m_launchProcessor.value_or(0) + *compute().processorTime() - *processor;
        m_launched += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
    }
    if (done && !run.exchange()) {
        run.noteComputed();
        (void)run.beginsReduction();
    }
    return done;
}

base::Result<> Device::exchange(PassRun &run, int round)
{
    const TensorExchange exchange = *run.exchange();
    if (round + 1 == rounds(exchange.kind))
        run.exchange().reset();
    if (isOverReplicas(exchange.kind))
        return m_replicas.run(anchoredKind(exchange.kind), ReplicaExchange::When::InPass, round);
    if (isOverExperts(exchange.kind))
        return m_experts.run(exchange, round);
    if (exchange.kind == TensorExchange::Kind::SumChoices)
        return m_choices.run(exchange, round);
    if (exchange.kind == TensorExchange::Kind::DropRows)
        return m_drops.run(exchange, round);
    if (!isOverContext(exchange.kind))
        return m_collectives.run(exchange, round);
    return isOfHeads(exchange.kind) ? m_heads.run(exchange, round) : m_keys.run(exchange, round);
}

void Device::endCompute(const PassRun &run)
{
    if (m_unitUse.drops(run.pass().kind))
        m_model.dropValues();
    m_operators.end();
    const auto end = compute().mark();
    compute().endPass();
    m_runner.finish();
    m_passBegins.push_back(compute().timeOf(m_begin));
    m_lastPass = {compute().timeOf(m_begin), compute().timeOf(end), std::nullopt};
    if (m_launchProcessor) // for every pass, however short
        m_lastPass.processorShare =
            std::min(1.0, static_cast<double>(*m_launchProcessor) / static_cast<double>(std::max<base::Nanos>(1, m_launched)));
    m_vocabularyTime = m_runner.vocabularyTime();
    m_context.memory.leave();
}

void Device::Span::noteProcessor(timeline::Lane &lane, base::Nanos duration) const
{
    if (processorShare)
        lane.processor.push_back(std::llround(*processorShare * static_cast<double>(duration)));
}

void Device::beginNewest(PassRun &run)
{
    m_shape.choose(run.pass().microbatch);
    m_runner.begin(run);
}

void Device::endNewest()
{
    m_runner.finish();
}

base::Result<> Device::runWithVersion(PassRun &run)
{
    const schedule::Pass &pass = run.pass();
    if (pass.kind == schedule::PassKind::F)
        m_model.keepVersion(pass);
    m_model.swapWeights(pass);
    auto made = launch(run);
    m_model.swapWeights(pass);
    if (made && schedule::endsBackward(pass.kind))
        m_model.endMicrobatch(pass, m_step.use == StepUse::Training);
    return made;
}

base::Result<> Device::endForward(int microbatch)
{
    if (!m_plan.tables.areDivided()) // F has computed the loss
        return {};
    m_shape.choose(microbatch);
    if (!m_messages.receiveWithoutBackward(microbatch))
        return base::Error::cancelled();
    if (m_place.device != m_plan.lastDevice(microbatch))
        return {};
    return m_runner.recordLoss(
        microbatch,
        {m_context.memory.at(schedule::PassValue::GlobalStatistics, simulate::kVocabularyStage, microbatch),
         m_shape.statisticRows()},
        nullptr);
}

void Device::correctTimes(timeline::Lane &lane, base::Nanos zero)
{
    const backend::ClockFit fit = compute().endStep();
    m_clockError = fit.uncertainty;
    for (std::vector<base::Nanos> *times : {&lane.begin, &lane.end})
        for (base::Nanos &time : *times)
            time = fit.corrected(time + zero) - zero;
    for (timeline::AnchoredSlice &slice : lane.anchored)
        if (m_hostCopies.areTimedByDevice() && timeline::isCopy(slice.kind))
            for (base::Nanos *time : {&slice.begin, &slice.end})
                *time = fit.corrected(*time + zero) - zero;
    for (std::size_t i = 0; i < lane.vocabulary.size(); ++i)
        lane.vocabulary[i] = std::min(lane.vocabulary[i], lane.end[i] - lane.begin[i]);
}

std::vector<double> Device::lossSums() const
{
    std::vector<double> sums;
    const std::ptrdiff_t ofStep = m_plan.shape.stepUnits();
    for (auto at = m_step.losses.begin(); at != m_step.losses.end(); at += ofStep)
        sums.push_back(std::accumulate(at, at + ofStep, 0.0));
    return sums;
}

int Device::rounds(timeline::AnchoredKind kind) const
{
    if (isCompressed(kind))
        return m_compressed.rounds();
    return kind == timeline::AnchoredKind::SumReplicated ? m_collectives.sumRounds()
                                                         : m_replicas.rounds(kind, ReplicaExchange::When::StepEnd);
}

base::Result<> Device::runAnchored(timeline::AnchoredKind kind, int round)
{
    using timeline::AnchoredKind;
    if (kind == AnchoredKind::SumReplicated)
        return m_collectives.runSum(round);
    if (isCompressed(kind))
        return m_compressed.run(round);
    return m_replicas.run(kind, ReplicaExchange::When::StepEnd, round);
}

base::Bytes Device::bytesSent(timeline::AnchoredKind kind) const
{
    if (isCompressed(kind))
        return m_compressed.bytesSent();
    return kind == timeline::AnchoredKind::SumReplicated ? m_collectives.sumBytes() : m_replicas.bytesSent(kind);
}

base::Result<> Device::optimize(float gradientScale, int round)
{
    if (round > 0)
        return m_tableSums.update(gradientScale);
    m_tableSums.send(gradientScale); // first, so that others wait less
    m_model.optimize(gradientScale);
    compute().finish();
    return {};
}

} // namespace stagelens::runtime
