#include "engine/store/sqlite.h"

#include "engine/store/sqlite_error.h"

#include <algorithm>
#include <chrono>
#include <sqlite3.h>
#include <thread>

namespace stagelens::store {
namespace {

using base::Error;
using base::Result;

/// Instructions of SQLite's virtual machine between two calls of the progress handler; about 10 ms.
constexpr int kTick = 1'000'000;
constexpr int kQueryTicks = 200;
constexpr int kCheckTicks = 20'000; ///< a check reads every row and index

/// Returns the URI of a file that does not change while it is open, which needs neither a log nor locks.
std::string immutableUri(const std::filesystem::path &file)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string uri = "file:";
    for (const char letter : file.string()) { // any letter may have a meaning in a URI
        const auto byte = static_cast<unsigned char>(letter);
        uri += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
    return uri + "?immutable=1";
}

} // namespace

/// The state of SQLite's busy and progress handlers. SQLite calls handle() repeatedly while another connection holds a lock.
struct Database::Waiting {
    Patience patience;
    std::chrono::steady_clock::time_point begin;
    Budget budget = Budget::Query;
    int ticks = 0; ///< of kTick instructions each, since a statement was prepared

    void start() { begin = std::chrono::steady_clock::now(); }
    /// Returns false when the wait is over; otherwise sleeps for 2 ms.
    [[nodiscard]] bool goOn() const
    {
        const auto limit = patience.stop.stop_requested() ? std::min(patience.limit, Patience::kUsual) : patience.limit;
        if (std::chrono::steady_clock::now() - begin >= limit)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return true;
    }
    static int interruptsProgress(void *self)
    {
        auto *waiting = static_cast<Waiting *>(self);
        return ++waiting->ticks > (waiting->budget == Budget::Query ? kQueryTicks : kCheckTicks) ? 1 : 0;
    }
    static int handle(void *self, int count)
    {
        auto *waiting = static_cast<Waiting *>(self);
        if (count == 0)
            waiting->start();
        return waiting->goOn() ? 1 : 0;
    }
};

Database::Database(sqlite3 *database, const std::filesystem::path &file)
    : m_waiting(std::make_shared<Waiting>()), m_database(database), m_file(std::make_unique<const std::string>(file.string()))
{}

void Database::Close::operator()(sqlite3 *database) const
{
    sqlite3_close_v2(database);
}

Error Database::error(int code) const
{
    return errorOf(code, m_database.get(), *m_file);
}

Result<Database> Database::openAs(const std::string &name, int flags, const std::filesystem::path &file, Patience patience)
{
    sqlite3 *handle = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    Database database(handle, file);
    if (code != SQLITE_OK)
        return database.error(code);
    database.m_isReadOnly = sqlite3_db_readonly(handle, "main") == 1;
    database.setPatience(std::move(patience));
    sqlite3_busy_handler(handle, &Waiting::handle, database.m_waiting.get());
    sqlite3_progress_handler(handle, kTick, &Waiting::interruptsProgress, database.m_waiting.get());
    database.makeSafe();
    return database;
}

void Database::makeSafe()
{
    for (const auto &[option, value] :
         {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0)})
        sqlite3_db_config(m_database.get(), option, value, nullptr);
}

int Database::probe()
{
    return sqlite3_exec(m_database.get(), "PRAGMA schema_version", nullptr, nullptr, nullptr);
}

Result<Database> Database::open(const std::filesystem::path &file, Patience patience)
{
    auto writable = openAs(file.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, file, patience);
    std::error_code error;
    if (!writable && !std::filesystem::exists(file, error))
        return writable;
    // Its folder may be read-only.
    auto database = writable ? std::move(writable) : openAs(file.string(), SQLITE_OPEN_READONLY, file, patience);
    if (!database)
        return database;
    const int code = database->probe();
    const int kind = code & 0xff;
    if (kind == SQLITE_BUSY)
        return database->error(code); // the wait has timed out, and would for each statement
    if (kind != SQLITE_CANTOPEN && kind != SQLITE_READONLY && kind != SQLITE_IOERR && kind != SQLITE_FULL)
        return database; // other faults are reported when it is read
    // The log or its index cannot be created. Without changes in a log the file is complete.
    if (std::filesystem::file_size(file.string() + "-wal", error) > 0 && !error)
        return Error::failed("has changes in its log, which cannot be read in a read-only folder or on a full disk; copy the "
                             "file and its -wal to a folder that you may write to",
                             file.string());
    return openAs(immutableUri(file), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, file, std::move(patience));
}

