// A worker on another machine, reached through ssh.
#pragma once

#include "engine/runtime/remote/host.h"
#include "engine/runtime/training/training_run.h"
#include "engine/runtime/worker/machine_report.h"
#include "engine/runtime/worker/worker_link.h"
#include "engine/runtime/worker/worker_process.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace stagelens::runtime {

/// The end of a run on another machine.
struct RemoteOutcome {
    base::Result<> outcome;
    bool isConnectionLost = false; ///< the run was interrupted: the outcome is an error that says so
};

/// The connection. The worker ends when it is destroyed.
class RemoteWorker {
public:
    /// Starts the worker there and requests the facts of its machine. Copies this program there first if it is missing or of
    /// another build than `build`, and the choice says so. Fails with InvalidInput, field "--host" and the remedy; Cancelled
    /// after a stop of `stop`.
    [[nodiscard]] static base::Result<std::unique_ptr<RemoteWorker>> connect(HostChoice choice, const std::string &build,
                                                                             const std::stop_token &stop);
    ~RemoteWorker();
    RemoteWorker(const RemoteWorker &) = delete;
    RemoteWorker &operator=(const RemoteWorker &) = delete;

    [[nodiscard]] const MachineReport &machine() const { return m_machine; }
    /// Like trainInWorker(). Call once. Files of the plan and of `folders` are those of that machine.
    [[nodiscard]] RemoteOutcome train(const PackedRun &run, const TrainingObserver &observer, const std::stop_token &stop);

private:
    explicit RemoteWorker(HostChoice choice) : m_choice(std::move(choice)) {}
    [[nodiscard]] base::Result<> open(const std::stop_token &stop);
    [[nodiscard]] base::Error brokenOff(int stepsDone);

    HostChoice m_choice;
    WorkerProcess m_process;
    std::optional<WorkerLink> m_link;
    MachineReport m_machine;
    std::jthread m_heart; ///< sends heartbeats; last member: joined first
};

} // namespace stagelens::runtime
