#include "engine/runtime/data/sources.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stagelens::runtime {
namespace {

using base::Error;
using base::Result;

/// The header of llm.c: 256 int32, of which magic, version and token count are used.
constexpr std::int64_t kHeaderBytes = 1024;
constexpr std::int32_t kGpt2Magic = 20240520;
constexpr std::int32_t kGpt2Version = 1; ///< uint16
constexpr std::int32_t kLlamaMagic = 20240801;
constexpr std::int32_t kLlamaVersion = 7; ///< uint32
/// Bytes per read, a multiple of both token widths.
constexpr std::size_t kBlock = 1 << 16;

class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Descriptor(Descriptor &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    Descriptor &operator=(Descriptor &&) = delete;
    [[nodiscard]] int get() const { return m_fd; }

private:
    int m_fd;
};

/// Reads up to `size` bytes; fewer at the end of the file or on an error.
std::size_t readAt(int fd, std::int64_t offset, void *bytes, std::size_t size)
{
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count =
            ::pread(fd, static_cast<char *>(bytes) + done, size - done, offset + static_cast<std::int64_t>(done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

/// The location of the tokens in a file.
struct Layout {
    std::int64_t begin = 0;
    std::int64_t count = 0;
    std::int64_t width = 2;
};

std::uint32_t tokenAt(const unsigned char *bytes, std::size_t index, std::int64_t width)
{
    if (width == 2)
        return static_cast<std::uint32_t>(bytes[2 * index] | bytes[2 * index + 1] << 8);
    std::uint32_t token = 0;
    std::memcpy(&token, bytes + 4 * index, sizeof token);
    return token;
}

/// Reads an open file on demand, because it may be larger than memory. A memory mapping would end the program if the file is
/// truncated during a run.
class FileRow : public TokenRow {
public:
    FileRow(Descriptor file, const Layout &layout, std::int32_t vocabularySize)
        : m_file(std::move(file)), m_layout(layout), m_vocabularySize(static_cast<std::uint32_t>(vocabularySize))
    {}

    [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(m_layout.count); }

    void read(std::size_t position, std::span<std::int32_t> tokens) const override
    {
        std::array<unsigned char, kBlock> block;
        const auto width = static_cast<std::size_t>(m_layout.width);
        for (std::size_t done = 0; done < tokens.size();) {
            const std::size_t count = std::min(tokens.size() - done, kBlock / width);
            const std::int64_t offset = m_layout.begin + static_cast<std::int64_t>((position + done) * width);
            const std::size_t bytes = readAt(m_file.get(), offset, block.data(), count * width);
            std::memset(block.data() + bytes, 0, count * width - bytes); // truncated since it was opened: fills with token 0
            for (std::size_t i = 0; i < count; ++i)
                tokens[done + i] =
                    static_cast<std::int32_t>(std::min(tokenAt(block.data(), i, m_layout.width), m_vocabularySize - 1));
            done += count;
        }
    }

private:
    Descriptor m_file;
    Layout m_layout;
    std::uint32_t m_vocabularySize;
};

Error refuse(const std::filesystem::path &file, const std::string &message)
{
    return Error::invalid(kDataField, file.string() + " " + message);
}

Result<Layout> layoutOf(int fd, std::int64_t size, const std::filesystem::path &file)
{
    std::array<std::int32_t, 3> header{};
    readAt(fd, 0, header.data(), sizeof header);
    const auto [magic, version, count] = header;
    if (magic != kGpt2Magic && magic != kLlamaMagic) {
        if (size == 0)
            return refuse(file, "is empty; write tokens into it or choose synthetic");
        if (size % 2 != 0)
            return refuse(
                file,
                fmt::format(
                    "has an odd length of {} bytes, but raw tokens take 2 bytes each; it was truncated or is not a token file",
                    size));
        return Layout{0, size / 2, 2};
    }
    const std::int32_t expected = magic == kGpt2Magic ? kGpt2Version : kLlamaVersion;
    if (version != expected)
        return refuse(
            file,
            fmt::format(
                "has version {} of llm.c's format, but magic {} goes with version {}; write it again with llm.c's scripts",
                version, magic, expected));
    const Layout layout{kHeaderBytes, count, magic == kGpt2Magic ? 2 : 4};
    if (count < 0)
        return refuse(file, fmt::format("names {} tokens in its header; it is damaged, write it again", count));
    const std::int64_t needed = kHeaderBytes + layout.count * layout.width;
    if (size != needed)
        return refuse(file,
                      fmt::format("is {} bytes long but the {} tokens of its header need {}{}", size, count, needed,
                                  size < needed ? "; it was truncated, copy it again" : "; it is damaged, write it again"));
    return layout;
}

Result<> checkTokens(int fd, const Layout &layout, std::int32_t vocabularySize, const std::filesystem::path &file,
                     const std::stop_token &stop)
{
    std::vector<unsigned char> block(kBlock);
    const auto width = static_cast<std::size_t>(layout.width);
    for (std::int64_t position = 0; position < layout.count;) {
        if (stop.stop_requested())
            return Error::cancelled();
        const auto count =
            static_cast<std::size_t>(std::min(layout.count - position, static_cast<std::int64_t>(kBlock / width)));
        if (readAt(fd, layout.begin + position * layout.width, block.data(), count * width) != count * width)
            return refuse(file, fmt::format("cannot be read from token {} on; check the disk", position));
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t token = tokenAt(block.data(), i, layout.width);
            if (token >= static_cast<std::uint32_t>(vocabularySize))
                return refuse(file, fmt::format("has token {} at position {} but the vocabulary has {} tokens; raise "
                                                "model.vocabulary_size or choose another file",
                                                token, position + static_cast<std::int64_t>(i), vocabularySize));
        }
        position += static_cast<std::int64_t>(count);
    }
    return {};
}

} // namespace

Result<std::unique_ptr<TokenRow>> openTokenFile(const std::filesystem::path &file, std::int32_t vocabularySize,
                                                const std::stop_token &stop)
{
    // O_NONBLOCK, so that a named pipe without a writer does not block.
    Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info {};
    if (in.get() < 0 || ::fstat(in.get(), &info) != 0)
        return refuse(file, fmt::format("cannot be read: {}{}",
                                        std::strerror(errno), // NOLINT(concurrency-mt-unsafe): glibc's is safe
                                        "; check its name and permissions"));
    if (!S_ISREG(info.st_mode))
        return refuse(file, "is not a regular file; name a token file");
    const auto layout = layoutOf(in.get(), info.st_size, file);
    if (!layout)
        return layout.error();
    if (const auto checked = checkTokens(in.get(), *layout, vocabularySize, file, stop); !checked)
        return checked.error();
    return std::unique_ptr<TokenRow>(std::make_unique<FileRow>(std::move(in), *layout, vocabularySize));
}

} // namespace stagelens::runtime
