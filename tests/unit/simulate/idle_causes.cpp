// Small plans whose gaps, slack and critical path can be worked out by hand.
#include "engine/simulate/idle_causes.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace unit_simulate_idle_causes {

using namespace stagelens;
using base::kNanosPerMilli;
using base::Nanos;
using schedule::PassKind;
using simulate::IdleCause;
using simulate::IdlePiece;
using simulate::PathStep;
using timeline::SliceId;

namespace {

constexpr SliceId kNobody{-1, 0};

Nanos milliseconds(double time)
{
    return std::llround(time * static_cast<double>(kNanosPerMilli));
}

IdlePiece piece(double begin, double end, IdleCause cause, SliceId by = kNobody, bool isTransfer = false,
                std::optional<std::size_t> heldBack = std::nullopt)
{
    return {milliseconds(begin), milliseconds(end), cause, isTransfer, by, heldBack};
}

using Pieces = std::vector<IdlePiece>;

/// 1F1B, 2 devices x 3 microbatches, F = 1, B = 2, messages of 0.5: the worked example of understanding-the-bubble.md.
///   device 0: F0 0-1, F1 1-2, B0 5-7, F2 7-8, B1 8-10, B2 12-14
///   device 1: F0 1.5-2.5, B0 2.5-4.5, F1 4.5-5.5, B1 5.5-7.5, F2 8.5-9.5, B2 9.5-11.5
test::Plan workedExample()
{
    return test::planOf(
        test::teachingExperiment("1f1b", 2, 3, model::VocabularyMethod::None, {{"F", 1}, {"B", 2}, {"send", 0.5}}));
}

/// VOCAB-1, 2 devices x 1 microbatch.
///   F(0) 0-1, F(1) 1-2, S 2.25-2.75, T 3-3.5, B(1) 4-6, B(0) 6-8
test::Plan barrierExample()
{
    return test::planOf(
        test::teachingExperiment("1f1b", 2, 1, model::VocabularyMethod::Vocab1,
                                 {{"F", 1}, {"B", 2}, {"S", 0.5}, {"T", 0.5}, {"c0", 0.25}, {"c1", 0.25}, {"c2", 0.5}}));
}

simulate::Explanation explanationOf(const test::Plan &plan)
{
    return simulate::explain(plan.timeline, plan.schedule, plan.costs);
}

std::size_t indexOf(const timeline::Timeline &timeline, int device, PassKind kind, int microbatch)
{
    const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
    for (std::size_t i = 0; i < lane.size(); ++i)
        if (lane.pass[i].kind == kind && lane.pass[i].microbatch == microbatch)
            return i;
    return lane.size();
}

} // namespace

class SimulateIdleCauses : public QObject {
    Q_OBJECT

private slots:
    void receivesAreSplitIntoSenderAndMessage()
    {
        const simulate::Explanation explanation = explanationOf(workedExample());
        const Pieces first{piece(2, 4.5, IdleCause::Memory, {1, 1}, false, 3), piece(4.5, 5, IdleCause::Message, {1, 1}, true),
                           piece(10, 11.5, IdleCause::Gradient, {1, 5}), piece(11.5, 12, IdleCause::Message, {1, 5}, true)};
        const Pieces second{piece(0, 1.5, IdleCause::WarmUp, {0, 0}), piece(7.5, 8, IdleCause::Activation, {0, 3}),
                            piece(8, 8.5, IdleCause::Message, {0, 3}, true), piece(11.5, 14, IdleCause::CoolDown)};
        QCOMPARE(explanation.idle.devices[0], first);
        QCOMPARE(explanation.idle.devices[1], second);
        QCOMPARE(explanation.idle.total[static_cast<std::size_t>(IdleCause::Message)], milliseconds(1.5));
        QCOMPARE(simulate::piecesAround(explanation.idle, 1, milliseconds(8.2)),
                 Pieces(second.begin() + 1, second.begin() + 3));
        QVERIFY(simulate::piecesAround(explanation.idle, 1, milliseconds(9)).empty());
        QVERIFY(simulate::piecesAround(explanation.idle, 1, milliseconds(14)).empty());
    }

