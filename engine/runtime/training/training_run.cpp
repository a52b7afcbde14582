#include "engine/runtime/training/training_run.h"

#include "engine/base/exception_text.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/model/conditions.h"
#include "engine/model/names.h"
#include "engine/runtime/machine/processor.h"
#include "engine/runtime/memory/memory_check.h"
#include "engine/runtime/reference/local_sgd.h"
#include "engine/runtime/reference/reference.h"
#include "engine/runtime/reference/replay.h"
#include "engine/runtime/training/checkpoint.h"
#include "engine/runtime/training/dump.h"
#include "engine/runtime/training/initial_parameters.h"
#include "engine/runtime/training/run_check.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace stagelens::runtime {
namespace {

/// Returns the Frobenius norm of the difference over that of the reference; the norm itself if the reference is 0.
double relativeError(const std::vector<float> &measured, const std::vector<double> &reference)
{
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const double distance = static_cast<double>(measured[i]) - reference[i];
        difference += distance * distance;
        norm += reference[i] * reference[i];
    }
    return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

/// Runs `work` and turns exceptions into errors.
template <class Answer, class Work>
base::Result<Answer> contained(const Work &work)
{
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return base::Error::failed("the machine has no more memory for this run; lower model.layers, model.hidden, "
                                   "model.vocabulary_size or parallel.microbatch_size");
    } catch (const std::exception &error) {
        return base::Error::failed(fmt::format("the run stopped: {}", base::exceptionText(error)));
    }
}

/// A run of several steps with its files and reports.
class Training {
public:
    Training(Session &session, const RunFolders &folders, const TrainingObserver &observer, std::stop_token stop)
        : m_session(session), m_folders(folders), m_observer(observer), m_stop(std::move(stop))
    {
        if (!folders.dump.empty())
            m_dump.emplace(folders.dump, session.plan());
    }

    base::Result<> run()
    {
        for (const auto part : {&Training::begin, &Training::trainSteps, &Training::end})
            if (auto done = (this->*part)(); !done)
                return done;
        return {};
    }

private:
    base::Result<> begin()
    {
        if (m_dump && m_session.plan().schedule.weightUpdate() == schedule::WeightUpdate::EachMicrobatch)
            return base::Error::invalid("--dump",
                                        "the weights change with each microbatch, so that a step has no gradients to write; "
                                        "leave --dump out, or choose a schedule that updates once a step");
        if (m_dump && m_session.plan().schedule.iterations() > 1)
            return base::Error::invalid("--dump",
                                        "the steps of several iterations run without a drain, so that no step is whole; "
                                        "leave --dump out, or choose 1 iteration");
        if (auto started = takeBeginning(); !started)
            return started;
        if (const int left = m_session.plan().experiment.training.steps - steps(); left % together() != 0)
            return base::Error::invalid(
                "training.steps", fmt::format("leaves {} steps after the checkpoint, but {} run without a drain in between; "
                                              "choose {} steps in all",
                                              left, together(), steps() + (left / together() + 1) * together()));
        const auto write = [this](const Tensors &parameters) { return m_dump->writeBeginning(parameters); };
        if (auto begun = dumpWhole(&Parameter::value, write); !begun)
            return begun;
        return evaluate();
    }

    base::Result<> takeBeginning()
    {
        if (!m_folders.init.empty()) {
            const auto parameters = readParameters(m_folders.init, m_session.plan());
            if (!parameters)
                return parameters.error();
            m_session.tensors().write(&Parameter::value, parameters->values);
            m_session.tensors().write(&Parameter::previous, parameters->values);
            reportNotes(parameters->notes);
        }
        if (m_folders.resume.empty())
            return {};
        auto losses = resume(m_folders.resume, m_session);
        if (!losses)
            return std::move(losses).error();
        m_losses = *std::move(losses);
        return {};
    }

    /// Reports warnings about the initial parameters, now and in the stored run.
    void reportNotes(const std::vector<std::string> &notes)
    {
        if (notes.empty() || !m_session.control().isFirst())
            return;
        for (const std::string &note : notes)
            base::log(base::LogLevel::Warning, "--init: " + note);
        m_session.noteFact("init", base::join(notes, "; "));
    }

