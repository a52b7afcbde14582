#include "engine/simulate/stragglers/straggler_report.h"

#include "engine/simulate/stragglers/job_replay.h"

#include <algorithm>
#include <numeric>

namespace stagelens::simulate {
namespace {

using Scope = Evening::Scope;

/// Percent of the workers that count as the slowest; the paper's.
constexpr std::size_t kSlowestPercent = 3;

/// Replays steps under a list of evenings, and adds up the times of each.
class Replays {
public:
    Replays(JobReplay &replay, const MeasuredJob &job, const std::stop_token &stop,
            const std::function<void(double share)> &progress)
        : m_replay(replay), m_job(job), m_stop(stop), m_progress(progress)
    {}

    /// Returns the mean step of each evening, or Cancelled. `begin` and `end`: the shares of the whole analysis that these
    /// replays are. `each(step, evening, time)` receives every time.
    template <class Each>
    base::Result<std::vector<double>> means(const std::vector<Evening> &evenings, double begin, double end, Each each)
    {
        std::vector<double> sums(evenings.size());
        const auto steps = static_cast<double>(m_job.steps.size());
        for (std::size_t step = 0; step < m_job.steps.size(); ++step) {
            for (std::size_t i = 0; i < evenings.size(); ++i) {
                if (m_stop.stop_requested())
                    return base::Error::cancelled();
                const double time = m_replay.run(step, evenings[i]);
                sums[i] += time;
                each(step, i, time);
            }
            if (m_progress)
                m_progress(begin + (end - begin) * static_cast<double>(step + 1) / steps);
        }
        for (double &sum : sums)
            sum /= steps;
        return sums;
    }

private:
    JobReplay &m_replay;
    const MeasuredJob &m_job;
    const std::stop_token &m_stop;
    const std::function<void(double share)> &m_progress;
};

Evening inverted(Evening evening)
{
    evening.isInverted = !evening.isInverted;
    return evening;
}

/// The whole job, then for each part the job with it fixed and the job with all others fixed.
class Analysis {
public:
    Analysis(const MeasuredJob &job, StragglerReport &report)
        : m_job(job), m_report(report), m_devices(static_cast<std::size_t>(job.devices())),
          m_replicas(static_cast<std::size_t>(job.replicas))
    {}

    base::Result<> run(Replays &replays)
    {
        for (const auto part : {&Analysis::parts, &Analysis::workers})
            if (const auto done = (this->*part)(replays); !done)
                return done;
        return {};
    }

private:
    [[nodiscard]] std::optional<double> recovered(double fixed) const
    {
        const double lost = m_report.actual - m_report.ideal;
        return lost > 1e-9 * m_report.actual ? std::optional((m_report.actual - fixed) / lost) : std::nullopt;
    }
    [[nodiscard]] StragglerPart part(double fixed, double kept) const
    {
        return {fixed, recovered(fixed), m_report.ideal > 0 ? kept / m_report.ideal : 1};
    }
    base::Result<> parts(Replays &replays);
    base::Result<> workers(Replays &replays);
    [[nodiscard]] std::vector<StragglerWorker> ranked() const;

