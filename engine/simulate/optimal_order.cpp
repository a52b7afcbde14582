#include "engine/simulate/optimal_order.h"

#include "engine/passes/requirement_table.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

namespace stagelens::simulate {

using base::Nanos;
using schedule::Pass;
using schedule::PassKind;

namespace {

constexpr Nanos kNever = std::numeric_limits<Nanos>::max() / 4;
constexpr std::size_t kMostFronts = 24; ///< remembered states with the same passes behind them

/// The passes of one kind and stage on a device, in microbatch order.
struct Stream {
    struct Need {
        std::size_t stream = 0;
        Nanos latency = 0;
    };
    int device = 0;
    PassKind kind = PassKind::F;
    int stage = 0;
    Nanos duration = 0;
    Nanos tail = 0; ///< least time from the end of a pass to the end of the step
    std::vector<Need> needs = {};
    std::vector<Need> users = {}; ///< streams that need this one
};

class Search {
public:
    Search(const schedule::Schedule &schedule, const CostModel &costs, const std::vector<int> &limits,
           const OptimumOptions &options, Nanos best);
    Optimum run();

private:
    /// A pass that can run next.
    struct Choice {
        std::size_t stream = 0;
        Nanos begin = 0;
        Nanos end = 0;
    };

    void addStreams(const schedule::Schedule &schedule, const CostModel &costs);
    void addNeeds(const schedule::Schedule &schedule, const CostModel &costs);
    void addTails();
    [[nodiscard]] std::optional<std::size_t> find(int device, PassKind kind, int stage) const;
    [[nodiscard]] Nanos endOf(std::size_t stream, std::size_t microbatch) const
    {
        return m_ends[stream * m_microbatches + microbatch];
    }
    /// Returns when the next pass of a stream can begin; kNever if it needs a pass that has not run, or memory.
    [[nodiscard]] Nanos beginOf(std::size_t stream) const;
    /// Returns a lower bound of all orders that continue this one; `frontier`: no pass that cannot run yet begins before.
    [[nodiscard]] Nanos bound(const std::vector<Nanos> &begins, Nanos frontier) const;
    /// Returns whether an equal state was seen in which everything was at least as early; else remembers this one.
    bool isDominated();
    [[nodiscard]] std::vector<Nanos> stateTimes() const;
    void visit();
    void branch(const std::vector<Nanos> &begins, Nanos earliestEnd, int device);
    void take(const Choice &choice);
    [[nodiscard]] bool isStopped();
    void keepBest();

    std::size_t m_microbatches;
    const std::vector<int> &m_limits;
    const OptimumOptions &m_options;
    std::chrono::steady_clock::time_point m_deadline;
    bool m_isStopped = false;
    std::vector<Stream> m_streams;
    std::vector<std::vector<std::size_t>> m_ofDevice; ///< streams, by falling tail
    std::size_t m_passes = 0;

    std::vector<std::uint8_t> m_counts; ///< passes of each stream that have run
    std::vector<Nanos> m_ends;
    std::vector<Nanos> m_free;
    std::vector<int> m_held;
    std::vector<std::size_t> m_sequence; ///< streams, in the order of the choices
    std::unordered_map<std::string, std::vector<std::vector<Nanos>>> m_seen;
    std::size_t m_remembered = 0;
    Nanos m_openBound = kNever; ///< of the partial orders that were left when the time was over
    Optimum m_optimum;
};

Search::Search(const schedule::Schedule &schedule, const CostModel &costs, const std::vector<int> &limits,
               const OptimumOptions &options, Nanos best)
    : m_microbatches(static_cast<std::size_t>(schedule.microbatches())), m_limits(limits), m_options(options),
      m_deadline(std::chrono::steady_clock::now() + options.timeLimit),
      m_ofDevice(static_cast<std::size_t>(schedule.devices())), m_free(static_cast<std::size_t>(schedule.devices())),
      m_held(static_cast<std::size_t>(schedule.devices()))
{
    addStreams(schedule, costs);
    addNeeds(schedule, costs);
    addTails();
    m_counts.assign(m_streams.size(), 0);
    m_ends.assign(m_streams.size() * m_microbatches, 0);
    m_passes = schedule.passCount();
    m_optimum.makespan = best;
    m_optimum.lowerBound = lowerBound(schedule, costs);
}

void Search::addStreams(const schedule::Schedule &schedule, const CostModel &costs)
{
    for (int device = 0; device < schedule.devices(); ++device)
        for (const Pass &pass : schedule.device(device)) {
            if (find(device, pass.kind, pass.stage))
                continue;
            m_streams.push_back({.device = device,
                                 .kind = pass.kind,
                                 .stage = pass.stage,
                                 .duration = costs.pass(device, pass.kind, pass.stage).duration});
        }
}

std::optional<std::size_t> Search::find(int device, PassKind kind, int stage) const
{
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
        const Stream &stream = m_streams[i];
        const bool isOfStage = schedule::isOfStage(kind);
        if (stream.device == device && provides(stream.kind, kind) && (!isOfStage || stream.stage == stage))
            return i;
    }
    return std::nullopt;
}

void Search::addNeeds(const schedule::Schedule &schedule, const CostModel &costs)
{
    const schedule::RequirementTable table(
        schedule.placement(), schedule.vocabulary(),
        [&costs](schedule::Transfer transfer, int from, int to) { return costs.transfer(transfer, from, to); });
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
        Stream &own = m_streams[i];
        for (const schedule::Need &need : table.of(own.kind, static_cast<std::size_t>(own.stage))) {
            const Pass maker = table.rows().makerOf(need.row);
            const bool isShared = table.rows().isShared(need.row);
            for (int device = 0; device < schedule.devices(); ++device)
                if (const auto found = find(device, maker.kind, maker.stage);
                    found && (isShared || device == schedule.placement().deviceOf(maker.stage)))
                    own.needs.push_back({*found, need.latency});
        }
        for (const Stream::Need &need : own.needs)
            m_streams[need.stream].users.push_back({i, need.latency});
    }
}

