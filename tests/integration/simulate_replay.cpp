// Replays 16 measured training runs (8 x A100, arXiv 2411.05288) from their own pass durations, and predicts them from the
// hardware preset.
#include "engine/model/presets.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace integration_simulate_replay {

using namespace stagelens;
using model::VocabularyMethod;

namespace {

/// The durations of a run as a file: messages of 0.35 ms, the output layer's time split between S and T by their products.
std::string durationsCsv(const test::MeasuredRun &run, VocabularyMethod method)
{
    std::string csv = "device,stage,pass,duration_us\n*,*,send,350\n";
    const double shareOfS = method == VocabularyMethod::Vocab1 ? 1.0 / 3 : 2.0 / 3;
    for (std::size_t device = 0; device < 8; ++device) {
        const auto add = [&](const char *pass, double micros) { csv += fmt::format("{},*,{},{:.3f}\n", device, pass, micros); };
        add("F", run.forward[device]);
        add("B", run.backward[device]);
        if (!model::traits(method).isSharded)
            continue;
        add("S", run.output[device] * shareOfS);
        add("T", run.output[device] * (1 - shareOfS));
        add("EF", run.inputForward[device]);
        add("EB", run.inputBackward[device]);
    }
    return csv;
}

} // namespace

class SimulateReplay : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        for (const test::MeasuredRun &run : test::measuredRuns()) {
            if (test::methodOf(run))
                m_runs.push_back(run);
        }
        QCOMPARE(m_runs.size(), 16U);
    }

    void predictsEveryIterationFromItsDurations()
    {
        std::vector<double> errors;
        for (const test::MeasuredRun &run : m_runs) {
            const VocabularyMethod method = *test::methodOf(run);
            const auto schedule = schedule::makeSchedule(test::measuredExperiment(run, method));
            QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.error().text().c_str());
            const auto costs = simulate::measuredCosts(durationsCsv(run, method), "replay", *schedule);
            QVERIFY2(costs.ok(), costs.ok() ? "" : costs.error().text().c_str());
            const auto timeline = simulate::simulate(*schedule, *costs);
            QVERIFY(timeline.ok());
            const double predicted = static_cast<double>(timeline->makespan()) / 1e6;
            errors.push_back(std::abs(predicted / run.iterationMs - 1));
            QVERIFY2(errors.back() <= 0.035, qPrintable(QString("%1 %2: %3 ms, measured %4 ms")
                                                            .arg(QString::fromStdString(run.method))
                                                            .arg(run.vocabularySize)
                                                            .arg(predicted)
                                                            .arg(run.iterationMs)));
        }
        std::ranges::sort(errors);
        QVERIFY2((errors[7] + errors[8]) / 2 <= 0.015, qPrintable(QString::number((errors[7] + errors[8]) / 2)));
    }

    void predictsEveryIterationFromTheHardware()
    {
        const base::Result<model::Hardware> hardware = model::hardwarePreset("a100-80gb");
        QVERIFY2(hardware.ok(), hardware.ok() ? "" : hardware.error().text().c_str());
        for (const test::MeasuredRun &run : m_runs) {
            const model::Experiment experiment = test::measuredExperiment(run, *test::methodOf(run));
            const auto schedule = schedule::makeSchedule(experiment);
            QVERIFY(schedule.ok());
            const auto timeline = simulate::simulate(*schedule, simulate::analyticCosts(experiment, *hardware, *schedule));
            QVERIFY(timeline.ok());
            const double predicted = static_cast<double>(timeline->iteration()) / 1e6;
            QVERIFY2(std::abs(predicted / run.iterationMs - 1) < 0.04, qPrintable(QString("%1 %2: %3 ms, measured %4 ms")
                                                                                      .arg(QString::fromStdString(run.method))
                                                                                      .arg(run.vocabularySize)
                                                                                      .arg(predicted)
                                                                                      .arg(run.iterationMs)));
        }
    }

    void predictsPeakMemory()
    {
        for (const test::MeasuredRun &run : m_runs) {
            const test::Plan plan = test::planOf(test::measuredExperiment(run, *test::methodOf(run)));
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const simulate::Metrics metrics =
                simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
            const auto [least, most] = std::ranges::minmax(metrics.peakMemory);
            constexpr double kMib = 1 << 20;
            QVERIFY(std::abs(static_cast<double>(most) / kMib / run.mostAllocatedMib - 1) < 0.03);
            QVERIFY(std::abs(static_cast<double>(least) / kMib / run.leastAllocatedMib - 1) < 0.03);
        }
    }

private:
    std::vector<test::MeasuredRun> m_runs;
};

STAGELENS_TEST(SimulateReplay)

} // namespace integration_simulate_replay

#include "simulate_replay.moc"
