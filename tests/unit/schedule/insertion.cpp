// The parts that orders are made of: barriers opened in a word, greedy lists, vocabulary passes put in.
#include "engine/base/random.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "engine/schedule/order/list_schedule.h"
#include "engine/schedule/order/vocabulary_insertion.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <random>

namespace unit_schedule_insertion {

using namespace stagelens;
using namespace stagelens::schedule;
using model::VocabularyMethod;

namespace {

/// "F0 I0+ F1": a plus where a pair begins.
std::string wordOf(const std::vector<Pass> &passes)
{
    std::string word;
    for (const Pass &pass : passes)
        word +=
            fmt::format("{}{}{}{}", word.empty() ? "" : " ", name(pass.kind), pass.microbatch, pass.pairedWithNext ? "+" : "");
    return word;
}

std::vector<Pass> passesOf(PassKind kind, int count, int stage = 0)
{
    std::vector<Pass> passes;
    for (int i = 0; i < count; ++i)
        passes.push_back(makePass(kind, stage, i));
    return passes;
}

/// F = I = W = 1 ms, B = 2 ms, vocabulary passes a quarter.
Durations units()
{
    return nominalDurations({});
}

ListTask oneDevice(int microbatches, std::vector<PassQueue> queues, std::int64_t limit = 100)
{
    return {Placement::linear(1), microbatches, VocabularyMethod::None, {{std::move(queues), limit}}};
}

model::Experiment planOf(std::string_view family, int devices, int microbatches, VocabularyMethod method)
{
    model::Experiment experiment;
    experiment.schedule.family = family;
    experiment.schedule.vocabulary = method;
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    return experiment;
}

double milliseconds(base::Nanos time)
{
    return static_cast<double>(time) / static_cast<double>(base::kNanosPerMilli);
}

} // namespace

class ScheduleInsertion : public QObject {
    Q_OBJECT

private slots:
    void barriersMoveForwardsToTheFront()
    {
        LayerOrder order{Placement::linear(1), {{}}};
        order.devices[0] = {makePass(PassKind::F, 0, 0), makePass(PassKind::B, 0, 0), makePass(PassKind::F, 0, 1),
                            makePass(PassKind::B, 0, 1), makePass(PassKind::F, 0, 2), makePass(PassKind::B, 0, 2)};
        QCOMPARE(wordOf(withBarriers(order, 0).devices[0]), std::string("F0 B0 F1 B1 F2 B2"));
        QCOMPARE(wordOf(withBarriers(order, 1).devices[0]), std::string("F0 F1 B0 F2 B1 B2"));
        QCOMPARE(wordOf(withBarriers(order, 9).devices[0]), std::string("F0 F1 F2 B0 B1 B2"));
        order.devices[0][2].pairedWithNext = true;
        order.devices[0][3].pairedWithNext = false;
        QCOMPARE(wordOf(withBarriers(order, 1).devices[0]), std::string("F0 F1 B0 F2+ B1 B2"));
        QCOMPARE(wordOf(withBarriers(order, 2).devices[0]), std::string("F0 F1 F2 B0 B1 B2"));
    }

    void listsFollowRanksAndLimits()
    {
        const PassQueue forwards{passesOf(PassKind::F, 3), 1, false, {}};
        const PassQueue backwards{passesOf(PassKind::B, 3), 0, false, {}};
        const ListOutcome ranked = listSchedule(oneDevice(3, {forwards, backwards}), units());
        QVERIFY(ranked.isComplete);
        QCOMPARE(wordOf(ranked.devices[0]), std::string("F0 B0 F1 B1 F2 B2"));
        QCOMPARE(milliseconds(ranked.makespan), 9.0);
        PassQueue eager = forwards;
        eager.rank = -1;
        QCOMPARE(wordOf(listSchedule(oneDevice(3, {eager, backwards}), units()).devices[0]), std::string("F0 F1 F2 B0 B1 B2"));
        QCOMPARE(wordOf(listSchedule(oneDevice(3, {eager, backwards}, 2), units()).devices[0]),
                 std::string("F0 F1 B0 F2 B1 B2"));
        QVERIFY(!listSchedule(oneDevice(3, {eager, backwards}, 0), units()).isComplete);
        eager.gates = {std::nullopt, std::nullopt, makePass(PassKind::B, 0, 1)};
        QCOMPARE(wordOf(listSchedule(oneDevice(3, {eager, backwards}), units()).devices[0]), std::string("F0 F1 B0 B1 F2 B2"));
    }

