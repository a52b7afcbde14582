// Vocabulary layers whose tensor ranks hold the same rows and divide the tokens: gradients against the unpartitioned reference,
// losses of one rank, the bits that do not depend on schedule, mode and ZeRO, memory, and resumed runs on other meshes.
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <algorithm>
#include <cmath>

namespace integration_ranks_vocabulary_by_tokens {

using namespace stagelens;
using model::VocabularyKind;
using model::VocabularyMethod;
using model::VocabularySharding;
using test::tinyExperiment;
using test::Trained;

namespace {

model::Experiment byTokens(model::Experiment experiment, int tensor)
{
    experiment.parallel.tensor = tensor;
    experiment.parallel.vocabularySharding = VocabularySharding::Device;
    return experiment;
}

/// A kind of vocabulary layers; the sum of an adaptive softmax differs from ln 97 at first.
struct Kind {
    const char *name;
    void (*choose)(model::Experiment &);
    bool hasOneSoftmax = true;
};
const Kind kKinds[] = {
    {"full", [](model::Experiment &) {}},
    {"chunked",
     [](model::Experiment &e) {
         e.schedule.vocabularyKind = VocabularyKind::Chunked;
         e.schedule.logitChunks = 3;
     }},
    {"recompute-logits", [](model::Experiment &e) { e.schedule.vocabularyKind = VocabularyKind::RecomputeLogits; }},
    {"factorised", [](model::Experiment &e) { e.model.vocabularyWidth = 12; }},
    {"hashed",
     [](model::Experiment &e) {
         e.model.tied = false;
         e.model.inputHashes = 2;
     }},
    {"sampled", [](model::Experiment &e) { e.model.sampledWords = 20; }, false},
    {"heads", [](model::Experiment &e) { e.model.outputHeads = 2; }, false},
    {"adaptive",
     [](model::Experiment &e) {
         e.model.tied = false;
         e.model.adaptiveCutoffs = {30, 60};
     },
     false},
};

} // namespace

class RanksVocabularyByTokens : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsMatchTheReference_data() { test::addSynchronousFamilies({"1f1b", "dualpipe-v"}); }
    /// Every synchronous family and method; the turn chooses tensor and context ranks, replicas, ZeRO, recomputation, the model
    /// family with 1, 2 or 4 heads of keys and values, tied weights, and the mode.
    void gradientsMatchTheReference()
    {
        QFETCH(QString, family);
        const std::string name = family.toStdString();
        int turn = static_cast<int>(schedule::findFamily(name) - schedule::families().data());
        for (const VocabularyMethod method : test::kAllMethods) {
            for (const int devices : {1, 2, 4}) {
                if (!test::refusedField(name, method, devices).empty())
                    continue;
                auto experiment = byTokens(tinyExperiment(name, method, devices, 2 + turn % 4), turn / 2 % 3 == 0 ? 4 : 2);
                test::varyByTurn(experiment, turn);
                experiment.parallel.context = turn % 6 == 5 ? 2 : 1;
                experiment.parallel.zero = turn % 10 == 0 ? 1 + turn / 10 % 3 : 0;
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
                ++turn;
            }
        }
    }

