#include "engine/exchange/stragglers/straggler_rows.h"

#include "engine/base/text.h"
#include "engine/exchange/stragglers/csv_lines.h"
#include "engine/exchange/trace_events.h"
#include "engine/simulate/stragglers/measured_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace stagelens::exchange {
namespace {

using base::quoted;
using simulate::kJobOperations;
using simulate::kJobOperationTraits;

constexpr std::size_t kMostRowProblems = 50;
constexpr std::size_t kMostColumns = 256;
constexpr double kLongestSeconds = 86'400;
constexpr std::int64_t kMostMicrobatchId = 1'000'000;

/// The names of a column, the artifact's first. The first of them that the header contains counts.
struct ColumnNames {
    std::array<std::string_view, 2> names;
    bool isRequired;
};

/// What pandas and profilers write for a value that is absent.
bool isAbsent(std::string_view cell)
{
    constexpr std::array<std::string_view, 7> kAbsent{"", "nan", "NaN", "<NA>", "None", "-1", "-1.0"};
    return std::ranges::find(kAbsent, cell) != kAbsent.end();
}

/// A whole number; pandas writes those of a column with absent values as 3.0.
std::optional<std::int64_t> wholeNumber(std::string_view cell)
{
    if (cell.ends_with(".0"))
        cell.remove_suffix(2);
    return base::parseInteger(cell);
}

class RowReader {
public:
    explicit RowReader(const TraceInput &input) : m_lines(input), m_file(input.name) {}

    base::Result<std::deque<StragglerRow>> read()
    {
        std::string_view line;
        while (m_problems.size() < kMostRowProblems && !m_isFull) {
            const auto next = m_lines.next(line);
            if (!next)
                return next.error();
            if (!*next)
                break;
            if (!m_hasHeader && !readHeader(line))
                break;
            if (m_hasHeader && !base::trim(line).empty())
                readRow(line);
            m_hasHeader = true;
        }
        if (!m_hasHeader && m_problems.empty())
            m_problems.push_back({m_file, "is empty; " + remedy()});
        else if (m_rows.empty() && m_problems.empty())
            m_problems.push_back({m_file, "has a header and no rows; " + remedy()});
        if (!m_problems.empty())
            return base::Error::invalid(std::move(m_problems));
        finish();
        return std::move(m_rows);
    }

private:
    enum Column : std::size_t { Replica, Device, Step, Operation, Start, Duration, Chunk, GlobalChunk, Microbatch, kColumns };
    static constexpr std::array<ColumnNames, kColumns> kNames{{{{"dp_rank"}, true},
                                                               {{"stage"}, true},
                                                               {{"step"}, true},
                                                               {{"optype", "op"}, true},
                                                               {{"start_ts", "start"}, true},
                                                               {{"duration"}, true},
                                                               {{"mc", "chunk"}, false},
                                                               {{"gmc"}, false},
                                                               {{"mb_id", "microbatch"}, true}}};

    static std::string remedy() { return "give a trace of StragglerAnalysis as CSV, with the columns " + columnsText(); }
    static std::string columnsText()
    {
        std::vector<std::string> names;
        for (const ColumnNames &column : kNames)
            if (column.isRequired)
                names.emplace_back(column.names[0]);
        return base::join(names, ", ");
    }
    void addProblem(std::size_t column, const std::string &message)
    {
        m_problems.push_back({m_file, fmt::format("line {}, column {}: {}", m_lines.number(), column + 1, message)});
    }
    bool readHeader(std::string_view line);
    void readRow(std::string_view line);
    [[nodiscard]] bool readNumbers(StragglerRow &row, std::optional<std::int64_t> &globalChunk, std::int64_t &chunk);
    [[nodiscard]] bool readOperation(StragglerRow &row);
    [[nodiscard]] bool readTimes(StragglerRow &row);
    [[nodiscard]] std::optional<std::int64_t> number(Column column, std::int64_t least, std::int64_t most);
    [[nodiscard]] std::string_view cell(Column column) const
    {
        return m_places[column] < m_cells.size() ? m_cells[m_places[column]] : std::string_view();
    }
    void finish();

