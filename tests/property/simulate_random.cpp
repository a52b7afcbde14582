// Whatever the costs: lanes are sorted, every requirement is respected, no bound is broken, and the same input gives the same
// answer.
#include "engine/base/random.h"
#include "engine/simulate/metrics.h"
#include "tests/support/random_plans.h"
#include "tests/support/requirements.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <numeric>

namespace property_simulate_random {

using namespace stagelens;
using base::Nanos;

namespace {

constexpr int kRounds = 250;

struct RandomPlan {
    schedule::Schedule schedule;
    schedule::Schedule outline; ///< the same of two microbatches at most
    bool hasPairs = false;      ///< on request
};

/// Nothing where the family refuses the plan.
std::optional<RandomPlan> randomPlan(base::Random &random)
{
    model::Experiment experiment = test::randomExperiment(random, 9, 24);
    auto schedule = schedule::makeSchedule(experiment);
    experiment.parallel.microbatches = std::min(experiment.parallel.microbatches, 2);
    auto outline = schedule::makeSchedule(experiment);
    if (!schedule || !outline)
        return std::nullopt;
    return RandomPlan{std::move(schedule).value(), std::move(outline).value(), experiment.schedule.overlappedPairs};
}

/// Latest end of what a requirement names, found by search.
Nanos endOf(const timeline::Timeline &timeline, const schedule::Requirement &need, int microbatch)
{
    Nanos latest = std::numeric_limits<Nanos>::max();
    for (const timeline::Lane &lane : timeline.lanes) {
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const schedule::Pass &pass = lane.pass[i];
            if (!provides(pass.kind, need.kind) || pass.microbatch != microbatch ||
                (!need.allDevices && pass.stage != need.stage))
                continue;
            latest = latest == std::numeric_limits<Nanos>::max() ? lane.end[i] : std::max(latest, lane.end[i]);
        }
    }
    return latest;
}

bool lanesAreInOrder(const timeline::Timeline &timeline, const schedule::Schedule &schedule)
{
    for (int device = 0; device < timeline.devices(); ++device) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        if (!std::ranges::equal(lane.pass, schedule.device(device)) || lane.vocabulary.size() != lane.size())
            return false;
        for (std::size_t i = 0; i < lane.size(); ++i) {
            if (lane.begin[i] < (i > 0 ? lane.end[i - 1] : 0) || lane.end[i] < lane.begin[i])
                return false;
        }
    }
    return true;
}

bool requirementsHold(const timeline::Timeline &timeline, const schedule::Schedule &schedule, const simulate::CostModel &costs)
{
    const schedule::Placement &placement = schedule.placement();
    for (int device = 0; device < timeline.devices(); ++device) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        for (std::size_t i = 0; i < lane.size(); ++i) {
            for (const schedule::Requirement &need : test::requirementsOf(schedule, lane.pass[i])) {
                const int from =
                    need.allDevices ? 0 : placement.deviceOf(need.stage, placement.directionOf(lane.pass[i].microbatch));
                const Nanos latency = costs.transfer(need.transfer, from, device);
                if (lane.begin[i] - latency < endOf(timeline, need, lane.pass[i].microbatch))
                    return false;
            }
        }
    }
    return true;
}

} // namespace

class SimulateRandom : public QObject {
    Q_OBJECT

private slots:
    void everyPlanKeepsTheRules()
    {
        const auto seed = static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch());
        qInfo() << "seed" << seed;
        base::Random random(seed);
        for (int round = 0; round < kRounds; ++round) {
            const std::optional<RandomPlan> plan = randomPlan(random);
            if (!plan)
                continue;
            const schedule::Schedule *const schedule = &plan->schedule;
            simulate::CostModel costs = test::randomCosts(random, *schedule);
            const auto timeline = simulate::simulate(*schedule, costs);
            QVERIFY2(timeline.ok(), timeline.ok() ? "" : timeline.error().text().c_str());
            QVERIFY(lanesAreInOrder(*timeline, *schedule));
            QVERIFY(requirementsHold(*timeline, *schedule, costs));
            checkBounds(*plan, costs);
            simulate::CostModel overlapped = costs;
            overlapped.pairScale = static_cast<double>(random.nextInteger(5, 15)) / 10;
            overlapped.hiddenInPairs = random.nextUniform();
            checkBounds(*plan, overlapped);
            QVERIFY(timeline->iteration() >= timeline->makespan());
            QCOMPARE(*simulate::simulate(*schedule, costs), *timeline);
            checkCauses(*schedule, costs, *timeline);
            checkReplay(*schedule, costs, *timeline);
            costs.collectives = model::Collectives::Blocking;
            if (const auto blocking = simulate::simulate(*schedule, costs))
                QVERIFY(blocking->makespan() >= timeline->makespan());
        }
    }

private:
    static void checkBounds(const RandomPlan &plan, const simulate::CostModel &costs)
    {
        const auto timeline = simulate::simulate(plan.schedule, costs);
        QVERIFY(timeline.ok());
        QVERIFY(timeline->makespan() >= simulate::lowerBound(plan.schedule, costs));
        const simulate::OrderTraits traits{schedule::findFamily(plan.schedule.family())->splitsBackward, plan.hasPairs};
        QVERIFY(timeline->makespan() >= simulate::lowerBoundOfShape(plan.outline, costs, plan.schedule.microbatches(), traits));
    }

    static void checkCauses(const schedule::Schedule &schedule, const simulate::CostModel &costs,
                            const timeline::Timeline &timeline)
    {
        const simulate::BubbleCauses causes = simulate::bubbleCauses(schedule, costs);
        Nanos idle = timeline.makespan() * timeline.devices();
        for (const timeline::Lane &lane : timeline.lanes) {
            for (std::size_t i = 0; i < lane.size(); ++i)
                idle -= lane.end[i] - lane.begin[i];
        }
        QCOMPARE(causes.fillAndDrain + causes.unequalStages + causes.vocabularyLayers + causes.communication, idle);
        for (const Nanos part : {causes.fillAndDrain, causes.unequalStages, causes.vocabularyLayers, causes.communication})
            QVERIFY(part >= 0);
    }

    /// A timeline predicted from its own durations is itself.
    static void checkReplay(const schedule::Schedule &schedule, const simulate::CostModel &costs,
                            const timeline::Timeline &timeline)
    {
        const auto again = simulate::simulate(schedule, simulate::costsOf(timeline, schedule, costs));
        QVERIFY(again.ok());
        QCOMPARE(again->makespan(), timeline.makespan());
        QCOMPARE(again->iteration(), timeline.iteration());
    }
};

STAGELENS_TEST(SimulateRandom)

} // namespace property_simulate_random

#include "simulate_random.moc"
