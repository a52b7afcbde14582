#include "engine/service/plans/launch.h"

#include "engine/base/file.h"
#include "engine/exchange/launch.h"
#include "engine/model/presets.h"

#include <fmt/format.h>

namespace stagelens::service {

const std::vector<LaunchFormat> &launchFormats()
{
    static const std::vector<LaunchFormat> kAll = [] {
        std::vector<LaunchFormat> all;
        for (const exchange::Framework &each : exchange::frameworks())
            all.push_back({each.format, each.caption, each.ending, each.version});
        return all;
    }();
    return kAll;
}

bool isLaunchFormat(std::string_view format)
{
    return exchange::findFramework(format) != nullptr;
}

base::Result<LaunchText> launchText(const model::Experiment &experiment, const schedule::Schedule &schedule,
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
    auto launch = exchange::launchOf(format, experiment, schedule, devicesPerNode, scheduleFile);
    if (!launch)
        return std::move(launch).error();
    return LaunchText{std::move(launch->text), std::move(launch->scheduleCsv), std::move(launch->omitted),
                      exchange::findFramework(format)->version};
}

base::Result<LaunchText> writeLaunch(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                     std::string_view format, const std::filesystem::path &file)
{
    std::filesystem::path csv = file;
    csv.replace_extension(".csv");
    auto launch = launchText(experiment, schedule, format, csv.filename().string());
    if (!launch)
        return launch;
    const bool hasCsv = !launch->schedule.empty();
    if (hasCsv)
        if (const auto written = base::writeFile(csv, launch->schedule); !written)
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
