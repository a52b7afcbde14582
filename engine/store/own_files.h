// The files that belong to a run database.
#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace stagelens::store {

/// Fails with InvalidInput if a file to be written is the database or belongs to it: its log, locks, backups, checkpoints
/// or reasons.
[[nodiscard]] base::Result<> requireForeign(const std::filesystem::path &output, const std::filesystem::path &database);

} // namespace stagelens::store
