// Queries on lanes, and the difference of two timelines.
#include "engine/timeline/operator_times.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace unit_timeline_queries {

using namespace stagelens;
using schedule::makePass;
using schedule::PassKind;

namespace {

/// F0 [0, 10), S0 [10, 10), B0 [20, 40).
timeline::Lane smallLane()
{
    timeline::Lane lane;
    lane.push(makePass(PassKind::F, 0, 0), 0, 10);
    lane.push(makePass(PassKind::S, 0, 0), 10, 10);
    lane.push(makePass(PassKind::B, 0, 0), 20, 40);
    return lane;
}

} // namespace

class TimelineQueries : public QObject {
    Q_OBJECT

private slots:
    void findsSlicesByTime()
    {
        const timeline::Lane lane = smallLane();
        QCOMPARE(timeline::firstEndingAfter(lane, -5), 0U);
        QCOMPARE(timeline::firstEndingAfter(lane, 9), 0U);
        QCOMPARE(timeline::firstEndingAfter(lane, 10), 2U);
        QCOMPARE(timeline::firstEndingAfter(lane, 40), 3U);
        QCOMPARE(timeline::sliceAt(lane, 0), std::optional<std::size_t>(0));
        QCOMPARE(timeline::sliceAt(lane, 10), std::optional<std::size_t>(1));
        QCOMPARE(timeline::sliceAt(lane, 15), std::nullopt);
        QCOMPARE(timeline::sliceAt(lane, 39), std::optional<std::size_t>(2));
        QCOMPARE(timeline::sliceAt(lane, 40), std::nullopt);
        QCOMPARE(timeline::sliceAt(lane, -1), std::nullopt);
        QCOMPARE(timeline::sliceAt({}, 0, 100), std::nullopt);
    }

    void takesTheNearestWithinTheSlack()
    {
        const timeline::Lane lane = smallLane();
        QCOMPARE(timeline::sliceAt(lane, 18, 3), std::optional<std::size_t>(2));
        QCOMPARE(timeline::sliceAt(lane, 12, 3), std::optional<std::size_t>(1));
        QCOMPARE(timeline::sliceAt(lane, 15, 3), std::nullopt);
        QCOMPARE(timeline::sliceAt(lane, 41, 2), std::optional<std::size_t>(2));
    }

    void findsTheOperatorsOfAPass()
    {
        const timeline::OperatorTimes times{{0, PassKind::F, 0, {{"a", 1, false}}},
                                            {0, PassKind::B, 0, {{"b", 2, false}}},
                                            {1, PassKind::F, 1, {{"c", 3, false}}}};
        QCOMPARE(timeline::find(times, 0, PassKind::B, 0), &times[1]);
        QCOMPARE(timeline::find(times, 1, PassKind::F, 1), &times[2]);
        for (const auto &[device, stage] : {std::pair(0, 1), {1, 0}, {2, 2}})
            QCOMPARE(timeline::find(times, device, PassKind::F, stage), nullptr);
    }

    void operatorsHaveTheirMedians()
    {
        const auto step = [](base::Nanos first, base::Nanos second, const char *name = "qkv") {
            return std::make_shared<const timeline::OperatorTimes>(
                timeline::OperatorTimes{{0, PassKind::F, 0, {{"norm1", first, false}, {name, second, true}}}});
        };
        QCOMPARE(timeline::medianOf({}), nullptr);
        QVERIFY(*timeline::medianOf({step(1, 9), step(5, 7), step(3, 8)}) == *step(3, 8));
        // Steps with other operators than the last one do not count.
        QVERIFY(*timeline::medianOf({step(90, 90, "other"), step(90, 90, "other"), step(2, 4)}) == *step(2, 4));
    }

