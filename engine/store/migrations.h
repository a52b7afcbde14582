// The steps from an empty file to today's schema. Internal to the store.
#pragma once

#include "engine/store/sqlite.h"

#include <span>
#include <string>

namespace stagelens::store {

/// "SLns": marks a database as ours.
inline constexpr std::int64_t kApplicationId = 0x534c6e73;

/// Brings a database from version n - 1 to n, where n is its place in the list counted from 1.
struct Migration {
    std::string name; ///< "0001_runs"
    std::string sql;
};

/// All of them: resources/migrations/*.sql, built into the program.
[[nodiscard]] std::span<const Migration> migrations();

/// Brings the database to the last of `steps`, each in a transaction of its own; an older one with content is first copied to
/// "<file>.bak-vN" unless this is a copy already. Refuses another program's database and a newer version; nothing is changed
/// then.
[[nodiscard]] base::Result<> migrate(Database &database, std::span<const Migration> steps, bool isCopy = false);

} // namespace stagelens::store
