// Training with stored activations in fewer bits: losses that stay exact, gradients that do not, and the bits that depend on
// neither schedule nor mode.
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "engine/simulate/offload/offload_plan.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <cmath>
#include <filesystem>

namespace integration_training_stored {

using namespace stagelens;
using model::PackedPrecision;
using model::VocabularyMethod;
using test::scheduleOf;
using test::Trained;
namespace fs = std::filesystem;

namespace {

constexpr std::array kPacked{PackedPrecision::Bf16, PackedPrecision::Fp8, PackedPrecision::Int8};

model::Experiment planOf(PackedPrecision precision, const char *family = "1f1b",
                         VocabularyMethod method = VocabularyMethod::None, int devices = 2)
{
    auto experiment = test::tinyExperiment(family, method, devices, 4);
    experiment.schedule.storedActivations = precision;
    experiment.training.steps = 2;
    experiment.training.optimizer.clip = 0.5;
    return experiment;
}

model::Experiment fourBlocks(PackedPrecision precision)
{
    auto experiment = test::fourBlocks(2);
    experiment.schedule.storedActivations = precision;
    return experiment;
}

} // namespace

class TrainingStored : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    /// Within three times the error of gradients that was measured in float64: 1.6e-3, 2.3e-2 and 7.5e-3.
    void lossesAreExactAndGradientsAreNear()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto exact = fourBlocks(PackedPrecision::Same);
        const std::vector<float> gradients = test::gradientsOf(exact);
        for (const auto &[precision, expected] :
             {std::pair(PackedPrecision::Bf16, 1.6e-3), {PackedPrecision::Fp8, 2.3e-2}, {PackedPrecision::Int8, 7.5e-3}}) {
            const auto packed = fourBlocks(precision);
            QCOMPARE(test::lossesOf(packed), test::lossesOf(exact));
            const double found = test::relativeDifference(test::gradientsOf(packed), gradients);
            qInfo("%s: %.2e", model::name(precision).data(), found);
            QVERIFY(found > expected / 10 && found < 3 * expected);
        }
    }

    /// Also of a backward in two halves, the first of which unpacks for the second.
    void bitsDependOnNeitherModeNorSchedule()
    {
        for (const PackedPrecision precision : kPacked) {
            if (test::kIsThreadSanitized && precision != PackedPrecision::Fp8) // the threads are the same for each
                continue;
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
                const auto planLike = [&](const char *family, model::RunMode mode) {
                    auto experiment = planOf(precision, family, method);
                    experiment.training.mode = mode;
                    return experiment;
                };
                const Trained first = train(planLike("1f1b", model::RunMode::VirtualClock));
                for (const auto &[family, mode] : {std::pair("1f1b", model::RunMode::Live),
                                                   {"gpipe", model::RunMode::VirtualClock},
                                                   {"zb-h1", model::RunMode::Live},
                                                   {"v-half", model::RunMode::VirtualClock},
                                                   {"interleaved-1f1b", model::RunMode::Live}}) {
                    const Trained other = train(planLike(family, mode));
                    QCOMPARE(other.losses, first.losses);
                    QVERIFY(other.gradients == first.gradients);
                    QVERIFY(other.final == first.final);
                }
            }
        }
    }

    /// The loss of the first step is that of a run that keeps all bits, whatever else the plan does.
    void combinesWithOtherFeatures()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto check = [this](const char *what, const auto &change, const char *other) {
            auto experiment = planOf(PackedPrecision::Fp8);
            change(experiment);
            experiment.training.mode = model::RunMode::VirtualClock;
            const Trained one = train(experiment);
            auto exact = experiment;
            exact.schedule.storedActivations = PackedPrecision::Same;
            const Trained kept = train(exact);
            QVERIFY2(kept.losses[0] == one.losses[0], what);
            QVERIFY2(kept.losses[1] != one.losses[1], what);
            QVERIFY2(kept.gradients != one.gradients, what);
            experiment.schedule.family = other;
            experiment.training.mode = model::RunMode::Live;
            const Trained two = train(experiment);
            QVERIFY2(two.losses == one.losses && two.final == one.final, what);
        };
        check(
            "llama", [](auto &each) { each = test::asLlama(each, 2); }, "zb-h1");
        check(
            "tensor", [](auto &each) { each.parallel.tensor = 2; }, "zb-h1");
        check(
            "context", [](auto &each) { each.parallel.context = 2; }, "zb-h1");
        check(
            "replicas", [](auto &each) { each.parallel.replicas = 2; }, "gpipe");
        check(
            "fp16", [](auto &each) { each.model.dtype = model::DataType::Fp16; }, "zb-h1");
        check(
            "bf16", [](auto &each) { each.model.dtype = model::DataType::Bf16; }, "zb-h1");
        check(
            "slices", [](auto &each) { each.schedule.family = "seq1f1b"; }, "seq1f1b-zb");
        check(
            "all layers again", [](auto &each) { each.schedule.recompute = model::Recompute::Full; }, "zb-h1");
        check(
            "some layers again",
            [](auto &each) {
                each.schedule.recomputeLayers = {1, 2};
            },
            "zb-h1");
        check(
            "operators again",
            [](auto &each) {
                each.schedule.recomputeModules.norms = true;
                each.schedule.recomputeModules.activation = true;
                each.schedule.recomputeModules.attention = true;
            },
            "zb-h1");
        check(
            "probabilities", [](auto &each) { each.schedule.attention = model::Attention::Materialised; }, "zb-h1");
        check(
            "clip", [](auto &each) { each.training.optimizer.clip.reset(); }, "zb-h1");
    }

    /// Copies to the host are of what is packed.
    void offloadCopiesFewerBytes()
    {
        const auto hostOf = [](PackedPrecision precision) {
            auto experiment = planOf(precision);
            experiment.schedule.offload.fraction = 1;
            experiment.training.steps = 1;
            base::Bytes most = 0;
            const auto onStep = [&most](const runtime::StepReport &report) {
                for (const timeline::Lane &lane : report.timeline->lanes)
                    for (const timeline::AnchoredSlice &slice : lane.anchored)
                        most += timeline::isCopy(slice.kind) ? slice.bytes : 0;
            };
            const auto order = simulate::withOffload(experiment, scheduleOf(experiment));
            const auto trained = runtime::train(experiment, order.value(), {}, {onStep, {}}, {});
            if (!trained)
                qFatal("%s", trained.error().text().c_str());
            return most;
        };
        const base::Bytes whole = hostOf(PackedPrecision::Same);
        const base::Bytes packed = hostOf(PackedPrecision::Int8);
        QVERIFY(whole > 0 && packed > 0);
        QVERIFY2(3 * packed < whole, qPrintable(QString("%1 of %2").arg(packed).arg(whole)));
    }

    void runsLearn()
    {
        const auto lossAfter = [](PackedPrecision precision) {
            auto experiment = planOf(precision, "zb-h1", VocabularyMethod::Vocab1);
            experiment.training.steps = 24;
            experiment.training.optimizer.learningRate = 0.003;
            return test::lossesOf(experiment);
        };
        const std::vector<double> exact = lossAfter(PackedPrecision::Same);
        QVERIFY(exact.back() < exact.front());
        for (const PackedPrecision precision : kPacked) {
            const std::vector<double> losses = lossAfter(precision);
            QCOMPARE(losses.front(), exact.front());
            QVERIFY(std::abs(losses.back() - exact.back()) < 0.1 * (exact.front() - exact.back()));
        }
    }

    void verificationIsRefused()
    {
        const auto experiment = planOf(PackedPrecision::Int8);
        const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
        QVERIFY(!found.ok());
        QCOMPARE(found.error().problems.front().field, std::string("schedule.stored_activations"));
        QVERIFY(found.error().text().find("choose same to verify the plan") != std::string::npos);
    }

private:
    [[nodiscard]] Trained train(const model::Experiment &experiment) const
    {
        return test::trainedWithDump(experiment, fs::path(m_folder.path().toStdString()) / "dump");
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingStored)

} // namespace integration_training_stored

#include "training/stored.moc"
