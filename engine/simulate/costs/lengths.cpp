#include "engine/simulate/costs/lengths.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/operators/sizes.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>

namespace stagelens::simulate {
namespace {

constexpr std::string_view kLengthsField = "what_if.lengths";
constexpr std::string_view kOfAll = "microbatch,length";
constexpr std::string_view kOfEach = "replica,microbatch,length";
constexpr std::size_t kMostLengthProblems = 20;
constexpr std::int64_t kLongestSequence = 1 << 24;

class LengthsReader {
public:
    LengthsReader(const std::string &source, const model::Experiment &experiment)
        : m_source(source), m_experiment(experiment), m_microbatches(std::max(experiment.parallel.microbatches, 1))
    {
        m_lengths.ofPlan = std::max(experiment.parallel.replicas, 1);
    }
    base::Result<Lengths> read(std::string_view csv);

private:
    void readHeader(std::string_view line);
    void readRow(std::string_view line);
    std::optional<std::size_t> number(std::string_view text, std::string_view what, std::int64_t least, std::int64_t most);
    void checkMicrobatches();
    void checkTokens(const std::string &place, const std::vector<int> &sequences);
    void problem(std::string message);
    [[nodiscard]] std::string placeOf(std::size_t replica, std::size_t microbatch) const;

    const std::string &m_source;
    const model::Experiment &m_experiment;
    int m_microbatches;
    Lengths m_lengths;
    bool m_isOfEach = false; ///< the first column is the replica
    std::size_t m_line = 0;
    base::Problems m_problems;
};

void LengthsReader::problem(std::string message)
{
    if (m_problems.size() < kMostLengthProblems)
        m_problems.push_back({std::string(kLengthsField), fmt::format("{}: {}", m_source, message)});
}

void LengthsReader::readHeader(std::string_view line)
{
    m_isOfEach = line == kOfEach;
    if (line != kOfAll && !m_isOfEach)
        return problem(fmt::format("line 1: the header is {}; it must be {} or {}", base::quoted(line), kOfAll, kOfEach));
    m_lengths.replicas.assign(m_isOfEach ? static_cast<std::size_t>(m_lengths.ofPlan) : 1,
                              LengthsOfReplica(static_cast<std::size_t>(m_microbatches)));
}

std::optional<std::size_t> LengthsReader::number(std::string_view text, std::string_view what, std::int64_t least,
                                                 std::int64_t most)
{
    const auto value = base::parseInteger(base::trim(text));
    if (value && *value >= least && *value <= most)
        return static_cast<std::size_t>(*value);
    problem(fmt::format("line {}: the {} is {}; give {} to {}", m_line, what, base::quoted(text), least, most));
    return std::nullopt;
}

void LengthsReader::readRow(std::string_view line)
{
    std::vector<std::string_view> cells = base::split(line, ',');
    if (const std::size_t columns = m_isOfEach ? 3 : 2; cells.size() != columns)
        return problem(fmt::format("line {}: there are {} columns; give the {} of {}", m_line, cells.size(), columns,
                                   m_isOfEach ? kOfEach : kOfAll));
    std::optional<std::size_t> replica = 0;
    if (m_isOfEach) {
        replica = number(cells.front(), "replica", 0, m_lengths.ofPlan - 1);
        cells.erase(cells.begin());
    }
    const auto microbatch = number(cells[0], "microbatch", 0, m_microbatches - 1);
    const std::int64_t longest = m_experiment.hasModel ? m_experiment.model.sequence : kLongestSequence;
    const auto length = number(cells[1], "length", 1, longest);
    if (replica && microbatch && length)
        m_lengths.replicas[*replica][*microbatch].push_back(static_cast<int>(*length));
}

std::string LengthsReader::placeOf(std::size_t replica, std::size_t microbatch) const
{
    return m_isOfEach ? fmt::format("microbatch {} of replica {}", microbatch, replica)
                      : fmt::format("microbatch {}", microbatch);
}

void LengthsReader::checkTokens(const std::string &place, const std::vector<int> &sequences)
{
    const std::int64_t tokens = std::accumulate(sequences.begin(), sequences.end(), std::int64_t{0});
    const std::int64_t most = std::int64_t{m_experiment.parallel.microbatchSize} * m_experiment.model.sequence;
    if (m_experiment.hasModel && tokens > most)
        problem(fmt::format("{} has {} tokens, but the plan has room for {}; shorten its sequences, or raise the sequence "
                            "length or the microbatch size",
                            place, tokens, most));
}

void LengthsReader::checkMicrobatches()
{
    for (std::size_t replica = 0; replica < m_lengths.replicas.size(); ++replica) {
        const LengthsOfReplica &own = m_lengths.replicas[replica];
        for (std::size_t microbatch = 0; microbatch < own.size(); ++microbatch) {
            if (own[microbatch].empty())
                problem(fmt::format("{} is missing; give its length, or lower the microbatches", placeOf(replica, microbatch)));
            checkTokens(placeOf(replica, microbatch), own[microbatch]);
        }
    }
}

base::Result<Lengths> LengthsReader::read(std::string_view csv)
{
    csv = base::withoutByteOrderMark(csv);
    for (const std::string_view each : base::split(csv, '\n')) {
        const std::string_view line = base::trim(each);
        if (++m_line == 1) {
            readHeader(line);
            if (!m_problems.empty())
                return base::Error::invalid(std::move(m_problems));
        } else if (!line.empty()) {
            readRow(line);
        }
    }
    if (m_problems.empty())
        checkMicrobatches();
    if (!m_problems.empty())
        return base::Error::invalid(std::move(m_problems));
    return std::move(m_lengths);
}

double sum(const std::vector<int> &lengths)
{
    return std::accumulate(lengths.begin(), lengths.end(), 0.0);
}

double sumOfSquares(const std::vector<int> &lengths)
{
    return std::inner_product(lengths.begin(), lengths.end(), lengths.begin(), 0.0);
}

/// Returns the tokens of the mean microbatch of all replicas.
double meanTokens(const Lengths &lengths)
{
    double tokens = 0;
    double count = 0;
    for (const LengthsOfReplica &replica : lengths.replicas) {
        for (const std::vector<int> &sequences : replica)
            tokens += sum(sequences);
        count += static_cast<double>(replica.size());
    }
    return std::max(tokens / std::max(count, 1.0), 1.0);
}

} // namespace

base::Result<Lengths> readLengths(std::string_view csv, const std::string &source, const model::Experiment &experiment)
{
    return LengthsReader(source, experiment).read(csv);
}

base::Result<Lengths> lengthsOf(const model::Experiment &experiment)
{
    constexpr base::Bytes kLargestFile = base::Bytes{64} << 20;
    const std::string &file = experiment.whatIf.lengths;
    const base::Result<std::string> csv = base::readFile(file, kLargestFile);
    if (csv)
        return readLengths(*csv, file, experiment);
    base::Error error = csv.error();
    for (base::Problem &problem : error.problems)
        problem = {std::string(kLengthsField), fmt::format("{}: {}", file, problem.message)};
    return error;
}

MicrobatchWork workOf(const LengthsOfReplica &replica, const Lengths &all, const model::Experiment &experiment)
{
    const double sequence = experiment.model.sequence;
    const double tokens = experiment.hasModel ? experiment.parallel.microbatchSize * sequence : meanTokens(all);
    // Given durations without a model have no part that grows with the square.
    const double squares = experiment.hasModel ? tokens * sequence : tokens * tokens;
    MicrobatchWork work;
    for (const std::vector<int> &sequences : replica) {
        work.tokens.push_back(sum(sequences) / tokens);
        work.compute.push_back(work.tokens.back());
        work.quadratic.push_back(sumOfSquares(sequences) / squares);
    }
    return work;
}

StepWork stepWorkOf(const Lengths &lengths, const model::Experiment &experiment)
{
    StepWork step;
    if (!experiment.hasModel)
        return step;
    std::map<int, double> counts; // of each length
    for (const LengthsOfReplica &replica : lengths.replicas)
        for (const std::vector<int> &sequences : replica)
            for (const int length : sequences)
                counts[length] += static_cast<double>(lengths.ofPlan) / static_cast<double>(lengths.replicas.size());
    model::Experiment one = experiment;
    one.parallel.microbatches = one.parallel.microbatchSize = one.parallel.replicas = 1;
    for (const auto &[length, count] : counts) {
        one.model.sequence = length;
        step.tokens += count * length;
        step.flops += count * operators::iterationFlops(one);
        step.flopsCausal += count * operators::iterationFlops(one, operators::AttentionCount::Causal);
    }
    return step;
}

} // namespace stagelens::simulate
