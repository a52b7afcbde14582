#include "engine/schedule/text_form.h"

#include "engine/base/text.h"
#include "engine/model/names.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace stagelens::schedule {

namespace {

using base::quoted;

/// "none, redis, ... or interlaced".
std::string vocabularyNames()
{
    std::string names;
    for (const model::VocabularyTraits &row : model::kVocabularyMethods)
        names += fmt::format("{}{}",
                             &row == &model::kVocabularyMethods.front()  ? ""
                             : &row == &model::kVocabularyMethods.back() ? " or "
                                                                         : ", ",
                             row.name);
    return names;
}

constexpr std::string_view kBlanks = " \t\r";

/// Removes and returns the first word; empty at the end.
std::string_view takeWord(std::string_view &line)
{
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    return word;
}

/// Removes and returns the unsigned number at the front; nothing if there is none or it exceeds `most`.
std::optional<int> takeNumber(std::string_view &text, int most = std::numeric_limits<int>::max())
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || text.front() == '-' || value > most)
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// Reads one schedule. Read functions return false on failure and store the reason in m_error.
class Reader {
public:
    Reader(std::string_view text, const std::stop_token &stop) : m_rest(text), m_stop(stop) {}
    base::Result<Schedule> read();
    [[nodiscard]] const std::vector<int> &deviceLines() const { return m_deviceLines; }

private:
    bool nextLine(std::string_view &line);
    bool readHeader(std::string_view line);
    bool readField(std::string_view field, std::string_view value);
    bool readPlacement(std::string_view value);
    bool readDirections(std::string_view value);
    bool finishPlacement();
    bool finishHeader();
    bool readDevice(std::string_view line);
    bool readPass(std::string_view word, std::size_t device, int wordNumber);
    /// `word` counts from 1; 0: the message is about the line.
    bool fail(std::string message, int word = 0)
    {
        const std::string place = word > 0 ? fmt::format(", word {}", word) : std::string();
        m_error = fmt::format("line {}{}: {}", std::max(1, m_line), place, message);
        return false;
    }

    /// Checks for a stop once in 4,096 lines or passes.
    bool isStopped(std::size_t count) const { return count % 4096 == 0 && m_stop.stop_requested(); }

    std::string_view m_rest;
    const std::stop_token &m_stop;
    int m_line = 0;
    std::string m_error;
    std::string m_family;
    int m_devices = 0;
    int m_microbatches = 0;
    int m_slices = 1;
    int m_iterations = 1;
    std::optional<model::VocabularyMethod> m_vocabulary;
    Placement m_placement{.devices = 0, .stageDevice = {}, .directions = 1, .microbatchDirection = {}};
    WeightUpdate m_update = WeightUpdate::EndOfStep;
    std::vector<int> m_firstStage;
    std::size_t m_passCount = 0;
    std::vector<std::vector<Pass>> m_orders;
    std::vector<int> m_deviceLines;
};

base::Result<Schedule> Reader::read()
{
    std::string_view line;
    bool good =
        nextLine(line) ? readHeader(line) : fail("the text is empty; it must begin with 'schedule FAMILY devices P ...'");
    while (good && nextLine(line))
        good = readDevice(line);
    if (good && static_cast<int>(m_orders.size()) != m_devices)
        good = fail(fmt::format("the text ends after {} of {} devices; give one line a device", m_orders.size(), m_devices));
    if (m_stop.stop_requested())
        return base::Error::cancelled();
    if (!good)
        return base::Error::invalid("schedule.file", m_error);
    return Schedule(m_family, std::move(m_placement), m_microbatches, *m_vocabulary, m_orders, m_update, m_slices)
        .asIterations(m_iterations);
}

bool Reader::nextLine(std::string_view &line)
{
    while (!m_rest.empty()) {
        const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
        line = m_rest.substr(0, end);
        m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
        if (isStopped(static_cast<std::size_t>(++m_line)))
            return false;
        line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
        if (!line.empty() && line.front() != '#')
            return true;
    }
    return false;
}

bool Reader::readHeader(std::string_view line)
{
    if (const std::string_view word = takeWord(line); word != "schedule")
        return fail(fmt::format("the header must begin with 'schedule', not {}", quoted(word)), 1);
    const std::string_view family = takeWord(line);
    if (family.empty() || family.size() > 64)
        return fail("the header must name the family in 1 to 64 characters, such as 'schedule custom'", 2);
    m_family = family;
    for (int word = 3;; word += 2) {
        const std::string_view field = takeWord(line);
        if (field.empty())
            return finishHeader();
        if (!readField(field, takeWord(line)))
            return fail(m_error, word);
    }
}

