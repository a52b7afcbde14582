#include "engine/runtime/session.h"

#include "engine/base/text.h"
#include "engine/runtime/evaluation.h"
#include "engine/runtime/lowering.h"
#include "engine/runtime/optimizer.h"
#include "engine/runtime/run_check.h"
#include "kernels/include/matmul.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace stagelens::runtime {
namespace {

/// Progress is told so often in a step, and at its end.
constexpr std::size_t kReportsPerStep = 64;

int coreCount()
{
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

} // namespace

Session::Session(const model::Experiment &experiment, const schedule::Schedule &schedule, std::stop_token stop)
    : m_plan(experiment, schedule), m_link(std::move(stop), [halt = m_halt]() mutable { halt.request_stop(); }),
      m_batch(m_plan.shape)
{}

base::Result<std::unique_ptr<Session>> Session::open(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                     std::stop_token stop)
{
    if (auto sound = checkRun(experiment, schedule); !sound)
        return sound.error();
    auto tokens = openTokens(experiment, stop);
    if (!tokens)
        return tokens.error();
    std::unique_ptr<Session> session(new Session(experiment, schedule, std::move(stop)));
    session->m_tokens = std::move(tokens).value();
    if (auto made = session->makeDevices(); !made)
        return made.error();
    return session;
}

kernels::Interrupt Session::interrupt() const
{
    const auto asked = [](const void *token) { return static_cast<const std::stop_token *>(token)->stop_requested(); };
    return {asked, &m_halted};
}

base::Result<> Session::makeDevices()
{
    kernels::useOneThreadPerCall();
    const int ranks = m_plan.schedule.devices();
    m_transport = backend::makeInProcessTransport(ranks, m_halted);
    m_devices.resize(size(ranks));
    auto plans = memoryPlan(m_plan.experiment, m_plan.schedule);
    if (!plans)
        return plans.error();
    m_memoryPlans = std::move(plans).value();
    m_memories.resize(size(ranks));
    const auto make = [this](int rank) -> base::Result<> {
        auto &memory = m_memories[size(rank)];
        memory = std::make_unique<DeviceMemory>(m_memoryPlans[size(rank)], m_plan.schedule.device(rank), rank);
        m_devices[size(rank)] = std::make_unique<Device>(m_plan, rank, *memory, *m_transport, interrupt());
        return m_halted.stop_requested() ? base::Result<>(base::Error::cancelled()) : base::Result<>();
    };
    return onAllRanks(ranks, make, m_halt);
}

void Session::countPass(int index, const TrainingObserver &observer)
{
    const std::scoped_lock lock(m_progress);
    const std::size_t total = m_plan.schedule.passCount();
    ++m_passesDone;
    if (observer.onProgress && (m_passesDone == total || m_passesDone % (total / kReportsPerStep + 1) == 0))
        observer.onProgress({index, m_plan.experiment.training.steps, m_passesDone, total});
}

StepHooks Session::hooksOf(int index, bool optimize, const TrainingObserver &observer,
                           const std::function<base::Result<>()> &inspect)
{
    const model::OptimizerChoice &choice = m_plan.experiment.training.optimizer;
    StepHooks hooks;
    hooks.afterPass = [this, index, &observer] { countPass(index, observer); };
    m_clipFactor = 1;
    const bool hasCopies = m_plan.experiment.model.tied || m_plan.schedule.placement().replicas > 1;
    if (hasCopies || inspect || (optimize && choice.clip)) {
        hooks.together = [this, hasCopies, optimize, &choice, &inspect]() -> base::Result<> {
            if (hasCopies)
                sumCopies(m_devices);
            if (optimize && choice.clip)
                m_clipFactor = clipFactor(gradientNorm(m_plan, m_devices), *choice.clip);
            return inspect ? inspect() : base::Result<>();
        };
    }
    if (optimize) {
        hooks.optimize = [this, settings = adamwSettings(choice, index)](Device &device) mutable {
            kernels::AdamW own = settings;
            own.gradientScale = m_clipFactor;
            device.optimize(own);
        };
    }
    return hooks;
}

base::Result<StepReport> Session::step(int index, bool optimize, const TrainingObserver &observer,
                                       const std::function<base::Result<>()> &inspect)
{
    m_batch.load(*m_tokens, index);
    m_passesDone = 0;
    for (const auto &device : m_devices)
        device->beginStep(m_batch, index, optimize ? StepUse::Training : StepUse::Gradients);
    const StepHooks hooks = hooksOf(index, optimize, observer, inspect);
    const bool isLive = model::runMode(m_plan.experiment, coreCount()) == model::RunMode::Live;
    auto times = isLive ? runLive(m_plan, m_devices, hooks, m_halt) : runVirtualClock(m_plan, m_devices, hooks, m_halted);
    if (!times)
        return times.error();
    if (m_halted.stop_requested())
        return base::Error::cancelled();

    StepReport report;
    report.step = index;
    for (const auto &device : m_devices) {
        report.loss += device->lossSum();
        report.peakMemory.push_back(device->meter().atPeak());
    }
    report.loss /= static_cast<double>(m_plan.shape.microbatches * m_plan.shape.tokens());
    if (m_plan.joinsOutputPasses)
        joinOutputPasses(*times);
    for (int device = 0; device < m_plan.schedule.devices(); ++device)
        times->stages.push_back(m_plan.schedule.placement().stagesOf(device));
    report.iteration = times->iteration();
    report.timeline = std::make_shared<const timeline::Timeline>(std::move(times).value());
    return report;
}

base::Result<std::optional<double>> Session::evaluate(int steps)
{
    auto loss = evaluateHeldBack(m_plan, m_devices, *m_tokens, steps, m_halted);
    for (const auto &device : m_devices)
        device->beginStep(m_batch, steps, StepUse::Evaluation); // what the evaluation kept
    return loss;
}

void Session::watchUpdates(const std::function<void(const Parameter &)> &watch)
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
    const auto copy = [](backend::Buffer &to, const Parameter &rows, const std::vector<float> &from) {
        std::copy_n(from.data() + rows.firstRow * rows.columns, to.size(), to.data());
    };
    for (const auto &device : m_devices) {
        for (const auto &rows : device->parameters()) {
            copy((*rows).*part, *rows, tensors[size(rows->index)]);
            if (part == &Parameter::value)
                copy(rows->previous, *rows, tensors[size(rows->index)]);
        }
    }
}

Tensors Session::tensors(backend::Buffer Parameter::*part) const
{
    Tensors all;
    for (std::size_t index = 0; index < m_plan.parameters.size(); ++index) {
        std::vector<float> &tensor = all.emplace_back(size(m_plan.parameters[index].count()));
        for (const auto &device : m_devices) {
            const Parameter *rows = device->find(static_cast<int>(index));
            if (rows == nullptr || rows->isCopy)
                continue;
            const auto values = (rows->*part).values();
            std::copy(values.begin(), values.end(), tensor.begin() + rows->firstRow * rows->columns);
        }
    }
    return all;
}

} // namespace stagelens::runtime
