#include "engine/backend/process_frames.h"

#include "engine/base/text.h"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace stagelens::backend {
namespace {

std::string hostName()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unnamed machine";
}

Bytes bytesOf(const std::string &text)
{
    const auto *begin = reinterpret_cast<const std::byte *>(text.data());
    return {begin, begin + text.size()};
}
std::string textOf(const Bytes &bytes)
{
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// Separators of the kind, the problems, and the halves of a problem. Messages contain no control characters.
constexpr char kBetweenProblems = '\x1e';
constexpr char kBetweenHalves = '\x1f';

} // namespace

Bytes errorBytes(const base::Error &error)
{
    std::string text(1, static_cast<char>('0' + static_cast<int>(error.kind)));
    for (const base::Problem &problem : error.problems)
        text += kBetweenProblems + problem.field + kBetweenHalves + problem.message;
    return bytesOf(text);
}

base::Error errorOf(const Bytes &bytes, int from)
{
    const std::string text = textOf(bytes);
    const std::vector<std::string_view> parts = base::split(text, kBetweenProblems);
    base::Error error;
    error.kind = static_cast<base::ErrorKind>(parts[0].empty() ? 1 : parts[0][0] - '0');
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto halves = base::split(parts[i], kBetweenHalves);
        error.problems.push_back({std::string(halves.front()), fmt::format("process {}: {}", from, halves.back())});
    }
    return error.kind == base::ErrorKind::Cancelled ? base::Error::cancelled() : error;
}

ProcessPlace ownPlace()
{
    return {hostName(), base::ownProcess()};
}

Bytes placeBytes(const ProcessPlace &place)
{
    const auto &[host, mark] = place;
    return bytesOf(fmt::format("{}\n{}\n{}\n{}", host, mark.bootId, mark.pid, mark.startTicks));
}

std::optional<ProcessPlace> placeOf(const Bytes &bytes)
{
    const std::string text = textOf(bytes);
    const auto lines = base::split(text, '\n');
    constexpr std::size_t kLines = 4;
    if (lines.size() != kLines)
        return std::nullopt;
    return ProcessPlace{
        std::string(lines[0]),
        {std::string(lines[1]), base::parseInteger(lines[2]).value_or(0), base::parseInteger(lines[3]).value_or(0)}};
}

} // namespace stagelens::backend
