// `run`: trains for real, shows progress, stores the run.
#include "app/cli/commands/commands.h"
#include "app/cli/commands/run_launch.h"
#include "app/cli/host_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/report.h"
#include "app/cli/run_document.h"
#include "app/cli/run_watch.h"
#include "app/cli/silence.h"
#include "app/cli/table.h"
#include "app/cli/usage.h"
#include "engine/base/file.h"
#include "engine/base/printable.h"
#include "engine/base/text.h"
#include "engine/exchange/timeline_json.h"
#include "engine/service/engine_service.h"
#include "engine/service/machine/backends.h"
#include "engine/service/machine/machines.h"
#include "engine/store/removal.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <utility>

namespace stagelens::cli {

namespace {

using service::RunSnapshot;

int statusOf(const RunSnapshot &run, const ExperimentArguments &arguments)
{
    if (run.error)
        return fail(underOptions(*run.error, arguments));
    if (!run.stored) {
        std::cerr << "the run was not stored: " << base::printable(run.storeProblem) << '\n';
        return kFailed;
    }
    if (!run.checkpointProblem.empty()) {
        std::cerr << base::printable(run.checkpointProblem) << '\n';
        return kFailed;
    }
    return run.record.summary.status == store::RunStatus::Cancelled ? kCancelled : kDone;
}

void print(const RunSnapshot &run)
{
    const store::RunRecord &record = run.record;
    std::cout << provenanceText(record.summary.kind) << ": " << planText(record.experiment) << '\n';
    if (record.summary.id > 0)
        std::cout << "run " << record.summary.id << ", ";
    std::cout << store::name(record.summary.status) << ", " << run.step << " of " << run.steps << " steps";
    if (!record.losses.empty())
        std::cout << ", loss " << base::fixedText(record.losses.front(), 4) << " -> "
                  << base::fixedText(record.losses.back(), 4);
    if (record.summary.resumed)
        std::cout << ", went on from run " << *record.summary.resumed << " after step " << record.summary.resumedSteps;
    std::cout << '\n';
    if (const std::string text = evaluationText(record.evaluations); !text.empty())
        std::cout << "on held-back tokens: loss " << text << '\n';
    for (const char *fact : {"reached through", "checkpoint", "init", "devices", "clocks", "gpu memory", "kernels",
                             "gradient order", "precision", "loss scale"})
        if (const auto known = record.environment.find(fact); known != record.environment.end() && known->second != "fp32")
            std::cout << fact << ": " << base::printable(known->second) << '\n';
    for (const auto &[fact, text] : record.environment)
        if (fact.starts_with("experts of layer"))
            std::cout << fact << ": " << base::printable(text) << '\n';
    std::cout << '\n';
    if (record.metrics && record.timeline)
        printMetrics(std::cout, *record.metrics, *record.timeline, record.experiment.parallel.syncEvery);
}

/// What `run` is given beside the experiment.
struct RunArguments {
    std::shared_ptr<std::string> database;
    std::string dump;
    std::string init;
    int checkpointEvery = 0;
    std::string resume; ///< number or name of a run; empty: none
    std::shared_ptr<runtime::HostChoice> host;
    bool printsLaunch = false;
    std::string nodes;   ///< of the printed launch; empty: not named
    std::string kernels; ///< file for the GPUs' kernels in the last step; empty: they are not recorded
    bool asJson = false;
};

base::Error resumeRefused(std::string message)
{
    return base::Error::invalid("--resume", std::move(message));
}

base::Result<service::ResumedRun> storedRun(service::StoredRuns &stored, const std::string &name)
{
    const auto id = stored.numberOf(name);
    if (!id)
        return resumeRefused(id.error().text());
    auto record = stored.load(*id);
    if (!record)
        return resumeRefused(record.error().text());
    if (record->summary.status == store::RunStatus::Running)
        return resumeRefused(fmt::format("run {} is still training; stop it first", *id));
    return service::ResumedRun{*id, std::move(record->experiment)};
}

/// Finds the run to resume and takes its experiment for what nobody says otherwise.
base::Result<std::optional<store::RunId>> resumedRun(service::StoredRuns &stored, const RunArguments &given,
                                                     ExperimentArguments &arguments, const runtime::ProcessGroupPtr &processes)
{
    if (given.resume.empty())
        return std::optional<store::RunId>();
    if (!given.init.empty())
        return resumeRefused("contradicts --init: parameters come from the checkpoint; keep one");
    auto found = service::shareResumedRun(processes, [&] { return storedRun(stored, given.resume); });
    if (!found)
        return std::move(found).error();
    if (arguments.file.empty())
        arguments.stored = std::move(found->experiment);
    return std::optional(found->id);
}

nlohmann::ordered_json documentOf(const RunSnapshot &run)
{
    nlohmann::ordered_json document = runDocument(run.record, true);
    if (run.kernels)
        document["kernels"] = {{"step", run.step - 1},
                               {"devices", exchange::devicesJson(*run.kernelTimeline)},
                               {"slices", exchange::kernelsJson(*run.kernels)}};
    return document;
}

/// The last step with its kernels, as a Chrome trace.
base::Result<> writeKernels(const RunSnapshot &run, const std::string &file)
{
    if (!run.kernels) {
        const auto why = run.record.environment.find("kernels");
        return base::Error::failed("no kernels: " +
                                       (why == run.record.environment.end() ? "the last step was not reached" : why->second),
                                   "--kernels");
    }
    return base::writeFile(file, exchange::chromeTrace(*run.kernelTimeline, {.kernels = run.kernels.get()}));
}

/// Returns whether a run that was not refused has ended without a row in the database.
bool isLostUnstored(const RunSnapshot &run)
{
    const bool isRefused = run.error && run.error->kind == base::ErrorKind::InvalidInput;
    const bool hasEnded = run.record.summary.status != store::RunStatus::Finished;
    return run.record.summary.id == 0 && run.stored && hasEnded && !isRefused;
}

/// Trains in this process, or in its part of the group.
int train(ExperimentArguments arguments, const RunArguments &given, const runtime::ProcessGroupPtr &processes, bool isOverNccl)
{
    const auto refuse = [&](const base::Error &error) {
        if (processes)
            processes->giveUp(error);
        return fail(underOptions(error, arguments));
    };
    if (const auto sound = checkHostOptions(*given.host); !sound)
        return refuse(sound.error());
    for (const std::string &output : {given.kernels, given.dump})
        if (const auto allowed = requireOutput(output, *given.database); !allowed)
            return refuse(allowed.error());
    EventSignal events;
    service::EngineService service({.database = *given.database}, [&events] { events.notify(); });
    service::StoredRuns stored(*given.database);
    const auto resumed = resumedRun(stored, given, arguments, processes);
    if (!resumed)
        return refuse(resumed.error());
    const bool isHere = given.host->host.empty() && !given.printsLaunch;
    auto experiment = chosenExperimentOf(arguments, isHere ? service::Purpose::Train : service::Purpose::Predict);
    if (!experiment)
        return refuse(experiment.error());
    if (given.printsLaunch)
        return printLaunch(arguments, *experiment, given.nodes, *given.database);
    if (!given.kernels.empty() && experiment->training.backend != "cuda")
        return refuse(base::Error::invalid("--kernels", "records those of GPUs; choose --backend cuda, or leave it out"));
    const service::TrainingOptions options{.dump = given.dump,
                                           .init = given.init,
                                           .checkpointEvery = given.checkpointEvery,
                                           .resume = *resumed,
                                           .processes = processes,
                                           .isOverNccl = isOverNccl,
                                           .recordsKernels = !given.kernels.empty(),
                                           .host = *given.host};
    if (auto problems = given.host->host.empty() ? base::Problems() : service::hostProblems(options); !problems.empty())
        return refuse(base::Error::invalid(std::move(problems)));
    if (auto problems = service::travelProblems(*experiment, options); !problems.empty())
        return refuse(base::Error::invalid(std::move(problems)));
    if (processes || isOverNccl)
        experiment->training.mode = model::RunMode::Live;
    // Better no run than hours of training that nobody can find again.
    if (!processes || processes->isFirst()) {
        if (const auto runs = stored.list(); !runs)
            return refuse(runs.error());
        if (const auto writable = store::requireWritable(stored.file()); !writable)
            return refuse(writable.error());
    }
    const service::RunSnapshotPtr last = trainAndWatch(service, events, *experiment, options);
    if (processes && last->error)
        processes->giveUp(*last->error);
    if (processes && isLostUnstored(*last))
        std::cerr << "the run is not stored: it ended before its first step\n";
    if (!given.kernels.empty() && !last->error)
        if (const auto written = writeKernels(*last, given.kernels); !written)
            return fail(written.error());
    if (given.asJson)
        printJson(documentOf(*last));
    else if (!last->error || !last->record.iterations.empty())
        print(*last);
    return statusOf(*last, arguments);
}

/// How long a process waits for process 0, which stores the end of a run that lost a process.
constexpr std::chrono::seconds kPatienceWithFirst{5};

/// By mpirun or srun, or by another program that starts as many processes and tells each of the others as Open MPI, MPICH or
/// PMIx does.
bool isOneOfSeveral()
{
    return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr ||
           std::getenv("PMIX_RANK") != nullptr;
}

int run(ExperimentArguments arguments, const RunArguments &given)
{
    if (!given.nodes.empty() && !given.printsLaunch)
        return fail(base::Error::invalid("--nodes", "names the machines of a printed launch; add --print-launch"));
    if (given.printsLaunch)
        return train(std::move(arguments), given, {}, false);
    const auto transport = arguments.given.find("--transport");
    const bool isOverNccl = transport != arguments.given.end() && transport->second == "nccl";
    if (!isOverNccl && (transport == arguments.given.end() || transport->second != "mpi"))
        return train(std::move(arguments), given, {}, false);
    arguments.given.erase(transport);
    if (isOverNccl && !isOneOfSeveral())
        return train(std::move(arguments), given, {}, true);
    enterLaunch(LaunchPhase::Joining);
    const auto processes = service::joinProcesses(isOverNccl);
    if (!processes)
        return fail(processes.error());
    enterLaunch(LaunchPhase::Joined);
    std::optional<Silence> silence; // of every process but the first of the group
    if (!(*processes)->isFirst())
        silence.emplace();
    const int status = train(std::move(arguments), given, *processes, isOverNccl);
    const std::optional<int> farewell = (*processes)->leave(status);
    silence.reset();
    if (!farewell && !(*processes)->isFirst()) {
        if (const auto loss = (*processes)->failure())
            std::cerr << base::printable(*loss) << '\n';
        // mpirun kills all, 1 s after the end of one and at once after the end of another: process 0 stores the reason first.
        (*processes)->waitForEndOfFirst(kPatienceWithFirst);
    }
    return farewell.value_or(status);
}

} // namespace

void addRun(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("run", "train for real and store the run");
    const auto arguments = addExperimentArguments(*command);
    const auto given = std::make_shared<RunArguments>();
    given->database = addDatabaseOption(*command);
    command->get_option("--transport")
        ->description("in-process; mpi: as many processes as ranks, started by mpirun; nccl: a GPU for each rank, in "
                      "either way");
    const auto add = [&](const char *name, auto &target, const char *placeholder, const char *help) {
        return command->add_option(name, target, help)->type_name(placeholder)->group("Training");
    };
    add("--dump", given->dump, "DIR", "write parameters, first gradients and losses there, in Hugging Face layout")
        ->check(notEmpty());
    add("--init", given->init, "DIR", "start from the parameters of such a folder")->check(notEmpty());
    add("--checkpoint-every", given->checkpointEvery, "N",
        "keep the state after every N steps and after the last, to resume from")
        ->transform(wholeNumberFrom(1));
    add("--resume", given->resume, "RUN", "go on from the newest checkpoint of a stored run (its number or name)")
        ->check(notEmpty());
    add("--kernels", given->kernels, "FILE",
        "record the GPUs' kernels inside the last step's passes there, as a Chrome trace; that step is slower")
        ->check(notEmpty());
    given->host = addHostOptions(*command, "Training");
    command
        ->add_flag("--print-launch", given->printsLaunch,
                   "print the lines of mpirun and srun that start this run as a process a rank, and do not train")
        ->group("Training");
    add("--nodes", given->nodes, "A,B,..", "host names for --print-launch (default: as many as the hardware needs)")
        ->check(notEmpty());
    command->add_flag("--json", given->asJson, "print one JSON document");
    command->callback([=, &chosen] { chosen = [=] { return run(*arguments, *given); }; });
}

} // namespace stagelens::cli
