// Training with the output layer on a part of the tokens at a time: loss and gradients of whole logits, and bits that depend on
// neither schedule nor mode.
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fmt/format.h>

namespace integration_training_chunked_logits {

using namespace stagelens;
using model::VocabularyKind;
using model::VocabularyMethod;
using test::scheduleOf;
using test::smallExperiment;

namespace {

model::Experiment inChunks(model::Experiment experiment, int chunks)
{
    experiment.schedule.vocabularyKind = VocabularyKind::Chunked;
    experiment.schedule.logitChunks = chunks;
    return experiment;
}

/// The loss and the gradients of a step.
struct Step {
    double loss = 0;
    std::vector<float> gradients;
};

Step stepOf(const model::Experiment &experiment)
{
    return {test::lossesOf(experiment).front(), test::gradientsOf(experiment)};
}

} // namespace

class TrainingChunkedLogits : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void gradientsAreThoseOfWholeLogits_data()
    {
        QTest::addColumn<int>("method");
        for (const VocabularyMethod method : test::kAllMethods)
            QTest::newRow(model::name(method).data()) << static_cast<int>(method);
    }
    /// One chunk has the same bits. Products of fewer rows may be rounded differently, and the gradient of the output matrix is
    /// rounded after each chunk.
    void gradientsAreThoseOfWholeLogits()
    {
        QFETCH(int, method);
        int turn = 0;
        test::Sample sample;
        for (const char *family : {"gpipe", "1f1b", "zb-h1", "v-half"})
            for (const int tensor : {1, 2}) {
                if (sample.leavesOut())
                    continue;
                auto experiment = smallExperiment(family, static_cast<VocabularyMethod>(method), 2, 5);
                experiment.parallel.microbatchSize = 2; // 12 tokens
                experiment.parallel.tensor = tensor;
                experiment.parallel.sequenceParallel = tensor > 1 && turn % 2 == 0;
                experiment.model.tied = turn % 3 == 0;
                experiment.training.steps = 1;
                experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                const Step whole = stepOf(experiment);
                for (const int chunks : {1, 2, 5, 12}) {
                    const Step parts = stepOf(inChunks(experiment, chunks));
                    const std::string what = fmt::format("{} t={} c={}: {:.2e}", family, tensor, chunks,
                                                         test::relativeDifference(parts.gradients, whole.gradients));
                    QVERIFY2(std::abs(parts.loss - whole.loss) < 1e-7 * whole.loss, what.c_str());
                    QVERIFY2(test::relativeDifference(parts.gradients, whole.gradients) < 1e-6, what.c_str());
                    QVERIFY2(chunks > 1 || test::sameBits(parts.gradients, whole.gradients), what.c_str());
                }
            }
    }

    /// Against the float64 reference without partitions.
    void gradientsMatchTheReference()
    {
        int turn = 0;
        for (const auto &[family, method] : test::allPlans()) {
            ++turn;
            if (test::kIsSanitized && turn % 7 != 0)
                continue;
            auto experiment = smallExperiment(family, method, 2, 4);
            if (turn % 3 == 0)
                experiment = test::asLlama(experiment, 1);
            experiment.model.tied = turn % 4 == 0;
            experiment.parallel.microbatchSize = 1 + turn % 2;
            experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            test::verifyPlan(inChunks(experiment, 2 + turn % 4));
            if (QTest::currentTestFailed())
                return;
        }
    }

    void bitsDependOnNeitherModeNorSchedule()
    {
        test::verifySameBitsEverywhere([](const model::Experiment &plan) { return inChunks(plan, 4); });
    }

    void combinesWithOtherFeatures()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto check = [](const char *what, const auto &change, double tolerance = 1e-6) {
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1}) {
                auto experiment = test::tinyExperiment("1f1b", method, 2, 4);
                experiment.training.steps = 1;
                change(experiment);
                if (!test::refusedField(experiment.schedule.family, method, 2).empty())
                    continue;
                const Step whole = stepOf(experiment);
                const Step parts = stepOf(inChunks(experiment, 3));
                QVERIFY2(std::abs(parts.loss - whole.loss) < 1e-7 * whole.loss, what);
                const double found = test::relativeDifference(parts.gradients, whole.gradients);
                QVERIFY2(found < tolerance, fmt::format("{}: {:.2e}", what, found).c_str());
            }
        };
        check("context", [](auto &each) { each.parallel.context = 2; });
        check("replicas", [](auto &each) {
            each.parallel.replicas = 2;
            each.parallel.zero = 1;
        });
        check("slices", [](auto &each) { each.schedule.family = "seq1f1b"; });
        check("weight versions", [](auto &each) { each.schedule.family = "pipedream-2bw"; });
        check("two directions", [](auto &each) { each.schedule.family = "dualpipe"; });
        check("recomputed layers", [](auto &each) { each.schedule.recompute = model::Recompute::Full; });
        // In 16 bits the rows of E W are rounded as before, and gradients are sums in fp32.
        check(
            "bf16", [](auto &each) { each.model.dtype = model::DataType::Bf16; }, 1e-5);
        check(
            "fp16", [](auto &each) { each.model.dtype = model::DataType::Fp16; }, 1e-5);
    }

    /// Forward passes without backwards compute the loss in F, which otherwise leaves it to B.
    void evaluationsHaveTheLossOfWholeLogits()
    {
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1})
            for (const int tensor : {1, 2}) {
                auto experiment = smallExperiment("1f1b", method, 2, 4);
                experiment.parallel.tensor = tensor;
                experiment.training.steps = 2;
                const std::vector<double> whole = heldBackLosses(experiment);
                const std::vector<double> parts = heldBackLosses(inChunks(experiment, 4));
                QCOMPARE(parts.size(), std::size_t{2});
                QVERIFY(whole[0] > 4 && whole[0] < 5.2); // ln 97 = 4.57
                QVERIFY(std::abs(parts[0] - whole[0]) < 1e-7 * whole[0]);
                QCOMPARE(heldBackLosses(inChunks(experiment, 1)), whole);
                QVERIFY2(std::abs(parts[1] - whole[1]) < 1e-5, fmt::format("{} {}", parts[1], whole[1]).c_str());
            }
    }

private:
    /// Returns the losses before the first step and after the last.
    static std::vector<double> heldBackLosses(const model::Experiment &experiment)
    {
        std::vector<double> losses;
        const auto note = [&losses](const runtime::Evaluation &evaluation) { losses.push_back(evaluation.loss); };
        const auto trained =
            runtime::train(experiment, scheduleOf(experiment), {}, {.onStep = {}, .onProgress = {}, .onEvaluation = note}, {});
        if (!trained)
            qFatal("%s", trained.error().text().c_str());
        return losses;
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingChunkedLogits)

} // namespace integration_training_chunked_logits

#include "training/chunked_logits.moc"