/// The passes of a microbatch have no cycle, so as many rounds as there are streams find the longest ways.
void Search::addTails()
{
    for (std::size_t round = 0; round < m_streams.size(); ++round)
        for (Stream &stream : m_streams)
            for (const Stream::Need &user : stream.users)
                stream.tail =
                    std::max(stream.tail, user.latency + m_streams[user.stream].duration + m_streams[user.stream].tail);
    for (std::size_t i = 0; i < m_streams.size(); ++i)
        m_ofDevice[static_cast<std::size_t>(m_streams[i].device)].push_back(i);
    for (std::vector<std::size_t> &streams : m_ofDevice)
        std::ranges::stable_sort(streams, std::greater(), [this](std::size_t i) { return m_streams[i].tail; });
}

Nanos Search::beginOf(std::size_t stream) const
{
    const Stream &own = m_streams[stream];
    const std::size_t microbatch = m_counts[stream];
    const auto device = static_cast<std::size_t>(own.device);
    if (microbatch == m_microbatches || (own.kind == PassKind::F && m_held[device] >= m_limits[device]))
        return kNever;
    Nanos begin = m_free[device];
    for (const Stream::Need &need : own.needs) {
        if (m_counts[need.stream] <= microbatch)
            return kNever;
        begin = std::max(begin, endOf(need.stream, microbatch) + need.latency);
    }
    return begin;
}

Nanos Search::bound(const std::vector<Nanos> &begins, Nanos frontier) const
{
    Nanos bound = 0;
    for (std::size_t device = 0; device < m_ofDevice.size(); ++device) {
        Nanos first = kNever;
        for (const std::size_t i : m_ofDevice[device]) {
            if (m_counts[i] == m_microbatches)
                continue;
            const Nanos begin = begins[i] == kNever ? std::max(frontier, m_free[device]) : begins[i];
            const auto left = static_cast<Nanos>(m_microbatches - m_counts[i]);
            bound = std::max(bound, begin + left * m_streams[i].duration + m_streams[i].tail);
            first = std::min(first, begin);
        }
        // The passes with the longest ways behind them run first (Jackson's rule).
        Nanos work = first;
        for (const std::size_t i : m_ofDevice[device]) {
            if (m_counts[i] == m_microbatches)
                continue;
            work += static_cast<Nanos>(m_microbatches - m_counts[i]) * m_streams[i].duration;
            bound = std::max(bound, work + m_streams[i].tail);
        }
        bound = std::max(bound, m_free[device]);
    }
    return bound;
}

/// Results matter until all their users have run, and not before their users' devices are free.
std::vector<Nanos> Search::stateTimes() const
{
    std::vector<Nanos> times = m_free;
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
        for (const Stream::Need &user : m_streams[i].users) {
            const Nanos free = m_free[static_cast<std::size_t>(m_streams[user.stream].device)];
            for (std::size_t microbatch = m_counts[user.stream]; microbatch < m_counts[i]; ++microbatch)
                times.push_back(std::max(free, endOf(i, microbatch) + user.latency));
        }
    }
    return times;
}

bool Search::isDominated()
{
    std::vector<Nanos> times = stateTimes();
    auto &fronts = m_seen[std::string(m_counts.begin(), m_counts.end())];
    const auto isNoLater = [](const std::vector<Nanos> &one, const std::vector<Nanos> &other) {
        return std::ranges::equal(one, other, std::less_equal());
    };
    if (std::ranges::any_of(fronts, [&](const auto &seen) { return isNoLater(seen, times); }))
        return true;
    m_remembered -= std::erase_if(fronts, [&](const auto &seen) { return isNoLater(times, seen); });
    if (fronts.size() < kMostFronts && m_remembered < m_options.mostStates) {
        fronts.push_back(std::move(times));
        ++m_remembered;
    }
    return false;
}

