// Renames that survive a power cut.
#pragma once

#include <filesystem>

namespace stagelens::base {

/// Writes to disk which files a folder holds, after a rename in it. A file system that has no such operation is left as it is;
/// an empty path is the current folder.
void syncFolder(const std::filesystem::path &folder);

} // namespace stagelens::base
