// `runs`: the run database.
#include "app/cli/commands/commands.h"
#include "app/cli/commands/export.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/run_document.h"
#include "app/cli/table.h"
#include "app/cli/usage.h"
#include "engine/base/printable.h"
#include "engine/base/text.h"
#include "engine/model/names.h"
#include "engine/service/runs/stored_runs.h"

#include <fmt/format.h>
#include <iostream>
#include <set>

namespace stagelens::cli {

namespace {

using service::StoredRuns;

/// What all of the `runs` commands are given.
struct RunsArguments {
    std::shared_ptr<std::string> database;
    std::string run;               ///< number or name
    std::vector<std::string> runs; ///< of `delete`
    std::optional<int> step;       ///< of `show`
    std::string name;
    std::vector<std::string> tags;
    bool asJson = false;
};

int listRuns(StoredRuns &stored, const RunsArguments &arguments)
{
    const auto runs = stored.list();
    if (!runs)
        return fail(runs.error());
    if (arguments.asJson) {
        auto rows = nlohmann::ordered_json::array();
        for (const store::RunSummary &run : *runs)
            rows.push_back(summaryJson(run));
        printJson(rows);
        return kDone;
    }
    if (runs->empty()) {
        std::cout << "no runs in " << base::printable(stored.file().string()) << "; train one with `stagelens-cli run`\n";
        return kDone;
    }
    Table table(
        {"run", "status", "when", "name", "steps", "loss", "iteration", "bubble", "tokens/s", "peak memory", "kind", "tags"});
    for (const store::RunSummary &run : *runs) {
        const auto cell = [](const auto &value, auto text) { return value ? text(*value) : "-"; };
        table.add({std::to_string(run.id), std::string(store::name(run.status)), momentText(run.startedUnixMs), runTitle(run),
                   fmt::format("{}/{}", run.stepsDone, run.stepsPlanned),
                   cell(run.lastLoss, [](double loss) { return base::fixedText(loss, 4); }), cell(run.iteration, timeText),
                   cell(run.bubbleRatio, percentText), cell(run.tokensPerSecond, countText),
                   cell(run.peakMemory, base::bytesText), std::string(timeline::name(run.kind)), base::join(run.tags, ",")});
    }
    table.print(std::cout);
    return kDone;
}

int showRun(StoredRuns &stored, const RunsArguments &arguments)
{
    const auto id = stored.numberOf(arguments.run);
    const auto run = id ? stored.load(*id, arguments.step) : id.error();
    if (!run)
        return fail(run.error());
    if (arguments.asJson) {
        printJson(runDocument(*run, true));
        return kDone;
    }
    const store::RunSummary &summary = run->summary;
    Table table({"", ""});
    table.add({"run", fmt::format("{} ({})", summary.id, runTitle(summary))});
    table.add({"status", std::string(store::name(summary.status)) + (summary.reason.empty() ? "" : ": " + summary.reason)});
    table.add({"started", momentText(summary.startedUnixMs)});
    table.add({"kind", provenanceText(summary.kind)});
    table.add({"plan", planText(run->experiment)});
    table.add({"steps", fmt::format("{} of {}", summary.stepsDone, summary.stepsPlanned)});
    if (summary.firstLoss && summary.lastLoss)
        table.add({"loss", base::fixedText(*summary.firstLoss, 4) + " -> " + base::fixedText(*summary.lastLoss, 4)});
    if (const std::string text = evaluationText(run->evaluations); !text.empty())
        table.add({"on held-back tokens", "loss " + text});
    if (summary.resumed)
        table.add({"resumed", fmt::format("run {} after step {}", *summary.resumed, summary.resumedSteps)});
    if (const auto times = stepTimes(run->iterations))
        table.add({"step time", fmt::format("median {}, quartiles {} and {}", nanosText(times->median),
                                            nanosText(times->firstQuartile), nanosText(times->thirdQuartile))});
    if (!summary.tags.empty())
        table.add({"tags", base::join(summary.tags, ", ")});
    for (const auto &[key, value] : run->environment)
        table.add({key, value});
    table.print(std::cout);
    if (run->metrics && run->timeline) {
        std::cout << '\n';
        printMetrics(std::cout, *run->metrics, *run->timeline, run->experiment.parallel.syncEvery);
    }
    return kDone;
}

int renameRun(StoredRuns &stored, const RunsArguments &arguments)
{
    const auto id = stored.numberOf(arguments.run);
    const auto done = id ? stored.rename(*id, arguments.name) : id.error();
    return done ? kDone : fail(done.error());
}

int tagRun(StoredRuns &stored, const RunsArguments &arguments)
{
    const auto id = stored.numberOf(arguments.run);
    const auto done = id ? stored.setTags(*id, arguments.tags) : id.error();
    return done ? kDone : fail(done.error());
}

/// The runs that are named, each once; problems where one is not there or still trains.
base::Result<std::set<store::RunId>> deletableRuns(StoredRuns &stored, const std::vector<std::string> &names)
{
    std::set<store::RunId> ids;
    base::Problems problems;
    for (const std::string &name : names) {
        if (const auto id = stored.numberOf(name))
            ids.insert(*id);
        else
            problems.insert(problems.end(), id.error().problems.begin(), id.error().problems.end());
    }
    const auto rows = stored.summaries(std::vector(ids.begin(), ids.end()));
    if (!rows)
        return rows.error();
    for (const store::RunSummary &row : *rows)
        if (row.status == store::RunStatus::Running)
            problems.push_back({fmt::format("run {}", row.id), "is still training; stop it first"});
    if (!problems.empty())
        return base::Error::invalid(std::move(problems));
    return ids;
}

/// All of them or, where one cannot be, none.
int deleteRuns(StoredRuns &stored, const RunsArguments &arguments)
{
    const auto ids = deletableRuns(stored, arguments.runs);
    if (!ids)
        return fail(ids.error());
    int status = kDone;
    for (const store::RunId run : *ids) {
        if (const auto done = stored.remove(run); !done)
            status = fail(done.error());
    }
    return status;
}

using Use = int (*)(StoredRuns &, const RunsArguments &);

/// A subcommand with the database option; the rest is added by the caller.
CLI::App *addUse(CLI::App &command, const char *name, const char *help, Use use, std::shared_ptr<RunsArguments> arguments,
                 Action &chosen)
{
    CLI::App *inner = command.add_subcommand(name, help);
    arguments->database = addDatabaseOption(*inner);
    inner->callback([use, arguments, &chosen] {
        chosen = [use, arguments] {
            if (const auto exists = requireDatabase(*arguments->database); !exists)
                return fail(exists.error());
            StoredRuns stored(*arguments->database);
            return use(stored, *arguments);
        };
    });
    return inner;
}

} // namespace

void addRuns(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("runs", "the run database");
    command->require_subcommand(1);
    const auto add = [&](const char *name, const char *help, Use use) {
        auto arguments = std::make_shared<RunsArguments>();
        return std::pair(addUse(*command, name, help, use, arguments, chosen), arguments.get());
    };
    const auto addRun = [](CLI::App *inner, RunsArguments *arguments) {
        inner->add_option("RUN", arguments->run, "number or name of the run")->required()->check(notEmpty());
    };
    {
        const auto [inner, arguments] = add("list", "a line for each run", listRuns);
        inner->add_flag("--json", arguments->asJson, "print one JSON document");
    }
    {
        const auto [inner, arguments] = add("show", "all that is stored of a run", showRun);
        addRun(inner, arguments);
        inner->add_option("--step", arguments->step, "step to show, from 0 (default: the typical step)")
            ->type_name("N")
            ->transform(wholeNumberFrom(0));
        inner->add_flag("--json", arguments->asJson, "print one JSON document");
    }
    {
        const auto [inner, arguments] = add("rename", "give a run a name", renameRun);
        addRun(inner, arguments);
        inner->add_option("NAME", arguments->name, "the name")->required();
    }
    {
        const auto [inner, arguments] = add("tag", "replace a run's tags; without any, remove them", tagRun);
        addRun(inner, arguments);
        inner->add_option("TAG", arguments->tags, "tags");
    }
    {
        const auto [inner, arguments] = add("delete", "remove runs", deleteRuns);
        inner->add_option("RUN", arguments->runs, "numbers or names of runs")->required()->check(notEmpty());
    }
    addExportUnder(*command, "RUN", chosen);
}

} // namespace stagelens::cli
