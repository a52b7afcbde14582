// Each kind of fault, by hand, with the explanation that a person reads.
#include "engine/schedule/check/validator.h"
#include "engine/schedule/text_form.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>

namespace unit_schedule_validator {

using namespace stagelens;
using namespace stagelens::schedule;

namespace {

Schedule parsed(const std::string &text)
{
    base::Result<Schedule> read = scheduleFromText(text);
    if (!read.ok())
        qFatal("%s", read.error().text().c_str());
    return std::move(read).value();
}

/// "kind device:position cause | remedy" of each fault, one a line.
std::string faultsOf(const Schedule &schedule, const ValidationOptions &options = {})
{
    std::string all;
    for (const Violation &violation : findViolations(schedule, options))
        all += std::string(name(violation.kind)) + ' ' + std::to_string(violation.device) + ':' +
               std::to_string(violation.position) + ' ' + violation.cause + " | " + violation.remedy + '\n';
    return all;
}

constexpr const char *kHeader = "schedule custom devices 2 microbatches 2 vocabulary none\n";

} // namespace

class ScheduleValidator : public QObject {
    Q_OBJECT

private slots:
    void explains_data();
    void explains();
    void acceptsFoldedAndSplitSchedules();
    void whereMicrobatchOrderMustBeKept();
    void remarksOnOtherOrders();
    void namesOneOfThreeDevices();
    void overlappedPassesStartTogether();
    void limitsWhatItReports();
    void plansFarLargerThanTheirPasses();
    void foreignPasses();
    void weightPassesBelongToSplitBackwards();
    void blockingSends();
    void memoryBeyondTheLimit();
    void staleWeights();
    void directionsHaveTheirOwnMicrobatches();
};

void ScheduleValidator::explains_data()
{
    QTest::addColumn<QString>("lines");
    QTest::addColumn<QString>("faults");
    QTest::newRow("valid") << "0: F0 F1 B0 B1\n1: F0 B0 F1 B1"
                           << "";
    QTest::newRow("missing") << "0: F0 F1 B0\n1: F0 B0 F1 B1"
                             << "missing 0:3 B1@0 is missing | add it to device 0\n";
    QTest::newRow("twice") << "0: F0 F1 B0 F1 B1\n1: F0 B0 F1 B1"
                           << "duplicate 0:3 F1@0 runs twice, first at position 1 | remove one of the two\n";
    QTest::newRow("wrong device")
        << "0: F0 F1 B0\n1: F0 B0 F1 B1 B1@0"
        << "wrong-device 1:4 B1@0 is on device 1 but stage 0 belongs to device 0 | move it to device 0\n"
           "missing 0:3 B1@0 is missing | add it to device 0\n";
    QTest::newRow("out of order") << "0: F0 F1 B0 B1\n1: B0 F0 F1 B1"
                                  << "out-of-order 1:0 B0@1 needs F0@1, which comes only at position 1 | "
                                     "move F0@1 in front of position 0\n";
    QTest::newRow("backwards in descending order") << "0: F0 F1 B1 B0\n1: F0 F1 B1 B0"
                                                   << "";
    QTest::newRow("order of a whole and a split backward") << "0: F0 F1 I0 B1 W0\n1: F0 B0 F1 B1"
                                                           << "";
    QTest::newRow("deadlock") << "0: F0 B0 F1 B1\n1: F0 F1 B0 B1"
                              << "deadlock 0:1 device 0 waits at position 1 (B0@0) for B0@1, which device 1 has at position 2 "
                                 "behind F1@1; device 1 waits at position 1 (F1@1) for F1@0, which device 0 has at position 2 "
                                 "behind B0@0 | on device 1 move B0@1 in front of F1@1\n";
    QTest::newRow("no vocabulary here") << "0: F0 S0 F1 B0 B1\n1: F0 B0 F1 B1"
                                        << "not-in-plan 0:1 S0@0 is no pass of a plan with 2 stages, 2 microbatches and this "
                                           "vocabulary method | remove it from device 0\n";
}

void ScheduleValidator::explains()
{
    QFETCH(QString, lines);
    QFETCH(QString, faults);
    QCOMPARE(QString::fromStdString(faultsOf(parsed(kHeader + lines.toStdString()))), faults);
}

void ScheduleValidator::acceptsFoldedAndSplitSchedules()
{
    QCOMPARE(faultsOf(parsed("schedule zigzag devices 2 microbatches 2 vocabulary none placement 0,1,1,0\n"
                             "0: F0 F1 F0@3 I0@3 F1@3 I1@3 W0@3 W1@3 I0 W0 I1 W1\n"
                             "1: F0 F0@2 F1 F1@2 I0@2 I0 I1@2 I1 W0@2 W0 W1@2 W1\n")),
             std::string());
    QCOMPARE(faultsOf(parsed("schedule sharded devices 2 microbatches 1 vocabulary vocab-naive\n"
                             "0: EF0 F0 S0 U0 T0 B0 EB0\n"
                             "1: EF0 F0 S0 U0 T0 B0 EB0\n")),
             std::string());
    // With three barriers, T waits for U of all devices.
    QCOMPARE(findViolations(parsed("schedule sharded devices 2 microbatches 1 vocabulary vocab-naive\n"
                                   "0: EF0 F0 S0 T0 U0 B0 EB0\n"
                                   "1: EF0 F0 S0 U0 T0 B0 EB0\n"))
                 .front()
                 .kind,
             ViolationKind::OutOfOrder);
}

void ScheduleValidator::whereMicrobatchOrderMustBeKept()
{
    QCOMPARE(faultsOf(parsed("schedule x devices 1 microbatches 2 vocabulary vocab-2\n"
                             "0: EF0 EF1 F0 F1 S0 S1 T1 T0 B0 B1 EB0 EB1\n")),
             std::string("microbatch-order 0:7 T0@0 runs after microbatch 1; a shard's gradients must be added in microbatch "
                         "order | move it in front of T1@0\n"));
    const Schedule stashed = parsed("schedule x devices 1 microbatches 2 vocabulary none updates double-buffered\n"
                                    "0: F0 F1 B1 B0\n");
    QCOMPARE(
        faultsOf(stashed),
        std::string("microbatch-order 0:3 B0@0 runs after microbatch 1; weights that change between microbatches must do so "
                    "in microbatch order | move it in front of B1@0\n"));
    QCOMPARE(faultsOf(stashed, {.inMicrobatchOrder = false}), std::string());
}

void ScheduleValidator::remarksOnOtherOrders()
{
    QVERIFY(!accumulationOrder(parsed(std::string(kHeader) + "0: F0 F1 B0 B1\n1: F0 B0 F1 B1")));
    const auto remark = accumulationOrder(parsed(std::string(kHeader) + "0: F0 F1 B0 B1\n1: F0 F1 B1 B0"));
    QVERIFY(remark.has_value());
    QCOMPARE(remark->device, 1);
    QCOMPARE(remark->position, std::size_t{3});
    QVERIFY2(text(*remark).starts_with("device 1 adds the gradients of B0@1 after those of B1@1; "), text(*remark).c_str());
    // Each direction has sums of its own.
    QVERIFY(!accumulationOrder(parsed("schedule x devices 2 microbatches 2 vocabulary none placement 0,1/0,1 "
                                      "microbatch-replicas 01\n0: F1 F0 B1 B0\n1: F1 B1 F0 B0")));
}

void ScheduleValidator::namesOneOfThreeDevices()
{
    // Device 2 stalls as well, but it is not part of the circle.
    const std::vector<Violation> found = findViolations(parsed("schedule custom devices 3 microbatches 2 vocabulary vocab-2\n"
                                                               "0: EF0 F0 S0 EF1 F1 S1 T0 B0 T1 B1 EB0 EB1\n"
                                                               "1: EF0 F0 S0 EF1 S1 F1 T0 B0 T1 B1 EB0 EB1\n"
                                                               "2: EF0 EF1 F0 S0 F1 S1 T0 B0 T1 B1 EB0 EB1\n"));
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found.front().kind, ViolationKind::Deadlock);
    QCOMPARE(found.front().device, 1);
    QCOMPARE(found.front().position, std::size_t{4});
    QCOMPARE(found.front().cause, std::string("device 1 waits at position 4 (S1@1) for F1@2, which device 2 has at position 4; "
                                              "device 2 waits at position 4 (F1@2) for F1@1, which device 1 has at position 5 "
                                              "behind S1@1"));
    QCOMPARE(found.front().remedy, std::string("on device 1 move F1@1 in front of S1@1"));
}

