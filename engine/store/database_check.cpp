#include "engine/store/database_check.h"

#include "engine/model/experiment_json.h"
#include "engine/store/migrations.h"
#include "engine/store/run_database.h"
#include "engine/store/run_reader.h"
#include "engine/store/run_shape.h"
#include "engine/store/timeline_blob.h"

#include <fmt/format.h>
#include <map>
#include <utility>

namespace stagelens::store {

using base::Result;

namespace {

/// An index or table of the schema by its name: what it is, and the SQL that made it.
struct SchemaObject {
    std::string type;
    std::string sql;
    friend bool operator==(const SchemaObject &, const SchemaObject &) = default;
};
using Schema = std::map<std::string, SchemaObject>;

Result<Schema> schemaOf(Database &database)
{
    auto statement = database.prepare("SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
    if (!statement)
        return std::move(statement).error();
    Schema schema;
    for (;;) {
        const auto row = statement->step();
        if (!row)
            return row.error();
        if (!*row)
            return schema;
        schema[statement->text(0)] = {statement->text(1), statement->text(2)};
    }
}

/// The schema that the migrations make.
Result<Schema> ownSchema()
{
    auto database = Database::openInMemory();
    if (!database)
        return std::move(database).error();
    if (const auto made = migrate(*database, migrations()); !made)
        return made.error();
    return schemaOf(*database);
}

void compareSchemas(const Schema &found, const Schema &own, CheckReport &report)
{
    for (const auto &[name, object] : own) {
        const auto known = found.find(name);
        if (known == found.end())
            report.faults.push_back(fmt::format("the {} {} is missing", object.type, name));
        else if (known->second != object)
            report.faults.push_back(fmt::format("the {} {} is not as Stagelens makes it", object.type, name));
    }
    for (const auto &[name, object] : found) {
        if (own.contains(name))
            continue;
        const std::string what = fmt::format("the {} {} is not of Stagelens", object.type, name);
        if (object.type == "view" || object.type == "trigger")
            report.faults.push_back(fmt::format("{}; it is never used", what));
        else
            report.hints.push_back(what);
    }
}

} // namespace

Result<CheckReport> check(RunDatabase &runs)
{
    CheckReport report;
    const auto version = runs.database.queryInteger("PRAGMA user_version");
    if (!version)
        return version.error();
    report.schemaVersion = static_cast<int>(*version);
    const auto noteRows = [&](std::string_view sql, auto describe) {
        auto statement = runs.database.prepare(sql);
        Result<bool> row = statement ? statement->step() : Result<bool>(statement.error());
        for (; row && *row; row = statement->step())
            if (std::string fault = describe(*statement); !fault.empty())
                report.faults.push_back(std::move(fault));
        if (!row) // the page is so damaged that the check ends
            report.faults.push_back(row.error().text());
    };
    runs.database.setBudget(Database::Budget::Check);
    const auto found = schemaOf(runs.database);
    const auto own = ownSchema();
    if (found && own)
        compareSchemas(*found, *own, report);
    else
        report.faults.push_back((found ? own : found).error().text());
    noteRows("PRAGMA integrity_check", [](const Statement &row) { return row.text(0) == "ok" ? std::string() : row.text(0); });
    noteRows("PRAGMA foreign_key_check",
             [](const Statement &row) { return fmt::format("a row of table {} belongs to no {}", row.text(0), row.text(2)); });
    if (!report.faults.empty())
        report.hints.push_back(fmt::format(
            "copy {} away, then put a backup (*.bak-v*) in its place or save what can be read with `sqlite3 FILE .recover`",
            runs.database.file()));
    std::vector<RunId> numbers;
    noteRows("SELECT id FROM run ORDER BY id", [&](const Statement &row) {
        numbers.push_back(row.integer(0));
        return std::string();
    });
    for (const RunId run : numbers)
        if (const auto loaded = RunReader(runs).load(run); !loaded) {
            report.faults.push_back(fmt::format("run {}: {}", run, loaded.error().text()));
            report.hints.push_back(
                fmt::format("`stagelens-cli runs delete {}` removes the damaged run and keeps all others", run));
        }
    noteRows("SELECT step_timeline.run, step, data, experiment FROM step_timeline JOIN run ON run.id = step_timeline.run"
             " ORDER BY step_timeline.run, step",
             [planOf = RunId{0}, plan = Result<model::Experiment>(model::Experiment())](const Statement &row) mutable {
                 if (std::exchange(planOf, row.integer(0)) != row.integer(0))
                     plan = model::experimentFromJson(row.text(3), fmt::format("run {}", row.integer(0)));
                 const auto timeline = decodeTimeline(row.text(2));
                 const std::string fault = !timeline ? timeline.error().text()
                                           : plan    ? shapeFault(**timeline, *plan)
                                                     : std::string(); // which load() has reported
                 return fault.empty() ? fault : fmt::format("run {}, step {}: {}", row.integer(0), row.integer(1), fault);
             });
    runs.database.setBudget(Database::Budget::Query);
    return report;
}

} // namespace stagelens::store
