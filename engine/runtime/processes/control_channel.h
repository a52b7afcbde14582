// What the processes of a run exchange in addition to the tensors of the passes.
#pragma once

#include "engine/backend/process_group.h"
#include "engine/runtime/executor/executor.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// The processes that train one plan, each with the device of its rank; null if all devices are in this process.
using ProcessGroupPtr = std::shared_ptr<backend::ProcessGroup>;

/// Returns why processes cannot be connected through MPI, or an empty string.
[[nodiscard]] std::string mpiProblem();
/// Connects the processes that mpirun started. Call at most once per process.
[[nodiscard]] base::Result<ProcessGroupPtr> joinThroughMpi();

/// Collective. Fails on all processes if a process has another `value` than the first one. `what` names the value and `remedy`
/// the correction in the error message.
[[nodiscard]] base::Result<> requireSame(backend::ProcessGroup &group, const std::string &what, const std::string &value,
                                         const std::string &remedy, const std::stop_token &stop);

/// Collective. Returns the bytes of every process, in rank order.
[[nodiscard]] base::Result<std::vector<backend::Bytes>> allGather(backend::ProcessGroup &group, backend::Bytes own,
                                                                  const std::stop_token &stop);

/// Collective. The first process calls `find`, and all return its outcome.
[[nodiscard]] base::Result<std::string> shareText(backend::ProcessGroup &group,
                                                  const std::function<base::Result<std::string>()> &find);

/// Returns the outcome of a run in the group: if another process ended it, that process's error. Otherwise sends an error of
/// this process to the others.
[[nodiscard]] base::Result<> reportOutcome(const ProcessGroupPtr &group, base::Result<> outcome);

/// The results of a step on one device.
struct DeviceOutcome {
    std::vector<double> losses; ///< Device::lossSums()
    simulate::MemoryByCategory peakMemory{};
    base::Bytes peakHost = 0; ///< of what it keeps on its host
    timeline::Lane lane;      ///< by the clock of the step
    /// What the routers of the device chose, by stage and layer of the stage.
    ExpertRecord::Layers routers;
    timeline::OperatorTimes operators; ///< of its passes
};

/// What one process holds of a whole tensor.
struct TensorPieces {
    std::vector<std::int64_t> runs; ///< of each run of values: its first number in the whole tensor, and their count
    std::vector<float> values;      ///< of all runs
};
/// Parameters or gradients of the whole model, tensor after tensor in Hugging Face order.
using Tensors = std::vector<std::vector<float>>;

/// The collective calls of a Session. If all devices are in this process, each call does only its local part. Calls return
/// Cancelled after a stop of `halt`.
class ControlChannel {
public:
    using Clock = std::chrono::steady_clock;

    ControlChannel(ProcessGroupPtr group, int ranks, std::stop_token halt);
    [[nodiscard]] bool isAlone() const { return m_group == nullptr; }
    /// Returns whether this process receives the results.
    [[nodiscard]] bool isFirst() const { return m_group == nullptr || m_group->isFirst(); }
    /// Returns the ranks of the devices in this process.
    [[nodiscard]] const std::vector<int> &ranks() const { return m_ranks; }

    /// Creates the transport between the devices.
    [[nodiscard]] std::unique_ptr<backend::Transport> makeTransport(std::stop_token halt) const;
    /// Fails if processes differ in experiment, schedule or first batch.
    [[nodiscard]] base::Result<> checkSameInputs(const RunPlan &plan, const Batch &first);
    /// Blocks until all processes have called it.
    [[nodiscard]] base::Result<> barrier();
    /// Returns the bytes of every process, in rank order. There must be several processes.
    [[nodiscard]] base::Result<std::vector<backend::Bytes>> allGather(backend::Bytes own);
    /// Sets the progress that other processes report if this one is lost.
    void reportProgress(int step, std::size_t passesDone);
    [[nodiscard]] const ProcessGroupPtr &group() const { return m_group; }

    /// Returns the norm of the gradient over all ranks; with local SGD the norm of each replica's.
    [[nodiscard]] base::Result<std::vector<double>> gradientNorms(const RunPlan &plan, const Devices &devices);
    /// Returns whether it is true in any process.
    [[nodiscard]] base::Result<bool> isAny(bool own);
    /// Replaces `outcomes` on the first process by those of all devices in rank order, by one clock. `begin` is the begin of
    /// the step by this process's clock.
    [[nodiscard]] base::Result<> gatherOutcomes(std::vector<DeviceOutcome> &outcomes, Clock::time_point begin);
    /// Returns the sum over all processes, in rank order, on the first one.
    [[nodiscard]] base::Result<double> sumOnFirst(double own);
    /// Returns the bytes of the first process.
    [[nodiscard]] base::Result<backend::Bytes> fromFirst(backend::Bytes own);
    /// Adds what other processes hold to `tensors`, which the first process has; tensor i has sizes[i] numbers, and `own`
    /// returns what this process holds of it. The first process requests a few tensors at a time, which bounds its memory.
    [[nodiscard]] base::Result<> gatherTensors(Tensors &tensors, std::span<const std::int64_t> sizes,
                                               const std::function<TensorPieces(int)> &own);
    /// Calls `take` with each tensor of the first process, on all of them. Others pass no tensors.
    [[nodiscard]] base::Result<> scatterTensors(const Tensors &tensors, std::span<const std::int64_t> sizes,
                                                const std::function<void(int, const std::vector<float> &)> &take);

private:
    ProcessGroupPtr m_group;
    std::vector<int> m_ranks;
    std::stop_token m_halt;
};

} // namespace stagelens::runtime
