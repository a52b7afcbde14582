// Whatever the schedule and its costs: the pieces of idle time tile the gaps, the critical path tiles the iteration, and slack
// is exactly what a pass may be late.
#include "engine/simulate/idle_causes.h"
#include "engine/base/random.h"
#include "tests/support/random_plans.h"
#include "tests/support/requirements.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <map>
#include <numeric>

namespace property_idle_causes {

using namespace stagelens;
using base::Nanos;
using simulate::IdleCause;
using simulate::PathStep;

namespace {

constexpr int kRounds = 150;

/// Earliest begins by repeated relaxation of the rules as they are written down: an oracle that shares nothing with the sweep.
class Relaxation {
public:
    Relaxation(const schedule::Schedule &schedule, const timeline::Timeline &timeline, const simulate::CostModel &costs)
        : m_schedule(schedule), m_timeline(timeline), m_costs(costs)
    {}

    /// The makespan if the unit of that slice begins `late` after it could.
    Nanos makespan(timeline::SliceId delayed, Nanos late)
    {
        m_delayed = delayed;
        m_late = late;
        m_begin.clear();
        for (const timeline::Lane &lane : m_timeline.lanes)
            m_begin.emplace_back(lane.size(), 0);
        while (relax()) {
        }
        Nanos last = 0;
        for (int device = 0; device < m_timeline.devices(); ++device)
            if (const std::size_t count = laneOf(device).size(); count > 0)
                last = std::max(last, endOf(device, count - 1));
        return last;
    }

private:
    [[nodiscard]] const timeline::Lane &laneOf(int device) const { return m_timeline.lanes[static_cast<std::size_t>(device)]; }
    [[nodiscard]] bool isPair(int device, std::size_t i) const
    {
        return laneOf(device).pass[i].pairedWithNext && i + 1 < laneOf(device).size();
    }
    [[nodiscard]] Nanos endOf(int device, std::size_t i) const
    {
        const timeline::Lane &lane = laneOf(device);
        return m_begin[static_cast<std::size_t>(device)][i] + lane.end[i] - lane.begin[i];
    }
    /// When the results of a pass appear.
    [[nodiscard]] Nanos outOf(int device, std::size_t i) const { return endOf(device, isPair(device, i) ? i + 1 : i); }

    [[nodiscard]] Nanos arrivalOf(const schedule::Requirement &need, const schedule::Pass &pass, int device) const
    {
        const schedule::Placement &placement = m_schedule.placement();
        const int from = need.allDevices ? 0 : placement.deviceOf(need.stage, placement.directionOf(pass.microbatch));
        Nanos latest = 0;
        for (int other = 0; other < m_timeline.devices(); ++other)
            for (std::size_t i = 0; i < laneOf(other).size(); ++i) {
                const schedule::Pass &made = laneOf(other).pass[i];
                if (provides(made.kind, need.kind) && made.microbatch == pass.microbatch &&
                    (need.allDevices || made.stage == need.stage))
                    latest = std::max(latest, outOf(other, i));
            }
        return latest + m_costs.transfer(need.transfer, from, device);
    }
    bool relax()
    {
        bool changed = false;
        for (int device = 0; device < m_timeline.devices(); ++device) {
            std::vector<Nanos> &begin = m_begin[static_cast<std::size_t>(device)];
            Nanos free = 0;
            for (std::size_t i = 0; i < begin.size(); i += isPair(device, i) ? 2 : 1) {
                const std::size_t last = i + (isPair(device, i) ? 1 : 0);
                Nanos ready = free;
                for (std::size_t k = i; k <= last; ++k)
                    for (const schedule::Requirement &need : test::requirementsOf(m_schedule, laneOf(device).pass[k]))
                        ready = std::max(ready, arrivalOf(need, laneOf(device).pass[k], device));
                if (i > 0)
                    ready = std::max(ready, barrierAfter(device, i - 1));
                if (m_delayed.device == device && (m_delayed.index == i || m_delayed.index == last))
                    ready += m_late;
                changed = changed || ready != begin[i];
                begin[i] = ready;
                if (last > i)
                    begin[last] = endOf(device, i);
                free = endOf(device, last);
            }
        }
        return changed;
    }
    /// When the longest collective is through that the pass feeds, if collectives block.
    [[nodiscard]] Nanos barrierAfter(int device, std::size_t i) const
    {
        const bool blocks = m_costs.collectives == model::Collectives::Blocking ||
                            m_schedule.vocabulary() == model::VocabularyMethod::Interlaced;
        const schedule::Pass &feeder = laneOf(device).pass[i];
        if (!blocks || !isVocabularyPass(feeder.kind))
            return 0;
        Nanos latest = 0;
        for (int stage = 0; stage < m_schedule.stages(); ++stage)
            for (int kind = 0; kind < schedule::kPassKindCount; ++kind) {
                const schedule::Pass pass = schedule::makePass(static_cast<schedule::PassKind>(kind), stage, feeder.microbatch);
                for (const schedule::Requirement &need : test::requirementsOf(m_schedule, pass))
                    if (need.allDevices && need.kind == feeder.kind)
                        latest = std::max(latest, arrivalOf(need, pass, device));
            }
        return latest;
    }

