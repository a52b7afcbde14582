#include "engine/store/run_store.h"

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/store/metrics_json.h"
#include "engine/store/migrations.h"
#include "engine/store/removal.h"
#include "engine/store/run_store_state.h"
#include "engine/store/timeline_blob.h"

#include <algorithm>
#include <fmt/format.h>

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

RunStore::RunStore(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RunStore::RunStore(RunStore &&) noexcept = default;
RunStore &RunStore::operator=(RunStore &&) noexcept = default;
RunStore::~RunStore() = default;

std::filesystem::path RunStore::defaultFile()
{
    return base::dataFolder() / "runs.db";
}

void RunStore::setPatience(const Patience &patience)
{
    m_state->database.setPatience(patience);
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
    return m_state->checkpoints;
}

Result<std::unique_ptr<RunStore::State>> RunStore::State::make(Database database, const std::filesystem::path &place)
{
    auto id = readIdentity(database);
    if (!id)
        return std::move(id).error();
    return std::make_unique<State>(
        State{std::move(database), RunLocks(place), CheckpointFolders(place, *std::move(id)), base::ProtectedFile(place)});
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
        auto state = readable ? State::make(*std::move(readable), place) : std::move(readable).error();
        if (!state)
            return std::move(state).error();
        return RunStore(*std::move(state));
    }
    if (const auto ready = makeWritable(*database, hasLog); !ready)
        return ready.error();
    auto state = State::make(*std::move(database), place);
    if (!state)
        return std::move(state).error();
    if (*before > 0 && *before < kFirstWithId)
        if (const auto adopted = (*state)->adoptCheckpoints(); !adopted)
            return adopted.error();
    // What is there can be read all the same, on a full disk say; the next opening tries again.
    if (const auto marked = (*state)->markInterrupted(); !marked)
        base::log(base::LogLevel::Warning, fmt::format("interrupted runs still read as running: {}", marked.error().text()));
    if (const auto removed = (*state)->removeOrphanCheckpoints(); !removed)
        base::log(base::LogLevel::Warning,
                  fmt::format("checkpoints of deleted runs are still there: {}", removed.error().text()));
    return RunStore(*std::move(state));
}

Result<RunId> RunStore::begin(const model::Experiment &experiment, timeline::Provenance kind, const std::string &name,
                              const std::map<std::string, std::string> &environment)
{
    RunId id = 0;
    const auto inserted = m_state->durably([&]() -> Result<> {
        if (const auto row = m_state->insertRun(experiment, kind, name); !row)
            return row;
        id = m_state->database.lastInsertId();
        // Before the row becomes visible, so that no other process takes the folder for an orphan.
        if (!m_state->locks.acquire(id))
            base::log(base::LogLevel::Warning,
                      fmt::format("run {} bears no lock: the file system of {} has none", id, m_state->database.file()));
        return m_state->insertEnvironment(id, environment);
    });
    if (!inserted) {
        m_state->locks.release(id);
        return inserted.error();
    }
    if (const auto free = m_state->checkpoints.setAside(id); !free)
        base::log(base::LogLevel::Warning, free.error().text());
    return id;
}

Result<> RunStore::setBeginning(RunId run, RunId resumed, std::span<const double> losses)
{
    return m_state->inTransaction([&]() -> Result<> {
        if (const auto noted = m_state->run("UPDATE run SET resumed_run = ? WHERE id = ?",
                                            [&](Statement &statement) { statement.bind(resumed).bind(run); });
            !noted)
            return noted;
        for (std::size_t step = 0; step < losses.size(); ++step)
            if (const auto added =
                    m_state->run("INSERT INTO earlier_loss (run, step, loss) VALUES (?, ?, ?)",
                                 [&](Statement &statement) {
                                     statement.bind(run).bind(static_cast<std::int64_t>(step)).bind(finite(losses[step]));
                                 });
                !added)
                return added;
        return m_state->refreshFigures(run);
    });
}

Result<> RunStore::setFact(RunId run, const std::string &name, const std::string &text)
{
    return m_state->inTransaction([&] {
        return m_state->run("INSERT OR REPLACE INTO environment (run, key, value) VALUES (?, ?, ?)", [&](Statement &statement) {
            statement.bind(run).bind(std::string_view(name)).bind(std::string_view(text));
        });
    });
}

