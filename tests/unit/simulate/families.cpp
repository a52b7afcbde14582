// Published figures of the families: makespans in units, bubble rates (arXiv 2401.10241, table 5), peaks of activations.
#include "tests/support/simulate_support.h"

#include "engine/simulate/metrics.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>

namespace unit_simulate_families {

using namespace stagelens;
using model::VocabularyMethod;

namespace {

constexpr double kMilli = static_cast<double>(base::kNanosPerMilli);

/// Longest time that a device is at work, first begin to last end, in milliseconds.
double longestSpan(const timeline::Timeline &timeline)
{
    base::Nanos longest = 0;
    for (const timeline::Lane &lane : timeline.lanes)
        longest = std::max(longest, lane.end.back() - lane.begin.front());
    return static_cast<double>(longest) / kMilli;
}

std::map<std::string, double> units()
{
    return {{"F", 1}, {"B", 2}, {"I", 1}, {"W", 1}};
}

} // namespace

class SimulateFamilies : public QObject {
    Q_OBJECT

private slots:
    void ownDurationsOfOverlappedPairsPredictTheSame()
    {
        std::map<std::string, double> costs = units();
        costs["FB"] = 2.4; // of 3 one after another
        const test::Plan plan = test::planOf(test::teachingExperiment("dualpipe-v", 4, 12, VocabularyMethod::None, costs));
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        const auto again = simulate::simulate(plan.schedule, simulate::costsOf(plan.timeline, plan.schedule, plan.costs));
        QVERIFY(again.ok());
        QCOMPARE(again->makespan(), plan.timeline.makespan());
    }

    void makespans_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<double>("makespan");
        QTest::newRow("1f1b") << "1f1b" << 32 << 512 << 1629.0;
        QTest::newRow("eager-1f1b") << "eager-1f1b" << 32 << 512 << 1629.0;
        QTest::newRow("gpipe") << "gpipe" << 8 << 64 << 213.0;
        QTest::newRow("zb-h1") << "zb-h1" << 32 << 512 << 1567.0;
        QTest::newRow("zb-h1 8x64") << "zb-h1" << 8 << 64 << 199.0;
        QTest::newRow("zb-h1 32x128") << "zb-h1" << 32 << 128 << 415.0;
        QTest::newRow("zb-h2") << "zb-h2" << 8 << 64 << 192.0;
        QTest::newRow("interleaved-1f1b") << "interleaved-1f1b" << 8 << 64 << 405.0;
        QTest::newRow("breadth-first") << "breadth-first" << 8 << 64 << 405.0;
        QTest::newRow("interlaced") << "interlaced" << 8 << 64 << 213.0;
    }
    void makespans()
    {
        QFETCH(const QString, family);
        QFETCH(const int, devices);
        QFETCH(const int, microbatches);
        const test::Plan plan = test::planOf(
            test::teachingExperiment(family.toStdString(), devices, microbatches, VocabularyMethod::None, units()));
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        QTEST(longestSpan(plan.timeline), "makespan");
    }

