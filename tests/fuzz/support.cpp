#include "tests/fuzz/support.h"

#include "engine/base/printable.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stagelens::fuzz {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder()
    {
        const char *const given = std::getenv("STAGELENS_FUZZ_SCRATCH"); // whoever set it removes what a crash leaves there
        const bool isShared = fs::is_directory("/dev/shm");
        m_path = std::string(given != nullptr ? given : isShared ? "/dev/shm" : "/tmp") + "/stagelens-fuzz-XXXXXX";
        require(::mkdtemp(m_path.data()) != nullptr, "a scratch folder can be made");
        ::setenv("STAGELENS_DATA_DIR", m_path.c_str(), 1); // nothing of the person's own is touched
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    [[nodiscard]] const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

std::string nested(std::string_view open, std::string_view close, std::size_t levels)
{
    std::string text;
    for (std::size_t i = 0; i < levels; ++i)
        text += open;
    for (std::size_t i = 0; i < levels; ++i)
        text += close;
    return text;
}

void writeAll(int file, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t written = ::write(file, content.data(), content.size());
        require(written > 0, "a scratch file can be written");
        content.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace

std::vector<Target> &targets()
{
    static std::vector<Target> all;
    return all;
}

const std::string &hostileMarkup()
{
    static const std::string kMarkup = [] {
        const std::string pipe = scratchFolder() + "/pipe";
        require(::mkfifo(pipe.c_str(), 0600) == 0, "a named pipe can be made");
        return "<b>x</b><img src=" + pipe + "><img src=/dev/zero><a href=file:///dev/zero>y</a>";
    }();
    return kMarkup;
}

Seeds hostileSeeds()
{
    constexpr std::size_t kDeep = 100'000;
    constexpr std::size_t kLong = 1'000'000;
    return {"",
            std::string(1, '\0'),
            std::string("\0\xff\xfe", 3),
            nested("[", "]", kDeep),
            nested("{\"a\":", "}", kDeep),
            nested("(", ")", kDeep),
            std::string(kLong, '9'),
            std::string(kLong, '\n'),
            "\"" + std::string(kLong, 'a') + "\"",
            hostileMarkup(),
            "\x1b]0;title\x07\x9b\x32J \xe2\x80\xae\xed\xa0\x80",
            "\xef\xbb\xbf{}",
            "-1,1e999,nan,inf,18446744073709551616,-9223372036854775808"};
}

void require(bool holds, std::string_view promise)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
    std::abort();
}

void requireMessage(const base::Error &error)
{
    require(!error.problems.empty(), "an error has a problem");
    for (const base::Problem &problem : error.problems)
        require(!problem.message.empty(), "a problem says what is wrong");
    // A file may have a hundred faults of one kind: printing all of them took half of the time.
    constexpr std::size_t kPrinted = 2;
    const auto end = error.problems.begin() + static_cast<std::ptrdiff_t>(std::min(kPrinted, error.problems.size()));
    const base::Error first{error.kind, {error.problems.begin(), end}};
    const auto isControl = [](unsigned char letter) { return (letter < 0x20 && letter != '\n') || letter == 0x7f; };
    require(std::ranges::none_of(base::printable(first), isControl), "an error is printed without control characters");
}

MemoryFile::MemoryFile() : m_file(::memfd_create("input", MFD_CLOEXEC)), m_path("/proc/self/fd/" + std::to_string(m_file))
{
    require(m_file >= 0, "a file in memory can be made");
}

MemoryFile::~MemoryFile()
{
    ::close(m_file);
}

void MemoryFile::write(std::string_view content) const
{
    require(::ftruncate(m_file, 0) == 0 && ::lseek(m_file, 0, SEEK_SET) == 0, "a file in memory can be emptied");
    writeAll(m_file, content);
}

const std::string &scratchFolder()
{
    static const Folder kFolder;
    return kFolder.path();
}

void writeScratch(const std::string &name, std::string_view content)
{
    const int file = ::open((scratchFolder() + "/" + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(file >= 0, "a scratch file can be made");
    writeAll(file, content);
    ::close(file);
}

} // namespace stagelens::fuzz