bool Reader::readField(std::string_view field, std::string_view value)
{
    const auto wrong = [&](std::string_view expected) {
        m_error = fmt::format("{} must be followed by {}, not {}", quoted(field), expected, quoted(value));
        return false;
    };
    std::string_view digits = value;
    if (field == "devices") {
        m_devices = takeNumber(digits, kMostStages).value_or(0);
        return (m_devices > 0 && digits.empty()) || wrong(fmt::format("a number from 1 to {}", kMostStages));
    }
    if (field == "microbatches") {
        m_microbatches = takeNumber(digits, static_cast<int>(kMostPasses)).value_or(0);
        return (m_microbatches > 0 && digits.empty()) || wrong(fmt::format("a number from 1 to {}", kMostPasses));
    }
    if (field == "vocabulary") {
        m_vocabulary = model::parseVocabularyMethod(value);
        return m_vocabulary || wrong(vocabularyNames());
    }
    if (field == "slices") {
        m_slices = takeNumber(digits, m_microbatches).value_or(0);
        return (m_slices > 0 && digits.empty() && m_microbatches % m_slices == 0) ||
               wrong("a divisor of the microbatches before it, which count slices");
    }
    if (field == "iterations") {
        m_iterations = takeNumber(digits, m_microbatches).value_or(0);
        return (m_iterations > 0 && digits.empty() && m_microbatches % m_iterations == 0) ||
               wrong("a divisor of the microbatches before it, which are those of all iterations");
    }
    if (field == "placement")
        return readPlacement(value) || wrong("the device of each stage, such as 0,1,1,0");
    if (field == "microbatch-replicas")
        return readDirections(value) || wrong("the replica of each microbatch, such as 0101");
    if (field == "updates") {
        const std::optional<WeightUpdate> update = parseWeightUpdate(value);
        m_update = update.value_or(m_update);
        return update || wrong("end-of-step, each-microbatch or double-buffered");
    }
    m_error = fmt::format("{} is unknown; there are devices, microbatches, vocabulary, slices, iterations, placement, "
                          "microbatch-replicas and updates",
                          quoted(field));
    return false;
}

bool Reader::readPlacement(std::string_view value)
{
    m_placement.stageDevice.clear();
    m_placement.directions = 1;
    while (m_placement.stageDevice.size() < kMostStages) {
        const std::optional<int> device = takeNumber(value, kMostStages - 1);
        if (!device)
            return false;
        m_placement.stageDevice.push_back(static_cast<std::uint16_t>(*device));
        if (value.empty())
            return true;
        if (value.front() == '/')
            ++m_placement.directions;
        else if (value.front() != ',')
            return false;
        value.remove_prefix(1);
    }
    return false;
}

bool Reader::readDirections(std::string_view value)
{
    m_placement.microbatchDirection.clear();
    for (const char digit : value) {
        if (digit != '0' && digit != '1')
            return false;
        m_placement.microbatchDirection.push_back(static_cast<std::uint8_t>(digit - '0'));
    }
    return !value.empty();
}

bool Reader::finishPlacement()
{
    if (m_placement.stageDevice.empty())
        m_placement.stageDevice = Placement::linear(m_devices).stageDevice;
    m_placement.devices = m_devices;
    const std::size_t places = m_placement.stageDevice.size();
    if (m_placement.directions > 2 || places % static_cast<std::size_t>(m_placement.directions) != 0)
        return fail(fmt::format(
            "the placement has {} replicas of {} stages together; give one replica, or two with equally many stages",
            m_placement.directions, places));
    const std::size_t named = m_placement.microbatchDirection.size();
    if (named != (m_placement.directions == 1 ? 0 : static_cast<std::size_t>(m_microbatches)))
        return fail(fmt::format("microbatch-replicas names {} microbatches of {} in a placement with {} replicas; give it for "
                                "two replicas, a digit a microbatch",
                                named, m_microbatches, m_placement.directions));
    const auto beyond = std::ranges::find_if(m_placement.stageDevice, [&](int device) { return device >= m_devices; });
    if (beyond != m_placement.stageDevice.end())
        return fail(fmt::format("the placement puts stage {} on device {} of {}",
                                (beyond - m_placement.stageDevice.begin()) % m_placement.stages(), *beyond, m_devices));
    m_firstStage = m_placement.firstStages();
    if (const auto bare = std::ranges::find(m_firstStage, -1); bare != m_firstStage.end())
        return fail(fmt::format("the placement gives device {} no stage", bare - m_firstStage.begin()));
    return true;
}

bool Reader::finishHeader()
{
    if (m_devices == 0 || m_microbatches == 0 || !m_vocabulary)
        return fail("the header must give devices, microbatches and vocabulary");
    if (m_microbatches % m_iterations != 0)
        return fail(fmt::format("{} microbatches are no multiple of {} iterations", m_microbatches, m_iterations));
    if (m_microbatches % m_slices != 0)
        return fail(fmt::format("{} microbatches are no multiple of {} slices, which they count", m_microbatches, m_slices));
    if (!finishPlacement())
        return false;
    // Each stage needs a forward and a backward of every microbatch.
    const auto stages = static_cast<std::size_t>(m_placement.stages());
    if (stages * static_cast<std::size_t>(m_microbatches) > kMostPasses / 2)
        return fail(fmt::format("{} stages with {} microbatches need more than {} passes, which is the limit", stages,
                                m_microbatches, kMostPasses));
    return true;
}

