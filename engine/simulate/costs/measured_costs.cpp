#include "engine/base/text.h"
#include "engine/simulate/costs/given_costs.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace stagelens::simulate {

using base::Nanos;
using base::quoted;
using schedule::PassKind;
using schedule::Transfer;

namespace {

constexpr std::string_view kHeader = "device,stage,pass,duration_us";
constexpr int kAny = -1;
constexpr std::size_t kMostProblems = 50;

/// The third column of a row: a pass kind, a transfer, an overlapped pair, or (if none of these) any pass.
struct Word {
    std::optional<PassKind> kind = {};
    std::optional<Transfer> transfer = {};
    bool isPair = false;
    friend auto operator<=>(const Word &, const Word &) = default;
};

/// The passes that a row applies to; kAny matches all.
struct Key {
    int device = kAny;
    int stage = kAny;
    Word word;
    friend auto operator<=>(const Key &, const Key &) = default;
};

struct Row {
    Nanos duration = 0;
    std::size_t line = 0;
};

/// Reads the rows of a durations file and returns the duration for a device, stage and pass.
class DurationsTable {
public:
    DurationsTable(std::string_view csv, std::string source, const schedule::Schedule &schedule);

    [[nodiscard]] base::Problems takeProblems();
    /// Returns the most specific row, of equally specific ones the last.
    [[nodiscard]] std::optional<Nanos> find(int device, int stage, const Word &word) const;

private:
    void readLine(std::string_view line);
    void checkPlace(const Key &key);
    [[nodiscard]] std::optional<int> readIndex(std::string_view text, int column, std::string_view what, int count);
    [[nodiscard]] std::optional<Word> readWord(std::string_view text);
    [[nodiscard]] std::optional<Nanos> readDuration(std::string_view text);
    void addProblem(int column, const std::string &message);

