#include "engine/service/runs/other_machine.h"

#include "engine/service/machine/environment.h"
#include "engine/service/machine/machines.h"

#include <fmt/format.h>

namespace stagelens::service {

base::Result<OtherMachine> OtherMachine::connect(const TrainingOptions &options, model::Experiment &experiment,
                                                 const std::stop_token &stop)
{
    if (base::Problems problems = hostProblems(options); !problems.empty())
        return base::Error::invalid(std::move(problems));
    auto connected = connectTo(options.host, stop);
    if (!connected)
        return std::move(connected).error();
    OtherMachine other(options.host.host, *std::move(connected));
    experiment.training.mode = options.isOverNccl ? model::RunMode::Live : model::runMode(experiment, other.cores());
    const auto *preset = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    const auto hardware = calibratedHardware(other.m_worker->machine());
    if (hardware && experiment.training.backend == "cpu") {
        other.m_peakFlops = hardware->peakFlops;
        if (preset != nullptr && preset->name == "cpu-local")
            experiment.cost.source = model::HardwarePreset{hardware->name, std::make_shared<const model::Hardware>(*hardware)};
    }
    return other;
}

std::map<std::string, std::string> OtherMachine::facts(const std::string &backend) const
{
    const auto own = environment();
    const auto from = own.find("host");
    const runtime::MachineReport &machine = m_worker->machine();
    std::map<std::string, std::string> facts = machine.facts;
    facts["reached through"] = fmt::format("ssh {}{}", m_host, from == own.end() ? "" : " from " + from->second);
    for (const runtime::MachineReport::Backend &each : machine.backends)
        if (each.name == backend && backend != "cpu")
            facts["gpus"] = each.description;
    return facts;
}

runtime::RemoteOutcome OtherMachine::train(const runtime::PackedRun &run, const runtime::TrainingObserver &observer,
                                           const std::stop_token &stop)
{
    return m_worker->train(run, observer, stop);
}

} // namespace stagelens::service