    const MeasuredJob &m_job;
    StragglerReport &m_report;
    std::size_t m_devices;
    std::size_t m_replicas;
};

base::Result<> Analysis::parts(Replays &replays)
{
    std::vector<Evening> evenings{{}, {.scope = Scope::All}};
    const auto add = [&evenings](const Evening &fixed, const Evening &kept) {
        evenings.push_back(fixed);
        evenings.push_back(kept);
    };
    for (std::size_t device = 0; device < m_devices; ++device)
        add({.scope = Scope::Device, .index = device}, inverted({.scope = Scope::Device, .index = device}));
    for (std::size_t replica = 0; replica < m_replicas; ++replica)
        add({.scope = Scope::Replica, .index = replica}, inverted({.scope = Scope::Replica, .index = replica}));
    for (std::size_t kind = 0; kind < kJobOperations; ++kind)
        if (m_report.evened[kind]) {
            Evening of{.scope = Scope::All};
            of.operations = std::bitset<kJobOperations>().set(kind);
            Evening others{.scope = Scope::All};
            others.operations.reset(kind);
            add(of, others);
        }
    const auto means = replays.means(evenings, 0, 0.8, [this](std::size_t step, std::size_t evening, double time) {
        if (evening == 0)
            m_report.steps.push_back({m_job.steps[step], m_job.measuredSteps[step], time, 0});
        if (evening == 1)
            m_report.steps.back().ideal = time;
    });
    if (!means)
        return means.error();
    const auto steps = static_cast<double>(m_job.steps.size());
    m_report.measured = std::accumulate(m_job.measuredSteps.begin(), m_job.measuredSteps.end(), 0.0) / steps;
    m_report.actual = (*means)[0];
    m_report.ideal = (*means)[1];
    m_report.slowdown = m_report.ideal > 0 ? m_report.actual / m_report.ideal : 1;
    std::size_t at = 2;
    const auto next = [&] {
        at += 2;
        return part((*means)[at - 2], (*means)[at - 1]);
    };
    for (std::size_t device = 0; device < m_devices; ++device)
        m_report.devices.push_back(next());
    for (std::size_t replica = 0; replica < m_replicas; ++replica)
        m_report.replicas.push_back(next());
    for (std::size_t kind = 0; kind < kJobOperations; ++kind)
        if (m_report.evened[kind])
            m_report.operations[kind] = next();
    return {};
}

/// All workers, the slowest first; of equally slow ones the first.
std::vector<StragglerWorker> Analysis::ranked() const
{
    std::vector<StragglerWorker> all;
    for (std::size_t replica = 0; replica < m_replicas; ++replica)
        for (std::size_t device = 0; device < m_devices; ++device) {
            StragglerWorker worker{static_cast<int>(replica), static_cast<int>(device), {}};
            worker.part.slowdown = std::min(m_report.replicas[replica].slowdown, m_report.devices[device].slowdown);
            all.push_back(worker);
        }
    std::ranges::stable_sort(all, std::greater(), [](const StragglerWorker &worker) { return worker.part.slowdown; });
    return all;
}

base::Result<> Analysis::workers(Replays &replays)
{
    m_report.workers = ranked();
    m_report.workerCount = m_report.workers.size();
    m_report.slowestWorkers = (m_report.workerCount * kSlowestPercent + 99) / 100;
    std::vector<std::size_t> numbers; // the slowest, then each that is reported
    for (const StragglerWorker &worker : m_report.workers)
        numbers.push_back(static_cast<std::size_t>(worker.replica) * m_devices + static_cast<std::size_t>(worker.device));
    std::vector<std::size_t> slowest(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(m_report.slowestWorkers));
    std::ranges::sort(slowest);
    m_report.workers.resize(std::min(m_report.workers.size(), kReportedWorkers));
    std::vector<Evening> evenings{{.scope = Scope::Workers, .workers = slowest}};
    for (std::size_t i = 0; i < m_report.workers.size(); ++i)
        evenings.push_back({.scope = Scope::Workers, .workers = std::span(numbers).subspan(i, 1)});
    const auto means = replays.means(evenings, 0.8, 1, [](std::size_t, std::size_t, double) {});
    if (!means)
        return means.error();
    m_report.slowestFixed = means->front();
    m_report.slowestRecovered = recovered(m_report.slowestFixed);
    for (std::size_t i = 0; i < m_report.workers.size(); ++i) {
        StragglerPart &of = m_report.workers[i].part;
        of.fixed = (*means)[i + 1];
        of.recovered = recovered(of.fixed);
    }
    return {};
}

} // namespace

base::Result<StragglerReport> analyseStragglers(const MeasuredJob &job, const std::stop_token &stop,
                                                const std::function<void(double share)> &progress)
{
    auto replay = JobReplay::of(job);
    if (!replay)
        return std::move(replay).error();
    StragglerReport report;
    report.evened = replay->evened();
    Replays replays(*replay, job, stop, progress);
    if (const auto done = Analysis(job, report).run(replays); !done)
        return done.error();
    return report;
}

} // namespace stagelens::simulate
