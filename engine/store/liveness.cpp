#include "engine/store/liveness.h"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace stagelens::store {

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
