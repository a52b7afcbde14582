// The family llama under schedules, vocabulary methods and shapes: against the float64 reference, the same bits whatever the
// order, and what its parameters and activations take.
#include "engine/model/names.h"
#include "engine/model/presets.h"
#include "engine/operators/architecture.h"
#include "engine/operators/engine_floats.h"
#include "engine/operators/sizes.h"
#include "engine/runtime/layers/norm.h"
#include "engine/runtime/memory/memory_check.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QtTest>
#include <array>
#include <cmath>
#include <cstring>

namespace integration_verify_llama {

using namespace stagelens;
using model::VocabularyMethod;
using test::kAllMethods;
using test::scheduleOf;

namespace {

/// Split and whole backwards, one and two chunks, overlapped pairs.
constexpr const char *kFamilies[] = {"1f1b", "zb-h1", "zb-v", "interleaved-1f1b", "dualpipe-v"};

model::Experiment tinyLlama(const char *family, VocabularyMethod method, int devices, int microbatches, int kvHeads = 2)
{
    return test::asLlama(test::tinyExperiment(family, method, devices, microbatches), kvHeads);
}

} // namespace

class VerifyLlama : public QObject {
    Q_OBJECT

private slots:
    /// A row a family and method; their places choose what else differs from row to row.
    void againstReference_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("turn");
        int turn = 0;
        for (const char *family : kFamilies)
            for (const VocabularyMethod method : kAllMethods)
                QTest::addRow("%s %s", family, model::name(method).data())
                    << QString(family) << static_cast<int>(method) << turn++;
    }
    void againstReference()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        QFETCH(int, turn);
        for (const int devices : {1, 2, 4}) {
            const int kvHeads = std::array{1, 2, 4}[static_cast<std::size_t>(turn + devices) % 3];
            auto experiment = tinyLlama(family.toUtf8().constData(), static_cast<VocabularyMethod>(method), devices,
                                        1 + (turn + devices) % 5, kvHeads);
            const bool tied = (turn + devices / 2) % 2 == 0;
            experiment.model.tied = tied;
            experiment.parallel.microbatchSize = tied ? 2 : 1;
            experiment.schedule.recompute = turn % 3 ? model::Recompute::None : model::Recompute::Full;
            experiment.training.mode = devices == 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QCOMPARE(found->gradients.size(), std::size_t(tied ? 74 : 75));
            for (const runtime::GradientError &gradient : found->gradients)
                QVERIFY2(gradient.relative <= runtime::Verification::kTolerance,
                         qPrintable(QString("%1 is off by %2").arg(gradient.parameter.c_str()).arg(gradient.relative)));
            QVERIFY(found->holds());
            QVERIFY(found->loss > 4.0 && found->loss < 5.2); // ln 97 = 4.57
        }
    }

    /// A head that is wider or narrower than hidden / heads, scaled rotary positions and another epsilon. Of a head of 20 some
    /// pairs keep their speed, some are slowed down and some lie between.
    void ownHeadSizeAndScaledPositions()
    {
        int turn = 0;
        for (const int headDim : {2, 6, 20}) {
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
                for (const char *family : {"1f1b", "zb-h1"}) {
                    auto experiment = tinyLlama(family, method, 2, 3, turn % 2 == 0 ? 2 : 1);
                    experiment.model.headDim = headDim;
                    experiment.model.ffn = headDim == 2 ? 8 : 96; // all narrower than hidden
                    experiment.model.rmsNormEpsilon = 0.25;
                    experiment.model.ropeTheta = 50;
                    experiment.model.ropeScaling = model::RopeScaling{4, 0.5, 1.5, 12};
                    experiment.parallel.microbatchSize = 2;
                    experiment.schedule.recompute = turn++ % 3 ? model::Recompute::None : model::Recompute::Full;
                    const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
                    QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
                    QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
                    auto plain = experiment;
                    plain.model.ropeScaling.reset();
                    const auto other = runtime::verify(plain, scheduleOf(plain), {});
                    QVERIFY(other.ok() && other->holds());
                    // The only pair of a head of 2 turns often enough to keep its speed.
                    const double apart = std::abs(other->loss - found->loss);
                    QVERIFY2((apart == 0) == (headDim == 2), qPrintable(QString::number(apart)));
                }
            }
        }
    }

    /// What is counted is what the engine keeps, and what a run holds stays within its plan.
    void ownHeadSizeIsCounted()
    {
        for (const int headDim : {2, 6, 20}) {
            auto experiment = tinyLlama("zb-v", VocabularyMethod::Vocab1, 2, 6);
            experiment.model.headDim = headDim;
            experiment.training.steps = 1;
            std::int64_t count = 0;
            for (const runtime::ParameterInfo &info : runtime::parameterList(experiment.model))
                count += info.count();
            QCOMPARE(count, operators::totalParameters(experiment.model));
            const runtime::Shape shape(experiment);
            QCOMPARE(operators::engineFloats(experiment.model, 1).layer, shape.savedFloats());
            const auto trained = runtime::train(experiment, scheduleOf(experiment), {}, {}, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        }
        const auto gemma = model::modelPreset("gemma-2-9b");
        QVERIFY(gemma.ok());
        QCOMPARE(gemma->headSize(), 256);
        QCOMPARE(operators::totalParameters(*gemma) / 10'000'000, 924); // 9.24 billion, as published
    }

    void stagesWithoutLayersAndEmptyShards()
    {
        for (const VocabularyMethod method : kAllMethods) {
            auto experiment = tinyLlama("zb-h1", method, 4, 5);
            experiment.parallel.stageLayers = {0, 4, 4, 0};
            experiment.model.vocabularySize = 5; // two rows a shard: 2, 2, 1, 0
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
        }
    }

    void sameBitsWhateverTheOrder()
    {
        for (const VocabularyMethod method : kAllMethods) {
            for (const int devices : {1, 2, 4}) {
                auto plain = tinyLlama("1f1b", method, devices, 6);
                plain.model.tied = devices == 4;
                const std::vector<float> expected = test::gradientsOf(plain);
                QVERIFY(std::any_of(expected.begin(), expected.end(), [](float value) { return value != 0.0F; }));
                for (const char *family : kFamilies) {
                    auto experiment = tinyLlama(family, method, devices, 6);
                    experiment.model.tied = plain.model.tied;
                    experiment.training.mode = family[0] == 'z' ? model::RunMode::Live : model::RunMode::VirtualClock;
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
                    experiment.schedule.recompute = model::Recompute::Full;
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
                }
            }
        }
    }

    /// A device's table of angles: of a head of 32 / 4 floats at 16 positions.
    void anglesOfTheRotaryPositions()
    {
        const runtime::Shape shape(tinyLlama("1f1b", VocabularyMethod::None, 1, 1));
        std::vector<float> angles(static_cast<std::size_t>(shape.constantFloats()));
        QCOMPARE(angles.size(), std::size_t{16 * 8});
        kernels::rotaryAngles(angles.data(), shape.sequence, shape.headSize, shape.rotation);
        QCOMPARE(angles[0], 1.0F);
        QCOMPARE(angles[8], static_cast<float>(std::cos(1.0)));
        QCOMPARE(angles[8 + 4], static_cast<float>(std::sin(1.0)));
        QCOMPARE(angles[8 + 1], static_cast<float>(std::cos(0.1))); // theta^(-2/8)
    }

    /// The prediction counts the parameters that the engine makes.
    void parametersAgree()
    {
        const auto presets = model::modelPresets();
        QVERIFY(presets.ok());
        for (const model::ModelPreset &preset : *presets) {
            for (const bool tied : {false, true}) {
                auto model = preset.model;
                model.tied = tied;
                std::int64_t count = 0;
                for (const runtime::ParameterInfo &info : runtime::parameterList(model))
                    count += info.count();
                QCOMPARE(count, operators::totalParameters(model));
            }
        }
    }

    void memoryStaysWithinThePlan()
    {
        for (const char *family : kFamilies) {
            for (const VocabularyMethod method : kAllMethods) {
                auto experiment = tinyLlama(family, method, 4, 12);
                experiment.training.steps = 1;
                base::Bytes measured = 0;
                const auto onStep = [&](const runtime::StepReport &report) {
                    for (const auto &device : report.peakMemory)
                        for (const base::Bytes bytes : device)
                            measured += bytes;
                };
                QVERIFY(runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {}).ok());
                const base::Bytes planned = runtime::requiredBytes(experiment);
                QVERIFY2(measured <= planned && planned < 2 * measured,
                         qPrintable(QString("%1: %2 planned, %3 measured").arg(family).arg(planned).arg(measured)));
            }
        }
    }
};

STAGELENS_TEST(VerifyLlama)

} // namespace integration_verify_llama

#include "verify_llama.moc"
