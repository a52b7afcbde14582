#include "engine/runtime/reference/local_sgd.h"

#include "engine/operators/sizes.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime {

LocalSgdReplay::LocalSgdReplay(const RunPlan &plan, std::stop_token stop) : m_plan(plan), m_stop(std::move(stop))
{
    const std::size_t count = plan.parameters.size();
    for (int replica = 0; replica < plan.replicas(); ++replica)
        m_replicas.push_back({ReferenceUpdates(plan), std::vector<Distance>(count), std::vector<Distance>(count)});
}

base::Result<double> LocalSgdReplay::follow(const Batch &batch, const std::vector<ReplicaStep> &replicas, bool isAveraged)
{
    double loss = 0;
    std::vector<float> scales;
    for (std::size_t i = 0; i < replicas.size(); ++i) {
        const auto own = compareGradients(batch, static_cast<int>(i), replicas[i]);
        if (!own)
            return own;
        loss += *own / static_cast<double>(replicas.size());
        scales.push_back(m_replicas[i].updates.gradientScale(
            [&](std::size_t index) -> const std::vector<float> & { return replicas[i].gradients[index]; }));
    }
    for (std::size_t index = 0; index < m_plan.parameters.size(); ++index) {
        std::vector<std::vector<double>> expected;
        for (std::size_t i = 0; i < replicas.size(); ++i)
            expected.push_back(updated(m_replicas[i], index, replicas[i], scales[i]));
        if (isAveraged) {
            std::vector<double> mean(expected.front().size());
            for (const std::vector<double> &own : expected)
                for (std::size_t k = 0; k < mean.size(); ++k)
                    mean[k] += own[k] / static_cast<double>(expected.size());
            expected.assign(expected.size(), mean);
        }
        for (std::size_t i = 0; i < replicas.size(); ++i)
            for (std::size_t k = 0; k < expected[i].size(); ++k)
                m_replicas[i].values[index].add(static_cast<double>(replicas[i].after[index][k]), expected[i][k]);
    }
    ++m_step;
    return loss;
}

base::Result<double> LocalSgdReplay::compareGradients(const Batch &batch, int replica, const ReplicaStep &step)
{
    std::vector<std::vector<float>> read;
    for (const std::vector<float> &values : step.before)
        read.push_back(asRead(values, m_plan.shape.precision));
    const auto made = referenceReplica(m_plan.experiment, read, batch, replica, m_stop);
    if (!made)
        return made.error();
    for (std::size_t index = 0; index < step.gradients.size(); ++index)
        for (std::size_t k = 0; k < step.gradients[index].size(); ++k)
            m_replicas[size(replica)].gradients[index].add(static_cast<double>(step.gradients[index][k]),
                                                           made->gradients[index][k]);
    return made->loss;
}

std::vector<double> LocalSgdReplay::updated(Replica &replica, std::size_t index, const ReplicaStep &step, float scale) const
{
    return replica.updates.updated(index, step.before[index], step.gradients[index],
                                   {m_step, scale, replica.updates.partOf(index)});
}

double LocalSgdReplay::relativeError(std::size_t index) const
{
    double worst = 0;
    for (const Replica &replica : m_replicas)
        for (const double error : {replica.gradients[index].relative(), replica.values[index].relative()})
            if (!(error <= worst)) // keeps what is not a number
                worst = std::isnan(worst) ? worst : error;
    return worst;
}

base::Bytes LocalSgdReplay::bytes(const model::Experiment &experiment)
{
    // Of each replica the optimizer's state in double, and in float its values before and after the step, and its gradients.
    const double replica = ReferenceUpdates::bytes(experiment) +
                           3.0 * static_cast<double>(operators::totalParameters(experiment.model)) * sizeof(float);
    constexpr double kMostBytes = 9e18;
    return referenceBytes(experiment) +
           static_cast<base::Bytes>(std::min(replica * experiment.parallel.replicas, kMostBytes / 4));
}

} // namespace stagelens::runtime