    std::string m_source;
    const schedule::Schedule &m_schedule;
    std::map<Key, Row> m_rows;
    std::size_t m_line = 0;
    base::Problems m_problems;
    std::size_t m_problemsLeftOut = 0;
};

DurationsTable::DurationsTable(std::string_view csv, std::string source, const schedule::Schedule &schedule)
    : m_source(std::move(source)), m_schedule(schedule)
{
    csv = base::withoutByteOrderMark(csv);
    bool headerRead = false;
    while (!csv.empty()) {
        const std::size_t length = std::min(csv.find('\n'), csv.size());
        const std::string_view line = base::trim(csv.substr(0, length));
        csv.remove_prefix(std::min(length + 1, csv.size()));
        ++m_line;
        if (headerRead && line.empty())
            continue;
        if (!headerRead && line != kHeader) {
            addProblem(1, fmt::format("the header is {}; it must be {}", quoted(line), kHeader));
            return;
        }
        if (headerRead)
            readLine(line);
        headerRead = true;
    }
    if (!headerRead) {
        m_line = 1;
        addProblem(1, fmt::format("the file is empty; begin it with {}", kHeader));
    }
}

void DurationsTable::readLine(std::string_view line)
{
    if (const std::size_t zero = line.find('\0'); zero != std::string_view::npos) {
        addProblem(1 + static_cast<int>(std::ranges::count(line.substr(0, zero), ',')),
                   "a NUL byte stands here; save the file as plain text");
        return;
    }
    const std::vector<std::string_view> cells = base::split(line, ',');
    if (cells.size() != 4) {
        addProblem(static_cast<int>(std::min<std::size_t>(cells.size(), 5)),
                   fmt::format("there are {} columns; give the 4 of {}", cells.size(), kHeader));
        return;
    }
    const std::optional<int> device = readIndex(cells[0], 1, "device", m_schedule.devices());
    const std::optional<int> stage = readIndex(cells[1], 2, "stage", m_schedule.stages());
    const std::optional<Word> word = readWord(cells[2]);
    const std::optional<Nanos> duration = readDuration(cells[3]);
    if (!device || !stage || !word || !duration)
        return;
    const Key key{*device, *stage, *word};
    if (word->isPair && (*device != kAny || *stage != kAny))
        return addProblem(*device != kAny ? 1 : 2, "FB is for all overlapped pairs of the plan; write * for device and stage");
    checkPlace(key);
    m_rows[key] = {*duration, m_line};
}

void DurationsTable::checkPlace(const Key &key)
{
    if (key.device == kAny || key.stage == kAny)
        return;
    const schedule::Placement &placement = m_schedule.placement();
    for (int direction = 0; direction < placement.directions; ++direction)
        if (placement.deviceOf(key.stage, direction) == key.device)
            return;
    addProblem(
        2, fmt::format("stage {} runs on device {}, not on device {}", key.stage, placement.deviceOf(key.stage), key.device));
}

std::optional<int> DurationsTable::readIndex(std::string_view text, int column, std::string_view what, int count)
{
    const std::string_view cell = base::trim(text);
    if (cell == "*")
        return kAny;
    const std::optional<std::int64_t> index = base::parseInteger(cell);
    if (index && *index >= 0 && *index < count)
        return static_cast<int>(*index);
    addProblem(column, index ? fmt::format("{} {} is not in this plan; it has 0 to {}", what, *index, count - 1)
                             : fmt::format("{} is {}; give a number from 0 to {} or *", what, quoted(cell), count - 1));
    return std::nullopt;
}

std::optional<Word> DurationsTable::readWord(std::string_view text)
{
    const std::string_view cell = base::trim(text);
    const Word word{schedule::parsePassKind(cell), parseTransfer(cell), cell == kPairWord};
    if (word.kind || word.transfer || word.isPair || cell == "*")
        return word;
    addProblem(
        3, fmt::format("there is no pass {}; choose from F B I W S T U EF EB O FB send c0 c1 c2 embed-reduce embed-broadcast",
                       quoted(cell)));
    return std::nullopt;
}

std::optional<Nanos> DurationsTable::readDuration(std::string_view text)
{
    const std::string_view cell = base::trim(text);
    const std::optional<double> micros = base::parseNumber(cell);
    constexpr double kLongest = static_cast<double>(base::kLongestPass / base::kNanosPerMicro);
    if (micros && *micros >= 0 && *micros <= kLongest)
        return std::llround(*micros * static_cast<double>(base::kNanosPerMicro));
    addProblem(4, fmt::format("the duration is {}; give 0 to {:.0f} microseconds", quoted(cell), kLongest));
    return std::nullopt;
}

void DurationsTable::addProblem(int column, const std::string &message)
{
    if (m_problems.size() == kMostProblems) {
        ++m_problemsLeftOut;
        return;
    }
    m_problems.push_back({"cost.durations", fmt::format("{}: line {}, column {}: {}", m_source, m_line, column, message)});
}

base::Problems DurationsTable::takeProblems()
{
    if (m_problemsLeftOut > 0)
        m_problems.push_back({"cost.durations", fmt::format("{}: {} more problems of this kind", m_source, m_problemsLeftOut)});
    return std::move(m_problems);
}

std::optional<Nanos> DurationsTable::find(int device, int stage, const Word &word) const
{
    const Row *best = nullptr;
    int bestSpecific = -1;
    for (unsigned stars = 0; stars < 8; ++stars) {
        // "Any pass" includes neither messages nor the optimizer.
        if ((stars & 4U) != 0 && (word.transfer || word.isPair || word.kind == PassKind::O))
            continue;
        const Key key{(stars & 1U) != 0 ? kAny : device, (stars & 2U) != 0 ? kAny : stage, (stars & 4U) != 0 ? Word{} : word};
        const auto found = m_rows.find(key);
        const int specific = 3 - static_cast<int>((stars & 1U) + ((stars >> 1U) & 1U) + ((stars >> 2U) & 1U));
        if (found == m_rows.end() || specific < bestSpecific || (specific == bestSpecific && found->second.line < best->line))
            continue;
        best = &found->second;
        bestSpecific = specific;
    }
    return best == nullptr ? std::nullopt : std::optional(best->duration);
}

/// Returns the longest duration of a transfer from any stage of a device.
Nanos transferOfDevice(const DurationsTable &table, int device, const std::vector<int> &stages, Transfer transfer)
{
    Nanos longest = 0;
    for (const int stage : stages)
        longest = std::max(longest, table.find(device, stage, {std::nullopt, transfer}).value_or(0));
    return longest;
}

/// A message has the duration of its sender; a collective takes as long as its slowest device.
void setTransfers(CostModel &costs, const DurationsTable &table, const StagesOfDevices &stages)
{
    const int devices = static_cast<int>(stages.size());
    for (int index = 0; index < schedule::kTransferCount; ++index) {
        const auto transfer = static_cast<Transfer>(index);
        Nanos longest = 0;
        for (int device = 0; device < devices; ++device) {
            const Nanos own = transferOfDevice(table, device, stages[static_cast<std::size_t>(device)], transfer);
            longest = std::max(longest, own);
            for (int to = 0; transfer == Transfer::Send && to < devices; ++to)
                costs.setSend(device, to, own);
        }
        costs.setCollective(transfer, longest);
    }
}

} // namespace

base::Result<CostModel> measuredCosts(std::string_view csv, const std::string &source, const schedule::Schedule &schedule)
{
    DurationsTable table(csv, source, schedule);
    if (base::Problems problems = table.takeProblems(); !problems.empty())
        return base::Error::invalid(std::move(problems));
    CostModel costs(schedule.devices(), schedule.stages());
    const StagesOfDevices stages = stagesOfDevices(schedule);
    for (int device = 0; device < schedule.devices(); ++device) {
        for (const int stage : stages[static_cast<std::size_t>(device)]) {
            GivenPasses given;
            for (int kind = 0; kind < schedule::kPassKindCount; ++kind)
                given[static_cast<std::size_t>(kind)] = table.find(device, stage, {static_cast<PassKind>(kind), std::nullopt});
            setGivenPasses(costs, schedule, device, stage, given);
            costs.setOptimizer(device,
                               std::max(costs.optimizer(device), given[static_cast<std::size_t>(PassKind::O)].value_or(0)));
        }
    }
    setTransfers(costs, table, stages);
    joinCollectives(costs, schedule);
    if (const auto pair = table.find(kAny, kAny, {.isPair = true}))
        setPair(costs, schedule, *pair);
    return costs;
}

} // namespace stagelens::simulate
