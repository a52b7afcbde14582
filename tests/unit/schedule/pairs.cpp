// Overlapped pairs of 1F1B and interleaved 1F1B: their orders, what they hold, and how long they take.
#include "engine/model/family_shape.h"
#include "tests/support/order_support.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace unit_schedule_pairs {

using namespace stagelens;
using namespace stagelens::schedule;
using model::VocabularyMethod;
using test::Order;
using test::orderOf;

namespace {

/// F of one unit, B of two, and a pair of `pair` units.
model::Experiment pairedPlan(const char *family, int devices, int microbatches, double pair = 3)
{
    model::Experiment experiment =
        test::unitExperiment(family, devices, microbatches, VocabularyMethod::None, {{"F", 1}, {"B", 2}, {"FB", pair}});
    experiment.schedule.overlappedPairs = true;
    return experiment;
}

std::string textOf(const model::Experiment &experiment, int device)
{
    const base::Result<Schedule> made = makeSchedule(experiment);
    if (!made)
        return made.error().text();
    std::string text;
    for (const Pass &pass : made->device(device))
        text +=
            fmt::format("{}{}{}{}", text.empty() ? "" : " ", name(pass.kind), pass.microbatch, pass.pairedWithNext ? "+" : "");
    return text;
}

} // namespace

class SchedulePairs : public QObject {
    Q_OBJECT

private slots:
    void ordersByHand();
    void aPairIsOfTwoMicrobatches();
    void oneMoreActivationIsHeld();
    void theSteadyPhaseNeverWaits_data();
    void theSteadyPhaseNeverWaits();
    void smallPlansAreSound();
    void otherFamiliesRefuseThem();
};

void SchedulePairs::ordersByHand()
{
    QCOMPARE(textOf(pairedPlan("1f1b", 1, 3), 0), std::string("F0 F1+ B0 F2+ B1 B2"));
    QCOMPARE(textOf(pairedPlan("1f1b", 2, 4), 0), std::string("F0 F1 F2 F3+ B0 B1 B2 B3"));
    QCOMPARE(textOf(pairedPlan("1f1b", 2, 4), 1), std::string("F0 F1+ B0 F2+ B1 F3+ B2 B3"));
    QCOMPARE(textOf(pairedPlan("interleaved-1f1b", 2, 2), 0), std::string("F0 F1 F0 F1 B0 B1 B0 B1"));
    QCOMPARE(textOf(pairedPlan("interleaved-1f1b", 2, 2), 1), std::string("F0 F1 F0 F1+ B0 B1 B0 B1"));
    // Without them: F0 F1 F0 B0 F1 B1 B0 B1.
}

void SchedulePairs::aPairIsOfTwoMicrobatches()
{
    for (const char *family : {"1f1b", "interleaved-1f1b"}) {
        const Order order = orderOf(pairedPlan(family, 4, 16));
        QCOMPARE(order.fault, std::string());
        const int stages = order.schedule.stages() / 4;
        for (int device = 0; device < 4; ++device) {
            const std::span<const Pass> passes = order.schedule.device(device);
            const int warmUp = 2 * (3 - device) + 4 * (stages - 1) + 1;
            int pairs = 0;
            for (std::size_t i = 0; i < passes.size(); ++i) {
                if (!passes[i].pairedWithNext)
                    continue;
                ++pairs;
                QVERIFY(passes[i].kind == PassKind::F && passes[i + 1].kind == PassKind::B);
                QVERIFY(passes[i].microbatch != passes[i + 1].microbatch);
            }
            QCOMPARE(pairs, 16 * stages - warmUp); // every forward after the warm-up
        }
    }
}

void SchedulePairs::oneMoreActivationIsHeld()
{
    model::Experiment apart = pairedPlan("interleaved-1f1b", 4, 16);
    apart.schedule.overlappedPairs = false;
    const std::vector<int> held = orderOf(apart).held;
    const std::vector<int> paired = orderOf(pairedPlan("interleaved-1f1b", 4, 16)).held;
    for (std::size_t device = 0; device < held.size(); ++device)
        QCOMPARE(paired[device], held[device] + 1);
    // 1F1B takes the warm-up of eager 1F1B.
    const std::vector<int> eager = orderOf(test::unitExperiment("eager-1f1b", 4, 16)).held;
    const std::vector<int> plain = orderOf(pairedPlan("1f1b", 4, 16)).held;
    for (std::size_t device = 0; device < eager.size(); ++device)
        QCOMPARE(plain[device], eager[device] + 1);
}

void SchedulePairs::theSteadyPhaseNeverWaits_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<int>("devices");
    for (const int devices : {1, 2, 4, 7}) {
        QTest::addRow("1f1b %d", devices) << "1f1b" << devices;
        QTest::addRow("interleaved-1f1b %d", devices) << "interleaved-1f1b" << devices;
    }
}

/// More microbatches take the time of their pairs, whatever a pair takes.
void SchedulePairs::theSteadyPhaseNeverWaits()
{
    QFETCH(const QString, family);
    QFETCH(const int, devices);
    for (const double pair : {2.0, 2.5, 3.0}) {
        const Order few = orderOf(pairedPlan(family.toLatin1(), devices, 6 * devices, pair));
        const Order more = orderOf(pairedPlan(family.toLatin1(), devices, 9 * devices, pair));
        QVERIFY2(few.fault.empty() && more.fault.empty(), (few.fault + more.fault).c_str());
        const int passes = 3 * devices * more.schedule.placement().chunks();
        QCOMPARE(more.makespan - few.makespan, passes * pair);
    }
}

void SchedulePairs::smallPlansAreSound()
{
    for (const char *family : {"1f1b", "interleaved-1f1b"}) {
        const std::string fault = test::faultOfSmallPlans(family, 1, true);
        QVERIFY2(fault.empty(), fault.c_str());
    }
}

void SchedulePairs::otherFamiliesRefuseThem()
{
    for (const Family &family : families()) {
        const auto made = makeSchedule(pairedPlan(std::string(family.name).c_str(), 4, 8));
        QCOMPARE(made.ok(), model::leavesPairsOpen(family.name));
        if (made)
            continue;
        const base::Problem &problem = made.error().problems.front();
        QCOMPARE(problem.field, std::string("schedule.overlapped_pairs"));
        QVERIFY(problem.message.find("choose 1f1b or interleaved-1f1b") != std::string::npos);
    }
    model::ScheduleChoice choice = pairedPlan("1f1b", 4, 8).schedule;
    model::chooseFamily(choice, "interleaved-1f1b");
    QVERIFY(choice.overlappedPairs);
    model::chooseFamily(choice, "zb-h1");
    QVERIFY(!choice.overlappedPairs);
}

STAGELENS_TEST(SchedulePairs)

} // namespace unit_schedule_pairs

#include "schedule/pairs.moc"