    const schedule::Schedule &m_schedule;
    const timeline::Timeline &m_timeline;
    const simulate::CostModel &m_costs;
    timeline::SliceId m_delayed;
    Nanos m_late = 0;
    std::vector<std::vector<Nanos>> m_begin;
};

/// Gaps of a lane within [0, makespan], found by themselves.
std::vector<std::pair<Nanos, Nanos>> gapsOf(const timeline::Lane &lane, Nanos makespan)
{
    std::vector<std::pair<Nanos, Nanos>> gaps;
    Nanos free = 0;
    for (std::size_t i = 0; i <= lane.size(); ++i) {
        const Nanos until = i < lane.size() ? lane.begin[i] : makespan;
        if (until > free)
            gaps.emplace_back(free, until);
        if (i < lane.size())
            free = lane.end[i];
    }
    return gaps;
}

} // namespace

class IdleCausesRandom : public QObject {
    Q_OBJECT

private slots:
    void everyIntervalHasItsCauses()
    {
        const auto seed = static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch());
        qInfo() << "seed" << seed;
        base::Random random(seed);
        int explained = 0;
        for (int round = 0; round < kRounds; ++round) {
            const std::optional<schedule::Schedule> schedule = test::randomSchedule(random, 9, 20);
            if (!schedule)
                continue;
            simulate::CostModel costs = test::randomCosts(random, *schedule);
            if (random.nextInteger(0, 2) == 0)
                costs.collectives = model::Collectives::Blocking;
            costs.pairScale = random.nextInteger(0, 1) == 0 ? 1 : 0.8;
            const auto timeline = simulate::simulate(*schedule, costs);
            if (!timeline)
                continue; // blocking collectives may cross
            const simulate::WaitGraph graph(*timeline, *schedule, costs);
            const simulate::CriticalPath path = simulate::criticalPath(graph);
            checkPieces(*timeline, simulate::idleCauses(graph, path), false);
            checkPath(*timeline, path, false);
            ++explained;
        }
        QVERIFY(explained > kRounds / 4);
    }

    void slackIsExact()
    {
        const auto seed = static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch());
        qInfo() << "seed" << seed;
        base::Random random(seed);
        for (int round = 0; round < kRounds; ++round) {
            const std::optional<schedule::Schedule> schedule = test::randomSchedule(random, 4, 6);
            if (!schedule || schedule->passCount() > 120)
                continue;
            simulate::CostModel costs = test::randomCosts(random, *schedule);
            if (random.nextInteger(0, 2) == 0)
                costs.collectives = model::Collectives::Blocking;
            const auto timeline = simulate::simulate(*schedule, costs);
            if (!timeline)
                continue;
            const simulate::CriticalPath path = simulate::criticalPath({*timeline, *schedule, costs});
            Relaxation relaxation(*schedule, *timeline, costs);
            QCOMPARE(relaxation.makespan({-1, 0}, 0), timeline->makespan());
            for (int trial = 0; trial < 3; ++trial) {
                const auto device = static_cast<int>(random.nextInteger(0, schedule->devices() - 1));
                const auto &slack = path.lanes[static_cast<std::size_t>(device)].slack;
                const auto index = static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(slack.size()) - 1));
                QCOMPARE(relaxation.makespan({device, index}, slack[index]), timeline->makespan());
                QCOMPARE(relaxation.makespan({device, index}, slack[index] + 1), timeline->makespan() + 1);
            }
        }
    }

    /// A timeline whose passes come late by chance, as measured ones do.
    void measuredTimelinesKeepTheSums()
    {
        const auto seed = static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch());
        qInfo() << "seed" << seed;
        base::Random random(seed);
        for (int round = 0; round < kRounds; ++round) {
            const std::optional<schedule::Schedule> schedule = test::randomSchedule(random, 6, 12);
            if (!schedule)
                continue;
            simulate::CostModel costs = test::randomCosts(random, *schedule);
            auto timeline = simulate::simulate(*schedule, costs);
            QVERIFY(timeline.ok());
            // Shorter passes within their slots: what was a wait for a pass becomes unexplained.
            for (timeline::Lane &lane : timeline->lanes)
                for (std::size_t i = 0; i < lane.size(); ++i)
                    lane.begin[i] += random.nextInteger(0, lane.end[i] - lane.begin[i]);
            const simulate::WaitGraph graph(*timeline, *schedule, costs);
            const simulate::CriticalPath path = simulate::criticalPath(graph);
            const simulate::IdleCauses causes = simulate::idleCauses(graph, path);
            checkPieces(*timeline, causes, true);
            checkPath(*timeline, path, true);
        }
    }

