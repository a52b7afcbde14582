#include "engine/simulate/stragglers/job_replay.h"

#include "engine/simulate/simulate.h"

#include <algorithm>
#include <limits>

namespace stagelens::simulate {
namespace {

using schedule::Pass;
using schedule::PassKind;

constexpr std::size_t kNoStep = std::numeric_limits<std::size_t>::max();

/// Costs that mark the requirements: a pass takes 1 ns, and so does a message between devices.
CostModel markedCosts(const schedule::Schedule &schedule)
{
    const schedule::Placement &placement = schedule.placement();
    CostModel costs(schedule.devices(), schedule.stages());
    for (int stage = 0; stage < schedule.stages(); ++stage) {
        const int device = placement.deviceOf(stage);
        for (const PassKind kind : {PassKind::F, PassKind::B})
            costs.setPass(device, kind, stage, {.duration = 1});
        if (stage > 0 && placement.deviceOf(stage - 1) != device) {
            costs.setSend(placement.deviceOf(stage - 1), device, 1);
            costs.setSend(device, placement.deviceOf(stage - 1), 1);
        }
    }
    return costs;
}

/// The operations whose durations decide when passes end.
std::bitset<kJobOperations> passOperations()
{
    std::bitset<kJobOperations> passes;
    for (const JobOperation operation :
         {JobOperation::Forward, JobOperation::Backward, JobOperation::ForwardTransfer, JobOperation::BackwardTransfer})
        passes.set(static_cast<std::size_t>(operation));
    return passes;
}

} // namespace

bool Evening::includes(std::size_t replica, std::size_t device, std::size_t devices) const
{
    bool isIn = false;
    switch (scope) {
    case Scope::None: break;
    case Scope::All: isIn = true; break;
    case Scope::Device: isIn = device == index; break;
    case Scope::Replica: isIn = replica == index; break;
    case Scope::Workers: isIn = std::ranges::binary_search(workers, replica * devices + device); break;
    }
    return isIn != isInverted;
}

base::Result<JobReplay> JobReplay::of(const MeasuredJob &job)
{
    const CostModel costs = markedCosts(job.schedule);
    const auto timeline = simulate(job.schedule, costs);
    if (!timeline)
        return timeline.error();
    auto replay = Replay::of(job.schedule, costs, *timeline);
    if (!replay)
        return std::move(replay).error();
    return JobReplay(job, *std::move(replay));
}

JobReplay::JobReplay(const MeasuredJob &job, Replay replay)
    : m_job(&job), m_replay(std::move(replay)), m_state(m_replay.state()), m_evened(evenedDurations(job)),
      m_devices(static_cast<std::size_t>(job.devices())), m_replicas(static_cast<std::size_t>(job.replicas)),
      m_chains(kJobOperations * m_devices), m_step(kNoStep), m_isEvened(m_replicas * m_devices),
      m_release(m_replicas, std::vector<double>(static_cast<std::size_t>(job.schedule.stages()))), m_ends(m_replicas),
      m_measuredEnds(m_replicas), m_evenedEnds(m_replicas), m_mixedEnds(m_replicas), m_time(m_replicas * m_devices)
{
    for (std::size_t unit = 0; unit < m_replay.units(); ++unit)
        m_passOf.push_back(job.schedule.firstIndex(m_replay.deviceOf(unit)) + m_replay.positionOf(unit));
    indexEntries();
}

void JobReplay::indexEntries()
{
    const schedule::Schedule &schedule = m_job->schedule;
    m_messageOf.assign(schedule.passCount(), -1);
    m_firstOf.assign(schedule.passCount(), -1);
    m_lastOf.assign(schedule.passCount(), -1);
    std::vector<bool> hasBegun(static_cast<std::size_t>(schedule.stages()));
    std::vector<std::size_t> lastBackward(hasBegun.size());
    for (int device = 0; device < schedule.devices(); ++device) {
        std::size_t index = schedule.firstIndex(device);
        for (const Pass &pass : schedule.device(device)) {
            if (pass.kind == PassKind::F && !hasBegun[pass.stage]) {
                hasBegun[pass.stage] = true;
                m_firstOf[index] = pass.stage;
            }
            if (pass.kind == PassKind::B)
                lastBackward[pass.stage] = index;
            ++index;
        }
    }
    for (std::size_t stage = 0; stage < lastBackward.size(); ++stage)
        m_lastOf[lastBackward[stage]] = static_cast<std::int32_t>(stage);
    for (std::size_t i = schedule.passCount(); i < m_job->entries.size(); ++i) {
        const JobEntry &entry = m_job->entries[i];
        if (entry.operation == JobOperation::ForwardTransfer || entry.operation == JobOperation::BackwardTransfer)
            m_messageOf[static_cast<std::size_t>(entry.place)] = static_cast<std::int32_t>(i);
        else
            m_chains[static_cast<std::size_t>(entry.operation) * m_devices + entry.device].push_back(i);
        m_overlaps = m_overlaps || entry.operation == JobOperation::ReduceSeparate;
    }
}

JobReplay::Durations JobReplay::durationsOf(const Evening &evening, std::size_t replica) const
{
    static const std::bitset<kJobOperations> kPasses = passOperations();
    const auto begin = m_isEvened.begin() + static_cast<std::ptrdiff_t>(worker(replica, 0));
    const auto count = std::count(begin, begin + static_cast<std::ptrdiff_t>(m_devices), 1);
    const std::bitset<kJobOperations> operations = evening.operations & kPasses;
    if (count == 0 || operations.none())
        return Durations::Measured;
    return static_cast<std::size_t>(count) == m_devices && operations == kPasses ? Durations::Evened : Durations::Mixed;
}

double JobReplay::duration(std::size_t replica, std::size_t entry) const
{
    const JobEntry &of = m_job->entries[entry];
    const auto kind = static_cast<std::size_t>(of.operation);
    if (m_isEvened[worker(replica, of.device)] != 0 && m_evening->operations[kind])
        return *m_evened[kind];
    return m_job->durationsOf(m_step, replica)[entry];
}

/// Gathers follow each other on a device, from the begin of the step.
void JobReplay::gather()
{
    for (std::vector<double> &release : m_release)
        std::ranges::fill(release, 0);
    std::vector<double> end(m_replicas);
    for (std::size_t device = 0; device < m_devices; ++device) {
        std::ranges::fill(end, 0);
        for (const std::size_t entry : entriesOf(JobOperation::GatherParameters, device)) {
            const double begin = std::ranges::max(end);
            for (std::size_t replica = 0; replica < m_replicas; ++replica) {
                end[replica] = begin + duration(replica, entry);
                m_release[replica][static_cast<std::size_t>(m_job->entries[entry].place)] = end[replica];
            }
        }
    }
}

void JobReplay::runPasses(std::size_t replica, Ends &ends)
{
    struct Times {
        const JobReplay &job;
        std::size_t replica;
        Ends &ends;
        double duration(std::size_t unit, const Replay::Unit &) const { return job.duration(replica, job.m_passOf[unit]); }
        double latency(std::size_t unit, const Replay::Need &need) const
        {
            const std::int32_t message = need.latency > 0 ? job.m_messageOf[job.m_passOf[unit]] : -1;
            return message < 0 ? 0 : job.duration(replica, static_cast<std::size_t>(message));
        }
        double release(std::size_t unit) const
        {
            const std::int32_t stage = job.m_firstOf[job.m_passOf[unit]];
            return stage < 0 ? 0 : ends.release[static_cast<std::size_t>(stage)];
        }
        void ended(std::size_t unit, double end) const
        {
            if (const std::int32_t stage = job.m_lastOf[job.m_passOf[unit]]; stage >= 0)
                ends.stage[static_cast<std::size_t>(stage)] = end;
        }
    };
    ends.release = m_release[replica];
    ends.stage.assign(ends.release.size(), 0);
    m_replay.runTimed(m_state, Times{*this, replica, ends});
    ends.device = m_state.deviceEnd;
    ends.isKnown = true;
}

/// Reduces the gradients of each stage as soon as its last backward ends in all replicas; the reductions of a device follow
/// each other.
void JobReplay::reduceDuringPasses()
{
    std::vector<double> end(m_replicas);
    for (std::size_t device = 0; device < m_devices; ++device) {
        std::ranges::fill(end, 0);
        for (const std::size_t entry : entriesOf(JobOperation::ReduceGradients, device)) {
            const auto stage = static_cast<std::size_t>(m_job->entries[entry].place);
            double begin = std::ranges::max(end);
            for (std::size_t replica = 0; replica < m_replicas; ++replica)
                begin = std::max(begin, m_ends[replica]->stage[stage]);
            for (std::size_t replica = 0; replica < m_replicas; ++replica)
                end[replica] = begin + duration(replica, entry);
        }
        for (std::size_t replica = 0; replica < m_replicas; ++replica)
            m_time[worker(replica, device)] = std::max(m_time[worker(replica, device)], end[replica]);
    }
}

void JobReplay::runTail(JobOperation operation)
{
    const JobGroup group = traits(operation).group;
    std::vector<double> begin(m_time.size());
    bool isDone = false;
    for (std::size_t number = 0; !isDone; ++number) {
        std::ranges::fill(begin, 0);
        isDone = true;
        const auto visit = [&](auto each) {
            for (std::size_t device = 0; device < m_devices; ++device)
                if (const auto &chain = entriesOf(operation, device); number < chain.size())
                    for (std::size_t replica = 0; replica < m_replicas; ++replica)
                        each(replica, worker(replica, device), groupOf(group, replica, device, m_devices), chain[number]);
        };
        visit([&](std::size_t, std::size_t worker, std::size_t of, std::size_t) {
            begin[of] = std::max(begin[of], m_time[worker]);
            isDone = false;
        });
        visit([&](std::size_t replica, std::size_t worker, std::size_t of, std::size_t entry) {
            m_time[worker] = begin[of] + duration(replica, entry);
        });
    }
}

double JobReplay::run(std::size_t step, const Evening &evening)
{
    if (step != m_step)
        for (std::size_t replica = 0; replica < m_replicas; ++replica)
            m_measuredEnds[replica].isKnown = m_evenedEnds[replica].isKnown = false;
    m_step = step;
    m_evening = &evening;
    for (std::size_t replica = 0; replica < m_replicas; ++replica)
        for (std::size_t device = 0; device < m_devices; ++device)
            m_isEvened[worker(replica, device)] = evening.includes(replica, device, m_devices) ? 1 : 0;
    gather();
    for (std::size_t replica = 0; replica < m_replicas; ++replica) {
        const Durations durations = durationsOf(evening, replica);
        Ends &ends = durations == Durations::Mixed    ? m_mixedEnds[replica]
                     : durations == Durations::Evened ? m_evenedEnds[replica]
                                                      : m_measuredEnds[replica];
        if (durations == Durations::Mixed || !ends.isKnown || ends.release != m_release[replica])
            runPasses(replica, ends);
        m_ends[replica] = &ends;
        std::ranges::copy(ends.device, m_time.begin() + static_cast<std::ptrdiff_t>(worker(replica, 0)));
    }
    runTail(JobOperation::CollectGarbage);
    if (m_overlaps)
        reduceDuringPasses();
    runTail(JobOperation::ReduceNorms);
    runTail(JobOperation::ReduceEmbedding);
    runTail(m_overlaps ? JobOperation::ReduceSeparate : JobOperation::ReduceGradients);
    runTail(JobOperation::ClipGradients);
    runTail(JobOperation::Optimize);
    return std::ranges::max(m_time);
}

} // namespace stagelens::simulate
