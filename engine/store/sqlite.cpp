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
    case SQLITE_LOCKED: return failed("is locked by another program; close that program or choose another database");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return failed("is read-only, or its folder is; change the permissions or choose another database");
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
    case SQLITE_NOMEM: return failed("needs more memory than there is; close other programs");
    case SQLITE_TOOBIG: return failed("cannot take a value so large; record fewer passes");
    default:
        return failed(
            concat("does not accept the change: ", database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code)));
    }
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

Result<Database> Database::open(const std::filesystem::path &file, Patience patience)
{
    sqlite3 *handle = nullptr;
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(file.c_str(), &handle, kFlags, nullptr);
    Database database(handle, file);
    if (code != SQLITE_OK)
        return database.error(code);
    if (sqlite3_db_readonly(handle, "main") == 1)
        return database.error(SQLITE_READONLY);
    database.setPatience(std::move(patience));
    sqlite3_busy_handler(handle, &Waiting::handle, database.m_waiting.get());
    return database;
}

void Database::setPatience(Patience patience)
{
    m_waiting->patience = std::move(patience);
}

Result<Statement> Database::prepare(std::string_view sql)
{
    sqlite3_stmt *statement = nullptr;
    const int code = sqlite3_prepare_v2(m_database.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    if (code != SQLITE_OK)
        return error(code);
    return Statement(statement, m_file.get());
}

Result<> Database::execute(const std::string &sql)
{
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

Result<> Database::backup(const std::filesystem::path &to)
{
    auto target = open(to);
    if (!target)
        return std::move(target).error();
    sqlite3_backup *copy = sqlite3_backup_init(target->m_database.get(), "main", m_database.get(), "main");
    if (copy != nullptr) {
        sqlite3_backup_step(copy, -1);
        sqlite3_backup_finish(copy);
    }
    // Either call leaves its outcome in the target.
    const int code = sqlite3_extended_errcode(target->m_database.get());
    if (code != SQLITE_OK)
        return target->error(code);
    return {};
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
