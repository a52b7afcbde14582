#include "app/cli/commands/run_launch.h"

#include "app/cli/commands/commands.h"
#include "app/cli/report.h"
#include "app/cli/usage.h"
#include "engine/base/text.h"
#include "engine/model/presets.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/plans/launch_lines.h"

#include <algorithm>
#include <iostream>

namespace stagelens::cli {
namespace {

/// Returns the arguments of each process: what the person gave, with a transport between processes.
std::vector<std::string> argumentsOf(const ExperimentArguments &arguments, const model::Experiment &experiment,
                                     const std::string &database)
{
    std::vector<std::string> words{"run"};
    if (!arguments.file.empty())
        words.push_back(arguments.file);
    for (const auto &[option, value] : arguments.given) {
        if (option == "--transport")
            continue;
        words.push_back(option);
        if (!value.empty())
            words.push_back(value);
    }
    const auto transport = arguments.given.find("--transport");
    const bool isChosen = transport != arguments.given.end() && transport->second != "in-process";
    words.insert(words.end(), {"--transport", isChosen                                ? transport->second
                                              : experiment.training.backend == "cuda" ? "nccl"
                                                                                      : "mpi"});
    if (!database.empty())
        words.insert(words.end(), {"--db", database});
    return words;
}

} // namespace

int printLaunch(const ExperimentArguments &arguments, const model::Experiment &experiment, const std::string &nodes,
                const std::string &database)
{
    service::LaunchPlan plan;
    const model::Experiment whole = operators::resolved(experiment, service::machineCores());
    plan.ranks = whole.parallel.ranks(whole.parallel.devices);
    if (!nodes.empty())
        for (const std::string_view node : base::split(nodes, ','))
            plan.nodes.emplace_back(base::trim(node));
    plan.ranksPerNode = static_cast<int>(plan.ranks); // processors: one node
    if (const auto *choice = std::get_if<model::HardwarePreset>(&whole.cost.source); choice && choice->name != "cpu-local")
        if (const auto hardware = model::hardwareOf(*choice); hardware)
            plan.ranksPerNode = std::min(plan.ranksPerNode, hardware->devicesPerNode);
    plan.arguments = argumentsOf(arguments, whole, database);
    const auto lines = service::launchLines(plan);
    if (!lines)
        return fail(lines.error());
    std::cout << lines->mpirun << '\n' << lines->srun << '\n';
    return kDone;
}

} // namespace stagelens::cli