    void groupsOfGis_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<int>("group");
        QTest::addColumn<double>("interleaved");
        QTest::addColumn<double>("gis");
        // Full groups: (p - 1)(F + I) beyond the work, where interleaved 1F1B has (p - 1)(F + I + W).
        QTest::newRow("4x2") << 4 << 2 << 8 << 4 << 57.0 << 54.0;
        QTest::newRow("4x4") << 4 << 4 << 8 << 4 << 105.0 << 102.0;
        QTest::newRow("8x2") << 8 << 2 << 16 << 8 << 117.0 << 110.0;
        // Small groups: (p - g)(v - 1) more.
        QTest::newRow("4x2, half") << 4 << 2 << 8 << 2 << 57.0 << 56.0;
        QTest::newRow("8x4, five of eight") << 8 << 4 << 20 << 5 << 261.0 << 263.0;
        QTest::newRow("6x3, half") << 6 << 3 << 12 << 3 << 123.0 << 124.0;
    }
    void groupsOfGis()
    {
        QFETCH(const int, devices);
        QFETCH(const int, chunks);
        QFETCH(const int, microbatches);
        QFETCH(const int, group);
        QFETCH(const double, interleaved);
        QFETCH(const double, gis);
        const auto planOf = [&](const char *family) {
            model::Experiment experiment =
                test::teachingExperiment(family, devices, microbatches, VocabularyMethod::None, units());
            experiment.schedule.chunks = chunks;
            if (family == std::string_view("gis"))
                experiment.schedule.groupSize = group;
            return test::planOf(experiment);
        };
        const test::Plan before = planOf("interleaved-1f1b");
        QCOMPARE(longestSpan(before.timeline), interleaved);
        const test::Plan plan = planOf("gis");
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        QCOMPARE(longestSpan(plan.timeline), gis);
        const std::vector<double> peaks =
            simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, nullptr, 0).peakActivationMicrobatches;
        for (int device = 0; device < devices; ++device)
            QCOMPARE(peaks[static_cast<std::size_t>(device)] * chunks, group * (chunks - 1) + devices - device);
    }

    void publishedBubbleRates_data()
    {
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<double>("forward");
        QTest::addColumn<double>("input");
        QTest::addColumn<double>("weight");
        QTest::addColumn<double>("send");
        QTest::addColumn<double>("plain");
        QTest::addColumn<double>("zbH1");
        QTest::addColumn<double>("zbH2");
        QTest::newRow("1.5B 24") << 24 << 18.522 << 18.086 << 9.337 << 0.601 << 0.2431 << 0.1585 << 0.1083;
        QTest::newRow("1.5B 32") << 32 << 18.513 << 18.086 << 9.331 << 0.626 << 0.1985 << 0.1242 << 0.0837;
        QTest::newRow("1.5B 64") << 64 << 18.546 << 18.097 << 9.321 << 0.762 << 0.1240 << 0.0674 << 0.0444;
        QTest::newRow("6.2B 24") << 24 << 29.718 << 29.444 << 19.927 << 0.527 << 0.2347 << 0.1323 << 0.0698;
        QTest::newRow("6.2B 32") << 32 << 29.802 << 29.428 << 19.530 << 0.577 << 0.1898 << 0.1045 << 0.0559;
        QTest::newRow("6.2B 64") << 64 << 29.935 << 29.621 << 19.388 << 0.535 << 0.1091 << 0.0554 << 0.0294;
    }
    void publishedBubbleRates()
    {
        QFETCH(const int, microbatches);
        QFETCH(const double, forward);
        QFETCH(const double, input);
        QFETCH(const double, weight);
        QFETCH(const double, send);
        QFETCH(const double, plain);
        QFETCH(const double, zbH1);
        QFETCH(const double, zbH2);
        for (const auto &[family, rate] : {std::pair("1f1b", plain), std::pair("zb-h1", zbH1), std::pair("zb-h2", zbH2)}) {
            const test::Plan plan = test::planOf(
                test::teachingExperiment(family, 8, microbatches, VocabularyMethod::None,
                                         {{"F", forward}, {"B", input + weight}, {"I", input}, {"W", weight}, {"send", send}}));
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const double work = microbatches * (forward + input + weight);
            const double found = 1 - work / longestSpan(plan.timeline);
            // ZB-H2 may be shorter than the handcrafted order that was published.
            const double apart = family == std::string_view("zb-h2") ? std::max(0.0, found - rate) : std::abs(found - rate);
            QVERIFY2(apart < 0.00006, fmt::format("{}: {}, published {}", family, found, rate).c_str());
        }
    }

    void peaksCountWholeDevices()
    {
        const auto peaks = [](const char *family, VocabularyMethod method) {
            const test::Plan plan = test::planOf(test::teachingExperiment(family, 8, 64, method, units()));
            return simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, nullptr, 0)
                .peakActivationMicrobatches;
        };
        using List = std::vector<double>;
        QCOMPARE(peaks("interleaved-1f1b", VocabularyMethod::None), (List{11.5, 10.5, 9.5, 8.5, 7.5, 6.5, 5.5, 4.5}));
        QCOMPARE(peaks("interleaved-1f1b", VocabularyMethod::Vocab1), (List{13.5, 12.5, 11.5, 10.5, 9.5, 8.5, 7.5, 6.5}));
        QCOMPARE(peaks("eager-1f1b", VocabularyMethod::None), (List{15, 13, 11, 9, 7, 5, 3, 1}));
        QCOMPARE(peaks("zb-h1", VocabularyMethod::None), List(8, 8));
        QCOMPARE(peaks("zb-h2", VocabularyMethod::Vocab2), List(8, 16));
        QCOMPARE(peaks("interlaced", VocabularyMethod::None), (List{12, 11, 10, 9, 8, 7, 6, 5}));
    }

    void fullRecomputationRunsTheForwardAgain()
    {
        for (const auto &[family, plain] : {std::pair("1f1b", 57.0), std::pair("zb-h1", 51.0)}) {
            model::Experiment experiment = test::teachingExperiment(family, 4, 16, VocabularyMethod::None, units());
            QCOMPARE(longestSpan(test::planOf(experiment).timeline), plain);
            experiment.schedule.recompute = model::Recompute::Full;
            QVERIFY(longestSpan(test::planOf(experiment).timeline) >= plain + 16);
        }
    }

    void asynchronousFamiliesHoldWeightVersions()
    {
        const test::Plan stashing = test::planOf(test::teachingExperiment("pipedream", 4, 16, VocabularyMethod::None, units()));
        const test::Plan buffered =
            test::planOf(test::teachingExperiment("pipedream-2bw", 4, 16, VocabularyMethod::None, units()));
        for (int device = 0; device < 4; ++device) {
            QCOMPARE(schedule::weightVersions(stashing.schedule, device), 4 - device);
            QCOMPARE(schedule::weightVersions(buffered.schedule, device), 2);
        }
    }
};

STAGELENS_TEST(SimulateFamilies)

} // namespace unit_simulate_families

#include "simulate/families.moc"
