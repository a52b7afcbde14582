// Folders for files that do not outlive their user.
#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace stagelens::base {

/// A new folder below TMPDIR (or /tmp) that only this user may enter, under a name that cannot be guessed; removed with all of
/// its files at the end of the scope.
class TemporaryFolder {
public:
    [[nodiscard]] static Result<TemporaryFolder> make();
    TemporaryFolder(TemporaryFolder &&other) noexcept;
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    ~TemporaryFolder();
    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }

private:
    explicit TemporaryFolder(std::filesystem::path path);
    std::filesystem::path m_path; ///< empty after a move
};

} // namespace stagelens::base