    static constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();
    CsvLines m_lines;
    std::string m_file;
    bool m_hasHeader = false;
    bool m_isFull = false;
    std::size_t m_columns = 0;
    std::array<std::size_t, kColumns> m_places{};
    std::vector<std::string_view> m_cells;
    std::deque<StragglerRow> m_rows;
    int m_devices = 0;
    base::Problems m_problems;
};

bool RowReader::readHeader(std::string_view line)
{
    const auto cells = csvCells(base::withoutByteOrderMark(line));
    m_columns = cells.size();
    m_places.fill(kAbsent);
    for (std::size_t column = 0; column < kColumns; ++column)
        for (const std::string_view name : kNames[column].names) {
            const auto found = std::ranges::find(cells, name);
            if (name.empty() || found == cells.end() || m_places[column] != kAbsent)
                continue;
            m_places[column] = static_cast<std::size_t>(found - cells.begin());
            if (std::ranges::count(cells, name) > 1)
                addProblem(m_places[column], fmt::format("there are two columns {}; remove one of them", name));
        }
    for (std::size_t column = 0; column < kColumns; ++column)
        if (kNames[column].isRequired && m_places[column] == kAbsent)
            addProblem(0, fmt::format("the header has no column {}; {}", kNames[column].names[0], remedy()));
    if (m_columns > kMostColumns)
        addProblem(kMostColumns, fmt::format("there are {} columns; {}", m_columns, remedy()));
    return m_problems.empty();
}

std::optional<std::int64_t> RowReader::number(Column column, std::int64_t least, std::int64_t most)
{
    const auto value = wholeNumber(cell(column));
    if (value && *value >= least && *value <= most)
        return value;
    addProblem(m_places[column], fmt::format("{} is {}; give a whole number from {} to {}", kNames[column].names[0],
                                             quoted(cell(column)), least, most));
    return std::nullopt;
}

bool RowReader::readNumbers(StragglerRow &row, std::optional<std::int64_t> &globalChunk, std::int64_t &chunk)
{
    const auto replica = number(Replica, 0, kMostReplicas - 1);
    const auto device = number(Device, 0, kMostJobDevices - 1);
    const auto step = number(Step, 0, std::numeric_limits<std::int64_t>::max());
    bool isSound = replica && device && step;
    if (!isAbsent(cell(Chunk))) {
        const auto given = number(Chunk, 0, kMostChunks - 1);
        isSound = isSound && given;
        chunk = given.value_or(0);
        row.hasStage = true;
    }
    if (!isAbsent(cell(GlobalChunk))) {
        globalChunk = number(GlobalChunk, 0, std::int64_t{kMostJobDevices} * kMostChunks - 2);
        isSound = isSound && globalChunk;
        row.hasStage = true;
    }
    if (!isAbsent(cell(Microbatch))) {
        const auto microbatch = number(Microbatch, 0, kMostMicrobatchId - 1);
        isSound = isSound && microbatch;
        row.microbatch = static_cast<std::int32_t>(microbatch.value_or(0));
    }
    if (!isSound)
        return false;
    row.replica = static_cast<std::uint16_t>(*replica);
    row.device = static_cast<std::uint16_t>(*device);
    row.step = *step;
    m_devices = std::max(m_devices, int{row.device} + 1);
    return true;
}

bool RowReader::readOperation(StragglerRow &row)
{
    const std::string_view word = cell(Operation);
    for (std::size_t kind = 0; kind < kJobOperations; ++kind)
        if (word == kJobOperationTraits[kind].receives || (!word.empty() && word == kJobOperationTraits[kind].sends)) {
            row.operation = static_cast<std::uint8_t>(kind);
            row.kind = word == kJobOperationTraits[kind].sends ? RowKind::Send : RowKind::Receive;
            const bool isPass = kind <= static_cast<std::size_t>(simulate::JobOperation::Backward);
            if (isPass && row.microbatch < 0)
                addProblem(m_places[Microbatch], fmt::format("{} is {}; a {} needs its microbatch, a whole number from 0",
                                                             kNames[Microbatch].names[0], quoted(cell(Microbatch)), word));
            return !isPass || row.microbatch >= 0;
        }
    std::vector<std::string> known;
    for (const auto &traits : kJobOperationTraits)
        for (const std::string_view name : {traits.receives, traits.sends})
            if (!name.empty())
                known.emplace_back(name);
    addProblem(m_places[Operation], fmt::format("there is no operation {}; choose from {}, or remove these rows", quoted(word),
                                                base::join(known, ", ")));
    return false;
}

bool RowReader::readTimes(StragglerRow &row)
{
    const auto start = nanosOfSeconds(cell(Start));
    if (!start)
        addProblem(m_places[Start], fmt::format("{} is {}; give seconds from 0, such as 1700000000.25", kNames[Start].names[0],
                                                quoted(cell(Start))));
    const auto seconds = base::parseNumber(cell(Duration));
    const bool isSound = seconds && *seconds >= 0 && *seconds <= kLongestSeconds;
    if (!isSound)
        addProblem(m_places[Duration],
                   fmt::format("duration is {}; give 0 to {:.0f} seconds{}", quoted(cell(Duration)), kLongestSeconds,
                               seconds && *seconds > 0 ? ", and convert milliseconds or microseconds" : ""));
    if (!start || !isSound)
        return false;
    row.start = *start;
    row.duration = *seconds * 1e9;
    return true;
}

void RowReader::readRow(std::string_view line)
{
    if (const std::size_t zero = line.find('\0'); zero != std::string_view::npos)
        return addProblem(csvCells(line.substr(0, zero)).size() - 1, "a NUL byte is here; save the file as plain text");
    m_cells = csvCells(line);
    if (m_cells.size() != m_columns)
        return addProblem(std::min(m_cells.size(), m_columns),
                          fmt::format("there are {} cells; the header has {} columns", m_cells.size(), m_columns));
    StragglerRow row;
    std::optional<std::int64_t> globalChunk;
    std::int64_t chunk = 0;
    const bool hasNumbers = readNumbers(row, globalChunk, chunk);
    const bool hasOperation = readOperation(row);
    if (!readTimes(row) || !hasNumbers || !hasOperation)
        return;
    // Until the number of devices is known: a chunk as -1 - chunk.
    row.stage = static_cast<std::int32_t>(globalChunk ? *globalChunk : -1 - chunk);
    row.line = static_cast<std::uint32_t>(m_lines.number());
    m_isFull = m_rows.size() == kMostStragglerRows;
    if (m_isFull)
        m_problems.push_back({m_file, fmt::format("has more than {} rows; keep fewer steps", kMostStragglerRows)});
    else
        m_rows.push_back(row);
}

/// Chunk c of device d is stage c x devices + d, as interleaved schedules place it, unless the file tells otherwise. Times
/// count from the first, so that their differences are exact.
void RowReader::finish()
{
    const base::Nanos first = std::ranges::min(m_rows, {}, &StragglerRow::start).start;
    for (StragglerRow &row : m_rows)
        row.start -= first;
    for (StragglerRow &row : m_rows)
        if (row.stage < 0)
            row.stage = (-1 - row.stage) * m_devices + row.device;
    std::ranges::sort(
        m_rows, {}, [](const StragglerRow &row) { return std::tuple(row.step, row.replica, row.device, row.start, row.line); });
}

} // namespace

base::Result<std::deque<StragglerRow>> readStragglerRows(const TraceInput &input)
{
    return RowReader(input).read();
}

} // namespace stagelens::exchange