    void memoryIsACauseOnlyWhereMoreWouldHelp()
    {
        // With a slow last device the forwards of the first come early enough; it waits for gradients.
        test::Plan plan = workedExample();
        plan.costs.setPass(1, PassKind::F, 1, {milliseconds(3), 0});
        plan.timeline = *simulate::simulate(plan.schedule, plan.costs);
        const simulate::IdleTotals totals = explanationOf(plan).idle.total;
        QCOMPARE(totals[static_cast<std::size_t>(IdleCause::Memory)], 0);
        QVERIFY(totals[static_cast<std::size_t>(IdleCause::Gradient)] > 0);
        // Eager 1F1B holds one microbatch more, and what was lost to memory is gained.
        const test::Plan eager = test::planOf(
            test::teachingExperiment("eager-1f1b", 2, 3, model::VocabularyMethod::None, {{"F", 1}, {"B", 2}, {"send", 0.5}}));
        QVERIFY(eager.timeline.makespan() < workedExample().timeline.makespan());
    }

    void criticalPathGoesThroughMessages()
    {
        const test::Plan plan = workedExample();
        const simulate::Explanation explanation = explanationOf(plan);
        const std::vector<double> ends{1, 1.5, 2.5, 4.5, 5, 7, 8, 8.5, 9.5, 11.5, 12, 14};
        QCOMPARE(explanation.path.steps.size(), ends.size());
        for (std::size_t i = 0; i < ends.size(); ++i)
            QCOMPARE(explanation.path.steps[i].end, milliseconds(ends[i]));
        const PathStep message{PathStep::Kind::Transfer, milliseconds(8), milliseconds(8.5), {0, 3}, {1, 4},
                               schedule::Transfer::Send};
        QCOMPARE(explanation.path.steps[7], message);
        const std::vector<std::uint8_t> isCritical{1, 0, 1, 1, 0, 1};
        QCOMPARE(explanation.path.lanes[0].isCritical, isCritical);
    }

    void slackIsWhatAPassMayBeLate()
    {
        const simulate::Explanation explanation = explanationOf(workedExample());
        const auto slacks = [](std::initializer_list<double> times) {
            std::vector<Nanos> values;
            for (const double time : times)
                values.push_back(milliseconds(time));
            return values;
        };
        QCOMPARE(explanation.path.lanes[0].slack, slacks({0, 3, 0, 0, 2, 0}));
        QCOMPARE(explanation.path.lanes[1].slack, slacks({0, 0, 1, 1, 0, 0}));
        const simulate::Bound activation{{0, 3}, milliseconds(8.5), schedule::Transfer::Send};
        QCOMPARE(explanation.path.lanes[1].bound[4], activation);
        const simulate::Bound device{{1, 1}, milliseconds(4.5), schedule::Transfer::Local};
        QCOMPARE(explanation.path.lanes[1].bound[2], device);
    }

    void barriersAreTheirOwnCause()
    {
        const test::Plan plan = barrierExample();
        QCOMPARE(plan.timeline.makespan(), milliseconds(8));
        const simulate::IdleCauses idle = explanationOf(plan).idle;
        const auto timeOf = [&](std::size_t device, IdleCause cause) {
            return idle.perDevice[device][static_cast<std::size_t>(cause)];
        };
        QCOMPARE(timeOf(0, IdleCause::Barrier), milliseconds(1.5)); // C0 with the wait for F(1), C1
        QCOMPARE(timeOf(0, IdleCause::Gradient), milliseconds(2.5));
        QCOMPARE(timeOf(1, IdleCause::Barrier), milliseconds(3)); // C0, C1, C2, and EB waits for the last backward
        QCOMPARE(timeOf(1, IdleCause::Activation), milliseconds(1));
        const std::size_t last = indexOf(plan.timeline, 1, PassKind::F, 0);
        QCOMPARE(simulate::piecesAround(idle, 0, milliseconds(1.5)),
                 (Pieces{piece(1, 2, IdleCause::Barrier, {1, last}), piece(2, 2.25, IdleCause::Barrier, {1, last}, true)}));
    }

