// One slow device in 1F1B has a closed form; a replay without jitter is the simulation; a slow device changes nothing else.
#include "engine/base/random.h"
#include "engine/simulate/costs/what_if_costs.h"
#include "engine/simulate/sensitivity/jitter.h"
#include "tests/support/random_plans.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <fmt/format.h>

namespace property_slow_device {

using namespace stagelens;
using base::Nanos;

namespace {

constexpr int kClosedForms = 1000;
constexpr int kPlans = 400;

base::Random seeded()
{
    bool isGiven = false;
    const std::uint64_t given = qEnvironmentVariable("STAGELENS_SEED").toULongLong(&isGiven);
    const auto seed = isGiven ? given : static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch());
    qInfo() << "seed" << seed;
    return base::Random(seed);
}

/// The makespan of 1F1B with m >= p where every pass of device r takes `sigma` times as long: the slow device delays each of
/// the microbatches that pass it after the warm-up, or it is busy all the time, with what comes before and after it.
double closedForm(double p, double m, double r, double forward, double backward, double sigma)
{
    const double both = forward + backward;
    const double delayed = (m + p - 1) * both + (sigma - 1) * both * (m - (p - 1 - r));
    const double busy = sigma * m * both + r * both + (p - 1 - r) * std::max(0.0, both - sigma * forward);
    return std::max(delayed, busy);
}

} // namespace

class SlowDevice : public QObject {
    Q_OBJECT

private slots:
    void closedFormOfOneSlowDevice()
    {
        base::Random random = seeded();
        for (int round = 0; round < kClosedForms; ++round) {
            const int devices = static_cast<int>(random.nextInteger(1, 12));
            const int microbatches = static_cast<int>(random.nextInteger(devices, 4 * devices));
            const int slow = static_cast<int>(random.nextInteger(0, devices - 1));
            const double forward = static_cast<double>(random.nextInteger(1, 1000));
            const double backward = forward * static_cast<double>(random.nextInteger(1, 3));
            const double sigma = 1 + static_cast<double>(random.nextInteger(1, 300)) / 100;
            model::Experiment experiment = test::teachingExperiment(
                "1f1b", devices, microbatches, model::VocabularyMethod::None, {{"F", forward}, {"B", backward}});
            experiment.whatIf.slow = fmt::format("{}={}", slow, sigma);
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const double expected = closedForm(devices, microbatches, slow, forward, backward, sigma) * 1e6;
            const auto found = static_cast<double>(plan.timeline.makespan());
            QVERIFY2(std::abs(found / expected - 1) < 1e-9, qPrintable(QString("p %1 m %2 r %3 F %4 B %5 sigma %6: %7 and %8")
                                                                           .arg(devices)
                                                                           .arg(microbatches)
                                                                           .arg(slow)
                                                                           .arg(forward)
                                                                           .arg(backward)
                                                                           .arg(sigma)
                                                                           .arg(found)
                                                                           .arg(expected)));
        }
    }

    /// Any family, vocabulary method and costs, overlapped pairs and blocking collectives.
    void replayIsTheSimulation()
    {
        base::Random random = seeded();
        for (int round = 0; round < kPlans; ++round) {
            const auto schedule = test::randomSchedule(random, 8, 24);
            if (!schedule)
                continue;
            simulate::CostModel costs = test::randomCosts(random, *schedule);
            costs.pairScale = static_cast<double>(random.nextInteger(5, 15)) / 10;
            if (random.nextInteger(0, 1) == 1)
                costs.collectives = model::Collectives::Blocking;
            const auto timeline = simulate::simulate(*schedule, costs);
            if (!timeline)
                continue; // blocking collectives can deadlock
            const auto replayed = simulate::simulateJitter(*schedule, costs, {0, 1, 1, 1});
            QVERIFY2(replayed.ok(), replayed ? "" : replayed.error().text().c_str());
            // The simulation rounds each pass of a scaled pair.
            const auto passes = static_cast<Nanos>(timeline->sliceCount());
            QVERIFY2(std::abs(replayed->makespan.mean - timeline->makespan()) <= passes, schedule->family().data());
            if (costs.pairScale == 1)
                QCOMPARE(replayed->iteration.mean, timeline->iteration());
        }
    }

    void onlyTheSlowDevicesPassesAreLonger()
    {
        base::Random random = seeded();
        for (int round = 0; round < kPlans; ++round) {
            model::Experiment experiment = test::randomExperiment(random, 8, 16);
            const auto schedule = schedule::makeSchedule(experiment);
            if (!schedule)
                continue;
            const int slow = static_cast<int>(random.nextInteger(0, schedule->devices() - 1));
            experiment.whatIf.slow = fmt::format("{}=2.5", slow);
            const simulate::CostModel costs = test::randomCosts(random, *schedule);
            const auto changed = simulate::withWhatIfs(costs, experiment, *schedule);
            QVERIFY2(changed.ok(), changed ? "" : changed.error().text().c_str());
            const auto before = simulate::simulate(*schedule, costs);
            const auto after = simulate::simulate(*schedule, *changed);
            QVERIFY(before.ok() && after.ok());
            QVERIFY(after->makespan() >= before->makespan());
            QVERIFY(after->makespan() >= simulate::lowerBound(*schedule, *changed));
            for (int device = 0; device < schedule->devices(); ++device) {
                const timeline::Lane &old = before->lanes[static_cast<std::size_t>(device)];
                const timeline::Lane &now = after->lanes[static_cast<std::size_t>(device)];
                for (std::size_t i = 0; i < old.size(); ++i) {
                    const auto length = static_cast<double>(old.end[i] - old.begin[i]);
                    const double factor = device == slow ? 2.5 : 1;
                    QVERIFY(std::abs(static_cast<double>(now.end[i] - now.begin[i]) - factor * length) <= 1);
                }
            }
        }
    }

    /// Microbatches of any work: the bound holds, and what the passes last is their work.
    void lowerBoundsHoldForUnequalMicrobatches()
    {
        base::Random random = seeded();
        for (int round = 0; round < kPlans; ++round) {
            const auto schedule = test::randomSchedule(random, 8, 16);
            if (!schedule)
                continue;
            simulate::CostModel costs = test::randomCosts(random, *schedule);
            simulate::MicrobatchWork work;
            for (int microbatch = 0; microbatch < schedule->microbatches(); ++microbatch) {
                work.tokens.push_back(0.1 + 2 * random.nextUniform());
                work.compute.push_back(work.tokens.back());
                work.quadratic.push_back(0.1 + 4 * random.nextUniform());
            }
            costs.work = std::make_shared<const simulate::MicrobatchWork>(std::move(work));
            const auto timeline = simulate::simulate(*schedule, costs);
            QVERIFY(timeline.ok());
            QVERIFY(timeline->makespan() >= simulate::lowerBound(*schedule, costs));
        }
    }
};

STAGELENS_TEST(SlowDevice)

} // namespace property_slow_device

#include "slow_device.moc"
