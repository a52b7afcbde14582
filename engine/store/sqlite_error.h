// The result codes of SQLite as errors of the program. Internal to the store.
#pragma once

#include "engine/base/result.h"

#include <string>

struct sqlite3;

namespace stagelens::store {

/// Returns the cause and the remedy of an extended result code. `database` may be null; `file` is that of the database.
[[nodiscard]] base::Error errorOf(int code, sqlite3 *database, const std::string &file);

} // namespace stagelens::store
