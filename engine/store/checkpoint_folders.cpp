#include "engine/store/checkpoint_folders.h"

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/base/text.h"

#include <fmt/format.h>
#include <system_error>
#include <utility>

namespace stagelens::store {

namespace fs = std::filesystem;
using base::Error;
using base::Result;

namespace {

constexpr std::string_view kRun = "run-";
constexpr const char *kIdFile = ".database"; ///< in a run's folder
constexpr base::Bytes kLongestId = 256;

fs::path allFolders(const fs::path &database)
{
    return database.string() + ".checkpoints";
}

std::vector<fs::path> entries(const fs::path &folder)
{
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator each(folder, error); !error && each != fs::directory_iterator(); each.increment(error))
        found.push_back(each->path());
    return found;
}

Error failure(const fs::path &folder, std::string_view what, const std::error_code &error)
{
    return Error::failed(fmt::format("cannot be {}: {}; check its permissions and the disk", what, error.message()),
                         folder.string());
}

} // namespace

CheckpointFolders::CheckpointFolders(const fs::path &database, std::string id) : m_database(database), m_id(std::move(id)) {}

fs::path CheckpointFolders::folderOf(const fs::path &database, RunId run)
{
    return allFolders(database) / fmt::format("{}{}", kRun, run);
}

fs::path CheckpointFolders::folder(RunId run) const
{
    return folderOf(m_database, run);
}

std::string CheckpointFolders::idOf(RunId run) const
{
    const auto text = base::readFile(folder(run) / kIdFile, kLongestId);
    return text ? std::string(base::trim(*text)) : std::string();
}

bool CheckpointFolders::isOurs(RunId run) const
{
    return !m_id.empty() && idOf(run) == m_id;
}

Result<> CheckpointFolders::make(RunId run) const
{
    if (auto free = setAside(run); !free)
        return free;
    std::error_code error;
    fs::create_directories(folder(run), error);
    return error ? failure(folder(run), "made", error) : base::writeFile(folder(run) / kIdFile, m_id + '\n');
}

Result<> CheckpointFolders::setAside(RunId run) const
{
    const fs::path here = folder(run);
    std::error_code error;
    if (!fs::exists(fs::symlink_status(here, error)))
        return {};
    fs::path aside;
    for (int number = 1; aside.empty() || fs::exists(fs::symlink_status(aside, error)); ++number)
        aside = fmt::format("{}.aside-{}", here.string(), number);
    fs::rename(here, aside, error);
    if (error)
        return failure(here, "renamed", error);
    base::log(base::LogLevel::Warning,
              fmt::format("{} is the folder of another database's run; it is now {}", here.string(), aside.string()));
    return {};
}

Result<> CheckpointFolders::requireOurs(RunId run) const
{
    const std::string id = idOf(run);
    if (id.empty() || id == m_id)
        return {};
    return Error::invalid(
        folder(run).string(),
        std::string(
            "belongs to another database that was stored here before; give that database its old name, or start the run anew"));
}

Result<> CheckpointFolders::remove(RunId run) const
{
    if (!isOurs(run))
        return {};
    // The id goes last, so that what a kill leaves is still known as ours.
    std::error_code error;
    for (const fs::path &entry : entries(folder(run)))
        if (!error && entry.filename() != kIdFile)
            fs::remove_all(entry, error);
    if (!error)
        fs::remove_all(folder(run), error);
    if (error)
        return failure(folder(run), "removed", error);
    fs::remove(allFolders(m_database), error); // if it is empty
    return {};
}

void CheckpointFolders::removeParts(RunId run) const
{
    std::error_code ignored; // the next opening tries again
    if (isOurs(run))
        for (const fs::path &entry : entries(folder(run)))
            if (entry.filename().string().starts_with("part-"))
                fs::remove_all(entry, ignored);
}

std::vector<RunId> CheckpointFolders::ours() const
{
    std::vector<RunId> runs;
    for (const fs::path &entry : entries(allFolders(m_database))) {
        const std::string name = entry.filename().string();
        const auto run = name.starts_with(kRun) ? base::parseInteger(std::string_view(name).substr(kRun.size())) : std::nullopt;
        if (run && isOurs(*run))
            runs.push_back(*run);
    }
    return runs;
}

void CheckpointFolders::adopt(RunId run) const
{
    std::error_code ignored;
    if (fs::is_directory(folder(run), ignored) && idOf(run).empty())
        if (const auto written = base::writeFile(folder(run) / kIdFile, m_id + '\n'); !written)
            base::log(base::LogLevel::Warning, written.error().text());
}

} // namespace stagelens::store
