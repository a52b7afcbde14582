// A file that is read in parts, for files too large to have in memory.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace stagelens::base {

/// An open regular file, read from its beginning. Not thread-safe.
class FileReader {
public:
    /// InvalidInput with the file's name, the cause and a remedy: it is no regular file, or longer than `limit`.
    [[nodiscard]] static Result<FileReader> open(const std::filesystem::path &file, Bytes limit);
    FileReader(FileReader &&other) noexcept;
    FileReader &operator=(FileReader &&) = delete;
    ~FileReader();

    /// The file's length when it was opened.
    [[nodiscard]] Bytes size() const { return m_size; }
    /// Fills `block` from the front with what comes next; fewer bytes only at the end of the file.
    [[nodiscard]] Result<std::size_t> read(std::span<char> block);

private:
    FileReader(int fd, std::filesystem::path file) : m_fd(fd), m_file(std::move(file)) {}
    int m_fd;
    Bytes m_size = 0;
    std::filesystem::path m_file;
};

} // namespace stagelens::base
