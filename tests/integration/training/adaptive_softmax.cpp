// Training with an adaptive softmax: the published probabilities of a small one, gradients of the float64 reference under every
// schedule, the bits of one softmax if the cut-off is beyond all words, and bits that depend on neither schedule nor mode.
#include "engine/exchange/huggingface_config.h"
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/runtime/executor/output/output_tail.h"
#include "engine/runtime/reference/adaptive.h"
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

namespace integration_training_adaptive_softmax {

using namespace stagelens;
using model::VocabularyMethod;
using test::smallExperiment;

namespace {

model::Experiment adaptive(model::Experiment experiment, std::vector<int> cutoffs)
{
    experiment.model.adaptiveCutoffs = std::move(cutoffs);
    return experiment;
}

constexpr std::array kShardedPlans{std::pair("1f1b", VocabularyMethod::Naive), std::pair("1f1b", VocabularyMethod::Vocab1),
                                   std::pair("1f1b", VocabularyMethod::Vocab2),
                                   std::pair("interlaced", VocabularyMethod::None)};

} // namespace

class TrainingAdaptiveSoftmax : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    /// Four words, two of them in a tail of one column, computed by hand.
    void probabilitiesOfFourWords()
    {
        model::ModelConfig model;
        model.hidden = 2;
        model.vocabularySize = 4;
        model.adaptiveCutoffs = {2};
        const runtime::reference::Matrices values{{1, 1}, {0.2, -0.2}, {1, 0, 0, 1, 0.5, 0.5}};
        const runtime::reference::AdaptiveSoftmax softmax(model, values);
        double sum = 0;
        const std::array expected{-1.680270, -0.680270, -1.443552, -2.643552};
        for (std::size_t word = 0; word < expected.size(); ++word) {
            const double found = softmax.logProbability({1, 2}, word);
            QVERIFY(std::abs(found - expected[word]) < 1e-6);
            sum += std::exp(found);
        }
        QVERIFY(std::abs(sum - 1) < 1e-12);
    }

    void wordsOfTailsHaveRowsInTheHead()
    {
        auto model = test::tinyModel();
        model.adaptiveCutoffs = {10, 40};
        QCOMPARE(model.outputRows(), 12);
        QCOMPARE(model.tails().size(), std::size_t{2});
        QCOMPARE(model.tails()[0].words(), 30);
        QCOMPARE(model.tails()[0].width, 8);
        QCOMPARE(model.tails()[1].end, 97);
        QCOMPARE(model.tails()[1].width, 2);
        QCOMPARE(runtime::headRows(std::vector<std::int32_t>{0, 9, 10, 39, 40, 96}, model),
                 (std::vector<std::int32_t>{0, 9, 10, 10, 11, 11}));
        const auto list = runtime::parameterList(model);
        const auto tail = static_cast<std::size_t>(runtime::firstTail(model));
        QCOMPARE(list[tail].name, std::string("adaptive_softmax.0.map.weight"));
        QCOMPARE(list[tail + 1].rows, 30);
        QCOMPARE(list[tail + 3].columns, 2);
        QCOMPARE(tail + 5, list.size());
        const std::string config = exchange::huggingFaceConfig(model);
        QVERIFY(config.find("\"adaptive_cutoffs\"") != std::string::npos);
        QVERIFY(config.find("GPT2LMHeadModel") == std::string::npos); // transformers has no such model
    }

    void gradientsMatchTheReference_data() { test::addMethodRows(); }
    void gradientsMatchTheReference()
    {
        QFETCH(int, method);
        const std::array<std::vector<int>, 4> cutoffs{{{8}, {4, 20}, {1, 2, 60}, {90, 97}}};
        test::verifyEachFamily(method, [&](model::Experiment experiment, int turn) {
            test::verifyGradients(adaptive(std::move(experiment), cutoffs[static_cast<std::size_t>(turn % 4)]));
        });
    }