    void eachKindMatchesItsReference_data()
    {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < static_cast<int>(std::size(kKinds)); ++kind)
            QTest::newRow(kKinds[kind].name) << kind;
    }
    void eachKindMatchesItsReference()
    {
        QFETCH(const int, kind);
        int turn = kind;
        for (const VocabularyMethod method :
             {VocabularyMethod::None, VocabularyMethod::Naive, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            ++turn;
            auto experiment = byTokens(tinyExperiment(turn % 2 == 0 ? "1f1b" : "zb-h1", method, 2, 3), turn % 3 == 0 ? 4 : 2);
            experiment.parallel.microbatchSize = 2;
            experiment.parallel.replicas = 1 + turn % 2;
            kKinds[kind].choose(experiment);
            for (const base::Problem &problem : model::unsupported(experiment, model::Use::Run))
                QFAIL(problem.message.c_str());
            if (kKinds[kind].hasOneSoftmax)
                test::verifyPlan(experiment);
            else
                test::verifyGradients(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// Five steps of AdamW with weight decay and clipping.
    void bitsDependOnNeitherModeNorScheduleNorZero_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("tensor");
        for (const auto method : {VocabularyMethod::None, VocabularyMethod::Vocab2})
            for (const int tensor : {2, 4})
                QTest::addRow("%s, t=%d", model::name(method).data(), tensor) << static_cast<int>(method) << tensor;
    }
    void bitsDependOnNeitherModeNorScheduleNorZero()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(const int, method);
        QFETCH(const int, tensor);
        haveTheSameBits(
            [&](const char *family) {
                auto experiment = byTokens(tinyExperiment(family, static_cast<VocabularyMethod>(method), 2, 4), tensor);
                experiment.parallel.replicas = 2;
                return experiment;
            },
            5);
    }

    /// Ranks that divide the tokens, ranks that divide the rows, and one rank train alike but for the order of sums, also in
    /// what they evaluate.
    void ranksTrainAsOne()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            auto one = tinyExperiment("1f1b", method, 2, 4);
            one.training.steps = 5;
            one.training.optimizer.clip = 0.5;
            one.training.optimizer.weightDecay = 0.1;
            const Trained alone = train(one, "one");
            const double heldBack = heldBackLoss(one);
            for (const int tensor : {2, 4}) {
                const auto divided = byTokens(one, tensor);
                const Trained together = train(divided, "together");
                for (std::size_t step = 0; step < alone.losses.size(); ++step)
                    QVERIFY2(std::abs(together.losses[step] - alone.losses[step]) < 2e-6 * alone.losses[step],
                             qPrintable(QString("step %1").arg(step)));
                QVERIFY(std::abs(heldBackLoss(divided) - heldBack) < 2e-6 * heldBack);
            }
        }
    }

    /// The live bytes of each category equal the plan after every pass (DeviceMemory checks it), and so do the peaks.
    void memoryIsPlanned_data() { eachKindMatchesItsReference_data(); }
    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(const int, kind);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            auto experiment = byTokens(tinyExperiment("1f1b", method, 2, 4), method == VocabularyMethod::Vocab1 ? 4 : 2);
            experiment.training.steps = 2;
            kKinds[kind].choose(experiment);
            test::checkMemory(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    void resumedRunsContinue()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = byTokens(test::asLlama(tinyExperiment("1f1b", VocabularyMethod::Vocab1, 2, 4), 1), 2);
        experiment.training.steps = 6;
        const Trained whole = train(experiment, "uncut");
        experiment.training.steps = 3;
        (void)train(experiment, "cut", {{}, {}, place("checkpoint"), 3, {}});
        experiment.training.steps = 6;
        const Trained rest = train(experiment, "rest", {{}, {}, {}, 0, place("checkpoint")});
        QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
        QVERIFY(rest.final == whole.final);
        // Other meshes, and ranks that divide the rows, continue within the tolerance of another order of sums.
        for (const int tensor : {1, 2, 4}) {
            auto other = experiment;
            other.parallel.tensor = tensor;
            other.parallel.vocabularySharding = tensor == 4 ? VocabularySharding::Device : VocabularySharding::Rank;
            const Trained continued = train(other, "continued", {{}, {}, {}, 0, place("checkpoint")});
            for (std::size_t step = 0; step < 3; ++step)
                QVERIFY(std::abs(continued.losses[step] - whole.losses[step + 3]) < 2e-5);
        }
    }
};

STAGELENS_TEST(RanksVocabularyByTokens)

} // namespace integration_ranks_vocabulary_by_tokens

#include "ranks/vocabulary_by_tokens.moc"
