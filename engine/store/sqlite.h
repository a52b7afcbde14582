// SQLite's C API with owners for its handles and its errors as Result. Internal to the store.
#pragma once

#include "engine/base/result.h"
#include "engine/store/patience.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace stagelens::store {

/// A prepared statement. Parameters are bound in order, columns read in order. Never outlives its Database.
class Statement {
public:
    // Each binds the next parameter; text and blobs are copied. step() reports failures.
    Statement &bind(std::int64_t value);
    Statement &bind(double value);
    Statement &bind(std::string_view value);
    Statement &bindBlob(std::string_view bytes);
    Statement &bindNull();
    template <class T>
    Statement &bind(const std::optional<T> &value)
    {
        if (!value)
            return bindNull();
        return bind(*value);
    }

    /// Returns true if a row can be read, false at the end.
    [[nodiscard]] base::Result<bool> step();
    /// Runs a statement without rows.
    [[nodiscard]] base::Result<> run();
    /// Prepares for other parameters.
    void reset();

    [[nodiscard]] bool isNull(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    /// Text or bytes.
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::optional<std::int64_t> optionalInteger(int column) const;
    [[nodiscard]] std::optional<double> optionalReal(int column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt *statement) const;
    };
    Statement(sqlite3_stmt *statement, const std::string *file) : m_statement(statement), m_file(file) {}
    void note(int code);

    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    const std::string *m_file; ///< of the database, for messages
    int m_parameter = 0;
    int m_code = 0; ///< first failure of a bind
};

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
    /// Limits the work of a statement, so that no statement on a hostile file runs for ever.
    enum class Budget : unsigned char { Query, Check };
    void setBudget(Budget budget);

    [[nodiscard]] base::Result<Statement> prepare(std::string_view sql);
    /// Runs any number of statements and drops their rows.
    [[nodiscard]] base::Result<> execute(const std::string &sql);
    /// First column of a statement's first row.
    [[nodiscard]] base::Result<std::int64_t> queryInteger(std::string_view sql);
    [[nodiscard]] std::int64_t lastInsertId() const;
    [[nodiscard]] std::int64_t changes() const;
    [[nodiscard]] bool inTransaction() const;
    /// Readers and one writer at once from now on; waits for other connections like every statement does.
    [[nodiscard]] base::Result<> useWriteAheadLog();
    /// Whether the write-ahead log stays as it is when this connection closes, so that a file that is refused is not changed.
    void keepLogOnClose(bool keep);
    /// Copies the whole database into another file.
    [[nodiscard]] base::Result<> backup(const std::filesystem::path &to);
    [[nodiscard]] const std::string &file() const { return *m_file; }

private:
    struct Close {
        void operator()(sqlite3 *database) const;
    };
    struct Waiting; ///< what the handlers of waits and of progress look at
    static base::Result<Database> openAs(const std::string &name, int flags, const std::filesystem::path &file,
                                         Patience patience);
    /// Reads the schema's version, for which the file, its locks and its log must be there.
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
