#include "engine/backend/launched_ranks.h"

#include "engine/base/text.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace stagelens::backend {
namespace {

struct Process {
    std::string number; ///< process id
    char state = '?';   ///< process state in /proc/PID/stat; T is stopped
};

std::string ownVariable(const char *name)
{
    const char *value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
    return value == nullptr ? "" : value;
}

std::string contentOf(const std::filesystem::path &file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<std::string> variableOf(std::string_view environment, const std::string &name)
{
    for (const std::string_view entry : base::split(environment, '\0'))
        if (entry.starts_with(name + '='))
            return std::string(entry.substr(name.size() + 1));
    return std::nullopt;
}

/// Returns the state, which follows the program name; that is in parentheses and may contain any character.
char stateOf(const std::filesystem::path &folder)
{
    const std::string stat = contentOf(folder / "stat");
    const std::size_t name = stat.rfind(')');
    return name != std::string::npos && name + 2 < stat.size() ? stat[name + 2] : '?';
}

/// Returns, by rank, the processes of this machine whose environment names the same job.
std::map<int, Process> ranksOf(const std::string &job)
{
    std::map<int, Process> ranks;
    std::error_code error;
    for (std::filesystem::directory_iterator each("/proc", error); !error && each != std::filesystem::directory_iterator();
         each.increment(error)) {
        const std::string number = each->path().filename().string();
        if (!base::parseInteger(number))
            continue;
        const std::string environment = contentOf(each->path() / "environ");
        if (variableOf(environment, "PMIX_NAMESPACE") != job)
            continue;
        if (const auto rank = base::parseInteger(variableOf(environment, "OMPI_COMM_WORLD_RANK").value_or("")))
            ranks.try_emplace(static_cast<int>(*rank), Process{number, stateOf(each->path())});
    }
    return ranks;
}

} // namespace

std::string absenceText(std::chrono::milliseconds limit)
{
    const std::string waited = base::fixedText(std::chrono::duration<double>(limit).count(), 0);
    const std::string rank = ownVariable("OMPI_COMM_WORLD_RANK");
    std::string text = fmt::format("the processes did not connect within {} s", waited);
    if (!rank.empty())
        text += fmt::format("; process {} of {} waits in MPI_Init", rank, ownVariable("OMPI_COMM_WORLD_SIZE"));
    const std::string job = ownVariable("PMIX_NAMESPACE");
    const auto size = base::parseInteger(ownVariable("OMPI_COMM_WORLD_SIZE"));
    const bool areAllHere = ownVariable("OMPI_COMM_WORLD_LOCAL_SIZE") == ownVariable("OMPI_COMM_WORLD_SIZE");
    const std::map<int, Process> ranks = job.empty() ? std::map<int, Process>() : ranksOf(job);
    for (int each = 0; !ranks.empty() && each < size.value_or(0); ++each) {
        const auto found = ranks.find(each);
        if (found == ranks.end() && areAllHere)
            text += fmt::format("; process {} is missing", each);
        else if (found != ranks.end() && (found->second.state == 'T' || found->second.state == 'Z'))
            text += fmt::format("; process {} (pid {}{}", each, found->second.number,
                                found->second.state == 'T' ? ") is stopped" : ") has ended");
    }
    return text + "; check that all of them run, or raise STAGELENS_MPI_SILENCE_SECONDS, which is a quarter of this limit";
}

} // namespace stagelens::backend
