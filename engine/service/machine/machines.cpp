#include "engine/service/machine/machines.h"

#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/model/hardware_json.h"
#include "engine/service/machine/calibrate.h"
#include "engine/service/machine/environment.h"

#include "commit.h"

namespace stagelens::service {
namespace {

constexpr const char *kLocal = "cpu-local";

/// Returns a name that no preset has, of the machine's own name.
std::string hardwareName(const runtime::MachineReport &machine)
{
    const auto host = machine.facts.find("host");
    return "cpu-of-" + (host == machine.facts.end() || host->second.empty() ? "another-machine" : host->second);
}

} // namespace

runtime::MachineReport describeMachine()
{
    runtime::MachineReport machine{STAGELENS_COMMIT, machineCores(), environment(), backends(), {}};
    if (const auto hardware = isCalibrated() ? model::hardwarePreset(kLocal) : base::Error::failed("not calibrated")) {
        model::Hardware named = model::copyOf(*hardware);
        named.name = hardwareName(machine);
        machine.calibration = model::clusterText(named);
    }
    return machine;
}

base::Result<std::unique_ptr<runtime::RemoteWorker>> connectTo(const runtime::HostChoice &choice, const std::stop_token &stop)
{
    return runtime::RemoteWorker::connect(choice, STAGELENS_COMMIT, stop);
}

base::Result<runtime::MachineReport> machineThere(const runtime::HostChoice &choice, const std::stop_token &stop)
{
    const auto worker = connectTo(choice, stop);
    return worker ? base::Result<runtime::MachineReport>((*worker)->machine()) : worker.error();
}

std::optional<model::Hardware> calibratedHardware(const runtime::MachineReport &machine)
{
    if (machine.calibration.empty())
        return std::nullopt;
    auto hardware = model::clusterFromText(machine.calibration, "the calibration of the other machine");
    if (!hardware) {
        base::log(base::LogLevel::Warning, hardware.error().text() + "; it is not used");
        return std::nullopt;
    }
    return *std::move(hardware);
}

} // namespace stagelens::service
