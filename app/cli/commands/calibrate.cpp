// `calibrate`: a cluster's file from measurements of the cluster.
#include "app/cli/commands/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "app/cli/usage.h"
#include "engine/base/file.h"
#include "engine/base/printable.h"
#include "engine/base/text.h"
#include "engine/exchange/nccl_tests.h"
#include "engine/model/hardware_json.h"
#include "engine/model/names.h"
#include "engine/model/presets.h"
#include "engine/service/predictions/trace_fit.h"
#include "engine/service/runs/import_job.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>

namespace stagelens::cli {

namespace {

using base::Result;

constexpr base::Bytes kLargestLog = base::Bytes{64} << 20;

struct CalibrateArguments {
    ExperimentArgumentsPtr experiment;
    std::vector<std::string> logs;
    std::vector<std::string> traces;
    std::string operation;
    int ranks = 0;
    int nodes = 0;
    std::string name;
    std::string output;
};

/// Returns the hardware to begin with, under a name that no preset has.
Result<model::Hardware> beginning(const CalibrateArguments &arguments, const model::Experiment &experiment)
{
    const auto *choice = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    if (choice == nullptr)
        return base::Error::invalid("--hardware", "is missing; name the preset or the file that the measurements complete");
    auto hardware = model::hardwareOf(*choice);
    if (!hardware)
        return hardware;
    model::Hardware cluster = choice->cluster ? *std::move(hardware) : model::copyOf(*std::move(hardware));
    if (!arguments.name.empty())
        cluster.name = arguments.name;
    return cluster;
}

exchange::NcclTestsOptions optionsOf(const CalibrateArguments &arguments)
{
    exchange::NcclTestsOptions options;
    if (!arguments.operation.empty())
        options.operation = model::parse<model::Collective>(arguments.operation);
    if (arguments.ranks > 0)
        options.ranks = arguments.ranks;
    if (arguments.nodes > 0)
        options.nodes = arguments.nodes;
    return options;
}

/// Reads all logs into the tables of the cluster, and prints them.
Result<> takeLogs(const CalibrateArguments &arguments, model::Hardware &cluster, std::ostream &out)
{
    base::Problems problems;
    std::vector<model::CollectiveTable> tables;
    for (const std::string &file : arguments.logs) {
        const auto text = base::readFile(file, kLargestLog);
        const auto read =
            text ? exchange::readNcclTests(*text, file, optionsOf(arguments)) : Result<exchange::NcclTests>(text.error());
        if (!read) {
            problems.insert(problems.end(), read.error().problems.begin(), read.error().problems.end());
            continue;
        }
        for (const std::string &remark : read->remarks)
            std::cerr << base::printable(fmt::format("{}: {}", file, remark)) << '\n';
        tables.insert(tables.end(), read->tables.begin(), read->tables.end());
    }
    if (!problems.empty())
        return base::Error::invalid(std::move(problems));
    exchange::takeTables(cluster, tables);
    Table shown({"operation", "ranks", "nodes", "sizes", "to", "time of it", "bus rate of it"});
    for (const model::CollectiveTable &table : tables) {
        const model::CollectivePoint &last = table.points.back();
        const double rate = model::busFactor(table.operation, table.ranks) * last.bytes / last.micros * 1e6;
        shown.add({std::string(model::name(table.operation)), std::to_string(table.ranks), std::to_string(table.nodes),
                   std::to_string(table.points.size()), base::bytesText(static_cast<std::int64_t>(last.bytes)),
                   timeText(static_cast<base::Nanos>(last.micros * 1000)), countText(rate) + "B/s"});
    }
    shown.print(out);
    return {};
}

/// Fits the cluster to the traces, and prints the residual of each kind of pass.
Result<> takeTraces(const CalibrateArguments &arguments, model::Experiment experiment, model::Hardware &cluster,
                    std::ostream &out)
{
    const InterruptScope interrupt;
    const auto trace = service::readTraces({arguments.traces.begin(), arguments.traces.end()}, interrupt.token());
    if (!trace)
        return trace.error();
    const auto shared = std::make_shared<const model::Hardware>(cluster);
    experiment.cost.source = model::HardwarePreset{shared->name, shared};
    const auto fit = service::fitTrace(experiment, *trace);
    if (!fit)
        return underOptions(fit.error(), *arguments.experiment);
    const model::Hardware before = std::exchange(cluster, fit->hardware);
    Table shown({"pass", "count", "measured", "predicted", "residual", "rms of stages", "before the fit"});
    const auto share = [](base::Nanos predicted, base::Nanos measured) {
        const double off = static_cast<double>(predicted) / std::max(static_cast<double>(measured), 1.0) - 1;
        return (off > 0 ? "+" : "") + percentText(off);
    };
    for (const service::PassResidual &pass : fit->passes)
        shown.add({std::string(schedule::name(pass.kind)), std::to_string(pass.count), timeText(pass.measured),
                   timeText(pass.after), share(pass.after, pass.measured), percentText(pass.rms),
                   share(pass.before, pass.measured)});
    shown.print(out);
    out << fmt::format("\nmatrix_efficiency {:.3f} -> {:.3f}, attention_efficiency {:.3f} -> {:.3f}, memory {}B/s -> {}B/s, a "
                       "pass {} -> {}; {}{}",
                       before.matrixEfficiency, cluster.matrixEfficiency, before.attentionEfficiency,
                       cluster.attentionEfficiency, countText(before.memoryBytesPerSecond),
                       countText(cluster.memoryBytesPerSecond), timeText(before.passOverhead), timeText(cluster.passOverhead),
                       fit->steps, fit->steps == 1 ? " step\n" : " steps, the first left out\n");
    cluster.measured.reset(); // the runs of the preset say nothing of these figures
    return {};
}

int calibrate(const CalibrateArguments &arguments)
{
    if (const auto allowed = requireOutput(arguments.output, {}); !allowed)
        return fail(allowed.error());
    if (arguments.logs.empty() && arguments.traces.empty())
        return fail(base::Error::invalid("--nccl-tests", "and --trace are both missing; name what was measured (`bench "
                                                         "--calibrate` measures this computer)"));
    const auto experiment = experimentOf(*arguments.experiment);
    if (!experiment)
        return fail(experiment.error());
    auto cluster = beginning(arguments, *experiment);
    if (!cluster)
        return fail(cluster.error());
    const bool isPrinted = arguments.output.empty() || arguments.output == "-";
    std::ostream &report = isPrinted ? std::cerr : std::cout; // the result is the file
    if (!arguments.logs.empty())
        if (const auto taken = takeLogs(arguments, *cluster, report); !taken)
            return fail(taken.error());
    if (!arguments.traces.empty())
        if (const auto taken = takeTraces(arguments, *experiment, *cluster, report); !taken)
            return fail(taken.error());
    const std::string text = model::clusterText(*cluster);
    if (const auto sound = model::clusterFromText(text, "--name"); !sound)
        return fail(sound.error());
    if (isPrinted) {
        std::cout << text;
        return kDone;
    }
    const auto written = base::writeFile(arguments.output, text);
    return written ? kDone : fail(written.error());
}

} // namespace

void addCalibrate(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("calibrate", "make the file of a cluster from measurements of it");
    const auto arguments = std::make_shared<CalibrateArguments>();
    arguments->experiment = addExperimentArguments(*command);
    command
        ->add_option("--nccl-tests", arguments->logs, "output of nccl-tests: fills the tables of collectives; again for more")
        ->type_name("LOG")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->expected(1)
        ->check(notEmpty());
    command->add_option("--trace", arguments->traces, "trace of PyTorch's profiler: fits what passes cost; again for each rank")
        ->type_name("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->expected(1)
        ->check(notEmpty());
    command->add_option("--operation", arguments->operation, "of the log, where it does not name it")
        ->type_name("NAME")
        ->check(oneOf(model::names<model::Collective>()));
    command->add_option("--ranks", arguments->ranks, "of the log, where it does not list them")
        ->type_name("N")
        ->transform(wholeNumberFrom(2));
    command->add_option("--nodes", arguments->nodes, "on which the ranks of the log were")
        ->type_name("N")
        ->transform(wholeNumberFrom(1));
    command->add_option("--name", arguments->name, "name of the cluster (default: the preset's, with -copy)")
        ->type_name("NAME")
        ->check(notEmpty());
    command->add_option("-o,--output", arguments->output, "file to write (default: standard output)")
        ->type_name("FILE")
        ->check(notEmpty());
    command->callback([arguments, &chosen] { chosen = [arguments] { return calibrate(*arguments); }; });
}

} // namespace stagelens::cli
