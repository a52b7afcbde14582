// The registry, what it refuses, and the shortest orders by hand.
#include "engine/schedule/families.h"
#include "engine/schedule/families/interleaved.h"
#include "engine/schedule/text_form.h"
#include "tests/support/requirements.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <chrono>

namespace unit_schedule_families {

using namespace stagelens;
using namespace stagelens::schedule;

namespace {

model::Experiment experimentOf(const char *family, int devices, int microbatches,
                               model::VocabularyMethod vocabulary = model::VocabularyMethod::None)
{
    model::Experiment experiment;
    experiment.schedule.family = family;
    experiment.schedule.vocabulary = vocabulary;
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    return experiment;
}

std::string orderOf(const model::Experiment &experiment, int device)
{
    const base::Result<Schedule> made = makeSchedule(experiment);
    if (!made.ok())
        return made.error().text();
    std::string order;
    for (const Pass &pass : made->device(device))
        order += (order.empty() ? "" : " ") + std::string(name(pass.kind)) + std::to_string(pass.microbatch);
    return order;
}

/// The fields that makeSchedule complains about, one a line.
std::string complaintsOf(const model::Experiment &experiment)
{
    const base::Result<Schedule> made = makeSchedule(experiment);
    if (made.ok() || made.error().kind != base::ErrorKind::InvalidInput)
        return "";
    std::string fields;
    for (const base::Problem &problem : made.error().problems)
        fields += problem.field + '\n';
    return fields;
}

} // namespace

class ScheduleFamilies : public QObject {
    Q_OBJECT

private slots:
    void passKindsHaveNames();
    void registryKnowsItsFamilies();
    void refusesWhatNoFamilyCarries();
    void plainOrders();
    void pipeOffloadRepeatsItsChunks();
    void redisHasTheOrderOfNone();
    void aSmallRestMakesGroupsGrow();
    void stagesLieOnDevices();
    void uniformDurationsPlaceTheSlots();
    void requirementsFollowTheMethod();
    void largePlansAreQuick();
};

void ScheduleFamilies::passKindsHaveNames()
{
    for (int kind = 0; kind < kPassKindCount; ++kind)
        QCOMPARE(parsePassKind(name(static_cast<PassKind>(kind))), static_cast<PassKind>(kind));
    QVERIFY(!parsePassKind("f"));
    QVERIFY(!parsePassKind(""));
    QCOMPARE(text(makePass(PassKind::EF, 1, 3)), std::string("EF3@1"));
}

void ScheduleFamilies::registryKnowsItsFamilies()
{
    for (const Family &family : families()) {
        QCOMPARE(findFamily(family.name), &family);
        QVERIFY(!family.description.empty() && !family.source.empty());
    }
    QVERIFY(findFamily("1F1B") == nullptr);
}

void ScheduleFamilies::refusesWhatNoFamilyCarries()
{
    const base::Result<Schedule> unknown = makeSchedule(experimentOf("zb-h9", 4, 8));
    QVERIFY(!unknown.ok());
    QCOMPARE(unknown.error().problems.front().field, std::string("schedule.family"));
    for (const Family &family : families())
        QVERIFY(unknown.error().problems.front().message.find(family.name) != std::string::npos);

    model::Experiment experiment = experimentOf("1f1b", 4, 8);
    experiment.schedule.chunks = 2;
    experiment.schedule.groupSize = 2;
    experiment.schedule.waves = 2;
    experiment.schedule.memoryLimit = 0;
    experiment.schedule.vocabulary = model::VocabularyMethod::Interlaced;
    QCOMPARE(complaintsOf(experiment), std::string("schedule.chunks\nschedule.group_size\nschedule.waves\n"
                                                   "schedule.memory_limit\nschedule.vocabulary\n"));
    QCOMPARE(complaintsOf(experimentOf("gpipe", 0, 8)), std::string("parallel.devices\n"));
    QCOMPARE(complaintsOf(experimentOf("gpipe", 70'000, 1)), std::string("parallel.devices\n"));
    QCOMPARE(complaintsOf(experimentOf("gpipe", -3, -1)), std::string("parallel.devices\nparallel.microbatches\n"));
    QCOMPARE(complaintsOf(experimentOf("1f1b", 2, 2'000'000'000)), std::string("parallel.microbatches\n"));
}

void ScheduleFamilies::plainOrders()
{
    QCOMPARE(orderOf(experimentOf("1f1b", 3, 4), 0), std::string("F0 F1 F2 B0 F3 B1 B2 B3"));
    QCOMPARE(orderOf(experimentOf("1f1b", 3, 4), 2), std::string("F0 B0 F1 B1 F2 B2 F3 B3"));
    QCOMPARE(orderOf(experimentOf("1f1b", 8, 2), 0), std::string("F0 F1 B0 B1"));
    QCOMPARE(orderOf(experimentOf("gpipe", 2, 3), 1), std::string("F0 F1 F2 B0 B1 B2"));
    QCOMPARE(orderOf(experimentOf("1f1b", 1, 2, model::VocabularyMethod::Vocab2), 0),
             std::string("EF0 EF1 F0 S0 F1 B0 T0 S1 B1 EB0 EB1 T1"));
    QCOMPARE(orderOf(experimentOf("gpipe", 1, 2, model::VocabularyMethod::Naive), 0),
             std::string("EF0 EF1 F0 F1 S0 U0 S1 T0 U1 T1 B0 B1 EB0 EB1"));
}

void ScheduleFamilies::pipeOffloadRepeatsItsChunks()
{
    const auto textOf = [](int device) {
        const auto made = makeSchedule(experimentOf("po-h", 2, 3));
        std::string order;
        for (const Pass &pass : made->device(device))
            order += text(pass) + ' ';
        return order;
    };
    QCOMPARE(textOf(0), std::string("F0@0 F0@2 F1@0 I0@2 W0@2 F1@2 I0@0 W0@0 F2@0 I1@2 W1@2 F2@2 I1@0 W1@0 I2@2 W2@2 I2@0 "
                                    "W2@0 "));
    QCOMPARE(textOf(1), std::string("F0@1 F0@3 I0@3 W0@3 F1@1 I0@1 W0@1 F1@3 I1@3 W1@3 F2@1 I1@1 W1@1 F2@3 I2@3 W2@3 I2@1 "
                                    "W2@1 "));
    for (const char *family : {"po-h", "po-f"}) {
        model::Experiment experiment = experimentOf(family, 2, 3);
        experiment.schedule.chunks = 1;
        const auto refused = makeSchedule(experiment);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("schedule.chunks"));
        QCOMPARE(refused.error().problems.front().message, std::string("is 1; choose 2 to 64"));
        for (int device = 0; device < 2; ++device)
            QCOMPARE(orderOf(experimentOf(family, 2, 3), device), orderOf(experimentOf("po-h", 2, 3), device));
    }
}

void ScheduleFamilies::aSmallRestMakesGroupsGrow()
{
    struct Row {
        int microbatches;
        std::optional<int> groupSize;
        std::optional<int> grown;
    };
    // On four devices; a rest of four or more is a group of its own.
    for (const auto &[microbatches, groupSize, grown] :
         {Row{8, {}, {}}, Row{10, {}, 5}, Row{3, {}, {}}, Row{7, {}, 7}, Row{12, 8, {}}, Row{9, 6, 9}}) {
        model::Experiment experiment = experimentOf("interleaved-1f1b", 4, microbatches);
        experiment.schedule.chunks = 2;
        experiment.schedule.groupSize = groupSize;
        QCOMPARE(grownGroup(experiment), grown);
        // The first forwards of the last device are those of the first group, which goes through chunk after chunk.
        const base::Result<Schedule> made = makeSchedule(experiment);
        QVERIFY(made.ok());
        int first = 0;
        for (const Pass &pass : made->device(3)) {
            if (pass.kind == PassKind::F && pass.stage != 3)
                break;
            first += pass.kind == PassKind::F ? 1 : 0;
        }
        QCOMPARE(first, grown.value_or(std::min(microbatches, groupSize.value_or(4))));
        experiment.schedule.family = "breadth-first";
        QVERIFY(!grownGroup(experiment));
    }
}

void ScheduleFamilies::redisHasTheOrderOfNone()
{
    for (const char *family : {"gpipe", "1f1b"})
        for (int device = 0; device < 5; ++device)
            QCOMPARE(orderOf(experimentOf(family, 5, 9, model::VocabularyMethod::Redis), device),
                     orderOf(experimentOf(family, 5, 9), device));
}

void ScheduleFamilies::stagesLieOnDevices()
{
    const Placement folded = Placement::zigzag(2, 2);
    QCOMPARE(folded.stageDevice, (std::vector<std::uint16_t>{0, 1, 1, 0}));
    QCOMPARE(folded.stagesOf(0), (std::vector<int>{0, 3}));
    QCOMPARE(folded.stagesOf(1), (std::vector<int>{1, 2}));
    QCOMPARE(folded.lastStage(), 3);
    QCOMPARE(Placement::linear(3).stageDevice, (std::vector<std::uint16_t>{0, 1, 2}));
    QCOMPARE(Placement::looped(2, 2).stageDevice, (std::vector<std::uint16_t>{0, 1, 0, 1}));
    const Placement twoWay = Placement::twoWay(4, 3);
    QCOMPARE(twoWay.stages(), 4);
    QCOMPARE(twoWay.chunks(), 1);
    QCOMPARE(twoWay.stagesOf(1), (std::vector<int>{1, 2}));
    QCOMPARE(twoWay.deviceOf(makePass(PassKind::F, 1, 2)), 1);
    QCOMPARE(twoWay.deviceOf(makePass(PassKind::F, 1, 1)), 2);
    QCOMPARE(twoWay.firstStages(), (std::vector<int>{0, 1, 1, 0}));
    const base::Result<Schedule> made = makeSchedule(experimentOf("1f1b", 3, 2, model::VocabularyMethod::Vocab1));
    QVERIFY(made.ok());
    for (int device = 0; device < 3; ++device)
        for (const Pass &pass : made->device(device))
            QCOMPARE(static_cast<int>(pass.stage), device);
    QCOMPARE(made->passCount(), std::size_t{3 * 2 * 6});
    QCOMPARE(made->firstIndex(2), std::size_t{24});
    QVERIFY(Schedule().device(0).empty());
}

void ScheduleFamilies::uniformDurationsPlaceTheSlots()
{
    model::Experiment experiment = experimentOf("1f1b", 4, 8, model::VocabularyMethod::Vocab2);
    const std::string published = orderOf(experiment, 1);
    experiment.cost.source = model::UniformCosts{{{"F", 1.5}, {"B", 3.0}}};
    QCOMPARE(orderOf(experiment, 1), published);
    // A backward as long as a forward leaves room for one slot before F only.
    experiment.cost.source = model::UniformCosts{{{"F", 1.0}, {"I", 0.5}, {"W", 0.5}}};
    QVERIFY(orderOf(experiment, 1) != published);
    experiment.cost.source = model::UniformCosts{{{"S", 1.0}}};
    QCOMPARE(orderOf(experiment, 1), published);
}

void ScheduleFamilies::requirementsFollowTheMethod()
{
    const auto needs = [](model::VocabularyMethod method, const Pass &pass) {
        std::string all;
        for (const Requirement &needed : test::requirementsOf({2, method}, pass)) {
            all += (all.empty() ? "" : " ") + std::string(name(needed.kind));
            all += (needed.allDevices ? "*" : std::to_string(needed.stage)) + ':' +
                   std::to_string(static_cast<int>(needed.transfer));
        }
        return all;
    };
    using enum model::VocabularyMethod;
    // Numbers after the colon: Local 0, Send 1, BroadcastX 2, Statistics 3, ReduceGradient 4, EmbedReduce 5, EmbedBroadcast 6.
    QCOMPARE(needs(None, makePass(PassKind::F, 0, 1)), std::string(""));
    QCOMPARE(needs(Vocab1, makePass(PassKind::F, 0, 1)), std::string("EF*:5"));
    QCOMPARE(needs(Vocab1, makePass(PassKind::F, 2, 1)), std::string("F1:1"));
    QCOMPARE(needs(None, makePass(PassKind::B, 2, 1)), std::string("F2:0"));
    QCOMPARE(needs(Naive, makePass(PassKind::B, 2, 1)), std::string("F2:0 T*:4"));
    QCOMPARE(needs(Vocab1, makePass(PassKind::B, 2, 1)), std::string("F2:0 T*:4"));
    QCOMPARE(needs(Vocab2, makePass(PassKind::B, 2, 1)), std::string("F2:0 S*:3"));
    QCOMPARE(needs(Vocab2, makePass(PassKind::B, 0, 1)), std::string("F0:0 B1:1"));
    QCOMPARE(needs(Vocab2, makePass(PassKind::I, 0, 1)), std::string("F0:0 B1:1"));
    QCOMPARE(needs(Vocab2, makePass(PassKind::W, 1, 1)), std::string("I1:0"));
    QCOMPARE(needs(Vocab2, makePass(PassKind::EB, 1, 1)), std::string("B0:6"));
    QCOMPARE(needs(Vocab2, makePass(PassKind::S, 0, 1)), std::string("F2:2"));
    QCOMPARE(needs(Vocab2, makePass(PassKind::T, 0, 1)), std::string("S*:3"));
    QCOMPARE(needs(Interlaced, makePass(PassKind::B, 2, 1)), std::string("F2:0 S*:4"));
    QCOMPARE(needs(Naive, makePass(PassKind::U, 0, 1)), std::string("S*:3"));
    QCOMPARE(needs(Naive, makePass(PassKind::T, 0, 1)), std::string("U*:3"));
    QCOMPARE(needs(Vocab1, makePass(PassKind::EF, 0, 1)), std::string(""));
}

void ScheduleFamilies::largePlansAreQuick()
{
    // Linear work: the limit is generous, a quadratic generator would need minutes.
    const auto begin = std::chrono::steady_clock::now();
    for (const char *family : {"gpipe", "1f1b"})
        QCOMPARE(makeSchedule(experimentOf(family, 64, 2048, model::VocabularyMethod::Vocab1))->passCount(),
                 std::size_t{64 * 2048 * 6});
    QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

STAGELENS_TEST(ScheduleFamilies)

} // namespace unit_schedule_families

#include "schedule/families.moc"
