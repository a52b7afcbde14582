#include "engine/base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace stagelens::base {

Result<TemporaryFolder> TemporaryFolder::make()
{
    std::error_code error;
    std::string pattern = (std::filesystem::temp_directory_path(error) / "stagelens-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr)
        return Error::failed(fmt::format("no temporary folder could be made: {}; set TMPDIR to a folder that you may write to",
                                         error ? error.message() : std::strerror(errno)));
    return TemporaryFolder(std::move(pattern));
}

TemporaryFolder::TemporaryFolder(std::filesystem::path path) : m_path(std::move(path)) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept : m_path(std::exchange(other.m_path, {})) {}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    if (!m_path.empty())
        std::filesystem::remove_all(m_path, ignored);
}

} // namespace stagelens::base
