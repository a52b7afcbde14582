// Families with several stages a device in a V or in waves, and zero bubble: published bubbles and peaks (arXiv 2401.10241,
// 2405.15362), makespans of the reference generators, small plans, vocabulary methods. Units: a stage's F.
#include "tests/support/order_support.h"

#include "engine/base/random.h"
#include "engine/schedule/order/lead_order.h"
#include "engine/schedule/order/squeeze.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTest>

#include <chrono>

namespace unit_schedule_v_families {

using namespace stagelens;
using namespace stagelens::schedule;
using model::VocabularyMethod;
using test::greatest;
using test::Order;
using test::orderOf;
using test::unitExperiment;

namespace {

/// Makespan less a device's work, both in units; two stages a device.
double bubbleOf(const std::string &family, int devices, int microbatches, double forward = 1, double input = 1,
                double weight = 1)
{
    const std::map<std::string, double> durations{{"F", forward}, {"I", input}, {"W", weight}};
    const Order order = orderOf(unitExperiment(family, devices, microbatches, VocabularyMethod::None, durations));
    return order.makespan - 2 * microbatches * (forward + input + weight);
}

int peakOf(const std::string &family, int devices, int microbatches, VocabularyMethod method = VocabularyMethod::None)
{
    return greatest(orderOf(unitExperiment(family, devices, microbatches, method)).held);
}

} // namespace

class ScheduleVFamilies : public QObject {
    Q_OBJECT

private slots:
    void zbVHasItsMakespan();
    void zbVStartsAsPublished();
    void patternsHaveTheirBubblesAndPeaks_data();
    void patternsHaveTheirBubblesAndPeaks();
    void unequalDurations();
    void wholeBackwardsInTwoThirds();
    void barriersCostMicrobatchesAndNoBubble();
    void dualPipeVHasItsBubbleAndPeak();
    void wavesShortenTheBubble();
    void smallPlansAreSound_data();
    void smallPlansAreSound();
    void squeezeKeepsToItsOptions();
    void makespansOfTheReference_data();
    void makespansOfTheReference();
    void neverLongerThanHandcrafted();
    void largePlansAreQuick();
};

void ScheduleVFamilies::zbVHasItsMakespan()
{
    QCOMPARE(orderOf(unitExperiment("zb-v", 8, 64)).makespan, 391.0);
    for (const int devices : {2, 4, 8, 16}) {
        // Nothing but the way to the last device is idle.
        QCOMPARE(bubbleOf("zb-v", devices, 4 * devices), devices - 1.0);
        const Order order = orderOf(unitExperiment("zb-v", devices, 4 * devices));
        QCOMPARE(order.held, std::vector<int>(static_cast<std::size_t>(devices), 2 * devices));
    }
    // With F = 1, I = 1.2, W = 0.8 each device idles (p - 1) 0.4 beside the way in.
    QVERIFY(bubbleOf("zb-v", 8, 64, 1, 1.2, 0.8) <= 7 * 1.4 + 1e-6);
}

void ScheduleVFamilies::zbVStartsAsPublished()
{
    const Order order = orderOf(unitExperiment("zb-v", 2, 4));
    std::string first;
    for (const Pass &pass : order.schedule.device(0))
        first += text(pass) + ' ';
    QCOMPARE(first, std::string("F0@0 F1@0 F2@0 F0@3 I0@3 W0@3 F1@3 I1@3 W1@3 F3@0 I0@0 W0@0 F2@3 I2@3 W2@3 I1@0 W1@0 F3@3 "
                                "I3@3 W3@3 I2@0 W2@0 I3@0 W3@0 "));
}

void ScheduleVFamilies::patternsHaveTheirBubblesAndPeaks_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<int>("devices");
    QTest::addColumn<double>("bubble");
    QTest::addColumn<int>("peak"); // in stages' microbatches
    const auto row = [](const char *family, int devices, double bubble, int peak) {
        QTest::addRow("%s %d", family, devices) << family << devices << bubble << peak;
    };
    for (const int devices : {4, 8, 16}) {
        row("v-min", devices, 4.0 * devices - 5, (devices + 4) / 3 * 2);
        row("v-half", devices, 3.0 * devices - 7, (devices + 2) / 2 * 2);
        row("v-zb", devices, devices - 1.0, 2 * devices);
    }
    row("v-min", 5, 15, 6);
    row("v-min", 6, 17, 6);
    row("v-half", 5, 11, 6);
    row("v-half", 7, 17, 8);
    row("v-zb", 5, 4, 10);
    row("v-zb", 1, 0, 2);
    row("v-min", 1, 0, 2);
}