Result<Database> Database::openInMemory()
{
    return openAs(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, ":memory:", {});
}

Result<Database> Database::openInPlace(const std::filesystem::path &file)
{
    auto database = openAs(file.string(), SQLITE_OPEN_READWRITE, file, {std::chrono::milliseconds(0), {}});
    if (database)
        if (const auto set = database->execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY;"
                                               "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON");
            !set)
            return set.error();
    return database;
}

Result<Database> Database::inMemory()
{
    auto copy = openAs(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, *m_file, {});
    if (!copy)
        return copy;
    if (const auto copied = copyInto(*copy); !copied)
        return copied.error();
    return copy;
}

Result<> Database::freeze()
{
    m_isReadOnly = true;
    return execute("PRAGMA query_only = ON");
}

Error Database::readOnlyError() const
{
    return error(SQLITE_READONLY);
}

void Database::setBudget(Budget budget)
{
    m_waiting->budget = budget;
}

void Database::setPatience(Patience patience)
{
    m_waiting->patience = std::move(patience);
}

Result<Statement> Database::prepare(std::string_view sql)
{
    m_waiting->ticks = 0;
    sqlite3_stmt *statement = nullptr;
    const int code = sqlite3_prepare_v2(m_database.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    if (code != SQLITE_OK)
        return error(code);
    return Statement(statement, m_file.get());
}

Result<> Database::execute(const std::string &sql)
{
    m_waiting->ticks = 0;
    const int code = sqlite3_exec(m_database.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK)
        return error(code);
    return {};
}

Result<> Database::useWriteAheadLog()
{
    // SQLite upgrades its own read lock to switch, and does not call the busy handler then, so this loop waits.
    for (m_waiting->start();;) {
        const int code = sqlite3_exec(m_database.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
        if (code == SQLITE_OK)
            return {};
        if ((code & 0xff) != SQLITE_BUSY || !m_waiting->goOn())
            return error(code);
    }
}

Result<std::int64_t> Database::queryInteger(std::string_view sql)
{
    auto statement = prepare(sql);
    if (!statement)
        return std::move(statement).error();
    const auto row = statement->step();
    if (!row)
        return row.error();
    return *row ? statement->integer(0) : 0;
}

Result<std::string> Database::queryText(std::string_view sql, std::optional<std::int64_t> parameter)
{
    auto statement = prepare(sql);
    if (!statement)
        return std::move(statement).error();
    if (parameter)
        statement->bind(*parameter);
    const auto row = statement->step();
    if (!row)
        return row.error();
    return *row ? statement->text(0) : std::string();
}

std::int64_t Database::lastInsertId() const
{
    return sqlite3_last_insert_rowid(m_database.get());
}

std::int64_t Database::changes() const
{
    return sqlite3_changes64(m_database.get());
}

bool Database::inTransaction() const
{
    return sqlite3_get_autocommit(m_database.get()) == 0;
}

void Database::keepLogOnClose(bool keep)
{
    sqlite3_db_config(m_database.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

Result<> Database::copyInto(Database &target)
{
    sqlite3_backup *copy = sqlite3_backup_init(target.m_database.get(), "main", m_database.get(), "main");
    if (copy != nullptr) {
        sqlite3_backup_step(copy, -1);
        sqlite3_backup_finish(copy);
    }
    // Both calls store their result code in the target.
    const int code = sqlite3_extended_errcode(target.m_database.get());
    return code == SQLITE_OK ? Result<>() : target.error(code);
}

Result<> Database::backup(const std::filesystem::path &to)
{
    auto target = open(to);
    return target ? copyInto(*target) : std::move(target).error();
}

Result<Transaction> Transaction::begin(Database &database)
{
    if (const auto begun = database.execute("BEGIN IMMEDIATE"); !begun)
        return begun.error();
    return Transaction(database);
}

Result<Transaction> Transaction::beginReading(Database &database)
{
    if (const auto begun = database.execute("BEGIN"); !begun)
        return begun.error();
    return Transaction(database);
}

Transaction::~Transaction()
{
    // SQLite may have rolled back because the disk is full.
    if (m_database != nullptr && m_database->inTransaction())
        (void)m_database->execute("ROLLBACK");
}

Result<> Transaction::commit()
{
    auto committed = m_database->execute("COMMIT");
    if (committed)
        m_database = nullptr;
    return committed;
}

} // namespace stagelens::store