Result<> RunStore::addEvaluation(RunId run, const EvaluationLoss &evaluation)
{
    return m_state->inTransaction([&]() -> Result<> {
        const auto added =
            m_state->run("INSERT INTO evaluation (run, steps, loss) VALUES (?, ?, ?)", [&](Statement &statement) {
                statement.bind(run).bind(std::int64_t{evaluation.steps}).bind(finite(evaluation.loss));
            });
        if (!added)
            return added;
        return m_state->run("UPDATE run SET evaluation_loss = ? WHERE id = ?",
                            [&](Statement &statement) { statement.bind(finite(evaluation.loss)).bind(run); });
    });
}

Result<> RunStore::addStep(RunId run, int step, double loss, base::Nanos iteration)
{
    return m_state->run("INSERT INTO step (run, step, loss, iteration_ns) VALUES (?, ?, ?, ?)", [&](Statement &statement) {
        statement.bind(run).bind(std::int64_t{step}).bind(finite(loss)).bind(iteration);
    });
}

Result<> RunStore::addStep(RunId run, int step, double loss, base::Nanos iteration, const timeline::Timeline &timeline,
                           const simulate::Metrics &metrics)
{
    const std::string blob = encodeTimeline(timeline);
    const std::string detail = metricsToJson(metrics);
    return m_state->inTransaction([&]() -> Result<> {
        if (const auto added = addStep(run, step, loss, iteration); !added)
            return added;
        return m_state->run("INSERT INTO step_timeline (run, step, detail, data) VALUES (?, ?, ?, ?)",
                            [&](Statement &statement) {
                                statement.bind(run).bind(std::int64_t{step}).bind(std::string_view(detail)).bindBlob(blob);
                            });
    });
}

Result<> RunStore::setTimeline(RunId run, const timeline::Timeline &timeline, const simulate::Metrics &metrics)
{
    const std::string blob = encodeTimeline(timeline);
    return m_state->inTransaction([&]() -> Result<> {
        if (const auto figures = m_state->refreshFigures(run); !figures)
            return figures;
        return m_state->showStep(run, metrics, metricsToJson(metrics), blob);
    });
}

Result<> RunStore::finish(RunId run, RunStatus status, const std::string &reason)
{
    const auto ended = m_state->durably([&]() -> Result<> {
        if (const auto known = m_state->requireRun(run); !known)
            return known;
        return m_state->end(run, status, reason);
    });
    if (ended)
        m_state->locks.release(run);
    return ended;
}

Result<> RunStore::rename(RunId run, const std::string &name)
{
    return m_state->durably([&]() -> Result<> {
        if (const auto known = m_state->requireRun(run); !known)
            return known;
        return m_state->run("UPDATE run SET name = ? WHERE id = ?",
                            [&](Statement &statement) { statement.bind(std::string_view(name)).bind(run); });
    });
}

Result<> RunStore::setNote(RunId run, const std::string &note)
{
    return m_state->durably([&]() -> Result<> {
        if (const auto known = m_state->requireRun(run); !known)
            return known;
        return m_state->run("UPDATE run SET note = ? WHERE id = ?",
                            [&](Statement &statement) { statement.bind(std::string_view(note)).bind(run); });
    });
}

Result<> RunStore::setTags(RunId run, const std::vector<std::string> &tags)
{
    return m_state->durably([&]() -> Result<> {
        if (const auto known = m_state->requireRun(run); !known)
            return known;
        if (const auto cleared =
                m_state->run("DELETE FROM tag WHERE run = ?", [&](Statement &statement) { statement.bind(run); });
            !cleared)
            return cleared;
        for (const std::string &tag : tags) {
            const std::string_view word = base::trim(tag);
            if (word.empty())
                continue;
            const auto added = m_state->run("INSERT OR IGNORE INTO tag (run, tag) VALUES (?, ?)",
                                            [&](Statement &statement) { statement.bind(run).bind(word); });
            if (!added)
                return added;
        }
        return {};
    });
}

Result<> RunStore::remove(RunId run)
{
    if (auto known = m_state->requireRun(run); !known)
        return known;
    return removeRun(m_state->database, m_state->checkpoints, run);
}

} // namespace stagelens::store
