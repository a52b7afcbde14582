#include "engine/exchange/stragglers/straggler_trace.h"

#include "engine/exchange/stragglers/straggler_groups.h"
#include "engine/exchange/stragglers/straggler_messages.h"
#include "engine/exchange/stragglers/straggler_rows.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace stagelens::exchange {

using base::Result;
using simulate::JobEntry;
using simulate::JobOperation;
using simulate::kJobOperations;

namespace {

/// The clocks of two workers differ by this without a remark; nanoseconds.
constexpr double kSkew = 10'000;

base::Nanos rounded(double nanos)
{
    return static_cast<base::Nanos>(std::llround(nanos));
}

constexpr std::array kAfterMessages = {
    JobOperation::GatherParameters, JobOperation::ReduceGradients, JobOperation::CollectGarbage, JobOperation::ReduceNorms,
    JobOperation::ReduceEmbedding,  JobOperation::ReduceSeparate,  JobOperation::ClipGradients,  JobOperation::Optimize};

/// Makes the job step by step. The rows of the first step and replica decide which operations there are.
class JobMaker {
public:
    explicit JobMaker(const StragglerGroups &groups) : m_groups(groups) {}
    Result<StragglerTrace> make();

private:
    /// The rows of one worker in the step at hand, by operation and end.
    struct Rows {
        std::vector<std::size_t> passes;
        std::array<std::vector<std::size_t>, kJobOperations> received;
        std::array<std::vector<std::size_t>, kJobOperations> sent;
    };
    [[nodiscard]] const std::vector<std::size_t> &rows(std::size_t worker, JobOperation operation) const
    {
        return m_rows[worker].received[static_cast<std::size_t>(operation)];
    }
    void readRows(std::size_t step);
    Result<> addEntries();
    Result<> checkCounts() const;
    void addStep();
    void addMessages(std::size_t replica, double *durations);
    void addOthers(double *durations);
    void addTimeline(double first);
    [[nodiscard]] const StragglerRow &row(std::size_t place) const { return m_groups.rows[place]; }

