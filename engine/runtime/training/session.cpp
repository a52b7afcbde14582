#include "engine/runtime/training/session.h"

#include "engine/runtime/executor/evaluation.h"
#include "engine/runtime/executor/kernel_recorder.h"
#include "engine/runtime/executor/message_order.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/machine/processor.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/processes/nccl.h"
#include "engine/runtime/state/optimizer.h"
#include "engine/runtime/training/run_check.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/steps/iterations.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace stagelens::runtime {
namespace {

/// Progress reports per step, in addition to that at its end.
constexpr std::size_t kReportsPerStep = 64;

/// Returns the GPU of each rank, as checkRun() expects it; none on processors.
base::Result<std::vector<int>> gpusOf(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                      const TransportOptions &transport, const std::stop_token &stop)
{
    if (transport.isOverNccl)
        return ncclPlaces(experiment, transport.processes, stop);
    if (experiment.training.backend == "cpu")
        return std::vector<int>();
    if (transport.processes)
        return base::Error::invalid(
            "training.backend",
            fmt::format(
                "mpi carries the tensors of processors, but the backend is {}; choose --transport nccl, or --backend cpu",
                experiment.training.backend));
    const auto mesh = layout::meshOf(experiment.parallel, schedule.devices());
    return mesh ? gpuOfRank(gpus().gpus, mesh->ranks()) : std::vector<int>(); // checkRun() refuses other meshes
}

void add(std::vector<double> &sums, const std::vector<double> &losses)
{
    std::ranges::transform(sums, losses, sums.begin(), std::plus<>());
}

/// Makes the sums of the losses of each step means over its tokens.
void divide(StepReport &report, double tokens)
{
    for (double &loss : report.losses)
        loss /= tokens;
    report.loss = report.losses.back();
}

/// Makes `peak`, of ranks of a device, that of the fuller one. Which is fuller does not depend on messages, nor on their
/// timing.
void keepFullest(simulate::MemoryByCategory &peak, const simulate::MemoryByCategory &other)
{
    const auto planned = [](const simulate::MemoryByCategory &bytes) {
        return std::accumulate(bytes.begin(), bytes.end(), -bytes[backend::kMessages]);
    };
    const base::Bytes messages = std::max(peak[backend::kMessages], other[backend::kMessages]);
    if (planned(other) > planned(peak))
        peak = other;
    peak[backend::kMessages] = messages;
}

bool areFinite(const std::vector<double> &losses)
{
    return std::ranges::all_of(losses, [](double loss) { return std::isfinite(loss); });
}

} // namespace

Session::Session(const model::Experiment &experiment, const schedule::Schedule &schedule, std::stop_token stop,
                 const TransportOptions &transport)
    : m_plan(experiment, schedule), m_link(std::move(stop), [halt = m_halt]() mutable { halt.request_stop(); }),
      m_broken(transport.processes ? transport.processes->broken() : std::stop_token(),
               [halt = m_halt]() mutable { halt.request_stop(); }),
      m_control(transport.processes, m_plan.mesh.ranks(), m_halted), m_isOverNccl(transport.isOverNccl), m_batch(m_plan.shape),
      m_devices(m_plan, m_control, m_isOverNccl, m_halt)
{}

base::Result<std::unique_ptr<Session>> Session::open(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                     std::stop_token stop, const TransportOptions &transport)
{
    auto places = gpusOf(experiment, schedule, transport, stop);
    if (!places)
        return places.error();
    if (auto sound = checkRun(experiment, schedule, *places, transport.isOverNccl); !sound)
        return sound.error();
    auto tokens = openTokens(experiment, stop);
    if (!tokens)
        return tokens.error();
    std::unique_ptr<Session> session(new Session(experiment, schedule, std::move(stop), transport));
    session->m_tokens = std::move(tokens).value();
    session->m_batch.load(*session->m_tokens, 0);
    if (auto same = session->m_control.checkSameInputs(session->m_plan, session->m_batch); !same)
        return same.error();
    const auto passes = [session = session.get()] { return session->m_passesEver.load(); };
    if (auto made = session->m_devices.make(*std::move(places), session->isLive(), passes); !made)
        return session->reasonOf(made.error());
    if (transport.isOverNccl)
        session->m_messages = messageOrder(session->m_plan);
    return session;
}

base::Error Session::reasonOf(base::Error error) const
{
    const backend::Transport *transport = m_devices.transport();
    const std::string problem = transport != nullptr ? transport->problem() : std::string();
    if (error.kind == base::ErrorKind::Cancelled && !problem.empty())
        error = base::Error::failed(problem);
    // The loss of a process explains more than the failure of its messages.
    if (error.kind == base::ErrorKind::Failed && m_isOverNccl && m_control.group())
        return m_control.group()->failure().value_or(std::move(error));
    return error;
}

