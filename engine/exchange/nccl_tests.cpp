#include "engine/exchange/nccl_tests.h"

#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace stagelens::exchange {
namespace {

using model::Collective;

constexpr std::size_t kMostRanks = 1 << 20;
constexpr std::size_t kMostPoints = 256;
constexpr double kLargest = 1e18;
constexpr double kLongestMicros = 1e12;
constexpr double kLeastMicros = 1e-3;
constexpr double kRateTolerance = 0.03; ///< rates are printed with two digits behind the point

struct Program {
    std::string_view name;
    std::optional<Collective> operation; ///< nothing: no operation that the cost model has
};
constexpr std::array kPrograms{Program{"all_reduce_perf", Collective::AllReduce},
                               Program{"reduce_scatter_perf", Collective::ReduceScatter},
                               Program{"all_gather_perf", Collective::AllGather},
                               Program{"alltoall_perf", Collective::AllToAll},
                               Program{"broadcast_perf", {}},
                               Program{"reduce_perf", {}},
                               Program{"sendrecv_perf", {}},
                               Program{"gather_perf", {}},
                               Program{"scatter_perf", {}},
                               Program{"hypercube_perf", {}}};

/// Returns the program that a line names, the longest name first: "all_reduce_perf" contains "reduce_perf".
const Program *programIn(std::string_view line)
{
    const Program *found = nullptr;
    for (const Program &program : kPrograms)
        if (line.find(program.name) != std::string_view::npos && (found == nullptr || program.name.size() > found->name.size()))
            found = &program;
    return found;
}

std::vector<std::string_view> wordsOf(std::string_view line)
{
    std::vector<std::string_view> words;
    for (std::size_t begin = 0; (begin = line.find_first_not_of(" \t\r", begin)) != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = end;
    }
    return words;
}

/// Returns the line without what mpirun ("[1,0]<stdout>:") or srun ("0: ") put before it.
std::string_view withoutPrefix(std::string_view line)
{
    line = base::trim(line);
    if (const std::size_t end = line.find(">:"); line.starts_with('[') && end != std::string_view::npos)
        return base::trim(line.substr(end + 2));
    const std::size_t digits = line.find_first_not_of("0123456789");
    return digits > 0 && digits != std::string_view::npos && line[digits] == ':' ? base::trim(line.substr(digits + 1)) : line;
}

/// The lines of one test.
struct Section {
    const Program *program = nullptr;
    std::set<std::int64_t> ranks;
    std::set<std::string> hosts;
    std::size_t timeColumn = 5; ///< of a row
    std::map<double, double> micros;
    double largest = 0; ///< the size whose rates are kept
    double ratio = 0;   ///< of bus rate and algorithm rate
    bool reduces = true;
    bool hasRoot = false;
    bool countsWrong = false; ///< versions before 2.13 print an error instead
    bool isWrong = false;     ///< results were wrong
};

class LogReader {
public:
    LogReader(const std::string &source, const NcclTestsOptions &options) : m_source(source), m_options(options) {}
    base::Result<NcclTests> read(std::string_view text);

private:
    void readLine(std::string_view line);
    void readHeader(std::string_view line);
    void readRank(const std::vector<std::string_view> &words);
    void readRow(const std::vector<std::string_view> &words);
    void endSection();
    std::optional<Collective> operationOf(const Section &section, int ranks);
    void refuse(std::string message) { m_problems.push_back({m_source, std::move(message)}); }

