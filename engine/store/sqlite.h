// Connections and transactions of SQLite, with errors as Result. Internal to the store.
#pragma once

#include "engine/base/result.h"
#include "engine/store/patience.h"
#include "engine/store/statement.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;

namespace stagelens::store {

/// A connection, used by one thread at a time.
class Database {
public:
    /// Opens or creates a file. If it or its log cannot be written (a full disk), opens it for reading. Views and triggers of
    /// the file never run, and statements are bounded.
    [[nodiscard]] static base::Result<Database> open(const std::filesystem::path &file, Patience patience = {});
    /// Creates an empty database without a file.
    [[nodiscard]] static base::Result<Database> openInMemory();
    /// Opens a file that no other connection uses, for changes that need no space on the disk: they are written in place, and
    /// the journal is kept in memory. A power failure during a change can damage the file.
    [[nodiscard]] static base::Result<Database> openInPlace(const std::filesystem::path &file);
    Database(Database &&) noexcept = default;
    Database &operator=(Database &&) = delete;
    ~Database() = default;
    void setPatience(Patience patience);
    [[nodiscard]] bool isReadOnly() const { return m_isReadOnly; }
    /// Returns the error of a change to such a database.
    [[nodiscard]] base::Error readOnlyError() const;
    /// Returns a copy in memory; read-only after freeze().
    [[nodiscard]] base::Result<Database> inMemory();
    /// Makes later changes fail.
    [[nodiscard]] base::Result<> freeze();
    /// Limits the work of a statement, so that none on a hostile file runs without end.
    enum class Budget : unsigned char { Query, Check };
    void setBudget(Budget budget);

    [[nodiscard]] base::Result<Statement> prepare(std::string_view sql);
    /// Runs any number of statements and drops their rows.
    [[nodiscard]] base::Result<> execute(const std::string &sql);
    /// Returns the first column of a statement's first row; 0 without a row.
    [[nodiscard]] base::Result<std::int64_t> queryInteger(std::string_view sql);
    /// The same as text, empty without a row, of a statement whose only parameter, if it has one, is `parameter`.
    [[nodiscard]] base::Result<std::string> queryText(std::string_view sql, std::optional<std::int64_t> parameter = {});
    [[nodiscard]] std::int64_t lastInsertId() const;
    [[nodiscard]] std::int64_t changes() const;
    [[nodiscard]] bool inTransaction() const;
    /// Switches to the write-ahead log: readers and one writer at once. Waits for other connections like every statement.
    [[nodiscard]] base::Result<> useWriteAheadLog();
    /// Whether closing this connection leaves the write-ahead log unchanged, so that a refused file is not modified.
    void keepLogOnClose(bool keep);
    /// Copies the whole database into another file.
    [[nodiscard]] base::Result<> backup(const std::filesystem::path &to);
    [[nodiscard]] const std::string &file() const { return *m_file; }

private:
    struct Close {
        void operator()(sqlite3 *database) const;
    };
    struct Waiting; ///< the state of the busy and progress handlers
    static base::Result<Database> openAs(const std::string &name, int flags, const std::filesystem::path &file,
                                         Patience patience);
    /// Reads the schema version, which needs the file, its locks and its log. Returns the result code.
    [[nodiscard]] int probe();
    base::Result<> copyInto(Database &target);
    void makeSafe();
    Database(sqlite3 *database, const std::filesystem::path &file);
    [[nodiscard]] base::Error error(int code) const;

    bool m_isReadOnly = false;
    std::shared_ptr<Waiting> m_waiting; ///< outlives the connection
    std::unique_ptr<sqlite3, Close> m_database;
    std::unique_ptr<const std::string> m_file;
};

/// Rolled back unless commit() came first.
class Transaction {
public:
    /// For writing; waits for other writers.
    [[nodiscard]] static base::Result<Transaction> begin(Database &database);
    /// For several reads of one state.
    [[nodiscard]] static base::Result<Transaction> beginReading(Database &database);
    Transaction(Transaction &&other) noexcept : m_database(std::exchange(other.m_database, nullptr)) {}
    Transaction &operator=(Transaction &&) = delete;
    ~Transaction();
    [[nodiscard]] base::Result<> commit();

private:
    explicit Transaction(Database &database) : m_database(&database) {}
    Database *m_database; ///< null after commit
};

} // namespace stagelens::store
