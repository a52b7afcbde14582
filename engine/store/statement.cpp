#include "engine/store/statement.h"

#include "engine/store/sqlite_error.h"

#include <sqlite3.h>

namespace stagelens::store {

using base::Result;

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

} // namespace stagelens::store
