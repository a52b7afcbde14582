// Random durations: means that another program found, quantiles in order, and the same answer with any number of threads.
#include "engine/simulate/sensitivity/jitter.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <numeric>

namespace unit_simulate_jitter {

using namespace stagelens;
using model::VocabularyMethod;

namespace {

test::Plan teaching(const std::string &family, int devices, int microbatches)
{
    const bool splits = family == "zb-h1";
    test::Plan plan = test::planOf(test::teachingExperiment(family, devices, microbatches, VocabularyMethod::None,
                                                            splits ? std::map<std::string, double>{{"F", 1}, {"I", 1}, {"W", 1}}
                                                                   : std::map<std::string, double>{{"F", 1}, {"B", 2}}));
    if (!plan.error.empty())
        qFatal("%s", plan.error.c_str());
    return plan;
}

simulate::JitterResult jitterOf(const test::Plan &plan, const simulate::JitterOptions &options)
{
    const auto result = simulate::simulateJitter(plan.schedule, plan.costs, options);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *result;
}

} // namespace

class SimulateJitter : public QObject {
    Q_OBJECT

private slots:
    /// Mean and 95 % of the makespan, relative to equal passes: 4 devices, 8 microbatches, 400 draws of another program.
    void meansOfOtherDraws_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<double>("variation");
        QTest::addColumn<double>("mean");
        QTest::addColumn<double>("p95");
        const auto add = [](const char *family, double variation, double mean, double p95) {
            QTest::addRow("%s %g", family, variation) << family << variation << mean << p95;
        };
        add("gpipe", 0.05, 1.023, 1.038);
        add("gpipe", 0.1, 1.045, 1.075);
        add("gpipe", 0.2, 1.090, 1.154);
        add("1f1b", 0.05, 1.017, 1.034);
        add("1f1b", 0.1, 1.035, 1.071);
        add("1f1b", 0.2, 1.076, 1.144);
        add("zb-h1", 0.05, 1.017, 1.030);
        add("zb-h1", 0.1, 1.034, 1.060);
        add("zb-h1", 0.2, 1.069, 1.120);
    }
    void meansOfOtherDraws()
    {
        QFETCH(QString, family);
        QFETCH(double, variation);
        QFETCH(double, mean);
        QFETCH(double, p95);
        const test::Plan plan = teaching(family.toStdString(), 4, 8);
        const auto result = jitterOf(plan, {variation, 20'000, 1, 2});
        const auto whole = static_cast<double>(plan.timeline.makespan());
        const double found = static_cast<double>(result.makespan.mean) / whole;
        const double late = static_cast<double>(result.makespan.p95) / whole;
        qInfo() << family << variation << "mean" << found << "p95" << late;
        QVERIFY2(std::abs(found - mean) < 0.006, qPrintable(QString::number(found)));
        QVERIFY2(std::abs(late - p95) < 0.012, qPrintable(QString::number(late))); // of 400 draws, 20 decide
    }

    void equalPassesHaveNoBand()
    {
        const test::Plan plan = teaching("1f1b", 4, 8);
        const auto result = jitterOf(plan, {0, 3, 1, 1});
        for (const base::Nanos each : {result.makespan.p05, result.makespan.p50, result.makespan.p95, result.makespan.mean})
            QCOMPARE(each, plan.timeline.makespan());
        QCOMPARE(result.iteration.mean, plan.timeline.iteration());
    }

    void threadsChangeNothing()
    {
        const test::Plan plan = teaching("1f1b", 4, 16);
        const auto one = jitterOf(plan, {0.1, 101, 7, 1});
        const auto four = jitterOf(plan, {0.1, 101, 7, 4});
        QCOMPARE(four.makespan.p05, one.makespan.p05);
        QCOMPARE(four.makespan.p95, one.makespan.p95);
        QCOMPARE(four.makespan.mean, one.makespan.mean);
        QCOMPARE(four.criticalShare, one.criticalShare);
        QCOMPARE(four.sensitivity, one.sensitivity);
        QVERIFY(jitterOf(plan, {0.1, 101, 8, 1}).makespan.mean != one.makespan.mean);
        QVERIFY(one.makespan.p05 < one.makespan.p50 && one.makespan.p50 < one.makespan.p95);
    }

    /// The sensitivity of a device is what a device that is 1 % slower costs, found by slowing it.
    void sensitivityIsTheCostOfASlowerDevice()
    {
        const test::Plan plan = teaching("1f1b", 4, 8);
        const auto result = jitterOf(plan, {0.2, 20'000, 3, 2});
        double sum = 0;
        for (int device = 0; device < 4; ++device) {
            test::Plan slower = plan;
            slower.costs.slowDown(device, 1.001);
            const auto changed = jitterOf(slower, {0.2, 20'000, 3, 2});
            const double cost =
                (static_cast<double>(changed.makespan.mean) / static_cast<double>(result.makespan.mean) - 1) / 0.001;
            const double found = result.sensitivity[static_cast<std::size_t>(device)];
            QVERIFY2(std::abs(cost - found) < 0.02,
                     qPrintable(QString("device %1: %2 and %3").arg(device).arg(cost).arg(found)));
            sum += found;
        }
        QVERIFY(std::abs(sum - 1) < 1e-6); // messages take no time
        QVERIFY(std::abs(std::accumulate(result.criticalShare.begin(), result.criticalShare.end(), 0.0) - 1) < 1e-9);
    }

    void aSlowDeviceIsCritical()
    {
        test::Plan plan = teaching("1f1b", 4, 16);
        plan.costs.slowDown(2, 1.5);
        const auto result = jitterOf(plan, {0.05, 200, 1, 2});
        QVERIFY(result.criticalShare[2] > 0.99);
        QVERIFY(result.sensitivity[2] > 0.8);
    }

    /// A step ends with the slowest of its replicas: their mean is greater, and a slow one decides.
    void replicasAreDrawnEach()
    {
        test::Plan plan = teaching("1f1b", 4, 8);
        const auto one = jitterOf(plan, {0.1, 1000, 1, 2});
        plan.costs.replicas = 8;
        const auto eight = jitterOf(plan, {0.1, 1000, 1, 2});
        QVERIFY(eight.makespan.mean > one.makespan.p50);
        QVERIFY(eight.makespan.p05 > one.makespan.p05);
        const double share = static_cast<double>(eight.makespan.p50) / static_cast<double>(one.makespan.p95);
        QVERIFY2(std::abs(share - 1) < 0.01, qPrintable(QString::number(share))); // 0.5^(1/8) is the quantile 91.7 %
        plan.costs.classes = {{0, 7, {1, 1, 1, 1}, nullptr}, {7, 1, {1, 1, 1.5, 1}, nullptr}};
        QVERIFY(jitterOf(plan, {0.1, 200, 1, 2}).criticalShare[2] > 0.99);
    }

    void stopsWithinADraw()
    {
        const test::Plan plan = teaching("1f1b", 32, 512);
        std::stop_source source;
        int reports = 0;
        simulate::JitterOptions options{0.1, 1'000'000, 1, 2, source.get_token(), [&](int done, int total) {
                                            QVERIFY(done > 0 && done <= total);
                                            if (++reports == 3)
                                                source.request_stop();
                                        }};
        const auto result = simulate::simulateJitter(plan.schedule, plan.costs, options);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, base::ErrorKind::Cancelled);
        QCOMPARE(reports, 3);
    }
};

STAGELENS_TEST(SimulateJitter)

} // namespace unit_simulate_jitter

#include "simulate/jitter.moc"
