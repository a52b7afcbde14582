// Loss scaling in fp16: a planted infinity skips the step on every rank, the factor follows overflows, and a checkpoint keeps
// it.
#include "engine/model/schema.h"
#include "engine/runtime/state/loss_scaler.h"
#include "engine/runtime/training/checkpoint.h"
#include "engine/runtime/training/session.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QTemporaryDir>
#include <QtTest>
#include <functional>
#include <limits>

namespace integration_training_loss_scale {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

model::Experiment inFp16(const char *family, VocabularyMethod method, int devices, int microbatches)
{
    auto experiment = test::tinyExperiment(family, method, devices, microbatches);
    experiment.model.dtype = model::DataType::Fp16;
    return experiment;
}

/// A fixed factor with which every step overflows.
model::Experiment overflowing()
{
    auto plan = inFp16("1f1b", VocabularyMethod::Vocab1, 2, 4);
    plan.training.lossScale.fixed = model::kLargestLossScale;
    return plan;
}

/// Few layers and tokens: a fibre a thread takes its time.
void onGpus(model::Experiment &plan)
{
    plan.training.backend = "cuda";
    plan.model.layers = 2;
    plan.model.sequence = 6;
    plan.parallel.stageLayers = {1, 1};
}

bool areEqual(const runtime::Tensors &one, const runtime::Tensors &other)
{
    if (one.size() != other.size())
        return false;
    for (std::size_t i = 0; i < one.size(); ++i)
        if (!test::sameBits(one[i], other[i]))
            return false;
    return true;
}

} // namespace

