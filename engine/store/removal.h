// Removes runs, even on a full disk.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_record.h"

#include <filesystem>
#include <string>

namespace stagelens::store {

class CheckpointFolders;
class Database;

/// Removes a run and its checkpoints from a database on a full disk; no other connection may use it. A power failure meanwhile
/// can damage the database, so try RunStore::remove() first.
[[nodiscard]] base::Result<> removeInPlace(const std::filesystem::path &database, RunId run);
/// Fails if runs can be read from a database but not stored in it.
[[nodiscard]] base::Result<> requireWritable(const std::filesystem::path &database);

// Internal to the store:
/// Removes the row and the checkpoints of an ended run. Checkpoints that cannot be removed are logged and left to the next
/// opening.
[[nodiscard]] base::Result<> removeRun(Database &database, const CheckpointFolders &checkpoints, RunId run);
/// Returns the id of the database; empty if it is missing.
[[nodiscard]] base::Result<std::string> readIdentity(Database &database);

} // namespace stagelens::store