/// Call after a step.
void Session::noteFacts()
{
    base::Nanos error = 0;
    for (const auto &device : m_devices.all())
        error = std::max(error, device->clockError());
    if (error > m_clockError) {
        m_clockError = error;
        m_facts["clocks"] = fmt::format("aligned within {:.1f} us", static_cast<double>(error) / 1000);
    }
    if (std::string text = m_devices.takeGpuMemoryText(); !text.empty())
        m_facts["gpu memory"] = std::move(text);
}

/// Adds the choices of a step to the record, and returns them by layer of the model; null without experts.
timeline::RouterStepPtr Session::noteExperts(int index, const std::vector<DeviceOutcome> &outcomes)
{
    if (!m_plan.experiment.model.hasExperts())
        return nullptr;
    timeline::RouterStep step{index, std::vector<RouterCounts>(size(m_plan.experiment.model.layers))};
    for (const DeviceOutcome &outcome : outcomes)
        for (const auto &[place, counts] : outcome.routers) {
            const auto stage = m_plan.stageLayers.begin() + place.first;
            step.layers[size(std::accumulate(m_plan.stageLayers.begin(), stage, place.second))].add(counts);
        }
    m_experts.add(step.layers);
    const std::vector<std::string> texts = m_experts.texts(m_plan.experiment.model.capacityFactor.has_value());
    for (std::size_t layer = 0; layer < texts.size(); ++layer) {
        if (texts[layer].empty()) // no experts
            continue;
        const std::string number = std::to_string(layer);
        m_facts[fmt::format("experts of layer {}{}", std::string(number.size() < 2 ? 1 : 0, '0'), number)] = texts[layer];
    }
    return std::make_shared<const timeline::RouterStep>(std::move(step));
}

std::vector<std::vector<base::Nanos>> Session::passBegins() const
{
    std::vector<std::vector<base::Nanos>> begins;
    for (const auto &device : m_devices.all())
        begins.push_back(device->passBegins());
    return begins;
}

void Session::countPass(int index, const TrainingObserver &observer)
{
    const std::scoped_lock lock(m_progress);
    ++m_passesDone;
    ++m_passesEver;
    m_control.reportProgress(index, m_passesDone);
    if (observer.onProgress &&
        (m_passesDone == m_devices.passCount() || m_passesDone % (m_devices.passCount() / kReportsPerStep + 1) == 0))
        observer.onProgress({index, m_plan.experiment.training.steps, m_passesDone, m_devices.passCount()});
}

StepHooks Session::hooksOf(int index, bool optimize, const TrainingObserver &observer,
                           const std::function<base::Result<>()> &inspect)
{
    const model::OptimizerChoice &choice = m_plan.experiment.training.optimizer;
    StepHooks hooks;
    hooks.afterPass = [this, index, &observer] { countPass(index, observer); };
    m_clipFactors.assign(m_plan.experiment.parallel.averagesWeights() ? size(m_plan.replicas()) : 1, 1.0F);
    const auto work = [this](timeline::AnchoredKind kind) {
        // A skipped step leaves the residuals of compression as they are.
        const bool isOmitted = kind == timeline::AnchoredKind::ReduceGradients && m_plan.experiment.training.compression.isOn();
        return TailWork{.together = {},
                        .onDevice =
                            [this, kind, isOmitted](Device &device, int round) {
                                return isOmitted && m_isSkipped ? base::Result<>() : device.runAnchored(kind, round);
                            },
                        .anchored = kind};
    };
    const auto exchange = [&](timeline::AnchoredKind kind) { hooks.tail.push_back(work(kind)); };
    const model::ParallelPlan &parallel = m_plan.experiment.parallel;
    if (parallel.gathersFirst())
        hooks.head.push_back(work(timeline::AnchoredKind::GatherParameters));
    if (m_plan.sumsCopies())
        hooks.tail.push_back({.together = [this] { return m_devices.sumCopies(); }, .onDevice = {}});
    if (m_plan.tensorRanks() > 1)
        exchange(timeline::AnchoredKind::SumReplicated);
    m_isSkipped = false;
    if (m_scaler.isOn())
        hooks.tail.push_back({.together = [this] { return settleGradients(); }, .onDevice = {}});
    if (parallel.reducesAtStepEnd())
        exchange(timeline::AnchoredKind::ReduceGradients);
    if (inspect || (optimize && choice.clip)) {
        const auto before = [this, optimize, &choice, &inspect]() -> base::Result<> {
            if (optimize && choice.clip) {
                const auto norms = m_control.gradientNorms(m_plan, m_devices.all());
                if (!norms)
                    return norms.error();
                for (std::size_t i = 0; i < norms->size(); ++i)
                    m_clipFactors[i] = clipFactor((*norms)[i], *choice.clip);
            }
            return inspect ? inspect() : base::Result<>();
        };
        hooks.tail.push_back({.together = before, .onDevice = {}});
    }
    if (!optimize)
        return hooks;
    const auto update = [this](Device &device, int round) -> base::Result<> {
        if (m_isSkipped)
            return {};
        const int own = m_clipFactors.size() > 1 ? device.place().replica : 0;
        return device.optimize(m_clipFactors[size(own)], round);
    };
    hooks.tail.push_back({.together = {}, .onDevice = update, .rounds = TableSums::rounds(m_plan)});
    if (m_plan.gradientRanks() > 1 && (parallel.zero == 1 || parallel.zero == 2))
        exchange(timeline::AnchoredKind::GatherParameters);
    if (parallel.averagesAfter(index))
        exchange(timeline::AnchoredKind::AverageParameters);
    return hooks;
}

