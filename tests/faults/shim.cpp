// A library for LD_PRELOAD that makes operations on files fail, with SQLite's among them: `run.py` starts the programs with it.
//
//   STAGELENS_FAULT_UNDER  only operations on files below this folder count
//   STAGELENS_FAULT_AT     number of the first operation that fails, from 1; 0: none fails, all are counted
//   STAGELENS_FAULT_KIND   enospc, eio, eintr, short (a write of half the bytes), lock (a lock that another process holds)
//   STAGELENS_FAULT_TIMES  how many operations fail from there on; 0: all of them
//   STAGELENS_FAULT_STATE  a file of the size of State, which tells the caller what has happened
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

/// Shared with the caller; one for all processes of a command.
struct State {
    std::atomic<long> count;
    std::atomic<long> failed;
    std::array<char, 48> operation; ///< the first that failed
    std::array<char, 464> path;
};
static_assert(sizeof(State) == 528);

enum class Kind : unsigned char { NoSpace, Io, Interrupted, Short, Lock };

std::string_view variable(const char *name)
{
    const char *value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value != nullptr ? value : "";
}

struct Plan {
    std::string under{variable("STAGELENS_FAULT_UNDER")};
    long at = std::strtol(variable("STAGELENS_FAULT_AT").data(), nullptr, 10);
    long times = std::strtol(variable("STAGELENS_FAULT_TIMES").data(), nullptr, 10);
    Kind kind = Kind::Io;
    State *state = nullptr;

    Plan()
    {
        const std::string_view name = variable("STAGELENS_FAULT_KIND");
        kind = name == "enospc"  ? Kind::NoSpace
               : name == "eintr" ? Kind::Interrupted
               : name == "short" ? Kind::Short
               : name == "lock"  ? Kind::Lock
                                 : Kind::Io;
        const int file = static_cast<int>(::open(variable("STAGELENS_FAULT_STATE").data(), O_RDWR | O_CLOEXEC));
        if (file < 0)
            return;
        void *const memory = ::mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        state = memory == MAP_FAILED ? nullptr : static_cast<State *>(memory);
        ::close(file);
    }
};

/// Null while it is being made: its own operations are nobody's.
const Plan *plan()
{
    static thread_local bool isMaking = false;
    if (isMaking)
        return nullptr;
    isMaking = true;
    static const Plan *const made = new Plan();
    isMaking = false;
    return made->state != nullptr && !made->under.empty() ? made : nullptr;
}

template <class Function>
Function original(const char *name)
{
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::string absolute(const char *path)
{
    if (path == nullptr || *path == '/')
        return path == nullptr ? "" : path;
    std::array<char, 4096> folder{};
    return ::getcwd(folder.data(), folder.size()) == nullptr ? path : std::string(folder.data()) + '/' + path;
}

std::string pathOf(int fd)
{
    std::array<char, 4096> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const ssize_t length = ::readlink(link.c_str(), path.data(), path.size() - 1);
    return length < 0 ? std::string() : std::string(path.data(), static_cast<std::size_t>(length));
}

enum class Can : unsigned char { BeInterrupted = 1, NeedSpace = 2, BeShort = 4, BeLocked = 8 };
constexpr unsigned operator|(Can a, Can b)
{
    return static_cast<unsigned>(a) | static_cast<unsigned>(b);
}
constexpr unsigned kNothing = 0;

bool isPossible(Kind kind, unsigned can)
{
    switch (kind) {
    case Kind::NoSpace: return (can & static_cast<unsigned>(Can::NeedSpace)) != 0;
    case Kind::Interrupted: return (can & static_cast<unsigned>(Can::BeInterrupted)) != 0;
    case Kind::Short: return (can & static_cast<unsigned>(Can::BeShort)) != 0;
    case Kind::Lock: return (can & static_cast<unsigned>(Can::BeLocked)) != 0;
    default: return (can & static_cast<unsigned>(Can::BeLocked)) == 0;
    }
}

/// Counts an operation; true where it is to fail, with errno set.
bool fails(const char *operation, const std::string &path, unsigned can)
{
    const Plan *const all = plan();
    if (all == nullptr || !path.starts_with(all->under) || !isPossible(all->kind, can))
        return false;
    const long number = ++all->state->count;
    if (all->at == 0 || number < all->at || (all->times != 0 && number >= all->at + all->times))
        return false;
    if (all->state->failed++ == 0) {
        std::snprintf(all->state->operation.data(), all->state->operation.size(), "%s", operation);
        std::snprintf(all->state->path.data(), all->state->path.size(), "%s", path.c_str());
    }
    errno = all->kind == Kind::NoSpace       ? ENOSPC
            : all->kind == Kind::Interrupted ? EINTR
            : all->kind == Kind::Lock        ? EAGAIN
                                             : EIO;
    return true;
}

bool isShort()
{
    const Plan *const all = plan();
    return all != nullptr && all->kind == Kind::Short;
}

unsigned ofOpen(int flags)
{
    return (flags & O_CREAT) != 0 ? Can::NeedSpace | Can::BeInterrupted : static_cast<unsigned>(Can::BeInterrupted);
}

constexpr unsigned kWrite =
    static_cast<unsigned>(Can::NeedSpace) | static_cast<unsigned>(Can::BeInterrupted) | static_cast<unsigned>(Can::BeShort);
constexpr unsigned kSpace = static_cast<unsigned>(Can::NeedSpace);
constexpr unsigned kInterrupt = static_cast<unsigned>(Can::BeInterrupted);

std::size_t lessOf(std::size_t count)
{
    return std::max<std::size_t>(count / 2, 1);
}

bool failsToLock(int fd, int command, const void *argument)
{
    return (command == F_SETLK || command == F_OFD_SETLK) && static_cast<const struct flock *>(argument)->l_type != F_UNLCK &&
           fails("lock", pathOf(fd), static_cast<unsigned>(Can::BeLocked));
}

} // namespace

