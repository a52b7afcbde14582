#include "engine/exchange/trace_events.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <istream>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <utility>

namespace stagelens::exchange {

namespace {

constexpr std::string_view kPrefix = "PP:";
/// Of lists and objects in each other; profilers nest the arguments of an event twice or thrice.
constexpr int kDeepest = 64;
constexpr int kMostStages = 4096;
constexpr int kMostMicrobatches = 1'000'000;
constexpr std::size_t kMostEvents = 10'000'000;
constexpr std::size_t kMostLanes = static_cast<std::size_t>(schedule::kMostStages);
/// Of a text or a number, which the parser keeps whole.
constexpr std::size_t kLongestToken = std::size_t{1} << 20;
constexpr std::size_t kLongestLane = 200;
constexpr std::size_t kBlock = std::size_t{1} << 16;
/// A hundred years.
constexpr double kMostNanos = 3.2e18;

/// The members of an event that count, as far as they were read.
struct RawEvent {
    std::string name;
    std::string phase;
    std::string category;
    std::string process;
    std::string thread;
    std::string begin;
    std::string duration;
};

/// The blocks of an input for the parser. Ends early, with an error, at one, or at a token that takes too much memory.
class BlockBuffer : public std::streambuf {
public:
    explicit BlockBuffer(const TraceInput &input) : m_input(input), m_block(kBlock) {}
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }

protected:
    int_type underflow() override
    {
        if (m_error)
            return traits_type::eof();
        const auto count = m_input.read(m_block);
        if (!count)
            m_error = count.error();
        else if (!hasShortTokens({m_block.data(), *count}))
            m_error = base::Error::invalid(
                m_input.name, fmt::format("has a text or number longer than {} bytes; export the trace again", kLongestToken));
        if (m_error || *count == 0)
            return traits_type::eof();
        setg(m_block.data(), m_block.data(), m_block.data() + *count);
        return traits_type::to_int_type(m_block.front());
    }

private:
    bool hasShortTokens(std::string_view block)
    {
        constexpr std::string_view kBetween = " \t\r\n,:[]{}";
        for (const char byte : block) {
            const bool isEscaped = std::exchange(m_escapes, false);
            if (m_inText) {
                m_escapes = byte == '\\' && !isEscaped;
                m_inText = byte != '"' || isEscaped;
            } else if (byte == '"' || kBetween.find(byte) != std::string_view::npos) {
                m_inText = byte == '"';
                m_length = 0;
            }
            if (++m_length > kLongestToken)
                return false;
        }
        return true;
    }

    const TraceInput &m_input;
    std::vector<char> m_block;
    std::optional<base::Error> m_error;
    std::size_t m_length = 0; ///< of the token so far
    bool m_inText = false;
    bool m_escapes = false;
};

/// Receives the parser's calls. Objects in the list "traceEvents" (or in a list that is the whole document) are events; what is
/// nested in them is passed by.
class TraceReader : public nlohmann::json_sax<nlohmann::json> {
public:
    bool null() override { return value({}); }
    bool boolean(bool) override { return value({}); }
    bool number_integer(number_integer_t number) override { return value(std::to_string(number)); }
    bool number_unsigned(number_unsigned_t number) override { return value(std::to_string(number)); }
    bool number_float(number_float_t, const string_t &text) override { return value(text); }
    bool string(string_t &text) override { return value(std::move(text)); }
    bool binary(binary_t &) override { return value({}); }
    bool key(string_t &text) override
    {
        if (m_level <= 1 || m_level == m_eventsLevel + 1)
            m_key = std::move(text);
        return true;
    }
    bool start_object(std::size_t) override
    {
        if (m_level == m_eventsLevel)
            m_event = {};
        return enter();
    }
    bool end_object() override
    {
        --m_level;
        return m_level != m_eventsLevel || take();
    }
    bool start_array(std::size_t) override
    {
        if (m_eventsLevel == kNoEvents && (m_level == 0 || (m_level == 1 && m_key == "traceEvents"))) {
            m_eventsLevel = m_level + 1;
            hasEvents = true;
        }
        return enter();
    }
    bool end_array() override
    {
        if (m_level == m_eventsLevel)
            m_eventsLevel = kNoEvents;
        --m_level;
        return true;
    }
    bool parse_error(std::size_t position, const std::string &, const nlohmann::json::exception &) override
    {
        problem = fmt::format("is no JSON from byte {} on; export the trace again", position);
        return false;
    }

    std::string problem;
    bool hasEvents = false;
    TraceEvents onProcessor;
    TraceEvents onGpu;

private:
    static constexpr int kNoEvents = -2;

    bool enter()
    {
        if (++m_level <= kDeepest)
            return true;
        problem = fmt::format("is nested deeper than {} levels; export the trace again", kDeepest);
        return false;
    }

    bool value(std::string text)
    {
        if (m_level != m_eventsLevel + 1)
            return true;
        const std::pair<std::string_view, std::string *> members[] = {
            {"name", &m_event.name},  {"ph", &m_event.phase}, {"cat", &m_event.category}, {"pid", &m_event.process},
            {"tid", &m_event.thread}, {"ts", &m_event.begin}, {"dur", &m_event.duration}};
        for (const auto &[name, member] : members)
            if (m_key == name)
                *member = std::move(text);
        return true;
    }