class TrainingLossScale : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const test::FibrePlugin plugin;
        QVERIFY2(plugin.gpus().problem.empty(), plugin.gpus().problem.c_str());
    }

    void anInfinitySkipsTheStepOnEveryRank_data()
    {
        using Change = std::function<void(model::Experiment &)>;
        QTest::addColumn<Change>("layout");
        QTest::addColumn<int>("replica");
        const auto row = [](const char *name, int replica, Change layout) {
            QTest::newRow(name) << std::move(layout) << replica;
        };
        row("pipeline", 0, [](model::Experiment &) {});
        row("pipeline, on the virtual clock", 0,
            [](model::Experiment &plan) { plan.training.mode = model::RunMode::VirtualClock; });
        row("tensor", 0, [](model::Experiment &plan) { plan.parallel.tensor = 2; });
        row("replicas", 1, [](model::Experiment &plan) { plan.parallel.replicas = 2; });
        for (const auto &[name, zero] : {std::pair("ZeRO-1", 1), {"ZeRO-2", 2}, {"ZeRO-3", 3}})
            row(name, 1, [zero = zero](model::Experiment &plan) {
                plan.parallel.replicas = 2;
                plan.parallel.zero = zero;
            });
        row("context", 0, [](model::Experiment &plan) { plan.parallel.context = 2; });
        row("adafactor", 0, [](model::Experiment &plan) { plan.training.optimizer.name = "adafactor"; });
        row("compressed gradients", 1, [](model::Experiment &plan) {
            plan.parallel.replicas = 2;
            plan.training.compression = {"powersgd", 2};
        });
        row("replicas that train alone", 1, [](model::Experiment &plan) {
            plan.parallel.replicas = 2;
            plan.parallel.syncEvery = 4;
        });
        if (!test::kIsSanitized) {
            row("pipeline on GPUs", 0, onGpus);
            row("replicas on GPUs", 1, [](model::Experiment &plan) {
                onGpus(plan);
                plan.parallel.replicas = 2;
                plan.parallel.zero = 1;
            });
        }
        row("pipedream-2bw", 0, [](model::Experiment &plan) {
            plan.schedule.family = "pipedream-2bw";
            plan.schedule.vocabulary = VocabularyMethod::None;
        });
    }
    /// Plants one infinity in the gradient of one parameter on one replica before the second of three steps.
    void anInfinitySkipsTheStepOnEveryRank()
    {
        QFETCH(std::function<void(model::Experiment &)>, layout);
        QFETCH(int, replica);
        for (const bool isFirstStage : {false, true}) {
            auto plan = inFp16("1f1b", VocabularyMethod::Vocab1, 2, 4);
            plan.training.mode = model::RunMode::Live;
            layout(plan);
            auto opened = runtime::Session::open(plan, scheduleOf(plan), {});
            QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
            runtime::Session &session = **opened;
            const auto stepped = [&session](int index) {
                auto report = session.step(index, true, {});
                if (!report)
                    qFatal("%s", report.error().text().c_str());
                return *std::move(report);
            };
            QVERIFY(!stepped(0).isSkipped);
            const auto everything = [&] {
                std::vector<runtime::Tensors> all;
                for (int each = 0; each < plan.parallel.replicas; ++each)
                    all.push_back(session.tensors().read(&runtime::Parameter::value, each));
                all.push_back(session.tensors().read(runtime::ParameterPart::state(0)));
                return all;
            };
            const auto before = everything();
            runtime::Tensors planted = session.gradients();
            for (runtime::Tensors::value_type &tensor : planted)
                std::ranges::fill(tensor, 0.0F);
            runtime::Tensors::value_type &one = isFirstStage ? planted[2] : planted[planted.size() - 4];
            one[one.size() / 3] = std::numeric_limits<float>::infinity();
            for (int each = 0; each < plan.parallel.replicas; ++each)
                if (each == replica || plan.parallel.zero >= 2) // of a sharded gradient, only its owner keeps the infinity
                    session.tensors().write(&runtime::Parameter::gradient, planted, each);
            const runtime::StepReport skipped = stepped(1);
            QVERIFY(skipped.isSkipped);
            QCOMPARE(skipped.lossScale, 65536.0);
            QCOMPARE(session.lossScale()->skipped, std::vector{1});
            const auto after = everything();
            for (std::size_t i = 0; i < before.size(); ++i)
                QVERIFY(areEqual(before[i], after[i]));
            if (!plan.parallel.averagesWeights() && plan.parallel.zero < 3) // with ZeRO-3 each has a part of its own
                for (int each = 1; each < plan.parallel.replicas; ++each)
                    QVERIFY(areEqual(after[0], after[static_cast<std::size_t>(each)]));

            const runtime::StepReport next = stepped(2); // nothing of the infinity is left
            QVERIFY(!next.isSkipped);
            QCOMPARE(next.lossScale, 32768.0);
            const auto updated = everything();
            for (std::size_t i = 0; i < before.size(); ++i)
                QVERIFY(!areEqual(before[i], updated[i]));
            QVERIFY(next.facts.at("loss scale").starts_with("dynamic, 32768 now; skipped 1 of 3 steps: 2"));
        }
    }

    void everyStepOverflows()
    {
        auto plan = overflowing();
        plan.training.steps = 3;
        int skipped = 0;
        runtime::TrainingObserver observer;
        observer.onStep = [&](const runtime::StepReport &report) { skipped += report.isSkipped; };
        const auto trained = runtime::train(plan, scheduleOf(plan), {}, observer, {});
        QVERIFY2(trained.ok(), trained.ok() ? "" : trained.error().text().c_str());
        QCOMPARE(skipped, 3);
        const auto verified = runtime::verify(plan, scheduleOf(plan), {});
        QVERIFY(!verified.ok());
        QVERIFY(verified.error().text().find("training.loss_scale") != std::string::npos);
    }

    /// A power of two changes no bits as long as nothing overflows or becomes 0, in fp32 sums.
    void theFactorChangesGradientsLittle()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto gradients = [](double factor) {
            auto plan = inFp16("1f1b", VocabularyMethod::Vocab1, 2, 4);
            plan.training.lossScale.fixed = factor;
            return test::gradientsOf(plan);
        };
        const std::vector<float> reference = gradients(1024);
        double difference = 0;
        double norm = 0;
        const std::vector<float> other = gradients(4096);
        for (std::size_t i = 0; i < reference.size(); ++i) {
            difference += std::pow(static_cast<double>(reference[i]) - static_cast<double>(other[i]), 2);
            norm += std::pow(static_cast<double>(reference[i]), 2);
        }
        QVERIFY(std::sqrt(difference / norm) < 2.1e-4);
    }

    void theFactorFollowsOverflows()
    {
        STAGELENS_NOT_UNDER_TSAN();
        runtime::LossScaler scaler(inFp16("1f1b", VocabularyMethod::None, 2, 4));
        QVERIFY(scaler.isOn());
        QCOMPARE(scaler.factor(), 65536.0F);
        QVERIFY(scaler.note(0, true).ok());
        QCOMPARE(scaler.factor(), 32768.0F);
        for (int step = 1; step < 1000; ++step)
            QVERIFY(scaler.note(step, false).ok());
        QCOMPARE(scaler.factor(), 32768.0F);
        QVERIFY(scaler.note(1000, false).ok());
        QCOMPARE(scaler.factor(), 65536.0F);
        for (int step = 1001; step < 1017; ++step)
            QVERIFY(scaler.note(step, true).ok());
        QCOMPARE(scaler.factor(), 1.0F);
        const auto failed = scaler.note(1017, true);
        QVERIFY(!failed.ok());
        QCOMPARE(failed.error().problems.front().field, std::string("training.loss_scale"));
        QVERIFY(!runtime::LossScaler(test::tinyExperiment("1f1b", VocabularyMethod::None, 2, 4)).isOn());
    }

    void aCheckpointKeepsTheFactor()
    {
        const QTemporaryDir folder;
        auto plan = inFp16("1f1b", VocabularyMethod::Vocab1, 2, 4);
        plan.training.steps = 2;
        runtime::RunFolders folders;
        folders.checkpoints = folder.path().toStdString();
        folders.checkpointEvery = 1;
        {
            auto session = runtime::Session::open(plan, scheduleOf(plan), {});
            QVERIFY(session.ok());
            runtime::LossScale state{512, 7, {3, 5}};
            (*session)->restoreLossScale(state);
            QVERIFY((*session)->step(0, true, {}).ok());
            QVERIFY(runtime::writeCheckpoint(folders.checkpoints, **session, {4.5}, {}).ok());
        }
        auto session = runtime::Session::open(plan, scheduleOf(plan), {});
        QVERIFY(session.ok());
        const auto losses = runtime::resume(folders.checkpoints, **session);
        QVERIFY2(losses.ok(), losses ? "" : losses.error().text().c_str());
        const runtime::LossScale &state = *(*session)->lossScale();
        QCOMPARE(state.factor, 512.0);
        QCOMPARE(state.cleanSteps, 8);
        QCOMPARE(state.skipped, (std::vector{3, 5}));
    }

    void wrongFactorsAreRefused_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("remedy");
        QTest::newRow("0") << "0"
                           << "choose dynamic or 1";
        QTest::newRow("negative") << "-8"
                                  << "choose dynamic or 1";
        QTest::newRow("fraction") << "0.5"
                                  << "choose dynamic or 1";
        QTest::newRow("no power of two") << "1000"
                                         << "choose dynamic or 1024";
        QTest::newRow("too large") << "1e12"
                                   << "choose dynamic or 4294967296";
        QTest::newRow("NaN") << "nan"
                             << "choose dynamic";
        QTest::newRow("word") << "often"
                              << "choose dynamic";
    }
    void wrongFactorsAreRefused()
    {
        QFETCH(QString, value);
        QFETCH(QString, remedy);
        model::LossScaleChoice choice;
        const std::string fault = model::parseLossScale(value.toStdString(), choice);
        QVERIFY2(fault.find(remedy.toStdString()) != std::string::npos, fault.c_str());
        QVERIFY(!choice.fixed);
    }
    void rightFactorsAreTaken()
    {
        model::LossScaleChoice choice;
        for (const char *value : {"1", "1024", "4294967296"}) {
            QCOMPARE(model::parseLossScale(value, choice), std::string());
            QCOMPARE(model::text(choice), std::string(value));
        }
        QCOMPARE(model::parseLossScale("dynamic", choice), std::string());
        QVERIFY(!choice.fixed);
    }

    void pipeDreamIsRefused()
    {
        const auto plan = inFp16("pipedream", VocabularyMethod::None, 2, 4);
        const auto refused = runtime::verify(plan, scheduleOf(plan), {});
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().text().find("model.dtype: is fp16, but each stage is updated before") != std::string::npos,
                 refused.error().text().c_str());
    }
};

STAGELENS_TEST(TrainingLossScale)

} // namespace integration_training_loss_scale

#include "training/loss_scale.moc"
