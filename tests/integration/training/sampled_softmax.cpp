// Training with a sampled softmax: the published loss of a small one, gradients of the float64 reference under every schedule,
// the gradients of the softmax over all words if all are drawn, and bits that depend on neither schedule nor mode.
#include "engine/exchange/huggingface_config.h"
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/runtime/reference/sampled.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/combined_features.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace integration_training_sampled_softmax {

using namespace stagelens;
using model::VocabularyMethod;
using test::smallExperiment;

namespace {

model::Experiment sampled(model::Experiment experiment, int words)
{
    experiment.model.sampledWords = words;
    return experiment;
}

} // namespace

class TrainingSampledSoftmax : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    /// Logits 2, 1, 0, -1 of words with frequencies 0.4, 0.3, 0.2, 0.1; two words are drawn, the third and the fourth, and the
    /// first is the label. Computed by hand.
    void lossOfThreeWords()
    {
        std::vector<runtime::reference::CorrectedLogit> logits;
        const std::array expected{2.223144, 0.916291, 0.609438};
        for (const auto &[word, logit, frequency] : {std::tuple(0U, 2.0, 0.4), {2U, 0.0, 0.2}, {3U, -1.0, 0.1}}) {
            logits.push_back({word, logit - std::log(2 * frequency)});
            QVERIFY(std::abs(logits.back().value - expected[logits.size() - 1]) < 1e-6);
        }
        QVERIFY(std::abs(runtime::reference::lossOfFirst(logits) - 0.385139) < 1e-6);
        QVERIFY(std::abs(runtime::reference::lossOfFirst({{0, 2}, {1, 1}, {2, 0}, {3, -1}}) - 0.440190) < 1e-6);
    }

    void gradientsMatchTheReference_data() { test::addMethodRows(); }
    void gradientsMatchTheReference()
    {
        QFETCH(int, method);
        constexpr std::array kWords{1, 5, 12, 40, 97};
        test::verifyEachFamily(method, [&](model::Experiment experiment, int turn) {
            test::verifyGradients(sampled(std::move(experiment), kWords[static_cast<std::size_t>(turn) % kWords.size()]));
        });
    }

    /// Shards of devices and of tensor ranks, some of which have no drawn word.
    void shardsMatchTheReference_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<bool>("tied");
        QTest::addColumn<int>("tensor");
        for (const int devices : {2, 4})
            for (const bool tied : {false, true})
                for (const int tensor : {1, 2})
                    QTest::addRow("p=%d, t=%d, %s", devices, tensor, tied ? "tied" : "untied") << devices << tied << tensor;
    }
    void shardsMatchTheReference()
    {
        QFETCH(int, devices);
        QFETCH(bool, tied);
        QFETCH(int, tensor);
        int turn = 0;
        for (const auto &[family, method] : {std::pair("1f1b", VocabularyMethod::None),
                                             {"1f1b", VocabularyMethod::Naive},
                                             {"1f1b", VocabularyMethod::Vocab1},
                                             {"1f1b", VocabularyMethod::Vocab2},
                                             {"interlaced", VocabularyMethod::None}}) {
            for (const int words : {3, 40}) {
                auto experiment = smallExperiment(family, method, devices, 3);
                experiment.model.tied = tied;
                experiment.parallel.tensor = tensor;
                experiment.parallel.sequenceParallel = tensor > 1 && words == 40;
                experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                test::verifyGradients(sampled(experiment, words));
                if (QTest::currentTestFailed())
                    return;
            }
        }
    }

    /// If all words are drawn, each is expected once, and the softmax is that over all words but for the order of the sum.
    void allWordsAreTheWholeSoftmax()
    {
        for (const VocabularyMethod method : test::kAllMethods) {
            for (const int tensor : {1, 2}) {
                auto experiment = smallExperiment("1f1b", method, 2, 4);
                experiment.parallel.tensor = tensor;
                experiment.training.steps = 3;
                const auto all = sampled(experiment, experiment.model.vocabularySize);
                const std::vector<double> losses = test::lossesOf(all);
                const std::vector<double> expected = test::lossesOf(experiment);
                QCOMPARE(losses.size(), std::size_t{3});
                for (std::size_t step = 0; step < expected.size(); ++step)
                    QVERIFY(std::abs(losses[step] - expected[step]) < 1e-5);
                const auto gradients = test::gradientsOf(all);
                const auto whole = test::gradientsOf(experiment);
                QCOMPARE(gradients.size(), whole.size());
                for (std::size_t i = 0; i < whole.size(); ++i)
                    QVERIFY(std::abs(gradients[i] - whole[i]) < 1e-6F);
            }
        }
    }

    void bitsDependOnNeitherModeNorSchedule()
    {
        test::verifySameBitsEverywhere([](const model::Experiment &experiment) { return sampled(experiment, 11); });
        const auto losses = [](VocabularyMethod method) {
            auto experiment = sampled(smallExperiment("1f1b", method, 2, 5), 11);
            experiment.training.steps = 2;
            return test::lossesOf(experiment);
        };
        QCOMPARE(losses(VocabularyMethod::Redis), losses(VocabularyMethod::None));
    }

    /// The words of a microbatch are its own, whichever replica computes it.
    void replicasDrawTheSameWords()
    {
        auto one = sampled(smallExperiment("1f1b", VocabularyMethod::None, 2, 4), 11);
        one.training.steps = 2;
        auto two = one;
        two.parallel.replicas = 2;
        two.parallel.microbatches = 2;
        const std::vector<double> losses = test::lossesOf(one);
        const std::vector<double> others = test::lossesOf(two);
        for (std::size_t step = 0; step < losses.size(); ++step)
            QVERIFY(std::abs(losses[step] - others[step]) < 1e-5);
    }

    void combinesWithOtherFeatures_data()
    {
        QTest::addColumn<test::PlanChange>("change");
        test::addCommonChanges();
        test::addChange("tensor", [](auto &each) { each.parallel.tensor = 2; });
        test::addChange("sequence parallel", [](auto &each) {
            each.parallel.tensor = 2;
            each.parallel.sequenceParallel = true;
        });
        test::addChange("one device", [](auto &each) { each = test::tinyExperiment("1f1b", each.schedule.vocabulary, 1, 2); });
        test::addChange("tied", [](auto &each) { each.model.tied = true; });
        test::addChange("factorised", [](auto &each) { each.model.vocabularyWidth = 8; });
        test::addChange("recomputed logits",
                        [](auto &each) { each.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits; });
        test::addChange("logits in chunks", [](auto &each) {
            each.schedule.vocabularyKind = model::VocabularyKind::Chunked;
            each.schedule.logitChunks = 3;
        });
        test::addChange("hashed input", [](auto &each) { each.model.inputHashes = 2; });
        test::addChange("local steps", [](auto &each) {
            each.parallel.replicas = 2;
            each.parallel.syncEvery = 2;
        });
        test::addChange("split slices", [](auto &each) { each.schedule.family = "seq1f1b-zb"; });
        test::addChange("updates of microbatches", [](auto &each) { each.schedule.family = "pipedream"; });
        test::addChange("adafactor", [](auto &each) { each.training.optimizer.name = "adafactor"; });
        test::addChange("experts", [](auto &each) {
            each = test::asLlama(each, 2);
            each.model.experts = 4;
        });
    }
    void combinesWithOtherFeatures()
    {
        STAGELENS_NOT_UNDER_TSAN();

        QFETCH(test::PlanChange, change);
        for (const VocabularyMethod method :
             {VocabularyMethod::None, VocabularyMethod::Naive, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            auto experiment = test::tinyExperiment("1f1b", method, 2, 4);
            change(experiment);
            // What a softmax over all words trains.
            if (!model::unsupported(experiment, model::Use::Run).empty() || !schedule::makeSchedule(experiment)) {
                QVERIFY(method != VocabularyMethod::None);
                continue;
            }
            experiment = sampled(experiment, 20);
            for (const base::Problem &problem : model::unsupported(experiment, model::Use::Run))
                QFAIL(problem.message.c_str());
            test::verifyGradients(experiment);
            if (QTest::currentTestFailed())
                return;
            experiment.training.steps = 2;
            QCOMPARE(test::lossesOf(experiment).size(), std::size_t{2}); // an update of each
        }
    }

    /// Before the first step all words are about equally likely: an evaluation finds ln 97, and training the loss against the
    /// few words that it drew.
    void evaluationsCompareWithAllWords()
    {
        auto experiment = sampled(smallExperiment("1f1b", VocabularyMethod::None, 2, 4), 2);
        experiment.training.steps = 1;
        for (const VocabularyMethod method : test::kAllMethods) {
            for (const bool isInChunks : {false, true}) {
                experiment.schedule.vocabulary = method;
                experiment.schedule.vocabularyKind = isInChunks ? model::VocabularyKind::Chunked : model::VocabularyKind::Full;
                experiment.schedule.logitChunks = isInChunks ? 4 : 1;
                experiment.parallel.tensor = isInChunks && method == VocabularyMethod::Vocab1 ? 2 : 1;
                if (!model::unsupported(experiment, model::Use::Run).empty())
                    continue;
                auto whole = experiment;
                whole.model.sampledWords.reset();
                const std::vector<double> losses = test::allLosses(experiment);
                const std::vector<double> expected = test::allLosses(whole);
                QCOMPARE(losses.size(), std::size_t{3});
                // Before the weights differ. Blocks of words have other shapes, whose products some kernels of OpenBLAS round
                // in another way (seen with those for Haswell).
                QVERIFY(std::abs(losses[0] - expected[0]) <= 1e-6 * expected[0]);
                QVERIFY(std::abs(losses[1] - expected[1]) > 0.1);
            }
        }
    }

    void aFolderTellsTheWords()
    {
        auto model = test::tinyModel();
        model.sampledWords = 20;
        QVERIFY(exchange::huggingFaceConfig(model).find("\"sampled_words\": 20") != std::string::npos);
    }

private:
    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingSampledSoftmax)

} // namespace integration_training_sampled_softmax

#include "training/sampled_softmax.moc"
