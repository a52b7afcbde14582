#include "engine/base/file.h"

#include "engine/base/file_reader.h"
#include "engine/base/log.h"
#include "engine/base/protected_file.h"
#include "engine/base/sync_folder.h"
#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace stagelens::base {
namespace {

/// Closes a file descriptor at the end of its scope.
class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    [[nodiscard]] int get() const { return m_fd; }

private:
    int m_fd;
};

std::string cause(int code)
{
    switch (code) {
    case ENOENT: return "it does not exist; check the name";
    case EACCES:
    case EPERM: return "you may not access it; change its permissions or choose another file";
    case ENOSPC: return "the disk is full; free space or choose another place";
    case EDQUOT: return "your quota of the disk is used up; free space or choose another place";
    case EFBIG: return "files may not become so large here (`ulimit -f`); raise that limit or choose another place";
    case EROFS: return "the disk is read-only; choose another place";
    case EISDIR: return "it is a folder; name a file";
    default: return std::strerror(code); // NOLINT(concurrency-mt-unsafe): glibc's is thread-safe
    }
}

/// open(), again if a signal came in between, as on network file systems.
int opened(const std::filesystem::path &file, int flags, mode_t mode = 0)
{
    for (;;)
        if (const int fd = ::open(file.c_str(), flags | O_CLOEXEC, mode); fd >= 0 || errno != EINTR)
            return fd;
}

/// Bytes written between two looks at the stop token.
constexpr std::size_t kBlock = std::size_t{4} << 20;

/// Writes all of the content; 0 or the code of the error.
int writeAll(int fd, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t count = ::write(fd, content.data(), content.size());
        if (count < 0 && errno != EINTR)
            return errno;
        content.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
    return 0;
}

constexpr mode_t kUsualMode = 0666; ///< without the umask, as the process gives its files
constexpr mode_t kExactly = 01000;  ///< and nothing less: the umask does not count

/// Writes all parts; 0 or the code of the error, ECANCELED where `stop` asked. A file that is made gets `mode`.
int writeInto(const std::filesystem::path &file, int flags, mode_t mode, std::span<const std::string_view> parts,
              const std::stop_token &stop)
{
    const bool isMade = (flags & O_CREAT) != 0;
    const Descriptor out(opened(file, flags, mode & 0777U));
    if (out.get() < 0)
        return errno;
    if ((mode & kExactly) != 0)
        (void)::fchmod(out.get(), mode & 0777U); // some file systems have no permissions
    for (std::string_view rest : parts) {
        for (; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kBlock))) {
            if (stop.stop_requested())
                return ECANCELED;
            if (const int code = writeAll(out.get(), rest.substr(0, kBlock)); code != 0)
                return code;
        }
    }
    return isMade && ::fsync(out.get()) != 0 ? errno : 0;
}