    void blockingCollectivesKeepTheirDevices()
    {
        test::Plan plan = test::planOf(
            test::teachingExperiment("1f1b", 2, 2, model::VocabularyMethod::Vocab1, {{"F", 1}, {"B", 2}, {"S", 1}, {"T", 1}}));
        plan.costs.setCollective(schedule::Transfer::EmbedReduce, milliseconds(0.5));
        plan.timeline = *simulate::simulate(plan.schedule, plan.costs);
        QCOMPARE(plan.timeline.lanes[1].pass[1].kind, PassKind::EF);
        QCOMPARE(plan.timeline.lanes[1].begin[1], 0);
        plan.costs.collectives = model::Collectives::Blocking;
        plan.timeline = *simulate::simulate(plan.schedule, plan.costs);
        const simulate::Explanation explanation = explanationOf(plan);
        QCOMPARE(plan.timeline.lanes[1].begin[1], milliseconds(0.5));
        QCOMPARE(explanation.idle.devices[1].front(), piece(0, 0.5, IdleCause::Barrier, {1, 0}, true));
        QCOMPARE(explanation.path.lanes[1].bound[1].transfer, schedule::Transfer::EmbedReduce);
    }

    void pairsBeginAndEndAsOne()
    {
        // F1 and B0 overlap on device 1; B0's gradient leaves at the pair's end.
        using schedule::makePass;
        schedule::Pass paired = makePass(PassKind::F, 1, 1);
        paired.pairedWithNext = true;
        const schedule::Schedule schedule(
            "custom", schedule::Placement::linear(2), 2, model::VocabularyMethod::None,
            {{makePass(PassKind::F, 0, 0), makePass(PassKind::F, 0, 1), makePass(PassKind::B, 0, 0),
              makePass(PassKind::B, 0, 1)},
             {makePass(PassKind::F, 1, 0), paired, makePass(PassKind::B, 1, 0), makePass(PassKind::B, 1, 1)}});
        simulate::CostModel costs(2, 2);
        for (const int device : {0, 1}) {
            costs.setPass(device, PassKind::F, device, {milliseconds(1), 0});
            costs.setPass(device, PassKind::B, device, {milliseconds(2), 0});
        }
        const auto timeline = simulate::simulate(schedule, costs);
        QVERIFY(timeline.ok());
        QCOMPARE(timeline->makespan(), milliseconds(9));
        const simulate::Explanation explanation = simulate::explain(*timeline, schedule, costs);
        QCOMPARE(explanation.idle.devices[0], Pieces{piece(2, 5, IdleCause::Gradient, {1, 2})});
        QCOMPARE(explanation.path.lanes[1].slack[1], 0);
        QCOMPARE(explanation.path.lanes[1].slack[2], 0);
        QCOMPARE(explanation.path.lanes[1].bound[1], explanation.path.lanes[1].bound[2]);
    }

    void whatNoWaitExplainsIsOverhead()
    {
        // Measured: the last pass begins a millisecond after its gradient had come.
        test::Plan plan = workedExample();
        plan.timeline.provenance = timeline::Provenance::MeasuredLive;
        plan.timeline.lanes[0].begin[5] += milliseconds(1);
        plan.timeline.lanes[0].end[5] += milliseconds(1);
        const simulate::Explanation explanation = explanationOf(plan);
        QCOMPARE(explanation.idle.devices[0].back(), piece(12, 13, IdleCause::Overhead));
        QCOMPARE(explanation.path.lanes[0].slack, std::vector<Nanos>({0, milliseconds(3), 0, 0, milliseconds(2), 0}));
        const PathStep &late = explanation.path.steps[explanation.path.steps.size() - 2];
        QCOMPARE(late.kind, PathStep::Kind::Overhead);
        QCOMPARE(late.end - late.begin, milliseconds(1));
    }

    void nothingToExplain()
    {
        const simulate::Explanation none = simulate::explain({}, {}, simulate::CostModel(1, 1));
        QVERIFY(none.path.steps.empty() && none.idle.devices.empty());
    }
};

STAGELENS_TEST(SimulateIdleCauses)

} // namespace unit_simulate_idle_causes

#include "simulate/idle_causes.moc"