    bool take()
    {
        if (m_event.phase != "X" || m_event.name.find(kPrefix) == std::string::npos)
            return true;
        const bool gpu = m_event.category == "gpu_user_annotation";
        TraceEvents &events = gpu ? onGpu : onProcessor;
        const auto pass = passOfEventName(m_event.name);
        if (!pass) {
            ++events.others;
            return true;
        }
        const auto begin = nanosOfMicros(m_event.begin);
        const auto length = nanosOfMicros(m_event.duration);
        if (!begin || !length) {
            problem = fmt::format("has an event {} without a time (ts {}, dur {}); both must be microseconds from 0",
                                  base::quoted(m_event.name), base::quoted(m_event.begin), base::quoted(m_event.duration));
            return false;
        }
        std::string lane = gpu ? m_event.process : m_event.process + '/' + m_event.thread;
        lane.resize(std::min(lane.size(), kLongestLane));
        events.lanes[std::move(lane)].push_back({*begin, *begin + *length, *pass});
        if (++events.passes > kMostEvents)
            problem = fmt::format("has more than {} passes; export fewer steps", kMostEvents);
        else if (events.lanes.size() > kMostLanes)
            problem = fmt::format("has passes on more than {} threads; export the ranks of one pipeline", kMostLanes);
        return problem.empty();
    }

    int m_level = 0;
    int m_eventsLevel = kNoEvents;
    std::string m_key;
    RawEvent m_event;
};

/// The number at the beginning of a text, which it leaves.
std::optional<int> takeNumber(std::string_view &text, int most)
{
    std::size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9')
        ++digits;
    if (digits == 0 || digits > 9)
        return std::nullopt;
    const auto number = base::parseInteger(text.substr(0, digits));
    text.remove_prefix(digits);
    return number && *number < most ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// A time in units of `unit` nanoseconds, 10 to the power of `digits`.
std::optional<base::Nanos> nanosOf(std::string_view text, base::Nanos unit, std::size_t digits)
{
    const std::size_t point = text.find('.');
    const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    const double most = kMostNanos / static_cast<double>(unit);
    if (!plain || text.size() > 40) {
        const auto value = base::parseNumber(text);
        if (!value || !(*value >= 0) || *value > most)
            return std::nullopt;
        return std::llround(*value * static_cast<double>(unit));
    }
    const auto whole = base::parseInteger(text.substr(0, point));
    std::string fraction(point == std::string_view::npos ? std::string_view() : text.substr(point + 1, digits));
    fraction.resize(digits, '0');
    const auto nanos = base::parseInteger(fraction);
    if (!whole || !nanos || static_cast<double>(*whole) > most)
        return std::nullopt;
    return *whole * unit + *nanos;
}

} // namespace

std::optional<schedule::Pass> passOfEventName(std::string_view name)
{
    while (!name.empty() && (name.front() == '#' || name.front() == ' '))
        name.remove_prefix(1);
    while (!name.empty() && (name.back() == '#' || name.back() == ' '))
        name.remove_suffix(1);
    if (!name.starts_with(kPrefix))
        return std::nullopt;
    name.remove_prefix(kPrefix.size());
    const auto stage = takeNumber(name, kMostStages);
    if (!stage || name.empty())
        return std::nullopt;
    const auto kind = schedule::parsePassKind(name.substr(0, 1));
    const bool ofLayers = kind == schedule::PassKind::F || kind == schedule::PassKind::B || kind == schedule::PassKind::I ||
                          kind == schedule::PassKind::W;
    name.remove_prefix(1);
    const auto microbatch = takeNumber(name, kMostMicrobatches);
    if (!ofLayers || !microbatch || !name.empty())
        return std::nullopt;
    return schedule::makePass(*kind, *stage, *microbatch);
}

std::optional<base::Nanos> nanosOfMicros(std::string_view text)
{
    return nanosOf(text, base::kNanosPerMicro, 3);
}

std::optional<base::Nanos> nanosOfSeconds(std::string_view text)
{
    return nanosOf(text, base::kNanosPerSecond, 9);
}

base::Result<TraceEvents> readTraceEvents(const TraceInput &input)
{
    BlockBuffer blocks(input);
    std::istream stream(&blocks);
    TraceReader reader;
    const bool read = nlohmann::json::sax_parse(stream, &reader);
    if (blocks.error())
        return *blocks.error();
    if (!read)
        return base::Error::invalid(input.name, reader.problem.empty() ? "cannot be read as a trace" : reader.problem);
    if (!reader.hasEvents)
        return base::Error::invalid(input.name, "has no list traceEvents; give a Chrome or Kineto trace (JSON)");
    // The GPU's own annotations say when the work ran, the processor's when it was launched.
    return std::move(reader.onGpu.passes == 0 ? reader.onProcessor : reader.onGpu);
}

} // namespace stagelens::exchange