base::Result<> Session::settleGradients()
{
    const Devices &devices = m_devices.all();
    const bool overflows = !std::ranges::all_of(devices, [](const auto &device) { return device->hasFiniteGradients(); });
    const auto any = m_control.isAny(overflows);
    if (!any)
        return any.error();
    m_isSkipped = *any;
    for (const auto &device : devices)
        if (m_isSkipped)
            device->discardGradients();
        else
            device->scaleGradients(1 / m_scaler.factor());
    return {};
}

bool Session::isLive() const
{
    return !m_control.isAlone() || m_isOverNccl || model::runMode(m_plan.experiment, coreCount()) == model::RunMode::Live;
}

base::Result<timeline::Timeline> Session::runPasses(const StepHooks &hooks, ControlChannel::Clock::time_point begin)
{
    auto times = isLive() ? runLive(m_plan, m_devices.all(), hooks, m_halt, begin)
                          : runVirtualClock(m_plan, m_devices.all(), hooks, m_halted);
    if (times && m_halted.stop_requested())
        return base::Error::cancelled();
    return times;
}

base::Result<StepReport> Session::step(int index, bool optimize, const TrainingObserver &observer,
                                       const std::function<base::Result<>()> &inspect)
{
    auto report = runStep(index, optimize, observer, inspect);
    return report ? std::move(report) : reasonOf(report.error());
}