/// A database of this or another program, or the log of one.
bool isDatabase(const std::filesystem::path &file)
{
    constexpr std::string_view kHeader("SQLite format 3\0", 16);
    constexpr std::string_view kLogHeader("\x37\x7f\x06", 3); // and 0x82 or 0x83
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::array<char, kHeader.size()> begin{};
    const ssize_t count = in.get() < 0 ? 0 : ::read(in.get(), begin.data(), begin.size());
    const std::string_view found(begin.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
    return found == kHeader || found.starts_with(kLogHeader);
}

Error cannotWrite(const std::filesystem::path &file, int code)
{
    if (code == ECANCELED)
        return Error::cancelled();
    const std::string why = code == ENOENT ? "its folder does not exist; create it or choose another place" : cause(code);
    return Error::failed(fmt::format("cannot be written: {}", why), file.string());
}

/// The home folder that the system's list of users names; empty if there is none.
std::filesystem::path listedHome()
{
    constexpr std::size_t kEntry = std::size_t{1} << 14;
    std::vector<char> text(kEntry);
    passwd entry{};
    passwd *found = nullptr;
    std::error_code ignored;
    if (::getpwuid_r(::getuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr ||
        !std::filesystem::is_directory(found->pw_dir, ignored))
        return {};
    return found->pw_dir;
}

/// A new folder that only this user may enter, for the life of the process: a name in /tmp that can be guessed may be another
/// user's.
std::filesystem::path makePrivateFolder()
{
    std::string name = std::filesystem::temp_directory_path() / "stagelens-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
        return "/dev/null/stagelens"; // cannot be created, so the store reports it
    log(LogLevel::Warning, fmt::format("there is no home folder, so this program's data goes to {}, which the next one will "
                                       "not find; set HOME or STAGELENS_DATA_DIR",
                                       name));
    return name;
}

// Of a name of its own, for the file's may be as long as a name can be.
constexpr std::string_view kPartBegin = ".stagelens-"; ///< then process, dash and number
constexpr std::string_view kPartEnd = ".part";

/// A name beside a file for its new content.
std::filesystem::path partBeside(const std::filesystem::path &file)
{
    static std::atomic<unsigned> count = 0;
    return file.parent_path() / fmt::format("{}{}-{}{}", kPartBegin, ::getpid(), count++, kPartEnd);
}

/// Removes the parts in a folder whose process has ended: it was killed while it wrote.
void removeAbandonedParts(const std::filesystem::path &folder)
{
    std::error_code error;
    for (std::filesystem::directory_iterator each(folder.empty() ? "." : folder, error);
         !error && each != std::filesystem::directory_iterator(); each.increment(error)) {
        const std::string name = each->path().filename().string();
        if (!name.starts_with(kPartBegin) || !name.ends_with(kPartEnd))
            continue;
        const std::string_view rest = std::string_view(name).substr(kPartBegin.size());
        const auto process = parseInteger(rest.substr(0, rest.find('-')));
        if (process && *process > 0 && ::kill(static_cast<pid_t>(*process), 0) != 0 && errno == ESRCH)
            ::unlink(each->path().c_str());
    }
}

} // namespace

std::filesystem::path behindLinks(std::filesystem::path file)
{
    constexpr int kMostLinks = 40; // as Linux follows
    std::error_code error;
    for (int i = 0; i < kMostLinks; ++i) {
        const std::filesystem::path target = std::filesystem::read_symlink(file, error);
        if (error)
            break;
        file = file.parent_path() / target;
    }
    return file;
}

void syncFolder(const std::filesystem::path &folder)
{
    const Descriptor in(opened(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY));
    if (in.get() >= 0)
        (void)::fsync(in.get());
}

bool syncFile(const std::filesystem::path &file)
{
    const Descriptor out(opened(file, O_WRONLY));
    return out.get() >= 0 && ::fsync(out.get()) == 0;
}

Result<FileReader> FileReader::open(const std::filesystem::path &file, Bytes limit)
{
    // O_NONBLOCK keeps a named pipe without a writer from blocking us for ever.
    FileReader reader(opened(file, O_RDONLY | O_NONBLOCK), file);
    struct stat info {};
    if (reader.m_fd < 0 || ::fstat(reader.m_fd, &info) != 0)
        return Error::invalid(file.string(), fmt::format("cannot be read: {}", cause(errno)));
    if (!S_ISREG(info.st_mode))
        return Error::invalid(file.string(), S_ISDIR(info.st_mode) ? "is a folder; name a file" : "is not a regular file");
    if (info.st_size > limit)
        return Error::invalid(file.string(),
                              fmt::format("is {} long and at most {} is accepted", bytesText(info.st_size), bytesText(limit)));
    reader.m_size = info.st_size;
    return reader;
}

FileReader::FileReader(FileReader &&other) noexcept
    : m_fd(std::exchange(other.m_fd, -1)), m_size(other.m_size), m_file(std::move(other.m_file))
{}

FileReader::~FileReader()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

Result<std::size_t> FileReader::read(std::span<char> block)
{
    std::size_t done = 0;
    while (done < block.size()) {
        const ssize_t count = ::read(m_fd, block.data() + done, block.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return Error::invalid(m_file.string(), fmt::format("cannot be read: {}", cause(errno)));
        if (count == 0)
            break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

Result<std::string> readFile(const std::filesystem::path &file, Bytes limit)
{
    auto reader = FileReader::open(file, limit);
    if (!reader)
        return std::move(reader).error();
    std::string content(static_cast<std::size_t>(reader->size()), '\0');
    const auto count = reader->read(content);
    if (!count)
        return count.error();
    content.resize(*count);
    return content;
}

Result<std::string> readStandardInput(Bytes limit)
{
    const auto refused = [](std::string why) { return Error::invalid("standard input", std::move(why)); };
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    std::string content;
    for (;;) {
        const std::size_t done = content.size();
        if (done > static_cast<std::size_t>(limit))
            return refused(fmt::format("is longer than the {} that are accepted", bytesText(limit)));
        content.resize(done + kPiece);
        ssize_t count = 0;
        do
            count = ::read(STDIN_FILENO, content.data() + done, kPiece);
        while (count < 0 && errno == EINTR);
        if (count < 0)
            return refused(fmt::format("cannot be read: {}", cause(errno)));
        content.resize(done + static_cast<std::size_t>(count));
        if (count == 0)
            return content;
    }
}

Result<> writeFile(const std::filesystem::path &file, std::string_view content)
{
    return writeFile(file, std::span(&content, 1), {});
}

Result<> writeFile(const std::filesystem::path &file, std::span<const std::string_view> parts, const std::stop_token &stop)
{
    struct stat info {};
    const bool exists = ::stat(file.c_str(), &info) == 0;
    // A pipe or device is no file to put another in place of, and a folder or what may not be seen refuses on its own.
    if (exists ? !S_ISREG(info.st_mode) : errno != ENOENT) {
        const int code = writeInto(file, O_WRONLY, kUsualMode, parts, stop);
        return code == 0 ? Result<>() : cannotWrite(file, code);
    }
    if (exists && (ProtectedFile::isProtected({info.st_dev, info.st_ino}) || isDatabase(file)))
        return Error::invalid(file.string(), "is a database, which is not replaced; choose another file");
    const std::filesystem::path behind = behindLinks(file);
    const mode_t mode = exists ? (info.st_mode & 0777U) | kExactly : kUsualMode;
    const std::filesystem::path beside = partBeside(behind);
    int code = writeInto(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode, parts, stop);
    if (code == 0 && ::rename(beside.c_str(), behind.c_str()) != 0)
        code = errno;
    if (code == 0) {
        syncFolder(behind.parent_path());
        removeAbandonedParts(behind.parent_path());
        return {};
    }
    ::unlink(beside.c_str());
    return cannotWrite(file, code);
}

std::filesystem::path dataFolder()
{
    const auto variable = [](const char *name) -> std::filesystem::path {
        const char *value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
        return value != nullptr ? value : "";
    };
    if (const auto own = variable("STAGELENS_DATA_DIR"); !own.empty())
        return own;
    if (const auto xdg = variable("XDG_DATA_HOME"); xdg.is_absolute())
        return xdg / "stagelens";
    if (const auto home = variable("HOME"); !home.empty())
        return home / ".local/share/stagelens";
    if (const auto home = listedHome(); !home.empty())
        return home / ".local/share/stagelens";
    static const std::filesystem::path folder = makePrivateFolder();
    return folder;
}

std::filesystem::path resourceFolder()
{
    if (const char *own = std::getenv("STAGELENS_RESOURCES"); own != nullptr && *own != '\0') // NOLINT(concurrency-mt-unsafe)
        return own;
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    if (!ignored) {
        const auto installed = program.parent_path().parent_path() / "share/stagelens";
        if (std::filesystem::is_directory(installed / "models", ignored))
            return installed;
    }
    return STAGELENS_SOURCE_RESOURCES;
}

} // namespace stagelens::base
