#include "engine/store/reason_file.h"

#include "engine/base/file.h"
#include "engine/base/text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace stagelens::store {
namespace {

namespace fs = std::filesystem;

constexpr base::Bytes kLongest = 64 << 10;

fs::path folderOf(const fs::path &database)
{
    return database.string() + ".reasons";
}

/// "<pid>-<start>-<boot id>".
std::string nameOf(const base::ProcessMark &process)
{
    return fmt::format("{}-{}-{}", process.pid, process.startTicks, process.bootId);
}

/// Reads what nameOf() wrote.
std::optional<base::ProcessMark> processOf(const std::string &name)
{
    const std::size_t first = name.find('-');
    const std::size_t second = first == std::string::npos ? first : name.find('-', first + 1);
    if (second == std::string::npos)
        return std::nullopt;
    const auto pid = base::parseInteger(std::string_view(name).substr(0, first));
    const auto start = base::parseInteger(std::string_view(name).substr(first + 1, second - first - 1));
    if (!pid || !start)
        return std::nullopt;
    return base::ProcessMark{name.substr(second + 1), *pid, *start};
}

} // namespace

ReasonFile::ReasonFile(const fs::path &database, const base::ProcessMark &process)
    : m_file(folderOf(database) / nameOf(process))
{}

void ReasonFile::write(std::string_view reason) const
{
    std::error_code ignored;
    fs::create_directory(m_file.parent_path(), ignored);
    const int file = ::open(m_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0)
        return;
    (void)!::write(file, reason.data(), reason.size());
    ::close(file);
}

std::optional<std::string> ReasonFile::read() const
{
    std::error_code ignored;
    if (!fs::exists(m_file, ignored))
        return std::nullopt;
    auto text = base::readFile(m_file, kLongest);
    return text && !text->empty() ? std::optional(*std::move(text)) : std::nullopt;
}

void ReasonFile::remove() const
{
    std::error_code ignored;
    fs::remove(m_file, ignored);
    fs::remove(m_file.parent_path(), ignored); // fails if there are others
}

void removeReasonsOfEndedProcesses(const fs::path &database)
{
    std::error_code error;
    std::vector<base::ProcessMark> ended;
    for (fs::directory_iterator each(folderOf(database), error); !error && each != fs::directory_iterator();
         each.increment(error))
        if (const auto process = processOf(each->path().filename().string()); process && !base::isRunning(*process))
            ended.push_back(*process);
    for (const base::ProcessMark &process : ended)
        ReasonFile(database, process).remove();
}

} // namespace stagelens::store