base::Result<StepReport> Session::runStep(int index, bool optimize, const TrainingObserver &observer,
                                          const std::function<base::Result<>()> &inspect)
{
    m_batch.load(*m_tokens, index);
    m_passesDone = 0;
    for (const auto &device : m_devices.all())
        device->beginStep(m_batch, index, optimize ? StepUse::Training : StepUse::Gradients, m_scaler.factor());
    const StepHooks hooks = hooksOf(index, optimize, observer, inspect);
    if (auto ready = m_control.barrier(); !ready)
        return ready.error();
    for (const auto &device : m_devices.all())
        device->transport().announce(device->place().device, m_messages);
    const int last = index + m_plan.schedule.iterations() - 1;
    const bool records = index <= m_recordedStep && m_recordedStep <= last && m_control.isAlone();
    if (const std::string problem = records ? startKernelRecording() : std::string(); !problem.empty())
        m_facts["kernels"] = "not recorded: " + problem;
    const auto begin = ControlChannel::Clock::now();
    auto times = runPasses(hooks, begin);
    timeline::KernelTracePtr kernels;
    if (records)
        kernels = std::make_shared<const timeline::KernelTrace>(
            stopKernelRecording(times ? *times : timeline::Timeline(), passBegins()));
    if (!times)
        return times.error();
    for (const auto &device : m_devices.all())
        device->endStep();
    noteFacts();
    std::vector<DeviceOutcome> outcomes;
    const Devices &devices = m_devices.all();
    for (std::size_t i = 0; i < devices.size(); ++i)
        outcomes.push_back({devices[i]->lossSums(), devices[i]->meter().atPeak(), devices[i]->peakHost(),
                            std::move(times->lanes[i]), devices[i]->routerCounts(), devices[i]->operatorTimes()});
    if (auto gathered = m_control.gatherOutcomes(outcomes, begin); !gathered)
        return gathered.error();

    StepReport report;
    report.step = last;
    report.losses.resize(size(m_plan.shape.iterations));
    report.isSkipped = m_isSkipped;
    if (m_scaler.isOn()) {
        report.lossScale = m_scaler.state().factor;
        if (optimize)
            if (auto noted = m_scaler.note(index, m_isSkipped); !noted)
                return noted.error();
        m_facts["loss scale"] = m_scaler.text(index + 1);
    }
    report.routers = noteExperts(index, outcomes);
    times->lanes.assign(size(m_plan.schedule.devices()), {});
    report.peakMemory.resize(times->lanes.size());
    if (simulate::usesHost(m_plan.experiment, m_plan.schedule))
        report.peakHost.resize(times->lanes.size());
    timeline::OperatorTimes operators;
    for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
        DeviceOutcome &outcome = outcomes[rank];
        const RankPlace place =
            m_control.isFirst() && !m_control.isAlone() ? m_plan.placeOf(static_cast<int>(rank)) : devices[rank]->place();
        if (m_plan.hasOwnLosses(place))
            add(report.losses, outcome.losses);
        keepFullest(report.peakMemory[size(place.device)], outcome.peakMemory);
        if (simulate::usesHost(m_plan.experiment, m_plan.schedule))
            report.peakHost[size(place.device)] = std::max(report.peakHost[size(place.device)], outcome.peakHost);
        if (isOfFirstRail(place, 0)) {
            times->lanes[size(place.device)] = std::move(outcome.lane);
            std::ranges::move(outcome.operators, std::back_inserter(operators));
        }
    }
    std::ranges::stable_sort(operators, {}, &timeline::PassOperators::device);
    if (!operators.empty())
        report.operators = std::make_shared<const timeline::OperatorTimes>(std::move(operators));
    divide(report, static_cast<double>(m_plan.shape.stepMicrobatches() * m_plan.shape.labels));
    if (m_plan.joinsOutputPasses)
        joinOutputPasses(*times);
    for (int device = 0; device < m_plan.schedule.devices(); ++device)
        times->stages.push_back(m_plan.schedule.placement().stagesOf(device));
    times->slices = m_plan.schedule.slices();
    simulate::noteIterations(*times, m_plan.schedule);
    report.iteration = times->iteration();
    report.facts = m_facts;
    if (kernels && !kernels->slices.empty())
        report.operators = std::make_shared<const timeline::OperatorTimes>(timeline::operatorsOf(*kernels, *times));
    report.kernels = std::move(kernels);
    report.timeline = std::make_shared<const timeline::Timeline>(std::move(times).value());
    return report;
}

/// The devices run a round in turn: what a round receives was sent in the rounds before it.
base::Result<> Session::gatherParameters()
{
    constexpr auto kGather = timeline::AnchoredKind::GatherParameters;
    bool isEnd = m_plan.experiment.parallel.zero < 3;
    for (int round = 0; !isEnd; ++round) {
        isEnd = true;
        for (const auto &device : m_devices.all()) {
            if (round >= device->rounds(kGather))
                continue;
            isEnd = false;
            if (auto done = device->runAnchored(kGather, round); !done)
                return done;
        }
    }
    return {};
}

base::Result<std::optional<double>> Session::evaluate(int steps)
{
    if (m_tokens->heldBackSequences() > 0)
        if (auto gathered = gatherParameters(); !gathered)
            return reasonOf(gathered.error());
    std::vector<Device *> first; // one replica is enough, with those that have other experts
    for (const auto &device : m_devices.all())
        if (device->place().replica < m_plan.replicasPerExpertGroup())
            first.push_back(device.get());
    auto loss = evaluateHeldBack(m_plan, first, *m_tokens, steps, m_halted);
    for (const auto &device : m_devices.all())
        device->beginStep(m_batch, steps, StepUse::Evaluation); // drops what the evaluation stored
    for (const auto &device : m_devices.all())
        device->endStep();
    if (!loss)
        return reasonOf(loss.error());
    if (!*loss)
        return loss;
    const auto sum = m_control.sumOnFirst(**loss); // 0 on devices without the last stage
    const auto labels = static_cast<double>(m_tokens->heldBackSequences() * m_plan.experiment.model.labelsOfSequence());
    return sum ? base::Result<std::optional<double>>(*sum / labels) : sum.error();
}

void Session::watchUpdates(const std::function<void(const Parameter &, backend::Compute &)> &watch)
{
    for (const auto &device : m_devices.all())
        device->watchUpdates(watch);
}

bool Session::isLossFinite() const
{
    return std::ranges::all_of(m_devices.all(), [](const auto &device) { return areFinite(device->lossSums()); });
}

} // namespace stagelens::runtime
