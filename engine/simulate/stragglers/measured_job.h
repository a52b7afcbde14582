// A training job as it was measured: the duration of every operation of every worker in every step, and the order of the
// passes. The operations are those of the traces that arXiv 2505.05713 analyses (resources/docs/stragglers.md).
#pragma once

#include "engine/schedule/schedule.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// What a worker does in a step. A worker is one device of one replica.
enum class JobOperation : std::uint8_t {
    Forward,
    Backward,
    ForwardTransfer,  ///< the message that a forward waits for
    BackwardTransfer, ///< the message that a backward waits for
    GatherParameters,
    ReduceGradients,
    CollectGarbage,
    ReduceNorms,
    ReduceEmbedding,
    ReduceSeparate, ///< gradients that are reduced after the overlapped ones
    ClipGradients,  ///< the norm of the whole gradient
    Optimize,
};
inline constexpr std::size_t kJobOperations = 12;

/// The workers that wait for each other before an operation begins.
enum class JobGroup : std::uint8_t {
    Worker,   ///< none
    Ends,     ///< the first and the last device of a replica, which share the embedding
    Replicas, ///< the same device of all replicas
    All,      ///< every worker
};

/// Returns the number of a worker's group, below the number of workers. Groups of one kind have different numbers.
[[nodiscard]] constexpr std::size_t groupOf(JobGroup group, std::size_t replica, std::size_t device, std::size_t devices)
{
    switch (group) {
    case JobGroup::Worker: break;
    case JobGroup::Ends: return replica * devices + (device + 1 == devices ? 0 : device);
    case JobGroup::Replicas: return device;
    case JobGroup::All: return 0;
    }
    return replica * devices + device;
}

/// The one description of an operation; reader, replay and report interpret it.
struct JobOperationTraits {
    std::string_view name;          ///< in reports
    JobGroup group;                 ///< who waits for whom
    bool isTransfer;                ///< it is evened by the median, otherwise by the mean
    std::string_view receives = {}; ///< the trace's name; of a message, that of the receiver's rows
    std::string_view sends = {};    ///< of a message: the name of the sender's rows
};
inline constexpr std::array<JobOperationTraits, kJobOperations> kJobOperationTraits{{
    {"forward-compute", JobGroup::Worker, false, "forward-compute"},
    {"backward-compute", JobGroup::Worker, false, "backward-compute"},
    {"forward-transfer", JobGroup::Worker, true, "forward-recv", "forward-send"},
    {"backward-transfer", JobGroup::Worker, true, "backward-recv", "backward-send"},
    {"params-all-gather", JobGroup::Replicas, true, "params-all-gather"},
    {"grads-reduce-scatter", JobGroup::Replicas, true, "grads-reduce-scatter"},
    {"gc", JobGroup::Worker, false, "gc"},
    {"layernorm-grads-all-reduce", JobGroup::Worker, true, "layernorm-grads-all-reduce"},
    {"embedding-grads-all-reduce", JobGroup::Ends, true, "embedding-grads-all-reduce"},
    {"separate-grads-all-reduce", JobGroup::Replicas, true, "separate-grads-all-reduce"},
    {"optimizer-clip-main-grad", JobGroup::All, true, "optimizer-clip-main-grad"},
    {"optimizer", JobGroup::Worker, false, "optimizer"},
}};
[[nodiscard]] constexpr const JobOperationTraits &traits(JobOperation operation)
{
    return kJobOperationTraits[static_cast<std::size_t>(operation)];
}

/// One operation of a replica in a step; the same in every replica and step.
struct JobEntry {
    JobOperation operation = JobOperation::Forward;
    std::uint16_t device = 0;
    /// Of a pass: its index in the schedule's numbering. Of a message: the index of the pass that waits for it. Of a gather or
    /// reduction of one stage: the stage. Otherwise 0.
    std::int32_t place = 0;
    friend bool operator==(const JobEntry &, const JobEntry &) = default;
};

/// A measured job. Times in nanoseconds.
struct MeasuredJob {
    schedule::Schedule schedule; ///< of one replica; family "custom"
    int replicas = 1;
    std::vector<std::int64_t> steps; ///< their numbers in the trace, ascending
    /// The passes come first, in the schedule's numbering; the other operations of a device follow in the order in which the
    /// device ran them.
    std::vector<JobEntry> entries;
    /// Duration without waiting for others, by step, replica and entry.
    std::vector<double> durations;
    std::vector<double> measuredSteps; ///< of each step: last end - first begin over all workers

    [[nodiscard]] int devices() const { return schedule.devices(); }
    [[nodiscard]] const double *durationsOf(std::size_t step, std::size_t replica) const
    {
        return durations.data() + (step * static_cast<std::size_t>(replicas) + replica) * entries.size();
    }
};

/// The duration of each kind of operation if all of them took the same time: the mean of computations, the median of transfers.
/// Nothing for kinds that the job does not have.
using EvenedDurations = std::array<std::optional<double>, kJobOperations>;
[[nodiscard]] EvenedDurations evenedDurations(const MeasuredJob &job);

} // namespace stagelens::simulate
