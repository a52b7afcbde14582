// Files and renames that survive a power cut.
#pragma once

#include <filesystem>

namespace stagelens::base {

/// Writes to disk which files a folder holds, after a rename in it. A file system that has no such operation is left as it is;
/// an empty path is the current folder.
void syncFolder(const std::filesystem::path &folder);
/// Writes a file's content to disk. False, with errno set, if that fails.
[[nodiscard]] bool syncFile(const std::filesystem::path &file);

} // namespace stagelens::base