    const StragglerGroups &m_groups;
    StragglerTrace m_trace;
    std::vector<MessageRows> m_messages;
    std::vector<Rows> m_rows; ///< of each worker of the step at hand: replica x devices + device
    std::size_t m_devices = 0;
    std::vector<std::array<std::size_t, 2 * kJobOperations>> m_counts; ///< of each device
    std::vector<std::vector<std::size_t>> m_chains; ///< the entries after the messages, by operation and device
};

void JobMaker::readRows(std::size_t step)
{
    m_rows.resize(static_cast<std::size_t>(m_groups.replicas) * m_devices);
    for (int replica = 0; replica < m_groups.replicas; ++replica)
        for (int device = 0; device < m_groups.devices; ++device) {
            const WorkerRows &worker = m_groups.workerOf(step, replica, device);
            Rows &rows = m_rows[static_cast<std::size_t>(replica) * m_devices + static_cast<std::size_t>(device)];
            rows.passes.clear();
            for (std::size_t kind = 0; kind < kJobOperations; ++kind) {
                rows.received[kind].clear();
                rows.sent[kind].clear();
            }
            for (std::size_t i = worker.first; i < worker.first + worker.count; ++i) {
                auto &of = row(i).kind == RowKind::Send ? rows.sent : rows.received;
                of[row(i).operation].push_back(i);
            }
            m_groups.passesOf(worker, rows.passes);
        }
}

Result<> JobMaker::addEntries()
{
    auto messages = messagesOf(m_groups, m_trace.job.schedule);
    if (!messages)
        return messages.error();
    m_messages = *std::move(messages);
    const schedule::Schedule &schedule = m_trace.job.schedule;
    std::vector<JobEntry> &entries = m_trace.job.entries;
    for (std::size_t device = 0; device < m_devices; ++device)
        for (const std::size_t pass : m_rows[device].passes)
            entries.push_back({static_cast<JobOperation>(row(pass).operation), static_cast<std::uint16_t>(device),
                               static_cast<std::int32_t>(entries.size())});
    for (const MessageRows &message : m_messages)
        entries.push_back({message.operation, static_cast<std::uint16_t>(message.receiver),
                           static_cast<std::int32_t>(schedule.firstIndex(message.receiver) + message.receivingPass)});
    m_chains.resize(kJobOperations * m_devices);
    for (const JobOperation operation : kAfterMessages)
        for (std::size_t device = 0; device < m_devices; ++device)
            for (const std::size_t place : rows(device, operation)) {
                const bool isOfStage =
                    operation == JobOperation::GatherParameters || operation == JobOperation::ReduceGradients;
                const StragglerRow &of = row(place);
                const int stage = of.hasStage ? of.stage : schedule.placement().stagesOf(static_cast<int>(device)).front();
                if (isOfStage &&
                    (stage >= schedule.stages() || schedule.placement().deviceOf(stage) != static_cast<int>(device)))
                    return m_groups.error(of, fmt::format("stage {} has no model chunk {}; correct mc and gmc", device, stage));
                m_chains[static_cast<std::size_t>(operation) * m_devices + device].push_back(entries.size());
                entries.push_back({operation, static_cast<std::uint16_t>(device), isOfStage ? stage : 0});
            }
    for (std::size_t device = 0; device < m_devices; ++device) {
        auto &counts = m_counts.emplace_back();
        for (std::size_t kind = 0; kind < kJobOperations; ++kind) {
            counts[2 * kind] = m_rows[device].received[kind].size();
            counts[2 * kind + 1] = m_rows[device].sent[kind].size();
        }
    }
    return {};
}

Result<> JobMaker::checkCounts() const
{
    for (std::size_t worker = 0; worker < m_rows.size(); ++worker)
        for (std::size_t kind = 0; kind < kJobOperations; ++kind) {
            const auto &traits = simulate::kJobOperationTraits[kind];
            const auto &counts = m_counts[worker % m_devices];
            const auto &received = m_rows[worker].received[kind];
            const auto &sent = m_rows[worker].sent[kind];
            if (received.size() == counts[2 * kind] && sent.size() == counts[2 * kind + 1])
                continue;
            const bool isReceived = received.size() != counts[2 * kind];
            const StragglerRow &at = row(m_rows[worker].passes.front());
            return m_groups.error(at,
                                  fmt::format("{} has {} rows {}, and in step {} of dp_rank 0 it has {}; record whole steps, "
                                              "or remove all rows of that operation",
                                              m_groups.nameOf(at), isReceived ? received.size() : sent.size(),
                                              isReceived ? traits.receives : traits.sends, m_groups.steps.front(),
                                              counts[2 * kind + (isReceived ? 0 : 1)]));
        }
    return {};
}

/// A message takes the time after the sending pass has ended and both ends were launched.
void JobMaker::addMessages(std::size_t replica, double *durations)
{
    for (std::size_t i = 0; i < m_messages.size(); ++i) {
        const MessageRows &message = m_messages[i];
        const auto kind = static_cast<std::size_t>(message.operation);
        const Rows &sender = m_rows[replica * m_devices + static_cast<std::size_t>(message.sender)];
        const Rows &receiver = m_rows[replica * m_devices + static_cast<std::size_t>(message.receiver)];
        double begin = row(sender.passes[message.sendingPass]).end();
        double end = 0;
        if (message.send >= 0) {
            const StragglerRow &send = row(sender.sent[kind][static_cast<std::size_t>(message.send)]);
            begin = std::max(begin, static_cast<double>(send.start));
            end = send.end();
        }
        if (message.receive >= 0) {
            const StragglerRow &receive = row(receiver.received[kind][static_cast<std::size_t>(message.receive)]);
            begin = std::max(begin, static_cast<double>(receive.start));
            end = receive.end();
        }
        m_trace.skewedMessages += end < begin - kSkew ? 1 : 0;
        durations[i] = std::max(end - begin, 0.0);
    }
}

/// A collective takes the time after the last of its group has begun.
void JobMaker::addOthers(double *durations)
{
    const std::size_t entries = m_trace.job.entries.size();
    std::vector<double> begin(m_rows.size());
    for (const JobOperation operation : kAfterMessages) {
        const simulate::JobGroup group = traits(operation).group;
        bool isDone = false;
        for (std::size_t number = 0; !isDone; ++number) {
            isDone = true;
            std::ranges::fill(begin, 0);
            const auto visit = [&](auto each) {
                for (std::size_t device = 0; device < m_devices; ++device) {
                    const auto &chain = m_chains[static_cast<std::size_t>(operation) * m_devices + device];
                    for (std::size_t worker = device; worker < m_rows.size() && number < chain.size(); worker += m_devices)
                        each(row(rows(worker, operation)[number]), groupOf(group, worker / m_devices, device, m_devices),
                             durations[worker / m_devices * entries + chain[number]]);
                }
            };
            visit([&](const StragglerRow &of, std::size_t members, double &) {
                begin[members] = std::max(begin[members], static_cast<double>(of.start));
                isDone = false;
            });
            visit([&](const StragglerRow &of, std::size_t members, double &duration) {
                duration = group == simulate::JobGroup::Worker ? of.duration : std::max(of.end() - begin[members], 0.0);
            });
        }
    }
}

void JobMaker::addTimeline(double first)
{
    const auto ends = [this](std::size_t replica) {
        double end = 0;
        for (std::size_t device = 0; device < m_devices; ++device)
            for (const auto &list : m_rows[replica * m_devices + device].received)
                for (const std::size_t place : list)
                    end = std::max(end, row(place).end());
        return end;
    };
    timeline::Timeline step;
    step.provenance = timeline::Provenance::Imported;
    double latest = -1;
    for (std::size_t replica = 0; replica < static_cast<std::size_t>(m_groups.replicas); ++replica)
        if (const double end = ends(replica); end > latest) {
            latest = end;
            step.replica = static_cast<int>(replica);
        }
    for (std::size_t device = 0; device < m_devices; ++device) {
        const std::size_t worker = static_cast<std::size_t>(step.replica) * m_devices + device;
        timeline::Lane &lane = step.lanes.emplace_back();
        lane.reserve(m_rows[worker].passes.size());
        base::Nanos free = 0;
        for (const std::size_t place : m_rows[worker].passes) {
            const base::Nanos begin = std::max(free, rounded(static_cast<double>(row(place).start) - first));
            free = std::max(begin, rounded(row(place).end() - first));
            lane.push(m_groups.passOf(place), begin, free);
        }
        if (const auto &optimizer = rows(worker, JobOperation::Optimize); !optimizer.empty()) {
            lane.tailBegin = std::max(free, rounded(static_cast<double>(row(optimizer.front()).start) - first));
            lane.tailEnd = std::max(lane.tailBegin, rounded(row(optimizer.back()).end() - first));
        }
        step.stages.push_back(m_trace.job.schedule.placement().stagesOf(static_cast<int>(device)));
    }
    m_trace.steps.push_back(std::move(step));
}

void JobMaker::addStep()
{
    double first = std::numeric_limits<double>::max();
    double last = 0;
    for (const Rows &worker : m_rows)
        for (const auto *lists : {&worker.received, &worker.sent})
            for (const auto &list : *lists)
                for (const std::size_t place : list) {
                    first = std::min(first, static_cast<double>(row(place).start));
                    last = std::max(last, row(place).end());
                }
    simulate::MeasuredJob &job = m_trace.job;
    job.measuredSteps.push_back(last - first);
    const std::size_t begin = job.durations.size();
    job.durations.resize(begin + static_cast<std::size_t>(job.replicas) * job.entries.size());
    for (std::size_t replica = 0; replica < static_cast<std::size_t>(job.replicas); ++replica) {
        double *durations = job.durations.data() + begin + replica * job.entries.size();
        std::size_t at = 0;
        for (std::size_t device = 0; device < m_devices; ++device)
            for (const std::size_t place : m_rows[replica * m_devices + device].passes)
                durations[at++] = row(place).duration;
        addMessages(replica, durations + at);
    }
    addOthers(job.durations.data() + begin);
    addTimeline(first);
}

Result<StragglerTrace> JobMaker::make()
{
    auto schedule = jobSchedule(m_groups);
    if (!schedule)
        return schedule.error();
    simulate::MeasuredJob &job = m_trace.job;
    job.schedule = *std::move(schedule);
    job.replicas = m_groups.replicas;
    job.steps = m_groups.steps;
    m_devices = static_cast<std::size_t>(m_groups.devices);
    for (std::size_t step = 0; step < job.steps.size(); ++step) {
        readRows(step);
        if (step == 0) {
            if (const auto added = addEntries(); !added)
                return added.error();
            job.durations.reserve(job.steps.size() * static_cast<std::size_t>(job.replicas) * job.entries.size());
        }
        if (const auto checked = checkCounts(); !checked)
            return checked.error();
        addStep();
    }
    return std::move(m_trace);
}

} // namespace

Result<StragglerTrace> importStragglers(const TraceInput &file)
{
    auto rows = readStragglerRows(file);
    if (!rows)
        return rows.error();
    const auto groups = groupStragglers(file.name, *std::move(rows));
    if (!groups)
        return groups.error();
    return JobMaker(*groups).make();
}

Result<StragglerTrace> importStragglers(const TraceText &file)
{
    return importStragglers(TraceInput{file.name, [rest = file.text](std::span<char> block) mutable -> Result<std::size_t> {
                                           const std::size_t count = rest.copy(block.data(), block.size());
                                           rest.remove_prefix(count);
                                           return count;
                                       }});
}

} // namespace stagelens::exchange