void ScheduleVFamilies::patternsHaveTheirBubblesAndPeaks()
{
    QFETCH(const QString, family);
    QFETCH(const int, devices);
    QFETCH(const double, bubble);
    QFETCH(const int, peak);
    const std::string name = family.toStdString();
    for (const int microbatches : {2 * devices, 4 * devices, 9 * devices}) {
        QVERIFY(bubbleOf(name, devices, microbatches) <= bubble); // V-Min may be shorter than published
        QVERIFY(family == "v-min" || bubbleOf(name, devices, microbatches) == bubble);
        QCOMPARE(peakOf(name, devices, microbatches), peak);
    }
}

void ScheduleVFamilies::unequalDurations()
{
    // F : I : W = 3 : 4 : 2. V-Half's bubble is the same for any number of microbatches, V-Min's grows.
    QVERIFY(bubbleOf("v-half", 4, 16, 3, 4, 2) <= 29);
    QVERIFY(bubbleOf("v-half", 4, 32, 3, 4, 2) <= 29);
    QCOMPARE(bubbleOf("v-zb", 4, 16, 3, 4, 2), 12.0);
    QCOMPARE(bubbleOf("v-zb", 4, 64, 3, 4, 2), 12.0);
    QVERIFY(bubbleOf("v-min", 4, 16, 3, 4, 2) <= 130);
    QVERIFY(bubbleOf("v-min", 4, 32, 3, 4, 2) <= 226);
    QVERIFY(bubbleOf("v-min", 4, 32, 3, 4, 2) > bubbleOf("v-min", 4, 16, 3, 4, 2));
    QCOMPARE(peakOf("v-half", 4, 32), 6);
}

void ScheduleVFamilies::wholeBackwardsInTwoThirds()
{
    for (const int devices : {4, 8, 16, 32}) {
        // Neither the bubble nor two thirds of the memory of 1F1B.
        QVERIFY(bubbleOf("1f1b-v", devices, 4 * devices) <= 6.0 * (devices - 1));
        QVERIFY(3 * peakOf("1f1b-v", devices, 4 * devices) <= 4 * devices + 6);
        QCOMPARE(bubbleOf("1f1b-v", devices, 8 * devices), bubbleOf("1f1b-v", devices, 4 * devices));
    }
}

