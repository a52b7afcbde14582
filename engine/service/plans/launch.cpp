#include "engine/service/plans/launch.h"

#include "engine/base/file.h"
#include "engine/model/presets.h"

#include <fmt/format.h>

namespace stagelens::service {

std::span<const LaunchFormat> launchFormats()
{
    return exchange::frameworks();
}

bool isLaunchFormat(std::string_view format)
{
    return exchange::findFramework(format) != nullptr;
}

base::Result<Launch> launchText(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                std::string_view format, const std::string &scheduleFile)
{
    if (schedule.slices() > 1)
        return base::Error::invalid(
            "schedule.family",
            fmt::format("{} runs slices of sequences, which {} does not schedule; choose 1f1b", schedule.family(), format));
    int devicesPerNode = model::Hardware().devicesPerNode;
    if (const auto *choice = std::get_if<model::HardwarePreset>(&experiment.cost.source)) {
        const auto hardware = model::hardwareOf(*choice);
        if (!hardware)
            return hardware.error();
        if (hardware->name != "cpu-local") // a node of processors is no node of GPUs
            devicesPerNode = hardware->devicesPerNode;
    }
    return exchange::launchOf(format, experiment, schedule, devicesPerNode, scheduleFile);
}

base::Result<Launch> writeLaunch(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                 std::string_view format, const std::filesystem::path &file)
{
    std::filesystem::path csv = file;
    csv.replace_extension(".csv");
    auto launch = launchText(experiment, schedule, format, csv.filename().string());
    if (!launch)
        return launch;
    const bool hasCsv = !launch->scheduleCsv.empty();
    if (hasCsv)
        if (const auto written = base::writeFile(csv, launch->scheduleCsv); !written)
            return written.error();
    if (const auto written = base::writeFile(file, launch->text); !written) {
        std::error_code ignored;
        if (hasCsv)
            std::filesystem::remove(csv, ignored);
        return written.error();
    }
    return launch;
}

} // namespace stagelens::service
