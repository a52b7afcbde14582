// Straggler traces as CSV, written from simulations: no row comes from a measurement.
#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

namespace stagelens::test {

inline std::string stragglerHeader()
{
    return "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,gmc,mb_id\n";
}

/// Times in nanoseconds; `microbatch` -1: none.
inline std::string stragglerRow(int replica, int device, int step, const std::string &operation, double start, double duration,
                                int microbatch = -1, int chunk = 0)
{
    return fmt::format("{},{},{},{},{},{:.9f},{:.17g},0,{},,{}\n", replica, device, device, step, operation, start / 1e9,
                       duration / 1e9, chunk, microbatch < 0 ? std::string() : fmt::format("{}.0", microbatch));
}

/// The passes of a timeline as those of one replica in one step that begins at `at`. Stage s is chunk s / devices.
inline std::string stragglerRows(const timeline::Timeline &timeline, int replica, int step, double at)
{
    std::string rows;
    for (int device = 0; device < timeline.devices(); ++device) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        for (std::size_t i = 0; i < lane.size(); ++i)
            rows += stragglerRow(replica, device, step,
                                 lane.pass[i].kind == schedule::PassKind::F ? "forward-compute" : "backward-compute",
                                 at + static_cast<double>(lane.begin[i]), static_cast<double>(lane.end[i] - lane.begin[i]),
                                 lane.pass[i].microbatch, lane.pass[i].stage / timeline.devices());
    }
    return rows;
}

/// What a job is generated from. Times in nanoseconds.
struct GeneratedJob {
    schedule::Schedule schedule; ///< F and B only
    int replicas = 1;
    int steps = 1;
    std::function<double(int step, int replica, int device, const schedule::Pass &pass)> duration;
    double message = 0;   ///< of every message; 0: no rows of messages
    double gather = 0;    ///< at the begin of a step; 0: none
    double reduce = 0;    ///< after the passes; 0: none
    double embedding = 0; ///< of the first and last device; 0: none
    double clip = 0;
    double optimizer = 0;
};

/// Runs the job in an order of its own (devices in turn, each as far as its inputs are there), apart from the simulator.
class JobGenerator {
public:
    explicit JobGenerator(const GeneratedJob &job) : m_job(job) {}

