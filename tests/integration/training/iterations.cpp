// Training over several iterations: steps that run without a drain in between.
#include "engine/model/capabilities.h"
#include "engine/runtime/training/run_check.h"
#include "engine/runtime/training/session.h"
#include "engine/schedule/weight_versions.h"
#include "engine/simulate/planned_schedule.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <numeric>

namespace integration_training_iterations {

using namespace stagelens;
using model::VocabularyMethod;
using runtime::Tensors;

namespace {

model::Experiment planOf(const char *family, int devices, int microbatches, int iterations)
{
    model::Experiment experiment = test::smallExperiment(family, VocabularyMethod::None, devices, microbatches);
    experiment.schedule.iterations = iterations;
    return experiment;
}

schedule::Schedule orderOf(const model::Experiment &experiment)
{
    auto schedule = simulate::plannedSchedule(experiment);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    return *std::move(schedule);
}

struct Outcome {
    std::vector<double> losses;
    std::vector<int> steps;
    std::vector<timeline::TimelinePtr> timelines;
};

/// A run that fails ends the test program.
Outcome trained(const model::Experiment &experiment)
{
    Outcome outcome;
    const auto onStep = [&outcome](const runtime::StepReport &report) {
        outcome.losses.push_back(report.loss);
        outcome.steps.push_back(report.step);
        outcome.timelines.push_back(report.timeline);
    };
    const auto done = runtime::train(experiment, orderOf(experiment), {}, {onStep, {}}, {});
    if (!done)
        qFatal("%s", done.error().text().c_str());
    return outcome;
}

/// Returns the parameters after as many steps, in blocks of the plan's iterations.
Tensors parametersAfter(const model::Experiment &experiment, int steps)
{
    const auto session = runtime::Session::open(experiment, orderOf(experiment), {});
    if (!session)
        qFatal("%s", session.error().text().c_str());
    for (int step = 0; step < steps; step += (*session)->plan().schedule.iterations())
        if (const auto report = (*session)->step(step, true, {}); !report)
            qFatal("%s", report.error().text().c_str());
    return (*session)->parameters();
}

/// PipeDream without pipeline or stash: one microbatch after another, each stage with the weights that the rule of the paper
/// gives it, and gradient descent by hand.
struct Sequential {
    Tensors parameters;
    std::vector<double> losses; ///< of each microbatch
};

Sequential sequential(const model::Experiment &plan, int microbatches)
{
    model::Experiment one = plan;
    one.schedule.family = "1f1b";
    one.schedule.iterations = 1;
    one.parallel.microbatches = 1;
    const auto session = runtime::Session::open(one, test::scheduleOf(one), {});
    if (!session)
        qFatal("%s", session.error().text().c_str());
    const std::vector<int> stages = (*session)->tensors().stages();
    const auto rate = static_cast<float>(plan.training.optimizer.learningRate);
    std::vector<Tensors> versions{(*session)->parameters()};
    Sequential made;
    for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
        Tensors used;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const int version = std::max(0, microbatch - (plan.parallel.devices - 1 - stages[i]));
            used.push_back(versions[static_cast<std::size_t>(version)][i]);
        }
        (*session)->tensors().write(&runtime::Parameter::value, used);
        // The gradients of a step that does not update stay: take those of this one off.
        Tensors gradients;
        const auto report = (*session)->step(microbatch, true, {}, [&]() -> base::Result<> {
            gradients = (*session)->gradients();
            return {};
        });
        if (!report)
            qFatal("%s", report.error().text().c_str());
        made.losses.push_back(report->loss);
        Tensors next = versions.back();
        for (std::size_t i = 0; i < next.size(); ++i)
            for (std::size_t j = 0; j < next[i].size(); ++j)
                next[i][j] -= rate * gradients[i][j];
        versions.push_back(std::move(next));
    }
    made.parameters = versions.back();
    return made;
}

} // namespace