private:
    static void checkPieces(const timeline::Timeline &timeline, const simulate::IdleCauses &causes, bool isMeasured)
    {
        const Nanos origin = originOf(timeline);
        Nanos idle = 0;
        for (std::size_t device = 0; device < timeline.lanes.size(); ++device) {
            timeline::Lane lane = timeline.lanes[device];
            for (std::size_t i = 0; i < lane.size(); ++i) {
                lane.begin[i] -= origin;
                lane.end[i] -= origin;
            }
            std::vector<std::pair<Nanos, Nanos>> joined;
            simulate::IdleTotals totals{};
            for (const simulate::IdlePiece &piece : causes.devices[device]) {
                QVERIFY(piece.end > piece.begin);
                QVERIFY(isMeasured || piece.cause != IdleCause::Overhead);
                totals[static_cast<std::size_t>(piece.cause)] += piece.end - piece.begin;
                // Zero-length passes part gaps; the pieces of a gap hang together.
                if (!joined.empty() && joined.back().second == piece.begin - origin)
                    joined.back().second = piece.end - origin;
                else
                    joined.emplace_back(piece.begin - origin, piece.end - origin);
            }
            std::vector<std::pair<Nanos, Nanos>> gaps;
            for (const auto &gap : gapsOf(lane, timeline.makespan())) {
                idle += gap.second - gap.first;
                if (!gaps.empty() && gaps.back().second == gap.first)
                    gaps.back().second = gap.second;
                else
                    gaps.push_back(gap);
            }
            QCOMPARE(joined, gaps);
            QCOMPARE(causes.perDevice[device], totals);
        }
        QCOMPARE(std::accumulate(causes.total.begin(), causes.total.end(), Nanos{0}), idle);
    }

    static void checkPath(const timeline::Timeline &timeline, const simulate::CriticalPath &path, bool isMeasured)
    {
        Nanos at = originOf(timeline);
        for (const PathStep &step : path.steps) {
            QCOMPARE(step.begin, at);
            QVERIFY(step.end >= step.begin);
            at = step.end;
            QVERIFY(isMeasured || step.kind != PathStep::Kind::Overhead);
            if (step.kind != PathStep::Kind::Pass)
                continue;
            const simulate::LaneWaits &lane = path.lanes[static_cast<std::size_t>(step.slice.device)];
            QCOMPARE(lane.slack[step.slice.index], 0);
            QCOMPARE(lane.isCritical[step.slice.index], 1);
        }
        QCOMPARE(at - originOf(timeline), timeline.makespan());
        for (const simulate::LaneWaits &lane : path.lanes)
            for (const Nanos slack : lane.slack)
                QVERIFY(slack >= 0);
    }

    static Nanos originOf(const timeline::Timeline &timeline)
    {
        Nanos first = std::numeric_limits<Nanos>::max();
        for (const timeline::Lane &lane : timeline.lanes)
            if (lane.size() > 0)
                first = std::min(first, lane.begin.front());
        return first;
    }
};

STAGELENS_TEST(IdleCausesRandom)

} // namespace property_idle_causes

#include "idle_causes.moc"