bool Search::isStopped()
{
    constexpr std::size_t kNodesBetweenLooks = 1024;
    if (!m_isStopped && m_optimum.nodes % kNodesBetweenLooks == 0) {
        m_isStopped = m_options.stop.stop_requested() || std::chrono::steady_clock::now() >= m_deadline;
        if (m_options.progress)
            m_options.progress(m_optimum.makespan, m_optimum.lowerBound);
    }
    return m_isStopped;
}

void Search::keepBest()
{
    m_optimum.makespan = *std::ranges::max_element(m_free);
    m_optimum.devices.assign(m_ofDevice.size(), {});
    std::vector<int> next(m_streams.size(), 0);
    for (const std::size_t i : m_sequence) {
        const Stream &stream = m_streams[i];
        m_optimum.devices[static_cast<std::size_t>(stream.device)].push_back(
            schedule::makePass(stream.kind, stream.stage, next[i]++));
    }
}

/// The pass that can end first belongs to a device whose next pass begins before that end.
void Search::visit()
{
    ++m_optimum.nodes;
    std::vector<Nanos> begins(m_streams.size());
    Nanos earliestEnd = kNever;
    int device = -1;
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
        begins[i] = beginOf(i);
        if (begins[i] != kNever && begins[i] + m_streams[i].duration < earliestEnd) {
            earliestEnd = begins[i] + m_streams[i].duration;
            device = m_streams[i].device;
        }
    }
    if (m_sequence.size() == m_passes && *std::ranges::max_element(m_free) < m_optimum.makespan)
        return keepBest();
    if (device < 0)
        return; // done, or stuck for memory
    const Nanos least = bound(begins, earliestEnd);
    if (least >= m_optimum.makespan)
        return;
    if (isStopped()) {
        m_openBound = std::min(m_openBound, least);
        return;
    }
    if (!isDominated())
        branch(begins, earliestEnd, device);
}

void Search::branch(const std::vector<Nanos> &begins, Nanos earliestEnd, int device)
{
    std::vector<Choice> choices;
    for (const std::size_t i : m_ofDevice[static_cast<std::size_t>(device)])
        if (const Nanos end = begins[i] == kNever ? kNever : begins[i] + m_streams[i].duration;
            begins[i] < earliestEnd || end == earliestEnd)
            choices.push_back({i, begins[i], end});
    // Whatever begins first; of several the one with the longer way behind it.
    std::ranges::stable_sort(choices, {}, &Choice::begin);
    for (const Choice &choice : choices)
        take(choice);
}

void Search::take(const Choice &choice)
{
    const Stream &stream = m_streams[choice.stream];
    const auto device = static_cast<std::size_t>(stream.device);
    const Nanos free = m_free[device];
    const int change = schedule::activationChange(stream.kind);
    m_ends[choice.stream * m_microbatches + m_counts[choice.stream]++] = choice.end;
    m_free[device] = choice.end;
    m_held[device] += change;
    m_sequence.push_back(choice.stream);
    visit();
    m_sequence.pop_back();
    m_held[device] -= change;
    m_free[device] = free;
    --m_counts[choice.stream];
}

Optimum Search::run()
{
    if (m_optimum.makespan > m_optimum.lowerBound)
        visit();
    m_optimum.lowerBound =
        std::max(m_optimum.lowerBound, std::min(m_isStopped ? m_openBound : m_optimum.makespan, m_optimum.makespan));
    return std::move(m_optimum);
}

} // namespace

bool canBeOptimized(const schedule::Schedule &schedule)
{
    constexpr int kMostMicrobatches = 255;     // a byte each
    constexpr std::size_t kMostPasses = 2'000; // a call on the stack for each
    if (!schedule.isSynchronous() || schedule.slices() > 1 || schedule.placement().directions > 1 ||
        schedule.microbatches() > kMostMicrobatches || schedule.passCount() > kMostPasses)
        return false;
    for (int device = 0; device < schedule.devices(); ++device) {
        const std::span<const Pass> passes = schedule.device(device);
        const auto has = [&](PassKind kind) {
            return std::ranges::any_of(passes, [&](const Pass &p) { return p.kind == kind; });
        };
        if (std::ranges::any_of(passes, &Pass::pairedWithNext) || (has(PassKind::B) && has(PassKind::I)))
            return false;
    }
    return true;
}

Optimum optimalOrder(const schedule::Schedule &schedule, const CostModel &costs, const std::vector<int> &limits,
                     const OptimumOptions &options)
{
    const auto given = simulate(schedule, costs);
    Nanos latest = 0;
    if (given)
        for (const timeline::Lane &lane : given->lanes)
            for (const Nanos end : lane.end)
                latest = std::max(latest, end);
    return Search(schedule, costs, limits, options, latest).run();
}

} // namespace stagelens::simulate