    /// Kernels belong to the pass in which they begin; passes that ran others than the last of their kind do not count.
    void kernelsBecomeOperators()
    {
        timeline::Timeline timeline;
        timeline.lanes.resize(2);
        for (int microbatch = 0; microbatch < 3; ++microbatch)
            timeline.lanes[1].push(makePass(PassKind::F, 1, microbatch), 100 * microbatch, 100 * microbatch + 50);
        timeline.lanes[0].push(makePass(PassKind::B, 0, 0), 0, 50);
        const timeline::KernelTrace kernels{{"gemm", "norm", "copy"},
                                            {{0, 20, 1, 2},  // not of a pass that counts: no norm follows
                                             {60, 70, 1, 1}, // between passes
                                             {100, 110, 1, 0},
                                             {110, 115, 1, 1},
                                             {200, 230, 1, 0},
                                             {240, 249, 1, 1}}};
        const timeline::OperatorTimes times = timeline::operatorsOf(kernels, timeline);
        QVERIFY(times == (timeline::OperatorTimes{{1, PassKind::F, 1, {{"gemm", 10, false}, {"norm", 5, false}}}}));
    }

    void addsUpTheProcessorTime()
    {
        timeline::Timeline timeline;
        timeline.lanes = {smallLane(), smallLane()};
        QCOMPARE(timeline.processorShare(), std::nullopt);
        timeline.lanes[0].processor = {5, 0, 10};
        QCOMPARE(timeline.processorShare(), std::optional(0.5)); // the other lane was not measured
        timeline.lanes[1].processor = {10, 0, 20};
        QCOMPARE(timeline.processorShare(), std::optional(0.75));
    }

    void measuresFromTheFirstBegin()
    {
        timeline::Timeline timeline;
        QCOMPARE(timeline.makespan(), 0);
        QCOMPARE(timeline.iteration(), 0);
        timeline.lanes.resize(2);
        timeline.lanes[1].push(makePass(PassKind::F, 1, 0), 5, 30);
        QCOMPARE(timeline.makespan(), 25);
        timeline.lanes[0].push(makePass(PassKind::F, 0, 0), 2, 8);
        timeline.lanes[0].tailBegin = 8;
        timeline.lanes[0].tailEnd = 50;
        QCOMPARE(timeline.makespan(), 28);
        QCOMPARE(timeline.iteration(), 48);
        QCOMPARE(timeline.sliceCount(), 2U);
    }

    void findsAPass()
    {
        timeline::Timeline timeline;
        timeline.lanes = {smallLane()};
        const auto found = timeline::findSlice(timeline, makePass(PassKind::B, 0, 0), 0);
        QVERIFY(found.has_value());
        QCOMPARE(found->index, 2U);
        QVERIFY(!timeline::findSlice(timeline, makePass(PassKind::B, 0, 1), 0));
        QVERIFY(!timeline::findSlice(timeline, makePass(PassKind::B, 0, 0), 1));
    }

    void matchesPassesWhateverTheirOrder()
    {
        timeline::Timeline first;
        first.lanes = {smallLane(), smallLane()};
        timeline::Timeline second;
        second.lanes.resize(1);
        second.lanes[0].push(makePass(PassKind::F, 0, 1), 0, 1);
        second.lanes[0].push(makePass(PassKind::B, 0, 0), 30, 35);
        second.lanes[0].push(makePass(PassKind::F, 0, 0), 40, 52);
        const timeline::Difference difference = timeline::difference(first, second);
        QCOMPARE(difference.passes.size(), 2U);
        QCOMPARE(difference.onlyInFirst, 4U);
        QCOMPARE(difference.onlyInSecond, 1U);
        QCOMPARE(difference.passes[0].first, 10);
        QCOMPARE(difference.passes[0].second, 12);
        QCOMPARE(difference.passes[0].shift, 40);
        QCOMPARE(difference.passes[1].shift, 10);
    }

    void everyProvenanceHasItsName()
    {
        QCOMPARE(timeline::name(timeline::Provenance::Predicted), "predicted");
        QCOMPARE(timeline::name(timeline::Provenance::MeasuredLive), "measured-live");
        QCOMPARE(timeline::name(timeline::Provenance::MeasuredVirtualClock), "measured-virtual-clock");
    }
};

STAGELENS_TEST(TimelineQueries)

} // namespace unit_timeline_queries

#include "timeline_queries.moc"
