// A run that does not fit is refused before anything is allocated, with the missing bytes and a setting that fits.
#include "engine/runtime/memory/memory_check.h"
#include "engine/base/text.h"
#include "engine/operators/engine_floats.h"
#include "engine/operators/sizes.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/plan/shape.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

namespace unit_memory_check {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::smallExperiment;
using test::tinyExperiment;

namespace {

base::Bytes needOf(const model::Experiment &experiment)
{
    const auto need = runtime::memoryNeed(experiment, scheduleOf(experiment));
    return need ? need->total() : 0;
}

base::Problem refusal(const model::Experiment &experiment, base::Bytes available, base::Bytes beside = 0)
{
    const auto checked = runtime::checkMemory(experiment, scheduleOf(experiment), available, beside);
    return checked ? base::Problem() : checked.error().problems.front();
}

bool says(const base::Problem &problem, const std::string &text)
{
    return problem.message.find(text) != std::string::npos;
}

} // namespace

class MemoryCheck : public QObject {
    Q_OBJECT

private slots:
    void whatFitsIsNotRefused()
    {
        const auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 4, 16);
        const base::Bytes need = needOf(experiment);
        QVERIFY(need > 0);
        QVERIFY(refusal(experiment, need).message.empty());
        QVERIFY(refusal(experiment, 0).message.empty()); // nobody knows what is free
        QCOMPARE(refusal(experiment, need - 1).field, std::string("model"));
        QCOMPARE(refusal(experiment, need, 1).field, std::string("model"));
    }

    void theSettingThatChangesLeastIsNamed()
    {
        const auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 4, 16);
        auto recomputed = experiment;
        recomputed.schedule.recompute = model::Recompute::Full;
        const auto few = tinyExperiment("1f1b", VocabularyMethod::None, 4, 16);
        auto both = few;
        both.schedule.recompute = model::Recompute::Full;
        QVERIFY(needOf(recomputed) < needOf(experiment) && needOf(both) < std::min(needOf(few), needOf(recomputed)));

        const base::Bytes need = needOf(experiment);
        const base::Problem little = refusal(experiment, needOf(recomputed));
        QVERIFY2(says(little, base::bytesText(need - needOf(recomputed)) + " are missing"), little.message.c_str());
        QVERIFY2(says(little, "; --recompute full would fit, with " + base::bytesText(needOf(recomputed))),
                 little.message.c_str());
        const base::Problem both2 = refusal(experiment, needOf(both));
        QVERIFY2(says(both2, "; --recompute full and --schedule 1f1b would fit"), both2.message.c_str());
    }

    void smallerMicrobatchesKeepTheStep()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::Vocab1, 4, 8);
        experiment.schedule.recompute = model::Recompute::Full;
        experiment.parallel.microbatchSize = 4;
        auto smaller = experiment;
        smaller.parallel.microbatchSize = 2;
        smaller.parallel.microbatches = 16;
        const base::Problem problem = refusal(experiment, needOf(smaller));
        QVERIFY2(says(problem, "would fit"), problem.message.c_str());
        auto tiny = experiment;
        tiny.parallel.microbatchSize = 1;
        tiny.parallel.microbatches = 32;
        const base::Problem most = refusal(experiment, needOf(tiny));
        QVERIFY2(says(most, "--microbatch-size 1 and --microbatches 32 would fit"), most.message.c_str());
    }

    void messagesOfManyDevicesEndWithTheirUse()
    {
        auto experiment = smallExperiment("1f1b", VocabularyMethod::None, 64, 1000);
        experiment.model.layers = 64;
        experiment.parallel.stageLayers.clear();
        experiment = operators::resolved(experiment, 2);
        auto few = experiment;
        few.parallel.microbatches = 100;
        const auto tokens = [](const model::Experiment &plan) { return runtime::tokenBytes(runtime::Shape(plan)); };
        QCOMPARE(needOf(experiment) - tokens(experiment), needOf(few) - tokens(few));
    }

    void messagesOfMillionsOfPassesAreForeseen()
    {
        auto experiment = smallExperiment("1f1b", VocabularyMethod::None, 16, 126'000);
        experiment.model.layers = 16;
        experiment.parallel.stageLayers.clear();
        experiment = operators::resolved(experiment, 2);
        const base::Bytes messages = experiment.parallel.microbatches * operators::engineFloats(experiment).boundary * 4;
        QVERIFY(needOf(experiment) > 16 * messages); // all devices keep theirs to the end of the step
        const base::Problem problem = refusal(experiment, messages);
        QVERIFY2(says(problem, "lower parallel.microbatches"), problem.message.c_str());
    }

    /// A mistyped degree is refused at once: the need of each rank would take minutes and gigabytes to count.
    void millionsOfRanksAreRefusedBeforeTheyAreCounted()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 4);
        experiment.parallel.replicas = 65'536;
        experiment.parallel.context = 65'536;
        const base::Problem problem = refusal(experiment, 1 << 20);
        QCOMPARE(problem.field, std::string("parallel"));
        QVERIFY2(says(problem, "a run has at most 1024"), problem.message.c_str());
        QCOMPARE(runtime::requiredBytes(experiment), base::Bytes{0});
    }

    void nothingThatFitsIsSaidToo()
    {
        const auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 4, 16);
        const base::Problem problem = refusal(experiment, 1000);
        QVERIFY2(says(problem, "the least is ") && says(problem, "lower model.layers"), problem.message.c_str());
        QVERIFY(!says(problem, "would fit"));
    }

    void aDevicesLimitIsKept()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 4, 16);
        const auto need = runtime::memoryNeed(experiment, scheduleOf(experiment));
        QVERIFY(need.ok());
        const base::Bytes most = std::ranges::max(need->peaks);
        const auto schedule = scheduleOf(experiment);
        experiment.schedule.memoryLimit = most;
        QVERIFY(runtime::checkMemory(experiment, schedule, 0).ok());
        experiment.schedule.memoryLimit = most - 1;
        const auto refused = runtime::checkMemory(experiment, schedule, 0);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("schedule.memory_limit"));
        QVERIFY(says(refused.error().problems.front(), "would fit"));
    }
};

STAGELENS_TEST(MemoryCheck)

} // namespace unit_memory_check

#include "memory_check.moc"
