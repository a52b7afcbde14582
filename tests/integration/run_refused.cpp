// Runs that cannot be are refused before they begin, with the field at fault.
#include "engine/runtime/machine/processor.h"
#include "engine/runtime/memory/memory_check.h"
#include "engine/runtime/training/training_run.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/text_form.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

namespace integration_run_refused {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::tinyExperiment;

namespace {

schedule::Schedule parsed(const char *text)
{
    auto schedule = schedule::scheduleFromText(text);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    return std::move(schedule).value();
}

/// The first field that is at fault; empty where the run is not refused.
std::string refusedAt(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    const auto refused = runtime::verify(experiment, schedule, {});
    if (refused || refused.error().kind != base::ErrorKind::InvalidInput)
        return {};
    return refused.error().problems.front().field;
}

} // namespace

class RunRefused : public QObject {
    Q_OBJECT

private slots:
    void tooMuchMemory()
    {
        auto huge = tinyExperiment("1f1b", VocabularyMethod::None, 2, 2);
        const auto schedule = scheduleOf(huge);
        huge.model.hidden = 1 << 18;
        QVERIFY(runtime::requiredBytes(huge) > runtime::availableBytes());
        const auto tooLarge = runtime::train(huge, schedule, {}, {}, {});
        QVERIFY(!tooLarge.ok());
        QCOMPARE(tooLarge.error().problems.front().field, std::string("model"));
    }

    void schedulesOfAnotherPlan()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 2);
        const auto schedule = scheduleOf(experiment);
        experiment.parallel.microbatches = 3;
        QCOMPARE(refusedAt(experiment, schedule), std::string("parallel"));
    }

    /// Sound as it stands; but each device would wait in its first S for the other's second.
    void interlacedInCrossedOrders()
    {
        const auto crossed = parsed("schedule custom devices 2 microbatches 2 vocabulary interlaced\n"
                                    "0: EF0 EF1 F0 F1 S0 S1 B0 B1 EB0 EB1\n"
                                    "1: EF0 EF1 F0 F1 S1 S0 B0 B1 EB0 EB1\n");
        QVERIFY(schedule::findViolations(crossed).empty());
        QCOMPARE(refusedAt(tinyExperiment("1f1b", VocabularyMethod::None, 2, 2), crossed), std::string("schedule"));
    }

    void weightsThatChangeAtTheWrongTime()
    {
        const auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 2);
        const auto twoWay = parsed("schedule custom devices 2 microbatches 2 vocabulary none placement 0,1/1,0 "
                                   "microbatch-replicas 01 updates double-buffered\n"
                                   "0: F0@0 F1@1 B1@1 B0@0\n"
                                   "1: F1@0 F0@1 B0@1 B1@0\n");
        QVERIFY(schedule::findViolations(twoWay).empty());
        QCOMPARE(refusedAt(experiment, twoWay), std::string("schedule"));

        const auto sharded = parsed("schedule custom devices 1 microbatches 1 vocabulary vocab-1 updates each-microbatch\n"
                                    "0: EF0 F0 S0 T0 B0 EB0\n");
        QVERIFY(schedule::findViolations(sharded).empty());
        QCOMPARE(refusedAt(tinyExperiment("1f1b", VocabularyMethod::Vocab1, 1, 1), sharded),
                 std::string("schedule.vocabulary"));

        auto clipped = tinyExperiment("pipedream", VocabularyMethod::None, 2, 2);
        clipped.training.optimizer.clip = 1.0;
        QCOMPARE(refusedAt(clipped, scheduleOf(clipped)), std::string("training.optimizer.clip"));
        clipped.schedule.family = "pipedream-2bw"; // one update a step, when the norm is known
        const auto found = runtime::verify(clipped, scheduleOf(clipped), {});
        QVERIFY(found && found->holds());
    }
};

STAGELENS_TEST(RunRefused)

} // namespace integration_run_refused

#include "run_refused.moc"