    base::Result<> evaluate()
    {
        const auto loss = m_session.evaluate(steps());
        if (!loss)
            return loss.error();
        if (*loss && m_observer.onEvaluation)
            m_observer.onEvaluation({steps(), **loss});
        return {};
    }

    base::Result<> trainSteps()
    {
        const int first = steps();
        if (m_folders.recordsKernels)
            m_session.recordKernels(m_session.plan().experiment.training.steps - 1);
        const auto write = [this](const Tensors &gradients) { return m_dump->writeFirstStep(m_session.batch(), gradients); };
        const auto firstGradients = [&] { return dumpWhole(&Parameter::gradient, write); };
        while (steps() < m_session.plan().experiment.training.steps) {
            const bool isInspected = m_dump && steps() == first;
            auto report = m_session.step(steps(), true, m_observer,
                                         isInspected ? std::function<base::Result<>()>(firstGradients) : nullptr);
            if (!report)
                return withState(report.error());
            if (m_dump && !isInspected && m_session.control().isFirst())
                if (auto written = m_dump->writeNextStep(m_session.batch()); !written)
                    return written;
            reportSteps(*report);
            writeCheckpointIfDue();
        }
        return {};
    }

    /// Reports each of the steps that ran together.
    void reportSteps(const StepReport &last)
    {
        for (std::size_t i = 0; i < last.losses.size(); ++i) {
            m_losses.push_back(last.losses[i]);
            if (!m_observer.onStep)
                continue;
            StepReport report = last;
            report.step = steps() - 1;
            report.loss = last.losses[i];
            if (report.step < last.step)
                report.kernels = nullptr;
            m_observer.onStep(report);
        }
    }

    void writeCheckpointIfDue()
    {
        const int every = m_folders.checkpointEvery;
        if (every <= 0 || (steps() % every >= together() && steps() < m_session.plan().experiment.training.steps))
            return;
        const auto written = writeCheckpoint(m_folders.checkpoints, m_session, m_losses, m_stop);
        const bool cancelled = !written && written.error().kind == base::ErrorKind::Cancelled; // the next step reports it
        if (m_observer.onCheckpoint && !cancelled)
            m_observer.onCheckpoint(steps(), written);
    }

    /// Returns the error of a step. If its loss was not finite, writes the state before it to the dump, if all of it is in this
    /// process.
    base::Error withState(base::Error error) const
    {
        if (!m_dump || !m_session.control().isAlone() || error.kind != base::ErrorKind::Failed || m_session.isLossFinite())
            return error;
        const auto written = m_dump->writeFailure(m_session.parameters(), m_session.batch(), m_losses, error);
        error.problems.front().message += written ? fmt::format("; the state before that step is in {}", written->string())
                                                  : "; the state could not be dumped: " + written.error().text();
        return error;
    }

    base::Result<> end()
    {
        const auto write = [this](const Tensors &parameters) { return m_dump->writeEnd(parameters, m_losses); };
        if (auto written = dumpWhole(&Parameter::value, write); !written)
            return written;
        return evaluate();
    }

    /// With several processes, only the first writes.
    base::Result<> dumpWhole(const ParameterPart &part, const std::function<base::Result<>(const Tensors &)> &write)
    {
        if (!m_dump)
            return {};
        const auto whole = m_session.tensors().collect(part);
        if (!whole)
            return whole.error();
        return m_session.control().isFirst() ? write(*whole) : base::Result<>();
    }

    [[nodiscard]] int steps() const { return static_cast<int>(m_losses.size()); }
    /// Returns the number of steps that run without a drain in between.
    [[nodiscard]] int together() const { return m_session.plan().schedule.iterations(); }

    Session &m_session;
    const RunFolders &m_folders;
    const TrainingObserver &m_observer;
    std::stop_token m_stop;
    std::optional<Dump> m_dump;
    std::vector<double> m_losses; ///< of every step, including those before a checkpoint
};

