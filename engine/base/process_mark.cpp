#include "engine/base/process_mark.h"

#include "engine/base/text.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace stagelens::base {
namespace {

/// Start time of a process in clock ticks since boot: field 22 of its stat file; 0 if there is no such process.
std::int64_t startTicksOf(std::int64_t pid)
{
    std::ifstream in(fmt::format("/proc/{}/stat", pid));
    const std::string stat((std::istreambuf_iterator<char>(in)), {});
    // Field 2 is the program's name in parentheses and may hold anything; field 3 comes after the last parenthesis.
    const std::size_t name = stat.rfind(')');
    if (name == std::string::npos)
        return 0;
    constexpr std::size_t kStartTime = 22 - 3;
    const auto fields = split(trim(std::string_view(stat).substr(name + 1)), ' ');
    // A zombie has ended; it only waits for its parent.
    if (fields.size() <= kStartTime || fields[0] == "Z" || fields[0] == "X")
        return 0;
    return parseInteger(fields[kStartTime]).value_or(0);
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
    return {bootId(), pid, startTicksOf(pid)};
}

bool isRunning(const ProcessMark &mark)
{
    return mark.bootId == bootId() && mark.startTicks != 0 && mark.startTicks == startTicksOf(mark.pid);
}

} // namespace stagelens::base