    /// Shards of devices and of tensor ranks, some of which have no row of a tail of one word.
    void shardsMatchTheReference_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("tensor");
        for (const int devices : {1, 2, 4})
            for (const int tensor : {1, 2})
                QTest::addRow("p=%d, t=%d", devices, tensor) << devices << tensor;
    }
    void shardsMatchTheReference()
    {
        QFETCH(int, devices);
        QFETCH(int, tensor);
        int turn = 0;
        for (const auto &[family, method] : kShardedPlans)
            for (const std::vector<int> &cutoffs : {std::vector{96}, {4, 20}, {1, 2, 3, 60}}) {
                auto experiment = smallExperiment(family, method, devices, 3);
                experiment.parallel.tensor = tensor;
                experiment.parallel.sequenceParallel = false;
                experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                test::verifyGradients(adaptive(experiment, cutoffs));
                if (QTest::currentTestFailed())
                    return;
            }
    }

    /// The same model under every method, but for the order of sums: an update of each step, and evaluations around them.
    void methodsTrainAlike()
    {
        for (const char *const optimizer : {"adamw", "adafactor", "muon"})
            for (const int zero : {0, 1}) {
                const auto lossesOf = [&](const char *family, VocabularyMethod method) {
                    auto experiment = adaptive(smallExperiment(family, method, 2, 4), {6, 30});
                    experiment.training.steps = 3;
                    experiment.training.optimizer.name = optimizer;
                    experiment.parallel.replicas = 1 + zero;
                    experiment.parallel.zero = zero;
                    return test::allLosses(experiment);
                };
                const std::vector<double> expected = lossesOf("1f1b", VocabularyMethod::None);
                QCOMPARE(expected.size(), std::size_t{5});
                for (const auto &[family, method] : kShardedPlans) {
                    const std::vector<double> losses = lossesOf(family, method);
                    QCOMPARE(losses.size(), expected.size());
                    for (std::size_t i = 0; i < losses.size(); ++i)
                        QVERIFY2(std::abs(losses[i] - expected[i]) < 1e-5,
                                 fmt::format("{}, {}, zero {}", optimizer, model::name(method), zero).c_str());
                }
            }
    }

    void aCutOffBeyondAllWordsIsOneSoftmax()
    {
        for (const VocabularyMethod method : test::kAllMethods) {
            auto experiment = smallExperiment("1f1b", method, 2, 4);
            experiment.training.steps = 2;
            const auto one = adaptive(experiment, {experiment.model.vocabularySize});
            QCOMPARE(test::lossesOf(one), test::lossesOf(experiment));
            QVERIFY(test::sameBits(test::gradientsOf(one), test::gradientsOf(experiment)));
        }
    }

    void bitsDependOnNeitherModeNorSchedule()
    {
        test::verifySameBitsEverywhere([](model::Experiment each) { return adaptive(std::move(each), {6, 30}); });
    }

    void combinesWithOtherFeatures_data()
    {
        QTest::addColumn<test::PlanChange>("change");
        test::addCommonChanges();
        test::addChange("one device", [](auto &each) { each = test::tinyExperiment("1f1b", VocabularyMethod::None, 1, 2); });
        test::addChange("hashed input", [](auto &each) { each.model.inputHashes = 2; });
        test::addChange("split slices", [](auto &each) { each.schedule.family = "seq1f1b-zb"; });
        test::addChange("updates of microbatches", [](auto &each) { each.schedule.family = "pipedream"; });
        test::addChange("recomputed layers", [](auto &each) { each.schedule.recompute = model::Recompute::Full; });
        test::addChange("adafactor", [](auto &each) { each.training.optimizer.name = "adafactor"; });
        test::addChange("muon", [](auto &each) { each.training.optimizer.name = "muon"; });
        test::addChange("experts", [](auto &each) {
            each = test::asLlama(each, 2);
            each.model.experts = 4;
        });
    }
    void combinesWithOtherFeatures()
    {
        STAGELENS_NOT_UNDER_TSAN();

        QFETCH(test::PlanChange, change);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            auto experiment = test::tinyExperiment("1f1b", method, 2, 4);
            change(experiment);
            experiment = adaptive(experiment, {6, 30});
            const bool isSharded = model::traits(method).isSharded;
            if (isSharded && !test::refusedField(experiment.schedule.family, method, 2).empty())
                continue;
            test::verifyTraining(
                experiment, [](const auto &plan) { test::verifyGradients(plan); }, 2.5);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// An evaluation has forward passes alone, which compute the tails too: the head of two rows alone has a loss of ln 2.
    void evaluationsCountTheTails()
    {
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Naive, VocabularyMethod::Vocab2}) {
            auto experiment = adaptive(smallExperiment("1f1b", method, 2, 4), {1});
            experiment.training.steps = 1;
            const std::vector<double> losses = test::allLosses(experiment);
            QCOMPARE(losses.size(), std::size_t{3}); // before the step, of it, after it
            for (const double loss : losses)
                QVERIFY(loss > 2.5 && loss < 5.5);
        }
    }

private:
    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingAdaptiveSoftmax)

} // namespace integration_training_adaptive_softmax

#include "training/adaptive_softmax.moc"
