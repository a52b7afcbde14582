#include "engine/runtime/session.h"

#include "engine/base/text.h"
#include "engine/runtime/evaluation.h"
#include "engine/runtime/executor/kernel_recorder.h"
#include "engine/runtime/executor/lowering.h"
#include "engine/runtime/executor/message_order.h"
#include "engine/runtime/machine.h"
#include "engine/runtime/run_check.h"
#include "engine/runtime/state/optimizer.h"
#include "engine/runtime/worker/accelerators.h"
#include "engine/runtime/worker/nccl.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace stagelens::runtime {
namespace {

/// Progress reports per step, in addition to that at its end.
constexpr std::size_t kReportsPerStep = 64;

int coreCount()
{
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void finishQuietly(backend::Compute &compute) noexcept
{
    try {
        compute.finish();
    } catch (const std::exception &) {
        return; // the run has already reported its error
    }
}

} // namespace

Session::Session(const model::Experiment &experiment, const schedule::Schedule &schedule, std::stop_token stop,
                 const TransportOptions &transport)
    : m_plan(experiment, schedule), m_link(std::move(stop), [halt = m_halt]() mutable { halt.request_stop(); }),
      m_broken(transport.processes ? transport.processes->broken() : std::stop_token(),
               [halt = m_halt]() mutable { halt.request_stop(); }),
      m_control(transport.processes, schedule.devices(), m_halted), m_isOverNccl(transport.isOverNccl), m_batch(m_plan.shape)
{}

base::Result<std::unique_ptr<Session>> Session::open(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                     std::stop_token stop, const TransportOptions &transport)
{
    std::vector<int> places;
    if (transport.isOverNccl) {
        auto found = ncclPlaces(experiment, transport.processes);
        if (!found)
            return found.error();
        places = std::move(found).value();
    } else if (transport.processes && experiment.training.backend != "cpu") {
        return base::Error::invalid("training.backend",
                                    base::concat("mpi carries the tensors of processors, but the backend is ",
                                                 experiment.training.backend, "; choose --transport nccl, or --backend cpu"));
    } else if (experiment.training.backend != "cpu") {
        places = gpuOfDevice(gpus().gpus, schedule.devices());
    }
    if (auto sound = checkRun(experiment, schedule, places); !sound)
        return sound.error();
    auto tokens = openTokens(experiment, stop);
    if (!tokens)
        return tokens.error();
    std::unique_ptr<Session> session(new Session(experiment, schedule, std::move(stop), transport));
    session->m_places = std::move(places);
    session->m_tokens = std::move(tokens).value();
    session->m_batch.load(*session->m_tokens, 0);
    if (auto same = session->m_control.checkSameInputs(session->m_plan, session->m_batch); !same)
        return same.error();
    if (auto made = session->makeDevices(); !made)
        return made.error();
    return session;
}

Session::~Session()
{
    if (!m_transport || m_transport->end()) {
        // A stopped device may have enqueued work that uses the memory freed below.
        for (const auto &compute : m_computes)
            finishQuietly(*compute);
        return;
    }
    // A GPU hangs. Freeing its memory would block forever and hide the error of the run, so the memory is leaked.
    for (auto &memory : m_memories)
        (void)memory.release();
    for (auto &compute : m_computes)
        (void)compute.release();
}

kernels::Interrupt Session::interrupt() const
{
    const auto asked = [](const void *token) { return static_cast<const std::stop_token *>(token)->stop_requested(); };
    return {asked, &m_halted};
}

base::Result<> Session::makeDevices()
{
    const bool usesThreads = m_plan.experiment.training.backend == "cpu" && isLive();
    if (auto ready = prepareProducts(usesThreads ? static_cast<int>(m_control.ranks().size()) : 1); !ready)
        return ready;
    auto plans = memoryPlan(m_plan.experiment, m_plan.schedule);
    if (!plans)
        return plans.error();
    m_memoryPlans = std::move(plans).value();
    const std::vector<int> &ranks = m_control.ranks();
    m_memories.resize(ranks.size());
    if (m_plan.experiment.training.backend == "cuda")
        if (auto opened = openGpus(ranks, m_places, m_isOverNccl); !opened)
            return opened;
    watchGpuMemory();
    auto computes = makeComputes(m_plan.experiment, ranks, m_places, interrupt());
    if (!computes)
        return computes.error();
    m_computes = std::move(computes).value();
    const auto takeMemory = [&](std::size_t index) -> base::Result<> {
        const std::span<const schedule::Pass> order = m_plan.schedule.device(ranks[index]);
        m_memories[index] = std::make_unique<DeviceMemory>(
            m_memoryPlans[size(ranks[index])], order, ranks[index], m_computes[index]->memory(),
            m_control.isAlone() && !m_isOverNccl ? DeviceMemory::Messages::InProcess : DeviceMemory::Messages::Network);
        return {};
    };
    if (auto taken = onAllRanks(ranks, takeMemory, m_halt); !taken)
        return taken;
    for (const int rank : ranks)
        m_passCount += m_plan.schedule.device(rank).size();
    if (auto made = makeTransport(); !made)
        return made;
    m_devices.resize(ranks.size());
    const auto make = [&](std::size_t index) -> base::Result<> {
        m_devices[index] = std::make_unique<Device>(m_plan, ranks[index], *m_memories[index], *m_transport, *m_computes[index]);
        return m_halted.stop_requested() ? base::Result<>(base::Error::cancelled()) : base::Result<>();
    };
    if (auto made = onAllRanks(ranks, make, m_halt); !made)
        return made;
    if (m_gpuMemory)
        m_gpuMemory->measureAllocated();
    if (auto exchanged = m_control.exchangeHolders(m_devices); !exchanged || !m_isOverNccl)
        return exchanged;
    const auto opened = openLinks(m_plan, m_control, memories(), *m_transport);
    return opened ? opened : reasonOf(opened.error());
}

std::vector<DeviceMemory *> Session::memories() const
{
    std::vector<DeviceMemory *> all;
    for (const auto &memory : m_memories)
        all.push_back(memory.get());
    return all;
}

base::Result<> Session::makeTransport()
{
    if (!m_isOverNccl) {
        m_transport = m_control.makeTransport(m_halted);
        return {};
    }
    auto made = makeNcclTransport(m_plan, m_control, {m_places, memories(), [this] { return m_passesEver.load(); }}, m_halted);
    if (!made)
        return made.error();
    m_transport = std::move(made).value();
    m_messages = messageOrder(m_plan);
    return {};
}

base::Error Session::reasonOf(base::Error error) const
{
    const std::string problem = m_transport ? m_transport->problem() : std::string();
    if (error.kind == base::ErrorKind::Cancelled && !problem.empty())
        error = base::Error::failed(problem);
    // The loss of a process explains more than the failure of its messages.
    if (error.kind == base::ErrorKind::Failed && m_isOverNccl && m_control.group())
        return m_control.group()->failure().value_or(std::move(error));
    return error;
}

/// Only if this process has the GPUs for itself.
void Session::watchGpuMemory()
{
    if (m_plan.experiment.training.backend != "cuda" || !m_control.isAlone())
        return;
    std::vector<base::Bytes> planned;
    std::vector<base::Bytes> slabs;
    for (const DevicePlan &plan : m_memoryPlans) {
        slabs.push_back(plan.slabBytes());
        planned.push_back(gpuBytesOf(plan.slabBytes(), tokenBytes(m_plan.shape)));
    }
    m_gpuMemory.emplace(m_places, planned, slabs);
}

/// Call after a step.
void Session::noteFacts()
{
    base::Nanos error = 0;
    for (const auto &device : m_devices)
        error = std::max(error, device->clockError());
    if (error > m_clockError) {
        m_clockError = error;
        m_facts["clocks"] = base::concat("aligned within ", base::fixedText(static_cast<double>(error) / 1000, 1), " us");
    }
    if (m_gpuMemory)
        m_facts["gpu memory"] = m_gpuMemory->text();
    m_gpuMemory.reset(); // later steps allocate no more
}

std::vector<std::vector<base::Nanos>> Session::passBegins() const
{
    std::vector<std::vector<base::Nanos>> begins;
    for (const auto &device : m_devices)
        begins.push_back(device->passBegins());
    return begins;
}

void Session::countPass(int index, const TrainingObserver &observer)
{
    const std::scoped_lock lock(m_progress);
    ++m_passesDone;
    ++m_passesEver;
    m_control.reportProgress(index, m_passesDone);
    if (observer.onProgress && (m_passesDone == m_passCount || m_passesDone % (m_passCount / kReportsPerStep + 1) == 0))
        observer.onProgress({index, m_plan.experiment.training.steps, m_passesDone, m_passCount});
}

StepHooks Session::hooksOf(int index, bool optimize, const TrainingObserver &observer,
                           const std::function<base::Result<>()> &inspect)
{
    const model::OptimizerChoice &choice = m_plan.experiment.training.optimizer;
    StepHooks hooks;
    hooks.afterPass = [this, index, &observer] { countPass(index, observer); };
    m_clipFactor = 1;
    const bool hasCopies = m_plan.experiment.model.tied || m_plan.schedule.placement().directions > 1;
    if (hasCopies || inspect || (optimize && choice.clip)) {
        hooks.beforeOptimizer = [this, hasCopies, optimize, &choice, &inspect]() -> base::Result<> {
            if (hasCopies)
                if (auto added = m_control.sumCopies(m_plan, m_devices, *m_transport, m_memories.front()->pool()); !added)
                    return added;
            if (optimize && choice.clip) {
                const auto norm = m_control.gradientNorm(m_plan, m_devices);
                if (!norm)
                    return norm.error();
                m_clipFactor = clipFactor(*norm, *choice.clip);
            }
            return inspect ? inspect() : base::Result<>();
        };
    }
    if (optimize)
        hooks.optimize = [this](Device &device) { device.optimize(m_clipFactor); };
    return hooks;
}

bool Session::isLive() const
{
    return !m_control.isAlone() || m_isOverNccl || model::runMode(m_plan.experiment, coreCount()) == model::RunMode::Live;
}

base::Result<timeline::Timeline> Session::runPasses(const StepHooks &hooks, ControlChannel::Clock::time_point begin)
{
    auto times =
        isLive() ? runLive(m_plan, m_devices, hooks, m_halt, begin) : runVirtualClock(m_plan, m_devices, hooks, m_halted);
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
    for (const auto &device : m_devices)
        device->beginStep(m_batch, index, optimize ? StepUse::Training : StepUse::Gradients);
    const StepHooks hooks = hooksOf(index, optimize, observer, inspect);
    if (auto ready = m_control.barrier(); !ready)
        return ready.error();
    m_transport->announce(m_messages);
    const bool records = index == m_recordedStep && m_control.isAlone();
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
    noteFacts();
    std::vector<DeviceOutcome> outcomes;
    for (std::size_t i = 0; i < m_devices.size(); ++i)
        outcomes.push_back({m_devices[i]->lossSum(), m_devices[i]->meter().atPeak(), std::move(times->lanes[i])});
    if (auto gathered = m_control.gatherOutcomes(outcomes, begin); !gathered)
        return gathered.error();

    StepReport report;
    report.step = index;
    times->lanes.clear();
    for (DeviceOutcome &outcome : outcomes) {
        report.loss += outcome.loss;
        report.peakMemory.push_back(outcome.peakMemory);
        times->lanes.push_back(std::move(outcome.lane));
    }
    report.loss /= static_cast<double>(m_plan.shape.microbatches * m_plan.shape.tokens());
    if (m_plan.joinsOutputPasses)
        joinOutputPasses(*times);
    for (int device = 0; device < m_plan.schedule.devices(); ++device)
        times->stages.push_back(m_plan.schedule.placement().stagesOf(device));
    report.iteration = times->iteration();
    report.facts = m_facts;
    report.kernels = std::move(kernels);
    report.timeline = std::make_shared<const timeline::Timeline>(std::move(times).value());
    return report;
}

base::Result<std::optional<double>> Session::evaluate(int steps)
{
    auto loss = evaluateHeldBack(m_plan, m_devices, *m_tokens, steps, m_halted);
    for (const auto &device : m_devices)
        device->beginStep(m_batch, steps, StepUse::Evaluation); // drops what the evaluation stored
    if (!loss)
        return reasonOf(loss.error());
    if (!*loss || m_control.isAlone())
        return loss;
    const auto sum = m_control.sumOnFirst(**loss); // 0 on devices without the last stage
    return sum ? base::Result<std::optional<double>>(*sum) : sum.error();
}

void Session::watchUpdates(const std::function<void(const Parameter &, backend::Compute &)> &watch)
{
    for (const auto &device : m_devices)
        device->watchUpdates(watch);
}

std::vector<int> Session::parameterStages() const
{
    std::vector<int> stages(m_plan.parameters.size(), -1);
    for (const auto &device : m_devices)
        for (const auto &part : device->parameters())
            stages[size(part->index)] = part->stage;
    return stages;
}

bool Session::isLossFinite() const
{
    return std::ranges::all_of(m_devices, [](const auto &device) { return std::isfinite(device->lossSum()); });
}

void Session::setTensors(backend::Buffer Parameter::*part, const Tensors &tensors)
{
    for (const auto &device : m_devices) {
        for (const auto &rows : device->parameters()) {
            const float *from = tensors[size(rows->index)].data() + rows->firstRow * rows->columns;
            const backend::Values numbers = rows->numbers(part);
            if (!numbers)
                continue;
            device->compute().write(numbers, rows->count(), [from](std::span<float> block, std::int64_t first) {
                std::copy_n(from + first, block.size(), block.data());
            });
            if (const backend::Values rounded = rows->numbers(&Parameter::rounded); rounded && part == &Parameter::value)
                device->compute().round(rounded, rows->value.data(), rows->count());
        }
    }
}

Tensors Session::tensors(backend::Buffer Parameter::*part) const
{
    Tensors all;
    for (std::size_t index = 0; index < m_plan.parameters.size(); ++index) {
        std::vector<float> &tensor = all.emplace_back(size(m_plan.parameters[index].count()));
        for (const auto &device : m_devices) {
            Parameter *rows = device->find(static_cast<int>(index));
            if (rows == nullptr || rows->isCopy || !rows->numbers(part))
                continue;
            device->compute().read(std::span(tensor).subspan(size(rows->firstRow * rows->columns), size(rows->count())),
                                   rows->numbers(part));
        }
    }
    return all;
}

std::vector<int> Session::updates() const
{
    std::vector<int> counts(m_plan.parameters.size());
    for (const auto &device : m_devices)
        for (const auto &part : device->parameters())
            counts[size(part->index)] = part->updates;
    return counts;
}

void Session::setUpdates(const std::vector<int> &counts)
{
    for (const auto &device : m_devices)
        for (const auto &part : device->parameters())
            part->updates = counts[size(part->index)];
}

base::Result<Tensors> Session::collect(backend::Buffer Parameter::*part)
{
    Tensors all = tensors(part);
    for (std::size_t index = 0; index < all.size(); ++index)
        if (auto added = m_control.gatherRows(all[index], *m_devices.front(), static_cast<int>(index), part); !added)
            return added.error();
    return all;
}

} // namespace stagelens::runtime
