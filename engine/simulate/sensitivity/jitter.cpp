#include "engine/simulate/sensitivity/jitter.h"

#include "engine/base/random.h"
#include "engine/simulate/sensitivity/replay.h"
#include "engine/simulate/simulate.h"
#include "engine/simulate/steps/step_end.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

namespace stagelens::simulate {
namespace {

using base::Nanos;

/// Log-normal factors of mean 1, two for each pair of uniform numbers (Box and Muller, 1958).
class Factors {
public:
    Factors(std::uint64_t seed, std::uint64_t stream, double variation)
        : m_random(seed, stream), m_sigma(std::sqrt(std::log1p(variation * variation))), m_shift(-m_sigma * m_sigma / 2)
    {}
    double operator()(std::size_t)
    {
        if (m_sigma <= 0)
            return 1;
        if (m_hasSpare) {
            m_hasSpare = false;
            return m_spare;
        }
        constexpr double kTurn = 6.283185307179586476925;
        const double radius = m_sigma * std::sqrt(-2.0 * std::log(1.0 - m_random.nextUniform()));
        const double angle = kTurn * m_random.nextUniform();
        m_spare = std::exp(m_shift + radius * std::sin(angle));
        m_hasSpare = true;
        return std::exp(m_shift + radius * std::cos(angle));
    }

private:
    base::Random m_random;
    double m_sigma;
    double m_shift;
    double m_spare = 1;
    bool m_hasSpare = false;
};

/// The replicas of one class, ready to be drawn.
struct DrawnReplicas {
    Replay replay;
    CostModel costs;
    int count = 1;
};

constexpr double kWhole = 1e9; ///< parts of a makespan

/// What is kept of a draw.
struct Drawn {
    Nanos makespan = 0;
    Nanos iteration = 0;
    int critical = 0; ///< the device through which the critical path passes for longest
};

class Draws {
public:
    Draws(std::vector<DrawnReplicas> replicas, const JitterOptions &options)
        : m_replicas(std::move(replicas)), m_options(options), m_drawn(static_cast<std::size_t>(options.draws)),
          m_devices(static_cast<std::size_t>(m_replicas.front().replay.devices()))
    {}
    base::Result<JitterResult> run();

private:
    /// What a thread works with.
    struct Work {
        std::vector<Replay::State> states; ///< of each class
        std::vector<double> critical;      ///< of the slowest replica of a draw
        std::vector<std::int64_t> shares;  ///< of the makespan, in parts of kWhole: their sum is exact in any order
        std::vector<Nanos> ends;           ///< of each device in all replicas
        timeline::Timeline step;           ///< each device's passes as one slice
    };
    Work makeWork() const;
    void drawAll(Work &work, bool isCaller);
    Drawn draw(std::size_t number, Work &work) const;
    void finishStep(const DrawnReplicas &slowest, Work &work, Drawn &drawn) const;
    JitterResult result(const std::vector<Work> &works) const;

