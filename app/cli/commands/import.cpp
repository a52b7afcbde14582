// `import`: stores the measured timeline of another program as a run, and says what the stragglers of a job cost.
#include "app/cli/commands/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/straggler_report.h"
#include "app/cli/usage.h"
#include "engine/service/runs/import_job.h"
#include "engine/service/runs/straggler_job.h"
#include "engine/store/run_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace stagelens::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kTrace = "trace";
constexpr const char *kStragglers = "stragglers";

struct ImportArguments {
    std::vector<std::string> files;
    std::string format;
    std::shared_ptr<std::string> database;
    bool json = false;
};

std::filesystem::path databaseOf(const ImportArguments &arguments)
{
    return arguments.database->empty() ? store::RunStore::defaultFile() : std::filesystem::path(*arguments.database);
}

std::string storedText(store::RunId run, int steps)
{
    return fmt::format("imported as run {}: {} step{}\n", run, steps, steps == 1 ? "" : "s");
}

Json headJson(store::RunId run, int steps)
{
    return {{"stagelens", "import/1"}, {"run", run}, {"steps", steps}};
}

int importTraces(const ImportArguments &arguments)
{
    const InterruptScope interrupt;
    const auto run =
        service::importRun({arguments.files.begin(), arguments.files.end()}, databaseOf(arguments), interrupt.token());
    if (!run)
        return fail(run.error());
    if (arguments.json) {
        Json document = headJson(run->run, run->steps);
        document["incomplete_steps"] = run->incompleteSteps;
        document["other_events"] = run->otherEvents;
        printJson(document);
        return kDone;
    }
    std::cout << storedText(run->run, run->steps);
    if (run->incompleteSteps > 0)
        std::cout << run->incompleteSteps << " at the trace's ends were not whole and are left out\n";
    return kDone;
}

int importStragglers(const ImportArguments &arguments)
{
    if (arguments.files.size() > 1)
        return fail(base::Error::invalid("FILE", "a straggler trace is one file with the rows of all workers; give one"));
    const InterruptScope interrupt;
    const auto analysis = service::importStragglers(arguments.files.front(), databaseOf(arguments), interrupt.token());
    if (!analysis)
        return fail(analysis.error());
    const auto steps = static_cast<int>(analysis->report.steps.size());
    if (arguments.json) {
        Json document = headJson(analysis->run.value_or(0), steps);
        document["stragglers"] = stragglersJson(*analysis);
        printJson(document);
        return kDone;
    }
    printStragglers(std::cout, *analysis);
    std::cout << storedText(analysis->run.value_or(0), steps);
    return kDone;
}

} // namespace

void addImport(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("import", "store the measured timeline of another program as a run");
    const auto arguments = std::make_shared<ImportArguments>();
    command->add_option("FILE", arguments->files, "the traces of all ranks, or one straggler trace")
        ->required()
        ->check(notEmpty());
    command
        ->add_option("--format", arguments->format,
                     "trace: PyTorch's pipeline runtime (JSON); stragglers: ByteDance's StragglerAnalysis (CSV) (default: by "
                     "the file's name)")
        ->type_name("FORMAT")
        ->check(oneOf({kTrace, kStragglers}));
    arguments->database = addDatabaseOption(*command);
    command->add_flag("--json", arguments->json, "print one JSON document");
    command->callback([arguments, &chosen] {
        chosen = [arguments] {
            const bool isStragglers = arguments->format.empty() ? service::isStragglerFile(arguments->files.front())
                                                                : arguments->format == kStragglers;
            return isStragglers ? importStragglers(*arguments) : importTraces(*arguments);
        };
    });
}

} // namespace stagelens::cli
