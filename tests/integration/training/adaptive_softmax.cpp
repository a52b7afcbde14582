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

    void gradientsMatchTheReference_data()
    {
        QTest::addColumn<int>("method");
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Redis})
            QTest::newRow(model::name(method).data()) << static_cast<int>(method);
    }
    void gradientsMatchTheReference()
    {
        QFETCH(int, method);
        const std::array<std::vector<int>, 4> cutoffs{{{8}, {4, 20}, {1, 2, 60}, {90, 97}}};
        test::verifyEachFamily(method, [&](model::Experiment experiment, int turn) {
            test::verifyGradients(adaptive(std::move(experiment), cutoffs[static_cast<std::size_t>(turn % 4)]));
        });
    }

    void aCutOffBeyondAllWordsIsOneSoftmax()
    {
        auto experiment = smallExperiment("1f1b", VocabularyMethod::None, 2, 4);
        experiment.training.steps = 2;
        const auto one = adaptive(experiment, {experiment.model.vocabularySize});
        QCOMPARE(test::lossesOf(one), test::lossesOf(experiment));
        QVERIFY(test::sameBits(test::gradientsOf(one), test::gradientsOf(experiment)));
    }

    void bitsDependOnNeitherModeNorSchedule()
    {
        const auto planLike = [&](const char *family, model::RunMode mode) {
            auto experiment = adaptive(smallExperiment(family, VocabularyMethod::None, 2, 5), {6, 30});
            experiment.training.mode = mode;
            experiment.training.steps = 2;
            return experiment;
        };
        const auto first = planLike("1f1b", model::RunMode::VirtualClock);
        for (const auto &[family, mode] : {std::pair("1f1b", model::RunMode::Live),
                                           {"gpipe", model::RunMode::VirtualClock},
                                           {"zb-h1", model::RunMode::Live},
                                           {"interleaved-1f1b", model::RunMode::Live}}) {
            const auto other = planLike(family, mode);
            QCOMPARE(test::lossesOf(other), test::lossesOf(first));
            QVERIFY2(test::sameBits(test::gradientsOf(other), test::gradientsOf(first)), family);
        }
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
        auto experiment = test::tinyExperiment("1f1b", VocabularyMethod::None, 2, 4);
        change(experiment);
        experiment = adaptive(experiment, {6, 30});
        for (const base::Problem &problem : model::unsupported(experiment, model::Use::Run))
            QFAIL(problem.message.c_str());
        test::verifyGradients(experiment);
        if (QTest::currentTestFailed())
            return;
        experiment.training.steps = 2;
        const std::vector<double> losses = test::lossesOf(experiment); // an update of each
        QVERIFY(losses[1] > 2.5 && losses[1] < 5.2);
    }

    /// An evaluation has forward passes alone, which compute the tails too: the head of two rows alone has a loss of ln 2.
    void evaluationsCountTheTails()
    {
        auto experiment = adaptive(smallExperiment("1f1b", VocabularyMethod::None, 2, 4), {1});
        experiment.training.steps = 1;
        std::vector<double> losses;
        runtime::TrainingObserver observer;
        observer.onStep = [&](const runtime::StepReport &report) { losses.push_back(report.loss); };
        observer.onEvaluation = [&](const runtime::Evaluation &evaluation) { losses.push_back(evaluation.loss); };
        QVERIFY(runtime::train(experiment, test::scheduleOf(experiment), {}, observer, {}).ok());
        QCOMPARE(losses.size(), std::size_t{3}); // before the step, of it, after it
        for (const double loss : losses)
            QVERIFY(loss > 2.5 && loss < 5.5);
    }

private:
    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingAdaptiveSoftmax)

} // namespace integration_training_adaptive_softmax

#include "training/adaptive_softmax.moc"
