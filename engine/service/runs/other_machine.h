// The machine that a run trains on, if it is not this one.
#pragma once

#include "engine/runtime/remote/remote_worker.h"
#include "engine/service/runs/training_options.h"

#include <map>
#include <memory>
#include <stop_token>
#include <string>

namespace stagelens::service {

/// Connects when the run begins, and trains there.
class OtherMachine {
public:
    /// Connects, and adapts the plan: the mode follows from that machine's cores, and cpu-local is its processor. Fails with
    /// InvalidInput if options of the run cannot be used there.
    [[nodiscard]] static base::Result<OtherMachine> connect(const TrainingOptions &options, model::Experiment &experiment,
                                                            const std::stop_token &stop);
    [[nodiscard]] int cores() const { return m_worker->machine().cores; }
    /// Peak FLOP/s of a core if the machine is calibrated and computes on its processor; 0: unknown.
    [[nodiscard]] double peakFlops() const { return m_peakFlops; }
    /// Returns the facts about that machine and backend for the record of a run.
    [[nodiscard]] std::map<std::string, std::string> facts(const std::string &backend) const;
    [[nodiscard]] runtime::RemoteOutcome train(const runtime::PackedRun &run, const runtime::TrainingObserver &observer,
                                               const std::stop_token &stop);

private:
    OtherMachine(std::string host, std::unique_ptr<runtime::RemoteWorker> worker)
        : m_host(std::move(host)), m_worker(std::move(worker))
    {}

    std::string m_host;
    std::unique_ptr<runtime::RemoteWorker> m_worker;
    double m_peakFlops = 0;
};

} // namespace stagelens::service