// The names of the C library, and its types where they are not those of the headers.
extern "C" {

#define STAGELENS_OPEN(NAME)                                                                                                   \
    int NAME(const char *path, int flags, ...)                                                                                 \
    {                                                                                                                          \
        va_list rest;                                                                                                          \
        va_start(rest, flags);                                                                                                 \
        const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                                   \
        va_end(rest);                                                                                                          \
        return fails("open", absolute(path), ofOpen(flags))                                                                    \
                   ? -1                                                                                                        \
                   : original<int (*)(const char *, int, mode_t)>(#NAME)(path, flags, mode);                                   \
    }
STAGELENS_OPEN(open)
STAGELENS_OPEN(open64)
FILE *fopen64(const char *path, const char *mode)
{
    if (fails("fopen", absolute(path), *mode == 'r' ? kNothing : kSpace))
        return nullptr;
    return original<FILE *(*)(const char *, const char *)>("fopen64")(path, mode);
}
ssize_t read(int fd, void *to, std::size_t count)
{
    if (fails("read", pathOf(fd), kInterrupt))
        return -1;
    return original<ssize_t (*)(int, void *, std::size_t)>("read")(fd, to, count);
}
ssize_t pread64(int fd, void *to, std::size_t count, off64_t offset)
{
    if (fails("pread", pathOf(fd), kInterrupt))
        return -1;
    return original<ssize_t (*)(int, void *, std::size_t, off64_t)>("pread64")(fd, to, count, offset);
}
ssize_t write(int fd, const void *from, std::size_t count)
{
    const bool failed = fails("write", pathOf(fd), kWrite);
    if (failed && !isShort())
        return -1;
    return original<ssize_t (*)(int, const void *, std::size_t)>("write")(fd, from, failed ? lessOf(count) : count);
}
ssize_t pwrite64(int fd, const void *from, std::size_t count, off64_t offset)
{
    const bool failed = fails("pwrite", pathOf(fd), kWrite);
    if (failed && !isShort())
        return -1;
    return original<ssize_t (*)(int, const void *, std::size_t, off64_t)>("pwrite64")(fd, from, failed ? lessOf(count) : count,
                                                                                      offset);
}
ssize_t writev(int fd, const struct iovec *from, int count)
{
    return fails("writev", pathOf(fd), kSpace | kInterrupt)
               ? -1
               : original<ssize_t (*)(int, const struct iovec *, int)>("writev")(fd, from, count);
}
int fsync(int fd)
{
    return fails("fsync", pathOf(fd), kSpace) ? -1 : original<int (*)(int)>("fsync")(fd);
}
int fdatasync(int fd)
{
    return fails("fdatasync", pathOf(fd), kSpace) ? -1 : original<int (*)(int)>("fdatasync")(fd);
}
int ftruncate64(int fd, off64_t length)
{
    return fails("ftruncate", pathOf(fd), kSpace) ? -1 : original<int (*)(int, off64_t)>("ftruncate64")(fd, length);
}
/// Linux closes the file even where it reports an error.
int close(int fd)
{
    const bool failed = fails("close", pathOf(fd), kNothing);
    const int code = errno;
    const int closed = original<int (*)(int)>("close")(fd);
    errno = failed ? code : errno;
    return failed ? -1 : closed;
}
int rename(const char *from, const char *to)
{
    return fails("rename", absolute(to), kSpace) ? -1 : original<int (*)(const char *, const char *)>("rename")(from, to);
}
int mkdir(const char *path, mode_t mode)
{
    return fails("mkdir", absolute(path), kSpace) ? -1 : original<int (*)(const char *, mode_t)>("mkdir")(path, mode);
}
int unlink(const char *path)
{
    return fails("unlink", absolute(path), kNothing) ? -1 : original<int (*)(const char *)>("unlink")(path);
}
int unlinkat(int folder, const char *path, int flags)
{
    if (fails("unlinkat", folder == AT_FDCWD ? absolute(path) : pathOf(folder) + '/' + path, kNothing))
        return -1;
    return original<int (*)(int, const char *, int)>("unlinkat")(folder, path, flags);
}
#define STAGELENS_LOCK(NAME)                                                                                                   \
    int NAME(int fd, int command, ...)                                                                                         \
    {                                                                                                                          \
        va_list rest;                                                                                                          \
        va_start(rest, command);                                                                                               \
        void *const argument = va_arg(rest, void *);                                                                           \
        va_end(rest);                                                                                                          \
        return failsToLock(fd, command, argument) ? -1 : original<int (*)(int, int, void *)>(#NAME)(fd, command, argument);    \
    }
STAGELENS_LOCK(fcntl)
STAGELENS_LOCK(fcntl64)
}
