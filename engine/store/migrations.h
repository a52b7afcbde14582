// The steps from an empty file to the current schema. Internal to the store.
#pragma once

#include "engine/store/sqlite.h"

#include <span>
#include <string>

namespace stagelens::store {

/// "SLns": identifies a database of Stagelens.
inline constexpr std::int64_t kApplicationId = 0x534c6e73;

/// Migrates a database from version n - 1 to n, where n is its position in the list, from 1.
struct Migration {
    std::string name; ///< "0001_runs"
    std::string sql;
};

/// Returns all migrations: resources/migrations/*.sql, embedded in the program.
[[nodiscard]] std::span<const Migration> migrations();

/// Migrates the database to the last of `steps`, each in its own transaction. An older database with content is first copied to
/// "<file>.bak-vN", unless it is a copy itself. Fails without a change for a database of another program or a newer version.
[[nodiscard]] base::Result<> migrate(Database &database, std::span<const Migration> steps, bool isCopy = false);

} // namespace stagelens::store
