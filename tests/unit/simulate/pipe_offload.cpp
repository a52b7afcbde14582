// PO-H and PO-F (PipeOffload, arXiv 2503.01328): activations of every device with and without their copies, against the
// formulas of the paper, and the bubble. Passes take 1 ms (F = I = W), so a copy each way takes 1.5 k ms.
#include "engine/base/random.h"
#include "engine/model/family_shape.h"
#include "engine/simulate/metrics.h"
#include "engine/simulate/planned_schedule.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace unit_simulate_pipe_offload {

using namespace stagelens;

namespace {

model::Experiment experimentOf(const char *family, int devices, int chunks, std::map<std::string, double> costs)
{
    model::Experiment experiment =
        test::teachingExperiment(family, devices, 4 * devices, model::VocabularyMethod::None, std::move(costs));
    experiment.parallel.stageLayers.clear();
    experiment.schedule.chunks = chunks;
    return experiment;
}

/// F = I = W; both copies of a chunk take `ratio` times as long as its passes.
std::map<std::string, double> units(double ratio)
{
    return {{"F", 1}, {"B", 2}, {"I", 1}, {"W", 1}, {"OFF", 1.5 * ratio}, {"ON", 1.5 * ratio}};
}

struct Planned {
    double makespan = 0;               ///< milliseconds
    std::vector<double> peaks;         ///< chunks on each device over predicted time
    std::vector<double> anchoredPeaks; ///< by the anchors of the copies, which the memory plan counts
    std::size_t copies = 0;            ///< on all devices, in both directions
};

Planned planned(const model::Experiment &experiment)
{
    const auto schedule = simulate::orderedSchedule(experiment);
    const auto costs = schedule ? simulate::makeCostModel(experiment, *schedule) : schedule.error();
    const auto timeline = costs ? simulate::simulate(*schedule, *costs) : costs.error();
    if (!timeline)
        qFatal("%s", timeline.error().text().c_str());
    simulate::Metrics metrics = simulate::computeMetrics(experiment, *schedule, *timeline, &*costs, 0);
    Planned plan;
    plan.makespan = static_cast<double>(timeline->makespan()) / static_cast<double>(base::kNanosPerMilli);
    const int chunks = model::stagesPerDevice(experiment.schedule);
    for (int device = 0; device < schedule->devices(); ++device) {
        const auto at = static_cast<std::size_t>(device);
        plan.peaks.push_back(metrics.peakActivationMicrobatches[at] * chunks);
        plan.anchoredPeaks.push_back(
            (schedule->hasCopies() ? metrics.anchoredActivationMicrobatches : metrics.peakActivationMicrobatches)[at] * chunks);
        plan.copies += schedule->copies(device).size();
    }
    return plan;
}

void addSizes()
{
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("chunks");
    for (const int devices : {4, 8})
        for (const int chunks : {2, 4})
            QTest::addRow("%d devices, %d chunks", devices, chunks) << devices << chunks;
}

} // namespace

class PipeOffload : public QObject {
    Q_OBJECT

private slots:
    void orderHoldsItsFormula_data() { addSizes(); }
    /// A(v - 1) + p - r chunks without offload, as on the page of po-h.
    void orderHoldsItsFormula()
    {
        QFETCH(const int, devices);
        QFETCH(const int, chunks);
        const int round = devices / 2;
        const auto made = schedule::makeSchedule(experimentOf("po-h", devices, chunks, {}));
        QVERIFY(made.ok());
        for (int device = 0; device < devices; ++device)
            QCOMPARE(schedule::peakActivations(*made, device),
                     (chunks - 1) * round + std::gcd(round, chunks) - 1 + devices - device);
    }

    void halfHoldsAQuarter_data() { addSizes(); }
    /// (v + 2) / (8 v) of 1F1B's p microbatches, which are p (v + 2) / 8 chunks, on the first device; each of the v / 2 chunks
    /// that stay has 1 / v less on each next device. Three to five more, the more the slower copies are, are copied at the
    /// moment.
    void halfHoldsAQuarter()
    {
        QFETCH(const int, devices);
        QFETCH(const int, chunks);
        const double resident = planned(residentOf(devices, chunks)).makespan;
        for (const auto &[ratio, more] : {std::pair(0.5, 3.0), std::pair(1.0, 3.5), std::pair(1.5, 5.0)}) {
            const Planned plan = planned(experimentOf("po-h", devices, chunks, units(ratio)));
            QCOMPARE(plan.makespan, resident);
            for (int device = 0; device < devices; ++device) {
                const double formula = devices * (chunks + 2) / 8.0 - device / 2.0;
                for (const std::vector<double> &peaks : {plan.peaks, plan.anchoredPeaks}) {
                    const double peak = peaks[static_cast<std::size_t>(device)];
                    QVERIFY2(peak >= formula && peak <= formula + more,
                             fmt::format("k {}, device {}: {} ({}), not {}", ratio, device, peak,
                                         plan.peaks[static_cast<std::size_t>(device)], formula)
                                 .c_str());
                }
            }
        }
    }