void ScheduleValidator::overlappedPassesStartTogether()
{
    QCOMPARE(faultsOf(parsed(std::string(kHeader) + "0: F0 F1+ B0 B1\n1: F0 B0 F1 B1")), std::string());
    // F1 would start only when B0 can, and B0 of device 1 lies behind its F1.
    QCOMPARE(findViolations(parsed(std::string(kHeader) + "0: F0 F1+ B0 B1\n1: F0 F1 B0 B1")).front().kind,
             ViolationKind::Deadlock);
    QCOMPARE(findViolations(parsed("schedule one devices 1 microbatches 1 vocabulary none\n0: F0+ B0")).front().kind,
             ViolationKind::OutOfOrder);
}

void ScheduleValidator::limitsWhatItReports()
{
    const Schedule empty = parsed("schedule none devices 4 microbatches 30 vocabulary none\n0:\n1:\n2:\n3:\n");
    QCOMPARE(findViolations(empty).size(), std::size_t{100});
    QCOMPARE(findViolations(empty, 7).size(), std::size_t{7});
    QCOMPARE(findViolations(empty, 1'000).size(), std::size_t{240});
    QVERIFY(findViolations(empty, 0).empty());
}

void ScheduleValidator::plansFarLargerThanTheirPasses()
{
    QCOMPARE(faultsOf(parsed("schedule none devices 1 microbatches 10000000 vocabulary none\n0: F0")),
             std::string("missing 0:1 the plan needs 20000000 passes but the schedule has only 1 | lower the number of "
                         "microbatches or add the passes\n"));
    QVERIFY(findViolations(Schedule()).empty());
}

void ScheduleValidator::foreignPasses()
{
    // Not to be had from a text, but from code.
    const Schedule schedule("custom", Placement::linear(1), 1, model::VocabularyMethod::None,
                            {{makePass(PassKind::F, 0, 0), makePass(PassKind::F, 7, 0), makePass(PassKind::F, 0, -1),
                              makePass(PassKind::O, 0, 0), makePass(PassKind::B, 0, 0)}});
    const std::vector<Violation> found = findViolations(schedule);
    QCOMPARE(found.size(), std::size_t{3});
    for (const Violation &violation : found)
        QCOMPARE(violation.kind, ViolationKind::NotInPlan);
}

void ScheduleValidator::weightPassesBelongToSplitBackwards()
{
    const std::string header = "schedule custom devices 1 microbatches 2 vocabulary none\n";
    QCOMPARE(faultsOf(parsed(header + "0: F0 F1 B0 I1 W1")), std::string());
    QCOMPARE(faultsOf(parsed(header + "0: F0 F1 B0 W0 I1")),
             std::string("not-in-plan 0:3 W0@0 makes the weight gradients again that B0@0 has made | remove it, or write I in "
                         "place of that B\n"
                         "missing 0:5 W1@0 is missing | add it to device 0\n"));
}

void ScheduleValidator::blockingSends()
{
    // One forward, one backward with single messages: each device offers its own before it takes the other's.
    const Schedule schedule = parsed(std::string(kHeader) + "0: F0 F1 B0 B1\n1: F0 B0 F1 B1");
    QCOMPARE(faultsOf(schedule), std::string());
    QCOMPARE(
        faultsOf(schedule, {.sends = Sends::Blocking}),
        std::string("deadlock 0:1 device 0 sends at position 1 (F1@0) to F1@1, which device 1 has at position 2 behind B0@1; "
                    "device 1 sends at position 1 (B0@1) to B0@0, which device 0 has at position 2 behind F1@0 | let the "
                    "devices send and receive at once, or buffer the sends\n"));
    QCOMPARE(faultsOf(parsed(std::string(kHeader) + "0: F0 F1 B0 B1\n1: F0 F1 B0 B1"), {.sends = Sends::Blocking}),
             std::string());
}

void ScheduleValidator::memoryBeyondTheLimit()
{
    const Schedule schedule = parsed(std::string(kHeader) + "0: F0 F1 B0 B1\n1: F0 B0 F1 B1");
    QCOMPARE(faultsOf(schedule, {.activationLimit = {2, 1}}), std::string());
    QCOMPARE(faultsOf(schedule, {.activationLimit = {1, 1}}),
             std::string("too-much-memory 0:1 F1@0 puts 2 activations in flight, but there is room for 1 | run a backward "
                         "before it, or raise memory_limit\n"));
}

void ScheduleValidator::staleWeights()
{
    const std::string header = "schedule custom devices 2 microbatches 3 vocabulary none updates each-microbatch\n";
    QCOMPARE(faultsOf(parsed(header + "0: F0 F1 B0 F2 B1 B2\n1: F0 B0 F1 B1 F2 B2")), std::string());
    QCOMPARE(
        faultsOf(parsed(header + "0: F0 F1 F2 B0 B1 B2\n1: F0 B0 F1 B1 F2 B2")),
        std::string("stale-weights 0:2 F2@0 uses weights that 2 updates will have passed before its backward, where one for "
                    "each later stage is allowed: 1 | run the backward of microbatch 0 before it\n"));
    QCOMPARE(faultsOf(parsed("schedule custom devices 2 microbatches 1 vocabulary none updates double-buffered\n"
                             "0: F0 B0\n1: F0 B0")),
             std::string("stale-weights 0:0 1 microbatches a step are fewer than the 2 stages: two versions of the weights are "
                         "not enough | give 2 or more microbatches\n"));
}

void ScheduleValidator::directionsHaveTheirOwnMicrobatches()
{
    const std::string header =
        "schedule custom devices 2 microbatches 2 vocabulary none placement 0,1/1,0 microbatch-replicas 01\n";
    const Schedule schedule = parsed(header + "0: F0 F1@1 B1@1 B0\n1: F1 F0@1 B0@1 B1");
    QCOMPARE(faultsOf(schedule), std::string());
    QCOMPARE(*scheduleFromText(toText(schedule)), schedule);
    QVERIFY(faultsOf(parsed(header + "0: F1 F1@1 B1@1 B0\n1: F0 F0@1 B0@1 B1")).starts_with("wrong-device 0:0 F1@0"));
}

STAGELENS_TEST(ScheduleValidator)

} // namespace unit_schedule_validator

#include "schedule/validator.moc"