class TrainingIterations : public QObject {
    Q_OBJECT

private slots:
    void pipeDreamEqualsItsSequentialRule_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<int>("iterations");
        QTest::addColumn<bool>("live");
        // Powers of two: the mean over a step's microbatches is then undone without rounding.
        QTest::newRow("two devices") << 2 << 4 << 3 << false;
        QTest::newRow("four devices, fewer microbatches than devices") << 4 << 2 << 4 << false;
        QTest::newRow("four devices, live") << 4 << 4 << 2 << true;
        QTest::newRow("one microbatch") << 4 << 1 << 8 << false;
    }
    void pipeDreamEqualsItsSequentialRule()
    {
        QFETCH(const int, devices);
        QFETCH(const int, microbatches);
        QFETCH(const int, iterations);
        QFETCH(const bool, live);
        model::Experiment experiment = planOf("pipedream", devices, microbatches, iterations);
        experiment.training.optimizer = {};
        experiment.training.optimizer.name = "sgd";
        experiment.training.optimizer.momentum = 0;
        experiment.training.optimizer.weightDecay = 0;
        experiment.training.optimizer.learningRate = 0.25;
        experiment.training.steps = iterations;
        experiment.training.mode = live ? model::RunMode::Live : model::RunMode::VirtualClock;
        const Sequential expected = sequential(experiment, microbatches * iterations);
        QVERIFY(parametersAfter(experiment, iterations) == expected.parameters);
        const Outcome outcome = trained(experiment);
        QCOMPARE(outcome.losses.size(), static_cast<std::size_t>(iterations));
        for (int step = 0; step < iterations; ++step) {
            const auto first = expected.losses.begin() + step * microbatches;
            const double mean = std::accumulate(first, first + microbatches, 0.0) / microbatches;
            QVERIFY(std::abs(outcome.losses[static_cast<std::size_t>(step)] - mean) < 1e-12 * mean);
            QCOMPARE(outcome.steps[static_cast<std::size_t>(step)], step);
        }
        // The timeline is that of all steps, with the version that each pass used.
        const timeline::Timeline &shown = *outcome.timelines.front();
        QCOMPARE(shown.iterations, iterations);
        QCOMPARE(shown.sliceCount(), static_cast<std::size_t>(2 * devices * microbatches * iterations));
        QVERIFY(shown.weightVersions == schedule::weightVersionsUsed(orderOf(experiment)));
        QVERIFY(shown.period > 0 && shown.period < shown.makespan());
    }

    /// Steps that drain use other weights than steps that do not: were both the same, nothing above would be tested.
    void aDrainChangesPipeDream()
    {
        const auto lossesOf = [](int iterations) {
            model::Experiment experiment = planOf("pipedream", 4, 4, iterations);
            experiment.training.steps = 4;
            return trained(experiment).losses;
        };
        const std::vector<double> drained = lossesOf(1);
        const std::vector<double> flowing = lossesOf(4);
        QCOMPARE(flowing[0], drained[0]);
        QVERIFY(flowing[2] != drained[2]);
    }

    /// Whether they drain or not: the second version of the weights makes up for it.
    void doubleBufferedStepsDoNotDependOnTheDrain()
    {
        for (const bool live : {false, true}) {
            model::Experiment experiment = planOf("pipedream-2bw", 3, 5, 1);
            experiment.training.steps = 6;
            experiment.training.mode = live ? model::RunMode::Live : model::RunMode::VirtualClock;
            const std::vector<double> drained = trained(experiment).losses;
            const Tensors parameters = parametersAfter(experiment, 6);
            for (const int iterations : {2, 3, 6}) {
                experiment.schedule.iterations = iterations;
                QCOMPARE(trained(experiment).losses, drained);
                QVERIFY(parametersAfter(experiment, 6) == parameters);
            }
        }
    }

    /// A run trains their steps one by one, as it does without iterations.
    void synchronousStepsAreTheSame()
    {
        for (const char *family : {"1f1b", "zb-h1", "chimera", "interleaved-1f1b"}) {
            model::Experiment experiment = planOf(family, 2, 4, 1);
            experiment.training.steps = 4;
            const std::vector<double> plain = trained(experiment).losses;
            experiment.schedule.iterations = 2;
            const Outcome outcome = trained(experiment);
            QVERIFY2(outcome.losses == plain, family);
            QCOMPARE(outcome.timelines.front()->iterations, 1);
        }
    }

    void areVerified()
    {
        for (const char *family : {"pipedream", "pipedream-2bw"}) {
            const model::Experiment experiment = planOf(family, 3, 4, 2);
            const auto found = runtime::verify(experiment, orderOf(experiment), {});
            QVERIFY2(found, found ? "" : found.error().text().c_str());
            QCOMPARE(found->steps, 4);
            QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
        }
    }

    void refusesWhatMeetsAtTheEndOfAStep()
    {
        const auto fieldOf = [](const model::Experiment &experiment) {
            const auto checked = runtime::checkPlan(experiment, orderOf(experiment));
            return checked ? std::string() : checked.error().problems.front().field;
        };
        model::Experiment experiment = planOf("pipedream", 2, 4, 2);
        QCOMPARE(fieldOf(experiment), std::string());
        experiment.model.tied = true;
        QCOMPARE(fieldOf(experiment), std::string("schedule.iterations"));
        experiment = planOf("pipedream-2bw", 2, 4, 2);
        experiment.training.optimizer.clip = 1;
        QCOMPARE(fieldOf(experiment), std::string("schedule.iterations"));
        experiment = planOf("pipedream", 2, 4, 3);
        experiment.training.steps = 4;
        const auto done = runtime::train(experiment, orderOf(experiment), {}, {}, {});
        QVERIFY(!done);
        QCOMPARE(done.error().problems.front().field, std::string("training.steps"));
    }
};

STAGELENS_TEST(TrainingIterations)

} // namespace integration_training_iterations

#include "training/iterations.moc"