    void weightPassesFillGapsOnly()
    {
        // On the first device a gap of one unit lies between I0 and I1; W0 fits into it only if it is as short.
        const auto orderWith = [](base::Nanos weight) {
            Durations durations = units();
            durations.common[static_cast<std::size_t>(PassKind::W)] = weight;
            durations.transfers[static_cast<std::size_t>(Transfer::Send)] = base::kNanosPerMilli / 2;
            ListTask task{Placement::linear(2), 2, VocabularyMethod::None, {}};
            for (int stage = 0; stage < 2; ++stage)
                task.devices.push_back({{{passesOf(PassKind::I, 2, stage), 0, false, {}},
                                         {passesOf(PassKind::F, 2, stage), 1, false, {}},
                                         {passesOf(PassKind::W, 2, stage), 2, true, {}}}});
            return wordOf(listSchedule(task, durations).devices[0]);
        };
        QCOMPARE(orderWith(base::kNanosPerMilli), std::string("F0 F1 I0 W0 I1 W1"));
        QCOMPARE(orderWith(3 * base::kNanosPerMilli), std::string("F0 F1 I0 I1 W0 W1"));
    }

    void vocabularyPassesCostNothingButTheirTime()
    {
        // S + T + EF + EB are one unit a microbatch; the bubble stays what it is without them.
        for (const auto &[family, plain] :
             {std::pair("zb-h1", 199.0), std::pair("zb-h2", 199.0), std::pair("interleaved-1f1b", 405.0),
              std::pair("breadth-first", 405.0), std::pair("interleaved-zb", 391.0), std::pair("eager-1f1b", 213.0)}) {
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
                const auto made = makeSchedule(planOf(family, 8, 64, method));
                QVERIFY(made.ok());
                const double found = milliseconds(makespanOf(*made, units()).value());
                const double work = model::traits(method).isSharded ? 64 : 0;
                QVERIFY2(found <= plain + work, fmt::format("{}: {}", family, found).c_str());
            }
        }
    }

    void collectivesComeInOneOrder()
    {
        base::Random random(std::random_device{}());
        for (const Family &family : families()) {
            for (const VocabularyMethod method :
                 {VocabularyMethod::Naive, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
                const auto made = makeSchedule(planOf(family.name, 2 * static_cast<int>(random.nextInteger(1, 4)), 24, method));
                if (!made || family.name == "1f1b" || family.name == "gpipe")
                    continue;
                const auto vocabularyOf = [&](int device) {
                    std::vector<std::pair<PassKind, int>> order;
                    for (const Pass &pass : made->device(device))
                        if (isVocabularyPass(pass.kind))
                            order.emplace_back(pass.kind, pass.microbatch);
                    return order;
                };
                for (int device = 1; device < made->devices(); ++device)
                    QVERIFY2(vocabularyOf(device) == vocabularyOf(0), std::string(family.name).c_str());
            }
        }
    }

    void bestIsNeverLongerThanPublished()
    {
        const std::uint64_t seed = std::random_device{}();
        qInfo() << "seed" << seed;
        base::Random random(seed);
        int shorter = 0;
        for (int round = 0; round < 60; ++round) {
            model::Experiment experiment = planOf(round % 2 == 0 ? "1f1b" : "zb-h1", static_cast<int>(random.nextInteger(2, 9)),
                                                  32, round % 3 == 0 ? VocabularyMethod::Vocab1 : VocabularyMethod::Vocab2);
            Durations durations;
            for (base::Nanos &duration : durations.common)
                duration = random.nextInteger(1, 2000);
            for (base::Nanos &latency : durations.transfers)
                latency = random.nextInteger(0, 500);
            const auto published = makeSchedule(experiment, &durations);
            experiment.schedule.vocabularyOrder = model::VocabularyOrder::Best;
            const auto best = makeSchedule(experiment, &durations);
            QVERIFY(published.ok() && best.ok());
            QVERIFY(findViolations(*best).empty());
            const base::Nanos saved = *makespanOf(*published, durations) - *makespanOf(*best, durations);
            QVERIFY(saved >= 0);
            shorter += saved > 0 ? 1 : 0;
        }
        qInfo() << shorter << "of 60 shorter";
        QVERIFY(shorter > 5);
    }

    void automaticOrdersKeepTheirLimit()
    {
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
            for (const std::int64_t limit : {2, 3, 5, 8, 20}) {
                Durations durations = units();
                durations.activationLimit.assign(6, limit);
                const auto made = makeSchedule(planOf("zb-auto", 6, 30, method), &durations);
                QVERIFY(made.ok());
                QVERIFY(findViolations(*made, {.activationLimit = durations.activationLimit}).empty());
            }
        }
        Durations durations = units();
        durations.activationLimit.assign(6, 1);
        const auto refused = makeSchedule(planOf("zb-auto", 6, 30, VocabularyMethod::Vocab2), &durations);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("schedule.memory_limit"));
    }
};

STAGELENS_TEST(ScheduleInsertion)

} // namespace unit_schedule_insertion

#include "schedule/insertion.moc"