bool Reader::readDevice(std::string_view line)
{
    const std::size_t device = m_orders.size();
    std::string_view label = takeWord(line);
    const std::optional<int> number = takeNumber(label);
    if (!number || label != ":")
        return fail("a device's line must begin with its number and a colon, such as '0:'", 1);
    if (static_cast<std::size_t>(*number) != device || *number >= m_devices)
        return fail(fmt::format("device {} stands where {}", *number,
                                m_orders.size() < static_cast<std::size_t>(m_devices)
                                    ? fmt::format("device {} is expected", device)
                                    : "the text should end"),
                    1);
    m_orders.emplace_back();
    m_deviceLines.push_back(m_line);
    int wordNumber = 2;
    for (std::string_view word = takeWord(line); !word.empty(); word = takeWord(line), ++wordNumber)
        if (!readPass(word, device, wordNumber))
            return false;
    return true;
}

bool Reader::readPass(std::string_view word, std::size_t device, int wordNumber)
{
    const auto wrong = [&](std::string_view reason) { return fail(fmt::format("{} {}", quoted(word), reason), wordNumber); };
    if (++m_passCount > kMostPasses)
        return wrong(fmt::format("is one pass too many; the limit is {}", kMostPasses));
    if (isStopped(m_passCount))
        return false;
    std::string_view rest = word;
    const std::optional<PassKind> kind = parsePassKind(rest.substr(0, rest.find_first_of("0123456789")));
    if (!kind || *kind == PassKind::O)
        return wrong("is no pass; write a kind (F B I W S T U EF EB) and a microbatch, such as F0");
    rest.remove_prefix(name(*kind).size());
    const std::optional<int> microbatch = takeNumber(rest);
    if (!microbatch || *microbatch >= m_microbatches)
        return wrong(fmt::format("has no microbatch from 0 to {}", m_microbatches - 1));
    int stage = m_firstStage[device];
    if (rest.starts_with('@')) {
        rest.remove_prefix(1);
        stage = takeNumber(rest, m_placement.lastStage()).value_or(-1);
        if (stage < 0)
            return wrong(fmt::format("has no stage from 0 to {}", m_placement.lastStage()));
    }
    Pass pass = makePass(*kind, stage, *microbatch);
    pass.pairedWithNext = rest == "+";
    if (!rest.empty() && !pass.pairedWithNext)
        return wrong(fmt::format("ends with {}, which means nothing here", quoted(rest)));
    m_orders[device].push_back(pass);
    return true;
}

void appendPass(std::string &out, const Pass &pass, int firstStage)
{
    out += name(pass.kind);
    out += std::to_string(pass.microbatch);
    if (pass.stage != firstStage) {
        out += '@';
        out += std::to_string(pass.stage);
    }
    if (pass.pairedWithNext)
        out += '+';
}

} // namespace

std::string toText(const Schedule &schedule)
{
    const Placement &placement = schedule.placement();
    std::string out = fmt::format("schedule {} devices {} microbatches {} vocabulary {}", schedule.family(), schedule.devices(),
                                  schedule.microbatches(), model::name(schedule.vocabulary()));
    if (schedule.slices() > 1)
        out += fmt::format(" slices {}", schedule.slices());
    if (schedule.iterations() > 1)
        out += fmt::format(" iterations {}", schedule.iterations());
    if (placement != Placement::linear(placement.devices)) {
        out += " placement ";
        for (int direction = 0; direction < placement.directions; ++direction)
            for (int stage = 0; stage < placement.stages(); ++stage)
                out += (stage > 0 ? "," : direction > 0 ? "/" : "") + std::to_string(placement.deviceOf(stage, direction));
    }
    if (placement.directions > 1) {
        out += " microbatch-replicas ";
        for (const std::uint8_t direction : placement.microbatchDirection)
            out += static_cast<char>('0' + direction);
    }
    if (!schedule.isSynchronous())
        out += fmt::format(" updates {}", name(schedule.weightUpdate()));
    out += '\n';
    const std::vector<int> first = placement.firstStages();
    for (int device = 0; device < schedule.devices(); ++device) {
        out += std::to_string(device) + ':';
        for (const Pass &pass : schedule.device(device)) {
            out += ' ';
            appendPass(out, pass, first[static_cast<std::size_t>(device)]);
        }
        out += '\n';
    }
    return out;
}

base::Result<Schedule> scheduleFromText(std::string_view text, std::vector<int> *deviceLines, const std::stop_token &stop)
{
    Reader reader(text, stop);
    auto schedule = reader.read();
    if (deviceLines != nullptr)
        *deviceLines = reader.deviceLines();
    return schedule;
}

} // namespace stagelens::schedule
