#include "engine/store/liveness.h"

#include "engine/base/text.h"

#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace stagelens::store {
namespace {

/// Start time of a process in clock ticks since boot: field 22 of its stat file; 0 if there is no such process.
std::int64_t startTicksOf(std::int64_t pid)
{
    std::ifstream in(base::concat("/proc/", pid, "/stat"));
    const std::string stat((std::istreambuf_iterator<char>(in)), {});
    // Field 2 is the program's name in parentheses and may hold anything; field 3 comes after the last parenthesis.
    const std::size_t name = stat.rfind(')');
    if (name == std::string::npos)
        return 0;
    constexpr std::size_t kStartTime = 22 - 3;
    const auto fields = base::split(base::trim(std::string_view(stat).substr(name + 1)), ' ');
    // A zombie is gone: it only waits for its parent to notice.
    if (fields.size() <= kStartTime || fields[0] == "Z" || fields[0] == "X")
        return 0;
    return base::parseInteger(fields[kStartTime]).value_or(0);
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

RunLocks::RunLocks(const std::filesystem::path &database) : m_file(database.string() + ".locks") {}

RunLocks::RunLocks(RunLocks &&other) noexcept : m_file(std::move(other.m_file)), m_fd(std::exchange(other.m_fd, -1)) {}

RunLocks &RunLocks::operator=(RunLocks &&other) noexcept
{
    std::swap(m_file, other.m_file);
    std::swap(m_fd, other.m_fd);
    return *this;
}

RunLocks::~RunLocks()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

bool RunLocks::openFile(bool create) const
{
    if (m_fd < 0)
        m_fd = ::open(m_file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0), 0666);
    return m_fd >= 0;
}

bool RunLocks::control(int command, std::int64_t run, short type) const
{
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = run;
    lock.l_len = 1;
    return ::fcntl(m_fd, command, &lock) == 0 && (command != F_OFD_GETLK || lock.l_type != F_UNLCK);
}

bool RunLocks::acquire(std::int64_t run)
{
    return openFile(true) && control(F_OFD_SETLK, run, F_WRLCK);
}

void RunLocks::release(std::int64_t run)
{
    if (m_fd >= 0)
        (void)control(F_OFD_SETLK, run, F_UNLCK);
}

bool RunLocks::isHeldElsewhere(std::int64_t run) const
{
    return openFile(false) && control(F_OFD_GETLK, run, F_WRLCK);
}

} // namespace stagelens::store