    /// Returns the rows with the header; the steps follow each other after a second.
    std::string csv()
    {
        m_csv = stragglerHeader();
        for (int step = 0; step < m_job.steps; ++step) {
            const double begin = m_now;
            m_deviceEnd.clear();
            for (int replica = 0; replica < m_job.replicas; ++replica)
                m_deviceEnd.push_back(runReplica(step, replica, begin));
            m_now = finish(step);
            steps.push_back(m_now - begin);
            m_now += 1e9;
        }
        return m_csv;
    }
    std::vector<double> steps; ///< their durations

private:
    using Ends = std::vector<double>;
    std::size_t place(const schedule::Pass &pass) const
    {
        const std::size_t backward = pass.kind == schedule::PassKind::F ? 0 : 1;
        return (backward * static_cast<std::size_t>(m_job.schedule.stages()) + pass.stage) *
                   static_cast<std::size_t>(m_job.schedule.microbatches()) +
               static_cast<std::size_t>(pass.microbatch);
    }
    /// Returns when the input of a pass is on its device; below 0 if it is not made yet. Adds the rows of its message.
    double inputOf(const schedule::Pass &pass, int step, int replica, int device, double begin)
    {
        const bool isForward = pass.kind == schedule::PassKind::F;
        const int from = isForward ? pass.stage - 1 : pass.stage + 1;
        if (from < 0)
            return begin;
        if (from >= m_job.schedule.stages())
            return m_ends[place(schedule::makePass(schedule::PassKind::F, pass.stage, pass.microbatch))];
        const double made = m_ends[place(schedule::makePass(pass.kind, from, pass.microbatch))];
        const int sender = m_job.schedule.placement().deviceOf(from);
        if (made < 0 || sender == device || m_job.message <= 0)
            return made;
        const std::string direction = isForward ? "forward" : "backward";
        m_csv += stragglerRow(replica, sender, step, direction + "-send", made, m_job.message);
        // The receiver waits since its previous pass.
        m_csv += stragglerRow(replica, device, step, direction + "-recv", begin, made + m_job.message - begin);
        return made + m_job.message;
    }
    Ends runReplica(int step, int replica, double begin)
    {
        const schedule::Schedule &schedule = m_job.schedule;
        const auto devices = static_cast<std::size_t>(schedule.devices());
        m_ends.assign(2 * static_cast<std::size_t>(schedule.stages() * schedule.microbatches()), -1);
        Ends end(devices, begin + m_job.gather);
        for (int device = 0; device < schedule.devices() && m_job.gather > 0; ++device)
            m_csv += stragglerRow(replica, device, step, "params-all-gather", begin, m_job.gather);
        std::vector<std::size_t> next(devices);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t device = 0; device < devices; ++device)
                while (next[device] < schedule.device(static_cast<int>(device)).size()) {
                    const schedule::Pass &pass = schedule.device(static_cast<int>(device))[next[device]];
                    const double input = inputOf(pass, step, replica, static_cast<int>(device), begin);
                    if (input < 0)
                        break;
                    const double start = std::max(input, end[device]);
                    const double duration = m_job.duration(step, replica, static_cast<int>(device), pass);
                    m_csv += stragglerRow(replica, static_cast<int>(device), step,
                                          pass.kind == schedule::PassKind::F ? "forward-compute" : "backward-compute", start,
                                          duration, pass.microbatch, pass.stage / schedule.devices());
                    end[device] = m_ends[place(pass)] = start + duration;
                    ++next[device];
                    moved = true;
                }
        }
        return end;
    }
    /// Returns the end of the step.
    double finish(int step)
    {
        const std::size_t devices = m_deviceEnd.front().size();
        const auto all = [&](const char *operation, double duration, auto groupOf) {
            if (duration <= 0)
                return;
            std::vector<double> begin(m_deviceEnd.size() * devices);
            for (std::size_t replica = 0; replica < m_deviceEnd.size(); ++replica)
                for (std::size_t device = 0; device < devices; ++device)
                    begin[groupOf(replica, device)] = std::max(begin[groupOf(replica, device)], m_deviceEnd[replica][device]);
            for (std::size_t replica = 0; replica < m_deviceEnd.size(); ++replica)
                for (std::size_t device = 0; device < devices; ++device) {
                    double &end = m_deviceEnd[replica][device];
                    const double until = begin[groupOf(replica, device)] + duration;
                    m_csv +=
                        stragglerRow(static_cast<int>(replica), static_cast<int>(device), step, operation, end, until - end);
                    end = until;
                }
        };
        if (m_job.embedding > 0)
            for (std::size_t replica = 0; replica < m_deviceEnd.size(); ++replica) {
                Ends &end = m_deviceEnd[replica];
                const double until = std::max(end.front(), end.back()) + m_job.embedding;
                for (const std::size_t device : {std::size_t{0}, devices - 1}) {
                    m_csv += stragglerRow(static_cast<int>(replica), static_cast<int>(device), step,
                                          "embedding-grads-all-reduce", end[device], until - end[device]);
                    end[device] = until;
                }
            }
        all("grads-reduce-scatter", m_job.reduce, [](std::size_t, std::size_t device) { return device; });
        all("optimizer-clip-main-grad", m_job.clip, [](std::size_t, std::size_t) { return std::size_t{0}; });
        all("optimizer", m_job.optimizer,
            [devices](std::size_t replica, std::size_t device) { return replica * devices + device; });
        double latest = 0;
        for (const Ends &end : m_deviceEnd)
            latest = std::max(latest, std::ranges::max(end));
        return latest;
    }

    const GeneratedJob &m_job;
    std::string m_csv;
    double m_now = 0;
    Ends m_ends;                   ///< of each pass
    std::vector<Ends> m_deviceEnd; ///< of each replica
};

} // namespace stagelens::test
