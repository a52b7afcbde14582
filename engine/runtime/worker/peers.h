// What the processes of a run tell each other beside the tensors of the passes.
#pragma once

#include "engine/backend/process_group.h"
#include "engine/runtime/executor/executor.h"

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// Several processes train one plan where there is a group: each has the device of its rank. Null: all devices are here.
using ProcessGroupPtr = std::shared_ptr<backend::ProcessGroup>;

/// Why processes cannot be joined through MPI here; empty where they can.
[[nodiscard]] std::string mpiProblem();
/// Joins the processes that mpirun started; once in a process.
[[nodiscard]] base::Result<ProcessGroupPtr> joinThroughMpi();

/// Collective: refused, on all, where a process has another `value` than the first. `what` it is, and the `remedy`, for people.
[[nodiscard]] base::Result<> agreeOn(backend::ProcessGroup &group, const std::string &what, const std::string &value,
                                     const std::string &remedy, const std::stop_token &stop);

/// What became of a run, for the other processes to know: where this one was merely stopped, what stopped them; else tells them
/// why this one ends.
[[nodiscard]] base::Result<> settled(const ProcessGroupPtr &group, base::Result<> outcome);

/// What a step left on a device.
struct DeviceOutcome {
    double loss = 0; ///< Device::lossSum()
    simulate::MemoryByCategory peakMemory{};
    timeline::Lane lane; ///< by the clock of the step
};

/// The collective calls of a Session. Alone, with all devices in this process, each is nothing but its local part. They are
/// Cancelled when `halt` asks.
class Peers {
public:
    using Clock = std::chrono::steady_clock;

    Peers(ProcessGroupPtr group, int devices, std::stop_token halt);
    [[nodiscard]] bool isAlone() const { return m_group == nullptr; }
    /// Results come together in the first process.
    [[nodiscard]] bool isFirst() const { return m_group == nullptr || m_group->isFirst(); }
    /// Of the devices in this process.
    [[nodiscard]] const std::vector<int> &ranks() const { return m_ranks; }

    /// Messages among the devices.
    [[nodiscard]] std::unique_ptr<backend::Transport> makeTransport(std::stop_token halt) const;
    /// Refused where processes differ in plan, schedule or first batch.
    [[nodiscard]] base::Result<> agree(const RunPlan &plan, const Batch &first);
    /// Learns which devices have copies of which parameters.
    [[nodiscard]] base::Result<> introduce(const Devices &devices);
    /// All begin at once.
    [[nodiscard]] base::Result<> meet();
    /// How far this process is.
    void note(int step, std::size_t passesDone);
    [[nodiscard]] const ProcessGroupPtr &group() const { return m_group; }

    /// What sumCopies() sends, in the order of backend::Transport::announce(). After introduce().
    [[nodiscard]] std::vector<backend::Message> copyMessages(const RunPlan &plan) const;
    /// See optimizer.h; `pool` has room for what is sent.
    [[nodiscard]] base::Result<> sumCopies(const RunPlan &plan, const Devices &devices, backend::Transport &transport,
                                           backend::Pool &pool);
    [[nodiscard]] base::Result<double> gradientNorm(const RunPlan &plan, const Devices &devices);
    /// On the first: of all devices, in the order of their ranks, by one clock. `begin`: of the step, by this process's clock.
    [[nodiscard]] base::Result<> collect(std::vector<DeviceOutcome> &outcomes, Clock::time_point begin);
    /// On the first: the sum of what all have, in the order of their ranks.
    [[nodiscard]] base::Result<double> sum(double own);
    /// On the first: adds the rows that other processes have to the tensor of that parameter; `device` is the one here.
    [[nodiscard]] base::Result<> collectRows(std::vector<float> &tensor, const Device &device, int parameter,
                                             backend::Buffer Parameter::*part);

private:
    [[nodiscard]] base::Result<std::vector<backend::Bytes>> toAll(backend::Bytes own);

    /// Ranks that have a parameter whole. Of shards there are no copies.
    struct Holders {
        int original = 0;
        std::vector<int> copies;
    };

    ProcessGroupPtr m_group;
    std::vector<int> m_ranks;
    std::stop_token m_halt;
    std::vector<Holders> m_holders; ///< of every parameter
};

} // namespace stagelens::runtime
