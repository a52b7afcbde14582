#include "engine/base/process_mark.h"

#include "engine/base/text.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace stagelens::base {
namespace {

/// What a process's stat file says.
struct Stat {
    std::int64_t startTicks = 0; ///< field 22, since boot; 0 if there is no such process
    bool isZombie = false;
};

Stat statOf(std::int64_t pid)
{
    std::ifstream in(fmt::format("/proc/{}/stat", pid));
    const std::string stat((std::istreambuf_iterator<char>(in)), {});
    // Field 2 is the program's name in parentheses and may hold anything; field 3 comes after the last parenthesis.
    const std::size_t name = stat.rfind(')');
    if (name == std::string::npos)
        return {};
    constexpr std::size_t kStartTime = 22 - 3;
    const auto fields = split(trim(std::string_view(stat).substr(name + 1)), ' ');
    if (fields.size() <= kStartTime)
        return {};
    return {parseInteger(fields[kStartTime]).value_or(0), fields[0] == "Z" || fields[0] == "X"};
}

std::string bootId()
{
    std::ifstream in("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(in, id);
    return id;
}

} // namespace

ProcessMark ownProcess()
{
    const std::int64_t pid = ::getpid();
    return {bootId(), pid, statOf(pid).startTicks};
}

bool isRunning(const ProcessMark &mark)
{
    const Stat stat = statOf(mark.pid);
    return mark.bootId == bootId() && mark.startTicks != 0 && mark.startTicks == stat.startTicks && !stat.isZombie;
}

bool isZombie(const ProcessMark &mark)
{
    const Stat stat = statOf(mark.pid);
    return mark.bootId == bootId() && mark.startTicks != 0 && mark.startTicks == stat.startTicks && stat.isZombie;
}

} // namespace stagelens::base
