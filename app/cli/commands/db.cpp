// `db`: is the run database sound?
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "engine/base/printable.h"
#include "engine/service/runs/stored_runs.h"

#include <iostream>

namespace stagelens::cli {

namespace {

int check(const std::string &database, bool asJson)
{
    if (const auto exists = requireDatabase(database); !exists)
        return fail(exists.error());
    service::StoredRuns stored(database);
    const auto report = stored.check();
    if (!report)
        return fail(report.error());
    const std::string file = stored.file().string();
    if (asJson) {
        printJson({{"file", file},
                   {"schema_version", report->schemaVersion},
                   {"clean", report->faults.empty()},
                   {"faults", report->faults},
                   {"hints", report->hints}});
    } else {
        std::cout << base::printable(file) << ": schema version " << report->schemaVersion
                  << (report->faults.empty() ? ", clean" : ", damaged") << '\n';
        for (const std::string &fault : report->faults)
            std::cout << "fault: " << base::printable(fault) << '\n';
        for (const std::string &hint : report->hints)
            std::cout << "hint: " << base::printable(hint) << '\n';
    }
    return report->faults.empty() ? kDone : kFailed;
}

} // namespace

void addDb(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("db", "the run database's file");
    command->require_subcommand(1);
    CLI::App *inner = command->add_subcommand("check", "integrity, schema version, hints for repair");
    const auto database = addDatabaseOption(*inner);
    const auto asJson = std::make_shared<bool>(false);
    inner->add_flag("--json", *asJson, "print one JSON document");
    inner->callback([=, &chosen] { chosen = [=] { return check(*database, *asJson); }; });
}

} // namespace stagelens::cli
