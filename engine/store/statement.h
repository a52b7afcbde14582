// A prepared statement of SQLite. Internal to the store.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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

} // namespace stagelens::store
