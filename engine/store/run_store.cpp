#include "engine/store/run_store.h"

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/store/migrations.h"
#include "engine/store/removal.h"
#include "engine/store/run_database.h"

#include <algorithm>

namespace stagelens::store {

using base::Error;
using base::Result;

namespace {

/// What can be said of a place without opening it. (Opening it here would be wrong: closing any descriptor of the file drops
/// the POSIX locks that this process's other connections hold on it.)
Result<> checkPlace(const std::filesystem::path &file)
{
    std::error_code ignored;
    const auto status = std::filesystem::status(file, ignored);
    if (std::filesystem::is_directory(status))
        return Error::invalid(file.string(), "is a folder; name a database file");
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return Error::invalid(file.string(), "is not a regular file; name a database file");
    return {};
}

constexpr std::int64_t kFirstWithId = 5; ///< version of the schema

/// Migrates a database and lets it be read and written at once.
Result<> makeWritable(Database &database, bool hasLog)
{
    database.keepLogOnClose(hasLog); // until it is known to be ours
    if (auto migrated = migrate(database, migrations()); !migrated)
        return migrated;
    database.keepLogOnClose(false);
    if (auto switched = database.useWriteAheadLog(); !switched)
        return switched;
    // Foreign keys are off by default and cannot be switched inside a transaction.
    return database.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
}

/// An older database that cannot be written is read from a copy in memory, which can be migrated.
Result<Database> readableFrom(Database database, std::int64_t version)
{
    if (version == std::ssize(migrations())) {
        if (auto checked = migrate(database, migrations()); !checked) // changes nothing
            return checked.error();
        return database;
    }
    auto copy = database.inMemory();
    if (!copy)
        return copy;
    if (const auto migrated = migrate(*copy, migrations(), true); !migrated)
        return migrated.error();
    if (const auto frozen = copy->freeze(); !frozen)
        return frozen.error();
    return copy;
}

} // namespace

RunStore::RunStore(std::unique_ptr<RunDatabase> runs) : m_runs(std::move(runs)) {}
RunStore::RunStore(RunStore &&) noexcept = default;
RunStore &RunStore::operator=(RunStore &&) noexcept = default;
RunStore::~RunStore() = default;

std::filesystem::path RunStore::defaultFile()
{
    return base::dataFolder() / "runs.db";
}

void RunStore::setPatience(const Patience &patience)
{
    m_runs->database.setPatience(patience);
}

std::filesystem::path RunStore::placeOf(const std::filesystem::path &file)
{
    std::error_code error;
    // Absolute, because SQLite gives names such as ":memory:" a meaning of their own.
    const std::filesystem::path place = base::behindLinks(std::filesystem::absolute(file, error));
    const std::filesystem::path folder = std::filesystem::weakly_canonical(place.parent_path(), error);
    return error ? place : folder / place.filename();
}

const CheckpointFolders &RunStore::checkpoints() const
{
    return m_runs->checkpoints;
}

Result<RunStore> RunStore::open(const std::filesystem::path &file, const Patience &patience)
{
    if (file.empty())
        return Error::invalid("--db", "names no file; give the path of a database");
    std::error_code error;
    const std::filesystem::path place = placeOf(file);
    if (place.parent_path() == placeOf(base::dataFolder()))
        std::filesystem::create_directories(place.parent_path(), error);
    if (const auto checked = checkPlace(place); !checked)
        return checked.error();
    const auto logSize = std::filesystem::file_size(place.string() + "-wal", error);
    const bool hasLog = !error && logSize > 0;
    auto database = Database::open(place, patience);
    if (!database)
        return std::move(database).error();
    const auto before = database->queryInteger("PRAGMA user_version");
    if (!before)
        return before.error();
    if (database->isReadOnly()) {
        auto readable = readableFrom(*std::move(database), *before);
        auto runs = readable ? RunDatabase::make(*std::move(readable), place) : std::move(readable).error();
        if (!runs)
            return std::move(runs).error();
        return RunStore(*std::move(runs));
    }
    if (const auto ready = makeWritable(*database, hasLog); !ready)
        return ready.error();
    auto runs = RunDatabase::make(*std::move(database), place);
    if (!runs)
        return std::move(runs).error();
    if (*before > 0 && *before < kFirstWithId)
        if (const auto adopted = adoptCheckpoints(**runs); !adopted)
            return adopted.error();
    recover(**runs);
    return RunStore(*std::move(runs));
}

Result<CheckReport> RunStore::check()
{
    return store::check(*m_runs);
}

Result<> RunStore::remove(RunId run)
{
    if (auto known = m_runs->requireRun(run); !known)
        return known;
    return removeRun(m_runs->database, m_runs->checkpoints, run);
}

} // namespace stagelens::store
