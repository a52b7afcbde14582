// Queries on lanes, and the difference of two timelines.
#include "engine/timeline/timeline.h"
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