/// Follows replicas that train alone to the end of a period, where they are averaged. They begin with equal weights.
base::Result<Verification> verifyReplicas(Session &session, std::stop_token stop)
{
    const RunPlan &plan = session.plan();
    const int every = plan.experiment.parallel.syncEvery;
    LocalSgdReplay replay(plan, std::move(stop));
    Verification result;
    result.replicas = plan.replicas();
    result.steps = std::min(every, LocalSgdReplay::kSteps);
    const auto tensorsOf = [&](const ParameterPart &part) {
        std::vector<Tensors> all;
        for (int replica = 0; replica < plan.replicas(); ++replica)
            all.push_back(session.tensors().read(part, replica));
        return all;
    };
    for (int step = every - result.steps; step < every; ++step) {
        const std::vector<Tensors> before = tensorsOf(&Parameter::value);
        std::vector<Tensors> gradients;
        const auto report = session.step(step, true, {}, [&]() -> base::Result<> {
            gradients = tensorsOf(&Parameter::gradient);
            return {};
        });
        if (!report)
            return report.error();
        const std::vector<Tensors> after = tensorsOf(&Parameter::value);
        std::vector<ReplicaStep> replicas;
        for (std::size_t i = 0; i < after.size(); ++i)
            replicas.push_back({before[i], gradients[i], after[i]});
        const auto loss = replay.follow(session.batch(), replicas, plan.experiment.parallel.averagesAfter(step));
        if (!loss)
            return loss.error();
        result.loss = report->loss;
        result.referenceLoss = *loss;
    }
    for (std::size_t i = 0; i < plan.parameters.size(); ++i)
        result.gradients.push_back({plan.parameters[i].name, replay.relativeError(i)});
    return result;
}

base::Error overflowed(const StepReport &report)
{
    return base::Error::failed(
        fmt::format("a gradient overflows fp16 at the loss scale {:.0f}, so that there is nothing to compare; choose a lower "
                    "one, such as --loss-scale {:.0f}",
                    report.lossScale, std::max(1.0, report.lossScale / 16)),
        "training.loss_scale");
}

base::Result<Verification> verifyStep(Session &session, std::stop_token stop)
{
    auto report = session.step(0, false, {});
    if (!report)
        return report.error();
    if (report->isSkipped)
        return overflowed(*report);
    Verification result;
    result.loss = report->loss;
    Tensors parameters = session.parameters();
    for (std::vector<float> &tensor : parameters)
        tensor = asRead(std::move(tensor), session.plan().shape.precision);
    const auto reference = referenceStep(session.plan().experiment, parameters, session.batch(), std::move(stop));
    if (!reference)
        return reference.error();
    result.referenceLoss = reference->loss;
    const Tensors gradients = session.gradients();
    for (std::size_t i = 0; i < gradients.size(); ++i)
        result.gradients.push_back({session.plan().parameters[i].name, relativeError(gradients[i], reference->gradients[i])});
    return result;
}

base::Result<Verification> verifyVersions(Session &session, std::stop_token stop)
{
    const RunPlan &plan = session.plan();
    Replay replay(plan, session.tensors().stages(), std::move(stop));
    UpdateTrace trace(plan.parameters.size());
    session.watchUpdates([&trace](const Parameter &parameter, backend::Compute &compute) {
        Update &update = trace[size(parameter.index)].emplace_back(
            Update{std::vector<float>(size(parameter.count())), std::vector<float>(size(parameter.count()))});
        compute.read(update.value, parameter.value.data());
        compute.read(update.gradient, parameter.gradient.data());
    });
    Verification result;
    result.steps = 3; // PipeDream-2BW uses updated weights from the third step on
    const int together = plan.schedule.iterations();
    result.steps = (result.steps + together - 1) / together * together;
    for (int step = 0; step < result.steps; step += together) {
        std::ranges::for_each(trace, [](std::vector<Update> &updates) { updates.clear(); });
        const auto report = session.step(step, true, {});
        if (!report)
            return report.error();
        const auto loss = replay.follow(session.batch(), trace, session.parameters());
        if (!loss)
            return loss.error();
        result.loss = std::accumulate(report->losses.begin(), report->losses.end(), 0.0);
        result.referenceLoss = *loss;
    }
    for (std::size_t i = 0; i < plan.parameters.size(); ++i)
        result.gradients.push_back({plan.parameters[i].name, replay.relativeError(i)});
    return result;
}

} // namespace

