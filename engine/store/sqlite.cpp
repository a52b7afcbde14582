#include "engine/store/sqlite.h"

#include "engine/base/text.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sqlite3.h>
#include <thread>

namespace stagelens::store {
namespace {

using base::concat;
using base::Error;
using base::Result;

/// The handler of progress is called once in so many instructions of SQLite's machine, some 10 ms.
constexpr int kTick = 1'000'000;
constexpr int kQueryTicks = 200;
constexpr int kCheckTicks = 20'000; ///< every row and index is read

std::string systemCause(sqlite3 *database)
{
    const int code = database != nullptr ? sqlite3_system_errno(database) : 0;
    return code == 0 ? std::string() : concat(" (", std::strerror(code), ")"); // NOLINT(concurrency-mt-unsafe): glibc's is safe
}

/// Cause and remedy of an extended result code.
Error errorOf(int code, sqlite3 *database, const std::string &file)
{
    const auto failed = [&](std::string message) { return Error::failed(std::move(message), file); };
    switch (code & 0xff) {
    case SQLITE_NOTADB: return Error::invalid(file, "is not a database of Stagelens; choose another file");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return failed("is being used by another process; wait for it, close that program or choose another database");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return failed("is read-only, its folder is, or the disk is full; change the permissions, free space or choose another "
                      "database");
    case SQLITE_CANTOPEN:
        return failed(concat("cannot be opened", systemCause(database),
                             "; its folder must exist and be writable, else choose another database"));
    case SQLITE_FULL: return failed("cannot grow because the disk is full; free space or choose another database");
    case SQLITE_CORRUPT:
        return failed(
            "is damaged; copy it away, then put a backup (*.bak-v*) in its place or save what can be read with `sqlite3 "
            "FILE .recover`");
    case SQLITE_IOERR:
        return failed(concat("cannot be read or written", systemCause(database), "; check the disk and its free space"));
    case SQLITE_INTERRUPT:
        return failed(
            "takes longer to read than a database of Stagelens can; `stagelens-cli db check` says what is wrong with it");
    case SQLITE_NOMEM: return failed("needs more memory than there is; close other programs");
    case SQLITE_TOOBIG: return failed("cannot take a value so large; record fewer passes");
    default:
        return failed(
            concat("does not accept the change: ", database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code)));
    }
}

/// Of a file that nobody changes while it is open: it needs neither a log nor locks.
std::string immutableUri(const std::filesystem::path &file)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string uri = "file:";
    for (const char letter : file.string()) { // any of them may have a meaning in a URI
        const auto byte = static_cast<unsigned char>(letter);
        uri += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
    return uri + "?immutable=1";
}

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt *statement) const
{
    sqlite3_finalize(statement);
}

void Statement::note(int code)
{
    if (m_code == SQLITE_OK)
        m_code = code;
}

Statement &Statement::bind(std::int64_t value)
{
    note(sqlite3_bind_int64(m_statement.get(), ++m_parameter, value));
    return *this;
}

Statement &Statement::bind(double value)
{
    note(sqlite3_bind_double(m_statement.get(), ++m_parameter, value));
    return *this;
}

Statement &Statement::bind(std::string_view value)
{
    note(sqlite3_bind_text64(m_statement.get(), ++m_parameter, value.data() != nullptr ? value.data() : "", value.size(),
                             SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
}

Statement &Statement::bindBlob(std::string_view bytes)
{
    note(sqlite3_bind_blob64(m_statement.get(), ++m_parameter, bytes.data() != nullptr ? bytes.data() : "", bytes.size(),
                             SQLITE_TRANSIENT));
    return *this;
}

Statement &Statement::bindNull()
{
    note(sqlite3_bind_null(m_statement.get(), ++m_parameter));
    return *this;
}

Result<bool> Statement::step()
{
    sqlite3 *database = sqlite3_db_handle(m_statement.get());
    if (m_code != SQLITE_OK)
        return errorOf(m_code, database, *m_file);
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW)
        return true;
    if (code == SQLITE_DONE)
        return false;
    return errorOf(code, database, *m_file);
}

Result<> Statement::run()
{
    const auto row = step();
    if (!row)
        return row.error();
    return {};
}

void Statement::reset()
{
    sqlite3_reset(m_statement.get());
    m_parameter = 0;
    m_code = SQLITE_OK;
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

double Statement::real(int column) const
{
    return sqlite3_column_double(m_statement.get(), column);
}

std::string Statement::text(int column) const
{
    const void *bytes = sqlite3_column_blob(m_statement.get(), column);
    const int size = sqlite3_column_bytes(m_statement.get(), column);
    return bytes == nullptr ? std::string() : std::string(static_cast<const char *>(bytes), static_cast<std::size_t>(size));
}

std::optional<std::int64_t> Statement::optionalInteger(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<double> Statement::optionalReal(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(real(column));
}

/// SQLite asks handle() again and again while another connection holds a lock.
struct Database::Waiting {
    Patience patience;
    std::chrono::steady_clock::time_point begin;
    Budget budget = Budget::Query;
    int ticks = 0; ///< of kTick instructions each, since a statement was prepared

    void start() { begin = std::chrono::steady_clock::now(); }
    /// False where the wait is over; else sleeps a little.
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
        return database->error(code); // patience has ended, and would for each statement
    if (kind != SQLITE_CANTOPEN && kind != SQLITE_READONLY && kind != SQLITE_IOERR && kind != SQLITE_FULL)
        return database; // what else is wrong shows when it is read
    // There is no place for the log or its index. Without changes in a log the file is complete of itself.
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
    // SQLite switches by making its own read lock a write lock, and there it asks no busy handler; so the wait is ours.
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
    // Either call leaves its outcome in the target.
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
    // A full disk may have rolled back already.
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