    const std::string &m_source;
    const NcclTestsOptions &m_options;
    Section m_section;
    const Program *m_named = nullptr; ///< by the last command line
    NcclTests m_result;
    base::Problems m_problems;
};

void LogReader::readRank(const std::vector<std::string_view> &words)
{
    const auto on = std::ranges::find(words, std::string_view("on"));
    const auto rank = words.size() > 2 ? base::parseInteger(words[2]) : std::nullopt;
    if (!rank || m_section.ranks.size() >= kMostRanks)
        return;
    if (!m_section.micros.empty())
        endSection();
    m_section.ranks.insert(*rank);
    if (on != words.end() && on + 1 != words.end())
        m_section.hosts.emplace(*(on + 1));
}

void LogReader::readHeader(std::string_view line)
{
    const std::vector<std::string_view> words = wordsOf(line);
    if (words.size() > 1 && words[1] == "Rank")
        return readRank(words);
    if (line.find("nThread") != std::string_view::npos || line.find("Collective test starting") != std::string_view::npos) {
        if (!m_section.micros.empty())
            endSection();
        if (const Program *program = programIn(line))
            m_section.program = program;
        return;
    }
    if (words.size() > 5 && words[1] == "size") {
        const auto time = std::ranges::find(words, std::string_view("time"));
        if (time != words.end())
            m_section.timeColumn = static_cast<std::size_t>(time - words.begin()) - 1;
        m_section.countsWrong = std::ranges::find(words, std::string_view("#wrong")) != words.end();
    }
}

void LogReader::readRow(const std::vector<std::string_view> &words)
{
    const std::size_t time = m_section.timeColumn;
    if (words.size() < time + 3)
        return;
    const auto size = base::parseNumber(words[0]);
    const auto count = base::parseNumber(words[1]);
    const auto micros = base::parseNumber(words[time]);
    const auto algorithmRate = base::parseNumber(words[time + 1]);
    const auto busRate = base::parseNumber(words[time + 2]);
    if (!size || !count || !micros || !algorithmRate || !busRate)
        return;
    if (!(*size >= 1 && *size <= kLargest && *micros >= kLeastMicros && *micros <= kLongestMicros))
        return;
    const auto wrong = words.size() > time + 3 ? base::parseNumber(words[time + 3]) : std::nullopt;
    m_section.isWrong |= m_section.countsWrong && wrong.value_or(0) > 0;
    const auto [known, isNew] = m_section.micros.try_emplace(*size, *micros);
    known->second = std::min(known->second, *micros);
    m_section.reduces = words[3] != "none";
    m_section.hasRoot = time > 4 && words[4] != "-1";
    if (*size >= m_section.largest && *algorithmRate > 0) {
        m_section.largest = *size;
        m_section.ratio = *busRate / *algorithmRate;
    }
}

void LogReader::readLine(std::string_view line)
{
    line = withoutPrefix(line);
    if (line.empty())
        return;
    if (line.front() == '#')
        return readHeader(line);
    const std::vector<std::string_view> words = wordsOf(line);
    if (words.front().front() >= '0' && words.front().front() <= '9')
        return readRow(words);
    if (const Program *program = programIn(line)) { // a command line
        if (!m_section.micros.empty())
            endSection();
        m_named = program;
    }
}

/// Returns the operation: as given, as named, or as its rates tell. Nothing if the cost model has no such operation, or if it
/// cannot be determined, which is reported as a problem.
std::optional<Collective> LogReader::operationOf(const Section &section, int ranks)
{
    if (m_options.operation)
        return m_options.operation;
    if (const Program *program = section.program != nullptr ? section.program : m_named) {
        if (!program->operation)
            m_result.remarks.push_back(fmt::format("{} is left out: no cost depends on it", program->name));
        return program->operation;
    }
    const auto isNear = [&](Collective operation) {
        return std::abs(section.ratio / model::busFactor(operation, ranks) - 1) < kRateTolerance;
    };
    if (section.hasRoot) {
        m_result.remarks.emplace_back("a test with a root rank is left out: no cost depends on it");
        return std::nullopt;
    }
    if (section.reduces && isNear(Collective::AllReduce))
        return Collective::AllReduce;
    if (section.reduces && isNear(Collective::ReduceScatter))
        return Collective::ReduceScatter;
    refuse("does not name its operation, and its rates do not tell it; give --operation all-gather or the like");
    return std::nullopt;
}

void LogReader::endSection()
{
    const Section section = std::move(m_section);
    m_section = {};
    m_section.timeColumn = section.timeColumn;
    if (section.micros.empty())
        return;
    const int ranks = m_options.ranks.value_or(static_cast<int>(section.ranks.size()));
    const int nodes = m_options.nodes.value_or(std::max<int>(1, static_cast<int>(section.hosts.size())));
    if (ranks < 2)
        return refuse(fmt::format(
            "has times of {} rank{}; keep the lines \"Rank 0 ... on HOST\" of the output, or give --ranks and --nodes", ranks,
            ranks == 1 ? "" : "s"));
    if (nodes < 1 || ranks % nodes != 0)
        return refuse(fmt::format(
            "has {} ranks on {} nodes, which is not as many on each; give --nodes a divisor of the ranks, such as 1", ranks,
            nodes));
    const auto operation = operationOf(section, ranks);
    if (!operation)
        return;
    if (section.isWrong)
        return refuse(
            fmt::format("{}: nccl-tests found wrong results (#wrong above 0); measure again", model::name(*operation)));
    model::CollectiveTable table{*operation, ranks, nodes, {}};
    for (const auto &[bytes, micros] : section.micros)
        table.points.push_back({bytes, micros});
    if (table.points.size() > kMostPoints)
        return refuse(fmt::format("{}: has {} sizes; measure at most {}, such as with -f 2", model::name(*operation),
                                  table.points.size(), kMostPoints));
    std::erase_if(m_result.tables, [&](const model::CollectiveTable &other) {
        return other.operation == table.operation && other.ranks == table.ranks && other.nodes == table.nodes;
    });
    m_result.tables.push_back(std::move(table));
}

base::Result<NcclTests> LogReader::read(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        readLine(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    endSection();
    if (m_result.tables.empty() && m_problems.empty())
        refuse(m_result.remarks.empty()
                   ? "has no line of results; give the output of all_reduce_perf, all_gather_perf, reduce_scatter_perf or "
                     "alltoall_perf"
                   : m_result.remarks.front() + "; measure all_reduce_perf, all_gather_perf, reduce_scatter_perf or "
                                                "alltoall_perf");
    if (!m_problems.empty())
        return base::Error::invalid(std::move(m_problems));
    return std::move(m_result);
}

} // namespace

base::Result<NcclTests> readNcclTests(std::string_view text, const std::string &source, const NcclTestsOptions &options)
{
    return LogReader(source, options).read(base::withoutByteOrderMark(text));
}

void takeTables(model::Hardware &hardware, const std::vector<model::CollectiveTable> &tables)
{
    for (const model::CollectiveTable &table : tables) {
        std::erase_if(hardware.collectives, [&](const model::CollectiveTable &other) {
            return other.operation == table.operation && other.ranks == table.ranks && other.nodes == table.nodes;
        });
        hardware.collectives.push_back(table);
    }
}

} // namespace stagelens::exchange
