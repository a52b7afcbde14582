// `hardware`: the file of a cluster to start from, and a check of one.
#include "app/cli/commands/commands.h"
#include "app/cli/host_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/option_table.h"
#include "app/cli/output.h"
#include "app/cli/report.h"
#include "app/cli/usage.h"
#include "engine/base/file.h"
#include "engine/model/hardware_json.h"
#include "engine/model/presets.h"
#include "engine/service/machine/machines.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace stagelens::cli {

namespace {

struct HardwareArguments {
    std::string source;
    std::string name;
    std::string output;
    std::shared_ptr<runtime::HostChoice> host;
};

/// Reads a preset, a file, or the calibration of another machine.
base::Result<model::Hardware> clusterOf(const HardwareArguments &arguments)
{
    if (*arguments.host != runtime::HostChoice()) {
        if (const auto sound = checkHostOptions(*arguments.host); !sound)
            return sound.error();
        if (!arguments.source.empty())
            return base::Error::invalid("--host", "reads the calibration of that machine; leave out the preset or file");
        const InterruptScope interrupt;
        const auto machine = service::machineThere(*arguments.host, interrupt.token());
        if (!machine)
            return machine.error();
        if (auto hardware = service::calibratedHardware(*machine))
            return *std::move(hardware);
        return base::Error::failed(arguments.host->host +
                                   " is not calibrated; run stagelens-cli bench --calibrate there, then read it again");
    }
    if (arguments.source.empty())
        return base::Error::invalid("PRESET|FILE", "is missing; give a preset of `list hardware`, a file, or --host");
    model::Experiment experiment;
    base::Problems problems = applyHardware(arguments.source, experiment);
    for (base::Problem &problem : problems)
        problem.field = "hardware";
    if (!problems.empty())
        return base::Error::invalid(std::move(problems));
    const auto &choice = std::get<model::HardwarePreset>(experiment.cost.source);
    auto hardware = model::hardwareOf(choice);
    if (!hardware || choice.cluster)
        return hardware;
    return model::copyOf(*std::move(hardware));
}

int writeHardware(const HardwareArguments &arguments)
{
    if (const auto allowed = requireOutput(arguments.output, {}); !allowed)
        return fail(allowed.error());
    auto read = clusterOf(arguments);
    if (!read)
        return fail(read.error());
    model::Hardware cluster = *std::move(read);
    if (!arguments.name.empty())
        cluster.name = arguments.name;
    const std::string text = model::clusterText(cluster);
    if (const auto sound = model::clusterFromText(text, "--name"); !sound)
        return fail(sound.error());
    if (arguments.output.empty() || arguments.output == "-") {
        std::cout << text;
        return kDone;
    }
    const auto written = base::writeFile(arguments.output, text);
    return written ? kDone : fail(written.error());
}

} // namespace

void addHardware(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("hardware", "write the file of a cluster to start from, or check one");
    const auto arguments = std::make_shared<HardwareArguments>();
    command->add_option("PRESET|FILE", arguments->source, "a preset of `list hardware`, or the file of a cluster")
        ->check(notEmpty());
    command->add_option("--name", arguments->name, "name of the cluster (default: the preset's, with -copy)")
        ->type_name("NAME")
        ->check(notEmpty());
    command->add_option("-o,--output", arguments->output, "file to write (default: standard output)")
        ->type_name("FILE")
        ->check(notEmpty());
    arguments->host = addHostOptions(*command, "Machine");
    command->callback([=, &chosen] { chosen = [=] { return writeHardware(*arguments); }; });
}

} // namespace stagelens::cli
