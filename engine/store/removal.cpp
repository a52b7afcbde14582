#include "engine/store/removal.h"

#include "engine/base/log.h"
#include "engine/store/checkpoint_folders.h"
#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

#include <fmt/format.h>

namespace stagelens::store {

using base::Error;
using base::Result;

namespace {

Result<> removeRow(Database &database, RunId run)
{
    auto transaction = Transaction::begin(database);
    if (!transaction)
        return std::move(transaction).error();
    const auto status = database.queryText("SELECT status FROM run WHERE id = ?", run);
    if (!status)
        return status.error();
    if (*status == name(RunStatus::Running))
        return Error::invalid(database.file(), fmt::format("is still being written by run {}; stop that run first", run));
    if (const auto done = database.queryText("DELETE FROM run WHERE id = ?", run); !done)
        return done.error();
    return transaction->commit();
}

} // namespace

Result<std::string> readIdentity(Database &database)
{
    return database.queryText("SELECT id FROM identity");
}

Result<> removeRun(Database &database, const CheckpointFolders &checkpoints, RunId run)
{
    if (auto removed = removeRow(database, run); !removed)
        return removed;
    // Returns free pages to the file system; if that fails, SQLite reuses them.
    (void)database.execute("PRAGMA incremental_vacuum");
    if (const auto gone = checkpoints.remove(run); !gone)
        base::log(base::LogLevel::Warning,
                  fmt::format("the checkpoints of run {} are still there: {}", run, gone.error().text()));
    return {};
}

Result<> removeInPlace(const std::filesystem::path &database, RunId run)
{
    const std::filesystem::path place = RunStore::placeOf(database);
    auto opened = Database::openInPlace(place);
    const auto id = opened ? readIdentity(*opened) : Result<std::string>(opened.error());
    if (!id)
        return id.error();
    return removeRun(*opened, CheckpointFolders(place, *id), run);
}

Result<> requireWritable(const std::filesystem::path &database)
{
    const auto opened = Database::open(RunStore::placeOf(database));
    if (!opened)
        return opened.error();
    return opened->isReadOnly() ? opened->readOnlyError() : Result<>();
}

} // namespace stagelens::store
