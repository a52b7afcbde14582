// Checks replicas that train alone against float64: their gradients, their updates, and the mean of their weights.
#pragma once

#include "engine/runtime/reference/reference.h"
#include "engine/runtime/reference/updates.h"

#include <stop_token>
#include <vector>

namespace stagelens::runtime {

/// What a replica has in a step, ordered as parameterList().
struct ReplicaStep {
    std::vector<std::vector<float>> before;    ///< its values before the update
    std::vector<std::vector<float>> gradients; ///< of its own microbatches
    std::vector<std::vector<float>> after;     ///< its values at the end of the step
};

/// Follows a run of local SGD step by step. The reference computes the gradients of each replica from that replica's values and
/// microbatches, updates the values with an optimizer state of its own for each replica, and after the last step of a period
/// averages what it has updated.
class LocalSgdReplay {
public:
    /// Steps that verify() follows; the last one ends with an average.
    static constexpr int kSteps = 3;

    LocalSgdReplay(const RunPlan &plan, std::stop_token stop);

    /// Checks the next step of all replicas; `isAveraged` if it ends with an average. Returns the mean loss of the replicas.
    [[nodiscard]] base::Result<double> follow(const Batch &batch, const std::vector<ReplicaStep> &replicas, bool isAveraged);
    /// Returns the error of a parameter: of its gradients over all steps, or of its values after them if greater, on the
    /// replica where it is greatest.
    [[nodiscard]] double relativeError(std::size_t index) const;

    /// Returns the memory that it needs, including the tensors of the run and the reference.
    [[nodiscard]] static base::Bytes bytes(const model::Experiment &experiment);

private:
    struct Replica {
        ReferenceUpdates updates;
        std::vector<Distance> gradients;
        std::vector<Distance> values;
    };
    [[nodiscard]] base::Result<double> compareGradients(const Batch &batch, int replica, const ReplicaStep &step);
    [[nodiscard]] std::vector<double> updated(Replica &replica, std::size_t index, const ReplicaStep &step, float scale) const;

    const RunPlan &m_plan;
    std::stop_token m_stop;
    int m_step = 0;
    std::vector<Replica> m_replicas;
};

} // namespace stagelens::runtime
