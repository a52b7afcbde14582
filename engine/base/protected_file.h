// Files that are never replaced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

namespace stagelens::base {

/// While it lives, writeFile() neither replaces nor opens the file, whatever name it is given. For databases: closing any
/// descriptor of one drops the POSIX locks that this process's connections hold on it. Thread-safe.
class ProtectedFile {
public:
    /// Of a file that is there; nothing is protected where it is not.
    explicit ProtectedFile(const std::filesystem::path &file);
    ProtectedFile(ProtectedFile &&other) noexcept : m_identity(std::exchange(other.m_identity, {})) {}
    ProtectedFile &operator=(ProtectedFile &&) = delete;
    ~ProtectedFile();

    /// Device and inode; 0, 0: none.
    using Identity = std::pair<std::uint64_t, std::uint64_t>;
    [[nodiscard]] static bool isProtected(Identity identity);

private:
    Identity m_identity;
};

} // namespace stagelens::base
