// Removing runs, also where nothing can be written but what is there.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_record.h"

#include <filesystem>
#include <string>

namespace stagelens::store {

class CheckpointFolders;
class Database;

/// Removes a run and its checkpoints from a database that no other connection uses, although its disk is full. A power cut at
/// that moment may damage the database, so that RunStore::remove() comes first.
[[nodiscard]] base::Result<> removeInPlace(const std::filesystem::path &database, RunId run);
/// Failed where runs can be read from a database but not stored in it.
[[nodiscard]] base::Result<> requireWritable(const std::filesystem::path &database);

// Internal to the store:
/// The row and the checkpoints of a run that has ended. Checkpoints that cannot be removed are left to the next opening, which
/// the log says.
[[nodiscard]] base::Result<> removeRun(Database &database, const CheckpointFolders &checkpoints, RunId run);
/// The id of the database; empty where it has lost it.
[[nodiscard]] base::Result<std::string> readIdentity(Database &database);

} // namespace stagelens::store