    /// An odd number of chunks has no half: the devices of the first half offload one more, so that half of all stages do.
    void halfOfTheStagesIsTaken()
    {
        const auto schedule = simulate::orderedSchedule(experimentOf("po-h", 8, 5, units(1)));
        QVERIFY(schedule.ok());
        std::set<int> stages;
        for (int device = 0; device < 8; ++device)
            for (const schedule::Copy &copy : schedule->copies(device))
                stages.insert(copy.stage);
        std::set<int> firstHalf;
        for (int stage = 0; stage < 20; ++stage)
            firstHalf.insert(stage);
        QCOMPARE(stages, firstHalf);
    }

    void allHoldFewChunks_data()
    {
        QTest::addColumn<int>("chunks");
        for (const int chunks : {2, 4})
            QTest::addRow("%d chunks", chunks) << chunks;
    }
    /// All offloaded. A slot of both copies is longer than F, so that offloads fall behind while the pipeline fills, which
    /// takes longer with more devices.
    void allHoldFewChunks()
    {
        QFETCH(const int, chunks);
        for (const int devices : {4, 8, 16, 32}) {
            const double resident = planned(residentOf(devices, chunks)).makespan;
            for (const auto &[ratio, most, delay] :
                 {std::tuple(0.3, 3 + devices / 4.0, 0.0), std::tuple(0.5, 3 + devices / 4.0, 0.0),
                  std::tuple(0.64, 3 + devices / 4.0, 0.0), std::tuple(2.0 / 3, 3 + devices / 4.0, 0.0),
                  std::tuple(0.9, 4 + devices / 2.0, 0.03)}) {
                const Planned plan = planned(experimentOf("po-f", devices, chunks, units(ratio)));
                QVERIFY2(plan.makespan >= resident && plan.makespan <= (1 + delay) * resident,
                         qPrintable(QString::number(plan.makespan / resident)));
                for (const std::vector<double> &peaks : {plan.peaks, plan.anchoredPeaks})
                    QVERIFY2(std::ranges::max(peaks) <= most,
                             fmt::format("k {}, {} devices: {}", ratio, devices, std::ranges::max(peaks)).c_str());
            }
        }
    }

    /// Copies that take longer than passes delay them, unless the experiment leaves on the device what does not fit.
    void longCopiesDelayPasses()
    {
        model::Experiment experiment = experimentOf("po-f", 8, 2, units(1.5));
        const Planned slow = planned(experiment);
        const double resident = planned(residentOf(8, 2)).makespan;
        QVERIFY(slow.makespan > 1.3 * resident);
        experiment.schedule.offload.isAuto = true;
        const Planned fitting = planned(experiment);
        QCOMPARE(fitting.makespan, resident);
        QVERIFY(std::ranges::max(fitting.peaks) > std::ranges::max(slow.peaks));
        QVERIFY(fitting.copies < slow.copies && fitting.copies > 0);
    }

    void bubbleIsShorterThanOf1F1B_data() { addSizes(); }
    /// Less than v (p - 1)(F + I + W) of a stage, for passes of about the same duration.
    void bubbleIsShorterThanOf1F1B()
    {
        QFETCH(const int, devices);
        QFETCH(const int, chunks);
        base::Random random(17);
        for (int round = 0; round < 20; ++round) {
            const double input = 1 + 0.3 * random.nextUniform();
            const double weight = 0.7 + 0.4 * random.nextUniform();
            const double all = 1 + input + weight;
            model::Experiment experiment = residentOf(devices, chunks);
            experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", input + weight}, {"I", input}, {"W", weight}}};
            const double bubble = planned(experiment).makespan - all * chunks * experiment.parallel.microbatches;
            QVERIFY2(bubble > 0 && bubble < chunks * (devices - 1) * all,
                     fmt::format("I {}, W {}: {} of {}", input, weight, bubble, chunks * (devices - 1) * all).c_str());
        }
    }

    void choicesReplaceTheFamilys()
    {
        model::Experiment experiment = experimentOf("po-h", 4, 2, units(0.5));
        QCOMPARE(planned(experiment).copies, std::size_t{4} * 16 * 2); // one of both chunks, in both directions
        experiment.schedule.offload.isAuto = true;
        const Planned all = planned(experiment);
        experiment.schedule.family = "po-f";
        const Planned full = planned(experiment); // the two have one order
        QCOMPARE(full.copies, all.copies);
        QCOMPARE(full.peaks, all.peaks);
        experiment.schedule.offload = {};
        const Planned own = planned(experiment);
        QVERIFY(own.copies > std::size_t{4} * 16 * 2 && own.copies < all.copies);
    }

    /// Uniform durations that are absent are 0.
    void copiesWithoutDurationTakeNoTime()
    {
        const Planned plan = planned(experimentOf("po-f", 4, 2, {{"F", 1}, {"B", 2}}));
        QCOMPARE(plan.peaks, std::vector<double>(4, 1));
        model::Experiment chosen = experimentOf("gis", 4, 2, {{"F", 1}, {"B", 2}});
        chosen.schedule.offload.fraction = 1;
        QVERIFY(!simulate::orderedSchedule(chosen).ok());
    }

private:
    /// The same order, with copies that take no time.
    static model::Experiment residentOf(int devices, int chunks)
    {
        return experimentOf("po-h", devices, chunks, {{"F", 1}, {"B", 2}, {"I", 1}, {"W", 1}});
    }
};

STAGELENS_TEST(PipeOffload)

} // namespace unit_simulate_pipe_offload

#include "simulate/pipe_offload.moc"