base::Result<> train(const model::Experiment &experiment, const schedule::Schedule &schedule, const RunFolders &folders,
                     const TrainingObserver &observer, std::stop_token stop, const TransportOptions &transport)
{
    if (schedule.drainsBetweenSteps())
        return train(experiment, schedule.firstStep(), folders, observer, stop, transport);
    for (auto problems :
         {stepProblems(experiment, schedule.iterations()), checkpointProblems(experiment, folders.checkpointEvery)})
        if (!problems.empty())
            return base::Error::invalid(std::move(problems));
    return reportOutcome(transport.processes, contained<base::Done>([&]() -> base::Result<> {
                             auto session = Session::open(experiment, schedule, stop, transport);
                             if (!session)
                                 return session.error();
                             auto trained = Training(**session, folders, observer, stop).run();
                             // Over NCCL no rank leaves before all have received what it sent.
                             return trained && transport.isOverNccl ? (*session)->control().barrier() : trained;
                         }));
}

base::Result<Verification> verify(const model::Experiment &experiment, const schedule::Schedule &schedule, std::stop_token stop)
{
    if (schedule.drainsBetweenSteps())
        return verify(experiment, schedule.firstStep(), stop);
    return contained<Verification>([&]() -> base::Result<Verification> {
        if (auto sound = checkRun(experiment, schedule); !sound)
            return sound.error();
        if (const model::CompressionChoice &choice = experiment.training.compression; choice.isOn())
            return base::Error::invalid(
                "training.gradient_compression",
                fmt::format(
                    "is {}, which changes the gradients that are compared with the reference; choose none to verify the plan",
                    operators::text(choice)));
        if (experiment.parallel.packsMessages())
            return base::Error::invalid(
                "parallel.message_precision",
                fmt::format(
                    "is {}, which rounds what the loss and the gradients are computed from; choose same to verify the plan",
                    model::name(experiment.parallel.messagePrecision)));
        if (model::kHasExpertRanks(experiment) && model::kDispatchesFp8(experiment))
            return base::Error::invalid(
                "parallel.dispatch_precision",
                "is fp8, which rounds what the loss and the gradients are computed from; choose same to verify the plan");
        if (experiment.schedule.packsActivations())
            return base::Error::invalid(
                "schedule.stored_activations",
                fmt::format("is {}, which rounds what the gradients are computed from; choose same to verify the plan",
                            model::name(experiment.schedule.storedActivations)));
        if (experiment.model.hasExperts() && experiment.model.dtype != model::DataType::Fp32)
            return base::Error::invalid("model.dtype",
                                        fmt::format("is {}, in which routers choose other experts than in the reference if two "
                                                    "logits are close; choose fp32 to verify the plan",
                                                    model::name(experiment.model.dtype)));
        const bool isSynchronous = schedule.isSynchronous();
        const bool areAlone = experiment.parallel.averagesWeights();
        const base::Bytes reference = areAlone        ? LocalSgdReplay::bytes(experiment)
                                      : isSynchronous ? referenceBytes(experiment)
                                                      : Replay::bytes(experiment, schedule);
        if (auto fits = checkMemory(experiment, schedule, availableBytes(), reference); !fits)
            return fits.error();
        auto session = Session::open(experiment, schedule, stop);
        if (!session)
            return session.error();
        auto found = areAlone        ? verifyReplicas(**session, stop)
                     : isSynchronous ? verifyStep(**session, stop)
                                     : verifyVersions(**session, stop);
        if (found)
            found->tolerance = Verification::toleranceOf(experiment);
        return found;
    });
}

double Verification::toleranceOf(const model::Experiment &experiment)
{
    constexpr int kInsideBlocks = 5;
    constexpr double kMargin = 2;
    if (experiment.model.dtype == model::DataType::Fp32)
        return kTolerance;
    return kMargin * operators::roundingError(experiment) * std::sqrt(2.0 * (2 * experiment.model.layers + kInsideBlocks));
}

double Verification::worst() const
{
    double worst = std::abs(loss - referenceLoss) / std::max(std::abs(referenceLoss), 1e-30);
    for (const GradientError &gradient : gradients)
        worst = std::isnan(gradient.relative) ? gradient.relative : std::max(worst, gradient.relative);
    return worst;
}

bool Verification::holds() const
{
    return worst() <= tolerance;
}

} // namespace stagelens::runtime
