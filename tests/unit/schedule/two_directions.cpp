// DualPipe and Chimera: two copies of the model in opposite directions. Published bubbles and peaks (deepseek-ai/DualPipe,
// arXiv 2107.06925).
#include "tests/support/order_support.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace unit_schedule_two_directions {

using namespace stagelens;
using namespace stagelens::schedule;
using model::VocabularyMethod;
using test::greatest;
using test::Order;
using test::orderOf;
using test::unitExperiment;

class ScheduleTwoDirections : public QObject {
    Q_OBJECT

private slots:
    void stagesLieInOppositeDirections();
    void dualPipeHasItsBubbleAndPeak();
    void dualPipeOverlapsPairs();
    void chimeraHasItsBubbleAndPeak();
    void oddDevicesAreRefused();
    void smallPlansAreSound();
};

void ScheduleTwoDirections::stagesLieInOppositeDirections()
{
    for (const char *family : {"dualpipe", "chimera"}) {
        const Order order = orderOf(unitExperiment(family, 4, 7));
        QVERIFY2(order.fault.empty(), order.fault.c_str());
        QCOMPARE(order.schedule.stages(), 4);
        for (int device = 0; device < 4; ++device)
            for (const Pass &pass : order.schedule.device(device))
                QCOMPARE(int{pass.stage}, pass.microbatch % 2 == 0 ? device : 3 - device);
    }
}

void ScheduleTwoDirections::dualPipeHasItsBubbleAndPeak()
{
    for (const int devices : {2, 4, 6, 8, 16}) {
        for (const int microbatches : {2 * devices, 4 * devices, 6 * devices + 2}) {
            const Order order = orderOf(unitExperiment("dualpipe", devices, microbatches));
            QVERIFY2(order.fault.empty(), order.fault.c_str());
            // (p/2 - 1) (F&B + B - 3 W) with a pair as long as its passes.
            QCOMPARE(order.makespan - 3 * microbatches, 2.0 * (devices / 2 - 1));
            QCOMPARE(greatest(order.held), devices + 1);
        }
        const Order overlapped = orderOf(unitExperiment("dualpipe", devices, 4 * devices, VocabularyMethod::None,
                                                        {{"F", 1}, {"I", 1}, {"W", 1}, {"FB", 2.5}}));
        QCOMPARE(test::mostIdle(overlapped, 2.5), 1.5 * (devices / 2 - 1));
    }
}

void ScheduleTwoDirections::dualPipeOverlapsPairs()
{
    const Order order = orderOf(unitExperiment("dualpipe", 4, 16));
    for (int device = 0; device < 4; ++device) {
        const std::span<const Pass> passes = order.schedule.device(device);
        int pairs = 0;
        for (std::size_t i = 0; i < passes.size(); ++i) {
            if (!passes[i].pairedWithNext)
                continue;
            ++pairs;
            QVERIFY(passes[i].kind == PassKind::F && passes[i + 1].kind == PassKind::B);
            QVERIFY(passes[i].microbatch % 2 != passes[i + 1].microbatch % 2);
        }
        // Two for each of the m/2 - p + h + 1 rounds, but for the first at the turn, and p/2 - h - 1 more.
        QCOMPARE(pairs, device == 0 || device == 3 ? 2 * 5 + 1 : 2 * 6 - 1);
    }
}

void ScheduleTwoDirections::chimeraHasItsBubbleAndPeak()
{
    const auto ratio = [](int devices, int microbatches, double backward) {
        const Order order =
            orderOf(unitExperiment("chimera", devices, microbatches, VocabularyMethod::None, {{"F", 1}, {"B", backward}}));
        const bool isSound = order.fault.empty() && greatest(order.held) <= devices;
        return isSound ? 1 - microbatches * (1 + backward) / order.makespan : 1;
    };
    // As many microbatches as devices: (D - 2) / (2 N + D - 2), or (D - 2) / (1.5 N + D - 2) if backward = 2 forwards.
    QCOMPARE(ratio(4, 4, 1), 0.2);
    QCOMPARE(ratio(4, 4, 2), 0.25);
    QCOMPARE(ratio(8, 8, 1), 6.0 / 22);
    QCOMPARE(ratio(8, 8, 2), 6.0 / 18);
    QCOMPARE(ratio(2, 10, 2), 0.0);
    // Further units join without a gap.
    QCOMPARE(ratio(4, 16, 1), 2.0 / 34);
    QCOMPARE(ratio(8, 32, 1), 6.0 / 70);
    const Order order = orderOf(unitExperiment("chimera", 8, 8));
    for (const int held : order.held)
        QVERIFY(held >= 5 && held <= 8);
}

void ScheduleTwoDirections::oddDevicesAreRefused()
{
    for (const char *family : {"dualpipe", "chimera"}) {
        const base::Result<Schedule> made = makeSchedule(unitExperiment(family, 5, 8));
        QVERIFY(!made.ok());
        const base::Problem &problem = made.error().problems.front();
        QCOMPARE(problem.field, std::string("parallel.devices"));
        QVERIFY(problem.message.find("even number of devices, not 5; give 6") != std::string::npos);
        QCOMPARE(findFamily(family)->directions, 2);
        QCOMPARE(findFamily(family)->conditions, std::string_view("an even number of devices"));
    }
}

void ScheduleTwoDirections::smallPlansAreSound()
{
    for (const char *family : {"dualpipe", "chimera"}) {
        const std::string fault = test::faultOfSmallPlans(family, 2);
        QVERIFY2(fault.empty(), fault.c_str());
    }
}

STAGELENS_TEST(ScheduleTwoDirections)

} // namespace unit_schedule_two_directions

#include "schedule/two_directions.moc"
