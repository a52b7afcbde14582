// Figures of the simulator that are known beforehand: formulas and published rates.
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace unit_simulate_goldens {

using namespace stagelens;
using base::kNanosPerMilli;
using model::VocabularyMethod;
using schedule::makePass;
using schedule::PassKind;

namespace {

struct PublishedRate {
    int microbatches;
    double forward, input, weight, send, rate;
};

/// Two devices, one microbatch, and a B of the first stage that waits for a B that comes after what waits for it.
schedule::Schedule knottedSchedule()
{
    const std::vector<std::vector<schedule::Pass>> passes{
        {makePass(PassKind::F, 0, 0), makePass(PassKind::B, 0, 0), makePass(PassKind::F, 0, 1), makePass(PassKind::B, 0, 1)},
        {makePass(PassKind::F, 1, 1), makePass(PassKind::F, 1, 0), makePass(PassKind::B, 1, 0), makePass(PassKind::B, 1, 1)}};
    return {"custom", schedule::Placement::linear(2), 2, VocabularyMethod::None, passes};
}

} // namespace

class SimulateGoldens : public QObject {
    Q_OBJECT

private slots:
    void oneForwardOneBackwardAndGpipeTake1629Milliseconds()
    {
        for (const char *family : {"1f1b", "gpipe"}) {
            const test::Plan plan =
                test::planOf(test::teachingExperiment(family, 32, 512, VocabularyMethod::None, {{"F", 1}, {"B", 2}}));
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            QCOMPARE(plan.timeline.makespan(), 1629 * kNanosPerMilli);
            QCOMPARE(simulate::lowerBound(plan.schedule, plan.costs), 1629 * kNanosPerMilli);
            QCOMPARE(plan.timeline.sliceCount(), std::size_t{32} * 512 * 2);
        }
    }

    void activationPeaks_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("extra");
        QTest::newRow("1f1b") << "1f1b" << static_cast<int>(VocabularyMethod::None) << 0;
        QTest::newRow("vocab-2") << "1f1b" << static_cast<int>(VocabularyMethod::Vocab2) << 1;
        QTest::newRow("vocab-1") << "1f1b" << static_cast<int>(VocabularyMethod::Vocab1) << 2;
        QTest::newRow("vocab-naive") << "1f1b" << static_cast<int>(VocabularyMethod::Naive) << 3;
        QTest::newRow("gpipe") << "gpipe" << static_cast<int>(VocabularyMethod::None) << 1000;
        QTest::newRow("gpipe vocab-1") << "gpipe" << static_cast<int>(VocabularyMethod::Vocab1) << 1000;
    }
    void activationPeaks()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        QFETCH(int, extra);
        for (const auto &[devices, microbatches] : {std::pair{1, 4}, {2, 3}, {4, 16}, {8, 8}, {8, 64}, {32, 40}}) {
            const test::Plan plan = test::planOf(test::teachingExperiment(family.toStdString(), devices, microbatches,
                                                                          static_cast<VocabularyMethod>(method),
                                                                          {{"F", 1}, {"B", 2}, {"S", .25}, {"T", .25}}));
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            for (int device = 0; device < devices; ++device)
                QCOMPARE(simulate::peakActivationMicrobatches(plan.timeline, plan.schedule.placement(), device),
                         static_cast<double>(std::min(microbatches, devices - device + extra)));
        }
    }

    void shardedVocabularyAddsNoBubble_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<double>("embedding");
        for (const double embedding : {0.0, 0.1}) {
            QTest::addRow("vocab-1, EF = EB = %g", embedding) << static_cast<int>(VocabularyMethod::Vocab1) << embedding;
            QTest::addRow("vocab-2, EF = EB = %g", embedding) << static_cast<int>(VocabularyMethod::Vocab2) << embedding;
        }
    }
    void shardedVocabularyAddsNoBubble()
    {
        QFETCH(int, method);
        QFETCH(double, embedding);
        for (const int devices : {2, 4, 8, 16, 32}) {
            const test::Plan plan = test::planOf(
                test::teachingExperiment("1f1b", devices, 4 * devices, static_cast<VocabularyMethod>(method),
                                         {{"F", 1}, {"B", 2}, {"S", .25}, {"T", .25}, {"EF", embedding}, {"EB", embedding}}));
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const simulate::Metrics metrics =
                simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
            for (int device = 0; device < devices; ++device) {
                const base::Nanos idle = metrics.makespan - metrics.busyPerDevice[static_cast<std::size_t>(device)];
                QVERIFY2(idle <= (devices - 1) * 3 * kNanosPerMilli,
                         qPrintable(QString("device %1 of %2 idles %3 ms").arg(device).arg(devices).arg(double(idle) / 1e6)));
            }
        }
    }

    /// Zero Bubble paper, tables 5 and 9, 8 devices: rate = 1 - m (F + B + W) / cost, cost = longest device.
    void zeroBubblePaperRates()
    {
        const PublishedRate rates[] = {
            {24, 18.522, 18.086, 9.337, 0.601, 0.2431},  {32, 18.513, 18.086, 9.331, 0.626, 0.1985},
            {64, 18.546, 18.097, 9.321, 0.762, 0.1240},  {24, 29.718, 29.444, 19.927, 0.527, 0.2347},
            {32, 29.802, 29.428, 19.530, 0.577, 0.1898}, {64, 29.935, 29.621, 19.388, 0.535, 0.1091}};
        for (const PublishedRate &row : rates) {
            const test::Plan plan = test::planOf(
                test::teachingExperiment("1f1b", 8, row.microbatches, VocabularyMethod::None,
                                         {{"F", row.forward}, {"I", row.input}, {"W", row.weight}, {"send", row.send}}));
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            base::Nanos cost = 0;
            for (const timeline::Lane &lane : plan.timeline.lanes)
                cost = std::max(cost, lane.end.back() - lane.begin.front());
            const double work = row.microbatches * (row.forward + row.input + row.weight) * 1e6;
            const double rate = 1 - work / static_cast<double>(cost);
            QVERIFY2(std::abs(rate - row.rate) < 0.00006, qPrintable(QString("m %1: %2").arg(row.microbatches).arg(rate)));
        }
    }

    void messagesDelayAndCollectivesFollowTheLastDevice()
    {
        const test::Plan plan = test::planOf(
            test::teachingExperiment("1f1b", 2, 1, VocabularyMethod::Vocab1,
                                     {{"F", 10}, {"B", 20}, {"S", 1}, {"T", 2}, {"send", 3}, {"c0", 4}, {"c1", 5}, {"c2", 6}}));
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        const auto beginOf = [&](PassKind kind, int stage, int device) {
            const auto found = timeline::findSlice(plan.timeline, makePass(kind, stage, 0), device);
            return found ? plan.timeline.lanes[std::size_t(device)].begin[found->index] / kNanosPerMilli : -1;
        };
        QCOMPARE(beginOf(PassKind::F, 1, 1), 13);
        QCOMPARE(beginOf(PassKind::S, 0, 0), 27);
        QCOMPARE(beginOf(PassKind::T, 1, 1), 33);
        QCOMPARE(beginOf(PassKind::B, 1, 1), 41);
        QCOMPARE(beginOf(PassKind::B, 0, 0), 64);
        const auto transfers = simulate::transfersOf(plan.timeline, plan.schedule, plan.costs);
        // EF's sum, F's message, C0, C1, C2, B's message, the embedding's gradient.
        QCOMPARE(transfers.size(), 7U);
        QVERIFY(std::ranges::is_sorted(transfers, {}, &timeline::TransferSlice::begin));
        QCOMPARE(transfers[1].transfer, schedule::Transfer::Send);
        QCOMPARE(transfers[1].device, std::int16_t{0});
        QCOMPARE(transfers[1].peer, std::int16_t{1});
        QCOMPARE(transfers[1].end - transfers[1].begin, 3 * kNanosPerMilli);
        QCOMPARE(transfers[4].transfer, schedule::Transfer::ReduceGradient);
        QCOMPARE(transfers[4].begin, 35 * kNanosPerMilli);
        QCOMPARE(transfers[4].peer, std::int16_t{-1});
    }

    void blockingCollectivesKeepTheirDevicesWaiting()
    {
        model::Experiment experiment = test::teachingExperiment(
            "1f1b", 4, 16, VocabularyMethod::Vocab1, {{"F", 1}, {"B", 2}, {"S", .3}, {"T", .3}, {"c1", .2}, {"c2", .2}});
        const test::Plan beside = test::planOf(experiment);
        experiment.cost.collectives = model::Collectives::Blocking;
        const test::Plan blocking = test::planOf(experiment);
        QVERIFY2(blocking.error.empty(), blocking.error.c_str());
        QVERIFY(blocking.timeline.makespan() > beside.timeline.makespan());
        // After S of a microbatch nothing begins on any device until all have ended it, and C1 with it.
        for (int microbatch = 0; microbatch < 16; ++microbatch) {
            base::Nanos complete = 0;
            std::vector<timeline::SliceId> slices;
            for (int device = 0; device < 4; ++device) {
                slices.push_back(*timeline::findSlice(blocking.timeline, makePass(PassKind::S, device, microbatch), device));
                complete = std::max(complete, blocking.timeline.lanes[std::size_t(device)].end[slices.back().index]);
            }
            for (const timeline::SliceId &slice : slices) {
                const timeline::Lane &lane = blocking.timeline.lanes[std::size_t(slice.device)];
                if (slice.index + 1 < lane.size())
                    QVERIFY(lane.begin[slice.index + 1] >= complete + kNanosPerMilli / 5);
            }
        }
    }

    void overlappedPairsEndTogether()
    {
        schedule::Pass forward = makePass(PassKind::F, 0, 1);
        forward.pairedWithNext = true;
        const schedule::Schedule schedule(
            "custom", schedule::Placement::linear(1), 2, VocabularyMethod::None,
            {{makePass(PassKind::F, 0, 0), forward, makePass(PassKind::B, 0, 0), makePass(PassKind::B, 0, 1)}});
        const auto costs = simulate::uniformCosts({{{"F", 1}, {"B", 2}, {"FB", 2.4}}}, schedule);
        QVERIFY(costs.ok());
        const auto timeline = simulate::simulate(schedule, *costs);
        QVERIFY(timeline.ok());
        QCOMPARE(timeline->lanes[0].end, (std::vector<base::Nanos>{1'000'000, 1'800'000, 3'400'000, 5'400'000}));
        QVERIFY(simulate::lowerBound(schedule, *costs) <= timeline->makespan());
    }

    void deadlockNamesTheDevicesThatWait()
    {
        const schedule::Schedule schedule = knottedSchedule();
        const auto costs = simulate::uniformCosts({{{"F", 1}, {"B", 2}}}, schedule);
        const auto timeline = simulate::simulate(schedule, *costs);
        QVERIFY(!timeline.ok());
        QCOMPARE(timeline.error().kind, base::ErrorKind::Failed);
        const QString text = QString::fromStdString(timeline.error().text());
        QVERIFY2(text.contains("device 0 waits at position 1") && text.contains("device 1 waits at position 0"),
                 qPrintable(text));
    }

    void missingPassesAreNamed()
    {
        const schedule::Schedule schedule(
            "custom", schedule::Placement::linear(2), 1, VocabularyMethod::None,
            {{makePass(PassKind::F, 0, 0)}, {makePass(PassKind::F, 1, 0), makePass(PassKind::B, 1, 0)}});
        const auto costs = simulate::uniformCosts({{{"F", 1}}}, schedule);
        QVERIFY(simulate::simulate(schedule, *costs).ok());
        const schedule::Schedule broken("custom", schedule::Placement::linear(2), 1, VocabularyMethod::None,
                                        {{}, {makePass(PassKind::F, 1, 0)}});
        const auto failed = simulate::simulate(broken, *costs);
        QVERIFY(!failed.ok());
        QVERIFY(QString::fromStdString(failed.error().text()).contains("no device has"));
        const schedule::Schedule stray("custom", schedule::Placement::linear(1), 1, VocabularyMethod::None,
                                       {{makePass(PassKind::F, 0, 7)}});
        QVERIFY(!simulate::simulate(stray, *simulate::uniformCosts({}, stray)).ok());
    }
};

STAGELENS_TEST(SimulateGoldens)

} // namespace unit_simulate_goldens

#include "simulate/goldens.moc"