void ScheduleVFamilies::barriersCostMicrobatchesAndNoBubble()
{
    // The reference program holds 5, 6 and 7 microbatches on 8 devices, and idles 17, 29 and 32 units.
    QCOMPARE(peakOf("v-half", 8, 32), 2 * 5);
    QCOMPARE(peakOf("v-half", 8, 32, VocabularyMethod::Vocab2), 2 * 6);
    QCOMPARE(peakOf("v-half", 8, 32, VocabularyMethod::Vocab1), 2 * 7);
    QCOMPARE(peakOf("v-half", 8, 32, VocabularyMethod::Naive), 2 * 8);
    for (const std::string family : {"zb-v", "v-min", "v-half", "v-zb", "1f1b-v", "dualpipe-v", "hanayo"}) {
        const int plain = peakOf(family, 6, 24);
        for (const auto method : {VocabularyMethod::Naive, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
            QVERIFY2(peakOf(family, 6, 24, method) <= plain + 2 * model::traits(method).barriers, family.c_str());
    }
    // The published order fills and drains as the pattern does; `best` needs no more than V-Half without vocabulary passes.
    const auto idle = [](int devices, VocabularyMethod method, model::VocabularyOrder order, double vocabulary) {
        model::Experiment experiment = unitExperiment("v-half", devices, 4 * devices, method,
                                                      {{"F", 1}, {"I", 1}, {"W", 1}, {"S", vocabulary}, {"T", vocabulary}});
        experiment.schedule.vocabularyOrder = order;
        return orderOf(experiment).makespan - 4 * devices * (6 + 2 * vocabulary);
    };
    struct Published {
        int devices;
        VocabularyMethod method;
        double idle;
    };
    for (const auto &[devices, method, published] : {Published{4, VocabularyMethod::Vocab2, 15},
                                                     {4, VocabularyMethod::Vocab1, 18},
                                                     {8, VocabularyMethod::Vocab2, 29},
                                                     {8, VocabularyMethod::Vocab1, 32},
                                                     {16, VocabularyMethod::Vocab2, 57},
                                                     {16, VocabularyMethod::Vocab1, 60}}) {
        QCOMPARE(idle(devices, method, model::VocabularyOrder::Published, 0), published);
        QVERIFY(idle(devices, method, model::VocabularyOrder::Published, 0.25) <= published);
        QVERIFY(idle(devices, method, model::VocabularyOrder::Best, 0) <= 3 * devices - 7);
        QVERIFY(idle(devices, method, model::VocabularyOrder::Best, 0.25) <= 3 * devices - 7);
    }
}

void ScheduleVFamilies::dualPipeVHasItsBubbleAndPeak()
{
    for (const int devices : {1, 2, 4, 7, 8}) {
        // (p - 1) (F&B + B - 3 W) with a pair as long as its passes, and 2 p + 1 stages' microbatches.
        for (const int microbatches : {2 * devices, 4 * devices, 5 * devices + 1}) {
            QCOMPARE(bubbleOf("dualpipe-v", devices, microbatches), 2.0 * (devices - 1));
            QCOMPARE(peakOf("dualpipe-v", devices, microbatches), std::min(2 * devices + 1, 2 * microbatches));
        }
    }
    // Where a pair is shorter than its passes, devices differ in work: the formula is that of the one at the turn, with the
    // most pairs, which idles most.
    for (const int devices : {2, 3, 4, 8}) {
        for (const double pair : {2.25, 2.5, 2.75}) {
            const Order order = orderOf(unitExperiment("dualpipe-v", devices, 4 * devices, VocabularyMethod::None,
                                                       {{"F", 1}, {"I", 1}, {"W", 1}, {"FB", pair}}));
            QCOMPARE(test::mostIdle(order, pair), (devices - 1) * (pair + 2 - 3));
        }
    }
    QCOMPARE(orderOf(unitExperiment("dualpipe-v", 4, 3)).fault, std::string());
}

void ScheduleVFamilies::wavesShortenTheBubble()
{
    const auto ratio = [](int devices, int waves, int microbatches, double backward) {
        model::Experiment experiment =
            unitExperiment("hanayo", devices, microbatches, VocabularyMethod::None, {{"F", 1}, {"B", backward}});
        experiment.schedule.waves = waves;
        const Order order = orderOf(experiment);
        const bool isSound = order.fault.empty() && greatest(order.held) <= 2 * waves * devices;
        return isSound ? 1 - 2 * waves * microbatches * (1 + backward) / order.makespan : 1;
    };
    // Of as many microbatches as devices, backward = 2 forwards: no more than plain greedy scheduling leaves.
    QVERIFY(ratio(4, 1, 4, 2) <= 0.3334);
    QVERIFY(ratio(4, 2, 4, 2) <= 0.2001);
    QVERIFY(ratio(4, 4, 4, 2) <= 0.1119);
    QVERIFY(ratio(8, 1, 8, 2) <= 0.3685);
    QVERIFY(ratio(8, 2, 8, 2) <= 0.2259);
    // Backward = forward: as interleaved 1F1B with as many stages.
    for (const int waves : {1, 2, 4})
        for (const int microbatches : {4, 8, 16})
            QVERIFY(ratio(4, waves, microbatches, 1) <= 3.0 / (2 * waves * microbatches + 3) + 1e-9);
}

void ScheduleVFamilies::smallPlansAreSound_data()
{
    QTest::addColumn<QString>("family");
    for (const char *family : {"zb-v", "v-min", "v-half", "v-zb", "1f1b-v", "dualpipe-v", "hanayo"})
        QTest::newRow(family) << family;
}

void ScheduleVFamilies::smallPlansAreSound()
{
    QFETCH(const QString, family);
    const std::string fault = test::faultOfSmallPlans(family.toStdString(), 1);
    QVERIFY2(fault.empty(), fault.c_str());
}

void ScheduleVFamilies::squeezeKeepsToItsOptions()
{
    const model::Experiment experiment = unitExperiment("zb-v", 4, 12);
    const Durations durations = nominalDurations(experiment);
    const Order zbV = orderOf(experiment);
    LayerOrder order{zbV.schedule.placement(), {}};
    for (int device = 0; device < 4; ++device)
        order.devices.emplace_back(zbV.schedule.device(device).begin(), zbV.schedule.device(device).end());
    const TimedOrder same = squeeze(order, durations, {.freedom = Freedom::None});
    QCOMPARE(static_cast<double>(same.makespan) / base::kNanosPerMilli, zbV.makespan);
    QVERIFY(same.order.devices == order.devices);
    QCOMPARE(mostHeld(order), zbV.held);
    for (const Freedom freedom : {Freedom::Ends, Freedom::All}) {
        for (const bool weightsFill : {false, true}) {
            const TimedOrder squeezed = squeeze(order, durations, {.freedom = freedom, .weightsFill = weightsFill});
            const Schedule made("zb-v", order.placement, 12, VocabularyMethod::None, squeezed.order.devices);
            QVERIFY(findViolations(made, 1).empty());
            QCOMPARE(makespanOf(made, durations), std::optional(squeezed.makespan));
            for (std::size_t device = 0; device < 4; ++device)
                QVERIFY(mostHeld(squeezed.order)[device] <= zbV.held[device]);
        }
    }
}

/// Makespans and peaks of 162 plans by the generators of the zero-bubble papers, replayed by an independent simulator. Times of
/// one pass of a stage are in an arbitrary unit; 1F1B-V runs I and W whole; the peak counts microbatches of a device's whole
/// share of layers, of the device that holds most.
void ScheduleVFamilies::makespansOfTheReference_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QList<double>>("plan"); // devices, microbatches, F, I, W, send
    QTest::addColumn<double>("makespan");
    QTest::addColumn<int>("peak");
    QFile file(qEnvironmentVariable("STAGELENS_TEST_DATA") + "/support/reference-makespans.csv");
    QVERIFY2(file.open(QIODevice::ReadOnly | QIODevice::Text), qPrintable(file.errorString()));
    const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
    QCOMPARE(lines.size(), 163);
    for (const QByteArray &line : lines.sliced(1)) {
        const QList<QByteArray> fields = line.split(',');
        QCOMPARE(fields.size(), 9);
        QList<double> plan;
        for (const QByteArray &field : fields.sliced(1, 6))
            plan.append(field.toDouble());
        QTest::newRow(line.constData()) << QString::fromLatin1(fields[0]) << plan << fields[7].toDouble() << fields[8].toInt();
    }
}

void ScheduleVFamilies::makespansOfTheReference()
{
    QFETCH(const QString, family);
    QFETCH(const QList<double>, plan);
    QFETCH(const double, makespan);
    QFETCH(const int, peak);
    const int devices = static_cast<int>(plan[0]);
    std::map<std::string, double> durations{{"F", plan[2]}, {"send", plan[5]}};
    if (family == "1f1b-v")
        durations["B"] = plan[3] + plan[4];
    else
        durations.insert({{"I", plan[3]}, {"W", plan[4]}});
    for (auto &[word, milliseconds] : durations)
        milliseconds /= 1000; // a unit of the table is a microsecond
    const Order order =
        orderOf(unitExperiment(family.toStdString(), devices, static_cast<int>(plan[1]), VocabularyMethod::None, durations));
    QVERIFY2(order.fault.empty(), order.fault.c_str());
    QVERIFY2(order.makespan * 1000 <= makespan * 1.0005, qPrintable(QString::number(order.makespan * 1000)));
    const int chunks = order.schedule.placement().chunks();
    const int held = greatest(order.held);
    QVERIFY2(held <= chunks * peak, qPrintable(QString::number(held)));
    // The reference counts half of a microbatch from I to W, so that its ZB-H2 for 2 p microbatches holds up to 25 where p
    // is 8.
    if (family == "zb-h2")
        QVERIFY(held <= 2 * devices);
}

/// An order made for the durations is taken only where it is shorter than the handcrafted one and within the family's limit.
void ScheduleVFamilies::neverLongerThanHandcrafted()
{
    base::Random random(13);
    int shorter = 0;
    for (int round = 0; round < 80; ++round) {
        const int devices = static_cast<int>(random.nextInteger(2, 12));
        const int microbatches = static_cast<int>(random.nextInteger(1, 3 * devices));
        const auto made = [&](const char *family) {
            return unitExperiment(family, devices, microbatches, VocabularyMethod::None,
                                  {{"F", 1},
                                   {"I", 0.7 + random.nextUniform()},
                                   {"W", 0.4 + random.nextUniform()},
                                   {"send", round % 3 == 0 ? 0 : 0.3 * random.nextUniform()}});
        };
        const auto handcrafted = [&](int ahead) {
            std::vector<Lead> leads;
            for (int device = 0; device < devices; ++device)
                leads.push_back({.forwards = ahead * (devices - device) - (ahead - 1), .weightLag = ahead * device});
            return leadOrder(leads, microbatches);
        };
        for (const auto &[family, ahead] : {std::pair("zb-h1", 1), std::pair("zb-h2", 2)}) {
            const model::Experiment experiment = made(family);
            const Order order = orderOf(experiment);
            QVERIFY2(order.fault.empty(), order.fault.c_str());
            const TimedOrder byHand = squeeze(handcrafted(ahead), nominalDurations(experiment), {.freedom = Freedom::None});
            const double longest = static_cast<double>(byHand.makespan) / base::kNanosPerMilli;
            QVERIFY(order.makespan <= longest);
            QVERIFY(greatest(order.held) <= ahead * devices);
            shorter += order.makespan < longest ? 1 : 0;
        }
        for (const auto &[family, limit] : {std::pair("zb-v", 2 * devices), std::pair("v-half", (devices + 2) / 2 * 2),
                                            std::pair("v-min", (devices + 4) / 3 * 2)}) {
            const Order order = orderOf(made(family));
            QVERIFY2(order.fault.empty(), order.fault.c_str());
            QVERIFY(greatest(order.held) <= limit);
        }
    }
    QVERIFY(shorter > 40);
}

void ScheduleVFamilies::largePlansAreQuick()
{
    // The limit is generous; a quadratic generator would need minutes.
    const auto begin = std::chrono::steady_clock::now();
    for (const char *family : {"zb-v", "v-half", "v-zb", "dualpipe-v"}) {
        const base::Result<Schedule> made = makeSchedule(unitExperiment(family, 64, 512));
        QVERIFY(made.ok());
        QVERIFY(made->passCount() >= std::size_t{64} * 512 * 4);
    }
    QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(9));
}

STAGELENS_TEST(ScheduleVFamilies)

} // namespace unit_schedule_v_families

#include "schedule/v_families.moc"
