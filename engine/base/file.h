// Reads and writes whole files; errors name the cause and the remedy.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"

#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace stagelens::base {

/// The bytes of a regular file of at most `limit` bytes; the error names the file, the cause and a remedy.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path &file, Bytes limit);
/// All of standard input, at most `limit` bytes: what a command line names `-`.
[[nodiscard]] Result<std::string> readStandardInput(Bytes limit);
/// Replaces a file as a whole: written beside it, flushed to disk, then renamed, so that a full disk or a crash leaves the old
/// one (and a part, which a later call removes). The permissions stay; through a symbolic link, what it points to is written.
[[nodiscard]] Result<> writeFile(const std::filesystem::path &file, std::string_view content);
/// The same for content in several parts. On a stop request, which is checked every few MiB, returns Cancelled and leaves
/// the old file.
[[nodiscard]] Result<> writeFile(const std::filesystem::path &file, std::span<const std::string_view> parts,
                                 const std::stop_token &stop);

/// Returns the target of a symbolic link after resolving all links, whether it exists or not; otherwise the path itself.
[[nodiscard]] std::filesystem::path behindLinks(std::filesystem::path file);

/// Returns the folder of the user's data (runs, tokenizers, calibration): $STAGELENS_DATA_DIR,
/// else $XDG_DATA_HOME/stagelens, else .local/share/stagelens in $HOME or in the home folder that the system's list of users
/// names; none of these is created here. A user without a home gets a new folder in /tmp that only that user may enter, with a
/// warning.
[[nodiscard]] std::filesystem::path dataFolder();
/// Where presets, examples and documents are: $STAGELENS_RESOURCES, else found from the program's own place
/// (../share/stagelens when installed), else the source tree it was built from.
[[nodiscard]] std::filesystem::path resourceFolder();

} // namespace stagelens::base
