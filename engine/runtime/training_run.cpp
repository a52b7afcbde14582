#include "engine/runtime/training_run.h"

#include "engine/base/text.h"
#include "engine/runtime/dump.h"
#include "engine/runtime/memory_check.h"
#include "engine/runtime/reference.h"
#include "engine/runtime/reference_replay.h"
#include "engine/runtime/run_check.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime {
namespace {

/// Frobenius norm of the difference over that of the reference; the norm itself where the reference is 0.
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

/// Runs `work` so that no exception leaves the engine.
template <class Answer, class Work>
base::Result<Answer> contained(const Work &work)
{
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return base::Error::failed("the machine has no more memory for this run; lower model.layers, model.hidden, "
                                   "model.vocabulary_size or parallel.microbatch_size");
    } catch (const std::exception &error) {
        return base::Error::failed(base::concat("the run stopped: ", error.what()));
    }
}

/// The steps of a run; `dump` may be null.
base::Result<> trainSteps(Session &session, const TrainingObserver &observer, const Dump *dump)
{
    std::vector<double> losses;
    const auto firstStep = [&] { return dump->writeFirstStep(session.batch(), session.gradients()); };
    for (int step = 0; step < session.plan().experiment.training.steps; ++step) {
        const auto inspect = dump != nullptr && step == 0 ? std::function<base::Result<>()>(firstStep) : nullptr;
        auto report = session.step(step, true, observer, inspect);
        if (!report)
            return report.error();
        losses.push_back(report->loss);
        if (observer.onStep)
            observer.onStep(*report);
    }
    return dump != nullptr ? dump->writeEnd(session.parameters(), losses) : base::Result<>();
}

base::Result<> trainIn(const RunFolders &folders, Session &session, const TrainingObserver &observer)
{
    if (!folders.init.empty()) {
        const auto parameters = readParameters(folders.init, session.plan());
        if (!parameters)
            return parameters.error();
        session.setParameters(*parameters);
    }
    if (folders.dump.empty())
        return trainSteps(session, observer, nullptr);
    if (session.plan().schedule.weightUpdate() == schedule::WeightUpdate::EachMicrobatch)
        return base::Error::invalid("--dump",
                                    "the weights change with each microbatch, so that a step has no gradients to write; "
                                    "leave --dump out, or choose a schedule that updates once a step");
    const Dump dump(folders.dump, session.plan());
    if (auto begun = dump.writeBeginning(session.parameters()); !begun)
        return begun;
    return trainSteps(session, observer, &dump);
}

base::Result<Verification> verifyStep(Session &session, std::stop_token stop)
{
    auto report = session.step(0, false, {});
    if (!report)
        return report.error();
    Verification result;
    result.loss = report->loss;
    const auto reference = referenceStep(session.plan().experiment, session.parameters(), session.batch(), std::move(stop));
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
    Replay replay(plan, session.parameterStages(), std::move(stop));
    UpdateTrace trace(plan.parameters.size());
    session.watchUpdates([&trace](const Parameter &parameter) {
        const auto values = parameter.value.values();
        const auto gradient = parameter.gradient.values();
        trace[size(parameter.index)].push_back({{values.begin(), values.end()}, {gradient.begin(), gradient.end()}});
    });
    Verification result;
    result.steps = 3; // PipeDream-2BW computes with changed weights from the third step on
    for (int step = 0; step < result.steps; ++step) {
        std::ranges::for_each(trace, [](std::vector<Update> &updates) { updates.clear(); });
        const auto report = session.step(step, true, {});
        if (!report)
            return report.error();
        const auto loss = replay.follow(session.batch(), trace, session.parameters());
        if (!loss)
            return loss.error();
        result.loss = report->loss;
        result.referenceLoss = *loss;
    }
    for (std::size_t i = 0; i < plan.parameters.size(); ++i)
        result.gradients.push_back({plan.parameters[i].name, replay.relativeError(i)});
    return result;
}

} // namespace

base::Result<> train(const model::Experiment &experiment, const schedule::Schedule &schedule, const RunFolders &folders,
                     const TrainingObserver &observer, std::stop_token stop)
{
    return contained<base::Done>([&]() -> base::Result<> {
        auto session = Session::open(experiment, schedule, std::move(stop));
        return session ? trainIn(folders, **session, observer) : session.error();
    });
}

base::Result<Verification> verify(const model::Experiment &experiment, const schedule::Schedule &schedule, std::stop_token stop)
{
    return contained<Verification>([&]() -> base::Result<Verification> {
        if (auto sound = checkRun(experiment, schedule); !sound)
            return sound.error();
        const bool isSynchronous = schedule.isSynchronous();
        const base::Bytes reference = isSynchronous ? referenceBytes(experiment) : Replay::bytes(experiment, schedule);
        if (auto fits = checkMemory(experiment, schedule, availableBytes(), reference); !fits)
            return fits.error();
        auto session = Session::open(experiment, schedule, stop);
        if (!session)
            return session.error();
        return isSynchronous ? verifyStep(**session, stop) : verifyVersions(**session, stop);
    });
}

base::Result<std::vector<float>> stepGradients(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    return contained<std::vector<float>>([&]() -> base::Result<std::vector<float>> {
        auto session = Session::open(experiment, schedule, {});
        if (!session)
            return session.error();
        if (auto report = (*session)->step(0, false, {}); !report)
            return report.error();
        std::vector<float> all;
        for (const std::vector<float> &tensor : (*session)->gradients())
            all.insert(all.end(), tensor.begin(), tensor.end());
        return all;
    });
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
    return worst() <= kTolerance;
}

} // namespace stagelens::runtime
