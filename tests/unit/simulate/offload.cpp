// Offload of activations (PipeOffload, arXiv 2503.01328): the peaks of 1F1B with a single lane a device, over predicted time
// and by anchors, the places of the copies, and the ratio of copies to passes of a layer.
#include "tests/support/simulate_support.h"

#include "engine/simulate/costs/copy_costs.h"
#include "engine/simulate/metrics.h"
#include "engine/simulate/planned_schedule.h"
#include "engine/simulate/simulate.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace unit_simulate_offload {

using namespace stagelens;

namespace {

struct Offloaded {
    schedule::Schedule schedule;
    timeline::Timeline timeline;
    simulate::Metrics metrics;
};

/// 1F1B with F = 1 ms and B = 2 ms; both copies together take `ratio` times F + B.
Offloaded planned(int devices, int microbatches, double ratio, model::OffloadChoice choice, const char *family = "1f1b")
{
    model::Experiment experiment =
        test::teachingExperiment(family, devices, microbatches, model::VocabularyMethod::None,
                                 {{"F", 1}, {"B", 2}, {"I", 1}, {"W", 1}, {"OFF", 1.5 * ratio}, {"ON", 1.5 * ratio}});
    experiment.schedule.offload = choice;
    schedule::Schedule schedule = simulate::orderedSchedule(experiment).value();
    const simulate::CostModel costs = simulate::makeCostModel(experiment, schedule).value();
    timeline::Timeline timeline = simulate::simulate(schedule, costs).value();
    simulate::Metrics metrics = simulate::computeMetrics(experiment, schedule, timeline, &costs, 0);
    return {std::move(schedule), std::move(timeline), std::move(metrics)};
}

constexpr model::OffloadChoice kAuto{.isAuto = true};

std::vector<double> begins(const timeline::Lane &lane, timeline::AnchoredKind kind)
{
    std::vector<double> times;
    for (const timeline::AnchoredSlice &slice : lane.anchored)
        if (slice.kind == kind)
            times.push_back(static_cast<double>(slice.begin) / static_cast<double>(base::kNanosPerMilli));
    return times;
}

} // namespace

class Offload : public QObject {
    Q_OBJECT

private slots:
    void peaksOverPredictedTime_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<double>("ratio");
        QTest::addColumn<std::vector<double>>("peaks");
        using List = std::vector<double>;
        const auto add = [](int p, int m, double k, const List &peaks) {
            QTest::addRow("%d devices, %d microbatches, k = %g", p, m, k) << p << m << k << peaks;
        };
        for (const int m : {4, 8}) {
            add(4, m, 0.5, {2, 2, 2, 1});
            add(4, m, 0.75, {3, 3, 2, 1});
            add(4, m, 1.0, {3, 3, 2, 1});
        }
        add(8, 16, 0.5, {2, 2, 2, 2, 2, 2, 2, 1});
        add(8, 16, 0.75, {3, 3, 3, 3, 3, 3, 2, 1});
        add(8, 16, 1.0, {4, 4, 4, 3, 3, 3, 2, 1});
        add(16, 64, 0.5, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1});
        add(16, 64, 0.75, {4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 1});
        add(16, 64, 1.0, {7, 7, 6, 6, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 1});
    }
    void peaksOverPredictedTime()
    {
        QFETCH(const int, devices);
        QFETCH(const int, microbatches);
        QFETCH(const double, ratio);
        QFETCH(const std::vector<double>, peaks);
        const Offloaded plan = planned(devices, microbatches, ratio, kAuto);
        QCOMPARE(plan.metrics.peakActivationMicrobatches, peaks);
        // A buffer counts from anchor to anchor, so that peak is never lower, nor higher than without offload.
        const Offloaded without = planned(devices, microbatches, ratio, {});
        for (std::size_t device = 0; device < peaks.size(); ++device) {
            QVERIFY(plan.metrics.anchoredActivationMicrobatches[device] >= peaks[device]);
            QVERIFY(plan.metrics.anchoredActivationMicrobatches[device] <= without.metrics.peakActivationMicrobatches[device]);
        }
        QCOMPARE(plan.timeline.iteration(), without.timeline.iteration());
    }

    void copiesOfTheFirstDevice()
    {
        using List = std::vector<double>;
        const Offloaded slow = planned(4, 8, 1.0, kAuto);
        QCOMPARE(begins(slow.timeline.lanes[0], timeline::AnchoredKind::Offload), (List{1, 2.5, 4, 5.5, 13, 16, 19, 22}));
        QCOMPARE(begins(slow.timeline.lanes[0], timeline::AnchoredKind::Reload),
                 (List{8.5, 11.5, 14.5, 17.5, 20.5, 23.5, 26.5, 29.5}));
        const Offloaded fast = planned(4, 8, 0.5, kAuto);
        QCOMPARE(begins(fast.timeline.lanes[0], timeline::AnchoredKind::Offload), (List{1, 2, 3, 4, 13, 16, 19, 22}));
        QCOMPARE(begins(fast.timeline.lanes[0], timeline::AnchoredKind::Reload).front(), 9.25);
    }

    void copiesKeepNoPassWaiting()
    {
        for (const char *family : {"1f1b", "gpipe", "zb-h1", "interleaved-1f1b", "gis", "v-half", "chimera", "dualpipe"})
            for (const double ratio : {0.3, 1.0, 2.0})
                QCOMPARE(planned(4, 8, ratio, kAuto, family).timeline.makespan(),
                         planned(4, 8, ratio, {}, family).timeline.makespan());
    }
};

STAGELENS_TEST(Offload)

} // namespace unit_simulate_offload

#include "simulate/offload.moc"