    std::vector<DrawnReplicas> m_replicas;
    const JitterOptions &m_options;
    std::vector<Drawn> m_drawn;
    std::size_t m_devices;
    std::atomic<std::size_t> m_next{0};
    std::atomic<std::size_t> m_done{0};
    std::mutex m_failureMutex;
    std::exception_ptr m_failure;
};

Draws::Work Draws::makeWork() const
{
    Work work;
    for (const DrawnReplicas &replicas : m_replicas)
        work.states.push_back(replicas.replay.state());
    work.critical.resize(m_devices);
    work.shares.resize(m_devices);
    work.ends.resize(m_devices);
    return work;
}

/// Draws every replica; the critical path is that of the one whose passes end last.
Drawn Draws::draw(std::size_t number, Work &work) const
{
    Drawn drawn;
    const DrawnReplicas *slowest = &m_replicas.front();
    double latest = -1;
    std::ranges::fill(work.ends, 0);
    std::size_t replica = 0;
    std::size_t total = 0;
    for (const DrawnReplicas &each : m_replicas)
        total += static_cast<std::size_t>(each.count);
    for (std::size_t index = 0; index < m_replicas.size(); ++index) {
        Replay::State &state = work.states[index];
        for (int copy = 0; copy < m_replicas[index].count; ++copy, ++replica) {
            Factors factors(m_options.seed, number * total + replica, m_options.variation);
            m_replicas[index].replay.run(state, std::ref(factors));
            for (std::size_t device = 0; device < m_devices; ++device)
                work.ends[device] = std::max<Nanos>(work.ends[device], std::llround(state.deviceEnd[device]));
            const double end = std::ranges::max(state.deviceEnd);
            if (end <= latest)
                continue;
            latest = end;
            slowest = &m_replicas[index];
            std::ranges::fill(work.critical, 0);
            slowest->replay.addCriticalTime(state, work.critical);
            work.step.lanes.assign(m_devices, {});
            for (std::size_t device = 0; device < m_devices; ++device)
                if (state.latest[device] >= 0)
                    work.step.lanes[device].push({}, std::llround(state.deviceBegin[device]),
                                                 std::llround(state.deviceEnd[device]));
        }
    }
    finishStep(*slowest, work, drawn);
    return drawn;
}

void Draws::finishStep(const DrawnReplicas &slowest, Work &work, Drawn &drawn) const
{
    work.step.period = 0;
    drawn.makespan = work.step.makespan();
    addStepEnd(work.step, slowest.costs, work.ends);
    drawn.iteration = work.step.iteration();
    drawn.critical = static_cast<int>(std::ranges::max_element(work.critical) - work.critical.begin());
    const auto makespan = static_cast<double>(std::max<Nanos>(drawn.makespan, 1));
    for (std::size_t device = 0; device < m_devices; ++device)
        work.shares[device] += std::llround(kWhole * work.critical[device] / makespan);
}

void Draws::drawAll(Work &work, bool isCaller)
{
    try {
        for (std::size_t number = m_next++; number < m_drawn.size() && !m_options.stop.stop_requested(); number = m_next++) {
            m_drawn[number] = draw(number, work);
            ++m_done;
            if (isCaller && m_options.progress)
                m_options.progress(static_cast<int>(m_done), m_options.draws);
        }
    } catch (...) { // out of memory, say: all threads end, and the caller reports it
        m_next = m_drawn.size();
        const std::scoped_lock lock(m_failureMutex);
        m_failure = std::current_exception();
    }
}

Quantiles quantilesOf(std::vector<Nanos> values)
{
    std::ranges::sort(values);
    const auto at = [&values](double share) {
        const double place = share * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        const double rest = place - static_cast<double>(below);
        return values[below] + std::llround(rest * static_cast<double>(values[above] - values[below]));
    };
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {at(0.05), at(0.5), at(0.95), std::llround(sum / static_cast<double>(values.size()))};
}

JitterResult Draws::result(const std::vector<Work> &works) const
{
    JitterResult result{m_options.variation, m_options.draws, m_options.seed, {}, {}, {}, {}};
    std::vector<Nanos> makespans;
    std::vector<Nanos> iterations;
    result.criticalShare.resize(m_devices);
    result.sensitivity.resize(m_devices);
    const double each = 1.0 / static_cast<double>(m_drawn.size());
    for (const Drawn &drawn : m_drawn) {
        makespans.push_back(drawn.makespan);
        iterations.push_back(drawn.iteration);
        result.criticalShare[static_cast<std::size_t>(drawn.critical)] += each;
    }
    for (std::size_t device = 0; device < m_devices; ++device) {
        std::int64_t shares = 0;
        for (const Work &work : works)
            shares += work.shares[device];
        result.sensitivity[device] = each * static_cast<double>(shares) / kWhole;
    }
    result.makespan = quantilesOf(std::move(makespans));
    result.iteration = quantilesOf(std::move(iterations));
    return result;
}

base::Result<JitterResult> Draws::run()
{
    const int most = std::min(std::max(m_options.threads, 1), m_options.draws);
    std::vector<Work> works;
    for (int thread = 0; thread < most; ++thread)
        works.push_back(makeWork());
    {
        std::vector<std::jthread> threads; // they end before what they work with
        for (std::size_t thread = 1; thread < works.size(); ++thread)
            threads.emplace_back([this, &work = works[thread]] { drawAll(work, false); });
        drawAll(works.front(), true);
    }
    if (m_failure)
        std::rethrow_exception(m_failure);
    if (m_options.stop.stop_requested())
        return base::Error::cancelled();
    return result(works);
}

} // namespace

base::Result<JitterResult> simulateJitter(const schedule::Schedule &schedule, const CostModel &costs,
                                          const JitterOptions &options)
{
    std::vector<ReplicaClass> classes = costs.classes;
    if (classes.empty())
        classes.push_back({0, std::max(costs.replicas, 1), {}, costs.work});
    std::vector<DrawnReplicas> replicas;
    for (const ReplicaClass &each : classes) {
        CostModel own = costs.ofReplicas(each);
        const auto timeline = simulate(schedule, own);
        if (!timeline)
            return timeline.error();
        auto replay = Replay::of(schedule, own, *timeline);
        if (!replay)
            return std::move(replay).error();
        replicas.push_back({*std::move(replay), std::move(own), each.count});
    }
    return Draws(std::move(replicas), options).run();
}

} // namespace stagelens::simulate
