#include "engine/runtime/reference/replay.h"

#include "engine/operators/sizes.h"
#include "engine/runtime/state/optimizer.h"
#include "engine/schedule/weight_versions.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace stagelens::runtime {

using schedule::WeightUpdate;

Replay::Replay(const RunPlan &plan, std::vector<int> stages, std::stop_token stop)
    : m_plan(plan), m_stages(std::move(stages)), m_stop(std::move(stop)), m_updates(plan), m_gradients(plan.parameters.size()),
      m_values(plan.parameters.size())
{}

base::Result<double> Replay::follow(const Batch &batch, const UpdateTrace &trace, const std::vector<std::vector<float>> &after)
{
    const bool isBuffered = m_plan.schedule.weightUpdate() == WeightUpdate::DoubleBuffered;
    auto loss = isBuffered ? followBuffered(batch, trace) : followStashed(batch, trace);
    if (!loss)
        return loss;
    m_gradientScale =
        m_updates.gradientScale([&](std::size_t i) -> const std::vector<float> & { return trace[i].front().gradient; });
    for (std::size_t index = 0; index < trace.size(); ++index) {
        const std::vector<Update> &updates = trace[index];
        for (std::size_t i = 0; i < updates.size(); ++i)
            checkUpdate(index, updates[i], i + 1 < updates.size() ? updates[i + 1].value : after[index], stepOf(index, i));
    }
    m_step += m_plan.schedule.iterations();
    return loss;
}

/// PipeDream-2BW: the gradient of a step is computed with the weights before the last update.
base::Result<double> Replay::followBuffered(const Batch &batch, const UpdateTrace &trace)
{
    double loss = 0;
    for (int step = 0; step < m_plan.schedule.iterations(); ++step) {
        std::vector<std::vector<float>> newest;
        for (const std::vector<Update> &updates : trace)
            newest.push_back(asRead(updates[size(step)].value, m_plan.shape.precision));
        const auto made = referenceStep(m_plan.experiment, m_step + step == 0 ? newest : m_previous, batch, m_stop, step);
        if (!made)
            return made.error();
        m_previous = std::move(newest);
        for (std::size_t index = 0; index < trace.size(); ++index)
            compareGradient(index, trace[index][size(step)], made->gradients[index]);
        loss += made->loss;
    }
    return loss;
}

/// PipeDream: the gradients of a microbatch use the weight versions of its forward passes, and cause the next update.
base::Result<double> Replay::followStashed(const Batch &batch, const UpdateTrace &trace)
{
    const auto versions = schedule::weightVersionsUsed(m_plan.schedule);
    std::vector<double> tableGradient(trace[kTokenTable].front().value.size());
    double loss = 0;
    for (int microbatch = 0; microbatch < m_plan.schedule.microbatches(); ++microbatch) {
        std::vector<std::vector<float>> used;
        for (std::size_t index = 0; index < trace.size(); ++index) {
            const int version = isStashed(index) ? versions[size(m_stages[index])][size(microbatch)] : 0;
            used.push_back(asRead(trace[index][size(version)].value, m_plan.shape.precision));
        }
        const auto made = referenceMicrobatch(m_plan.experiment, used, batch, microbatch, m_stop);
        if (!made)
            return made.error();
        loss += made->loss;
        for (std::size_t index = 0; index < trace.size(); ++index)
            if (isStashed(index))
                compareGradient(index, trace[index][size(microbatch)], made->gradients[index]);
        std::transform(tableGradient.begin(), tableGradient.end(), made->gradients[kTokenTable].begin(), tableGradient.begin(),
                       std::plus<>());
    }
    if (!isStashed(kTokenTable))
        compareGradient(kTokenTable, trace[kTokenTable].front(), tableGradient);
    return loss;
}

void Replay::compareGradient(std::size_t index, const Update &update, const std::vector<double> &reference)
{
    for (std::size_t i = 0; i < reference.size(); ++i)
        m_gradients[index].add(static_cast<double>(update.gradient[i]), reference[i]);
}

operators::UpdateStep Replay::stepOf(std::size_t index, std::size_t update) const
{
    const int microbatches = m_plan.schedule.stepMicrobatches();
    if (isStashed(index)) // each microbatch is a batch of its own
        return {m_step * microbatches + static_cast<int>(update), static_cast<float>(microbatches), m_updates.partOf(index)};
    return {m_step + static_cast<int>(update), m_gradientScale, m_updates.partOf(index)};
}

void Replay::checkUpdate(std::size_t index, const Update &update, const std::vector<float> &after,
                         const operators::UpdateStep &step)
{
    const std::vector<double> values = m_updates.updated(index, update.value, update.gradient, step);
    for (std::size_t i = 0; i < after.size(); ++i)
        m_values[index].add(static_cast<double>(after[i]), values[i]);
}

double Replay::relativeError(std::size_t index) const
{
    return std::max(m_gradients[index].relative(), m_values[index].relative());
}

base::Bytes Replay::bytes(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    // In double: the optimizer's state. In float: the values after the step, the previous ones, those in use, and a value and a
    // gradient per update.
    const bool isBuffered = schedule.weightUpdate() == WeightUpdate::DoubleBuffered;
    const double updates = isBuffered ? schedule.iterations() : schedule.microbatches();
    const double bytes = ReferenceUpdates::bytes(experiment) +
                         static_cast<double>(operators::totalParameters(experiment.model)) * (3 + 2 * updates) * sizeof(float);
    constexpr double kMostBytes = 9e18;
    return referenceBytes(experiment) + static_cast<base::Bytes>(std::min(bytes, kMostBytes / 4));
}

} // namespace stagelens::runtime
