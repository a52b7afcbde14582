// Expert parallelism: gradients against the unpartitioned reference, the bits that do not depend on expert ranks, schedule,
// mode, ZeRO and recomputation, rows that do not fit, memory, and resumed runs.
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <cmath>
#include <filesystem>
#include <numeric>

namespace integration_ranks_experts {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::Trained;
namespace fs = std::filesystem;

namespace {

/// Eight experts of a layer, of which two compute a token, on `expert` ranks of `replicas`.
model::Experiment expertPlan(const char *family, VocabularyMethod method, int devices, int replicas, int expert)
{
    auto experiment = test::tinyExperts(family, method, devices);
    experiment.parallel.replicas = replicas;
    experiment.parallel.expert = expert;
    experiment.parallel.expertHeadroom = 4;
    return operators::resolved(experiment, 2);
}

} // namespace

class ExpertRanks : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsMatchTheReference_data() { addFamilies(); }
    /// Every synchronous family; the turn chooses vocabulary method, ranks, ZeRO, recomputation, tied weights and the mode.
    void gradientsMatchTheReference()
    {
        QFETCH(QString, family);
        const std::string name = family.toStdString();
        int turn = static_cast<int>(schedule::findFamily(name) - schedule::families().data());
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
            if (!test::refusedField(name, method, 2).empty())
                continue;
            auto experiment = expertPlan(name.c_str(), method, 2, turn % 2 ? 4 : 2, turn % 4 == 3 ? 4 : 2);
            experiment.model.topK = 1 + turn % 3;
            experiment.model.tied = turn % 2 == 0;
            experiment.parallel.zero = turn % 5 < 4 ? turn % 5 : 0;
            experiment.schedule.recompute = turn % 3 == 1 ? model::Recompute::Full : model::Recompute::None;
            experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            test::verifyPlan(experiment);
            if (QTest::currentTestFailed())
                return;
            ++turn;
        }
    }

    /// Experts that only one rank has are exchanged with none; a later step finds what the one before has allocated.
    void laterStepsStayWithinTheMemoryPlan()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = expertPlan("1f1b", VocabularyMethod::None, 1, 2, 2);
        experiment.model.expertFfn = 128;
        experiment.training.steps = 3;
        std::vector<std::vector<double>> losses;
        for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            experiment.training.mode = mode;
            losses.push_back(test::lossesOf(experiment)); // a block beyond the plan ends the run
        }
        QCOMPARE(losses[0].size(), std::size_t{3});
        QCOMPARE(losses[0], losses[1]);
    }

    void bitsDoNotDependOnExpertRanks_data() { addFamilies(); }
    /// The rows of an expert are computed alike wherever they are, so that only sums over them differ.
    void bitsDoNotDependOnExpertRanks()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QString, family);
        const std::string name = family.toStdString();
        const bool isSplit = test::refusedField(name, VocabularyMethod::Vocab1, 2).empty();
        const VocabularyMethod method = isSplit ? VocabularyMethod::Vocab1 : VocabularyMethod::None;
        auto one = expertPlan(name.c_str(), method, 2, 4, 1);
        one.training.steps = 1;
        const std::vector<float> alone = test::gradientsOf(one);
        const std::vector<double> losses = test::lossesOf(one);
        for (const int expert : {2, 4}) {
            auto several = expertPlan(name.c_str(), method, 2, 4, expert);
            several.training.steps = 1;
            test::compareGradients(one, alone, test::gradientsOf(several));
            if (QTest::currentTestFailed())
                return;
            QCOMPARE(test::lossesOf(several), losses);
        }
    }

    /// Rows and gradients travel in the precision of the run, and gates in float.
    void bitsDoNotDependOnExpertRanksIn16Bits_data()
    {
        QTest::addColumn<int>("dtype");
        QTest::newRow("bf16") << static_cast<int>(model::DataType::Bf16);
        QTest::newRow("fp16") << static_cast<int>(model::DataType::Fp16);
    }
    void bitsDoNotDependOnExpertRanksIn16Bits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(int, dtype);
        const auto planOf = [&](int expert) {
            auto experiment = expertPlan("zb-h1", VocabularyMethod::None, 2, 4, expert);
            experiment.model.dtype = static_cast<model::DataType>(dtype);
            experiment.model.capacityFactor = 1.5;
            experiment.training.steps = 1;
            return experiment;
        };
        const std::vector<float> alone = test::gradientsOf(planOf(1));
        const std::vector<double> losses = test::lossesOf(planOf(1));
        for (const int expert : {2, 4})
            for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
                auto several = planOf(expert);
                several.training.mode = mode;
                test::compareGradients(several, alone, test::gradientsOf(several));
                if (QTest::currentTestFailed())
                    return;
                QCOMPARE(test::lossesOf(several), losses);
            }
    }

    void bitsDependOnNeitherModeNorScheduleNorZero()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto planOf = [&](const char *family) {
            auto experiment = expertPlan(family, VocabularyMethod::None, 2, 4, 2);
            return experiment;
        };
        haveTheSameBits(planOf, 4);
    }

    /// As many experts as ranks, so that each has one, and tokens that choose all of them: every rank gets all tokens. With 1
    /// of 8 experts chosen, some get no row.
    void emptyAndFullExperts()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const auto &[experts, topK, expert] : {std::tuple(4, 4, 4), {4, 3, 4}, {64, 1, 4}, {64, 1, 2}}) {
            auto experiment = expertPlan("1f1b", VocabularyMethod::None, 1, 4, expert);
            experiment.model.experts = experts;
            experiment.model.topK = topK;
            test::verifyPlan(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// A headroom of 1 is memory for the mean. Random routers exceed it, and the step ends with a remedy.
    void rowsThatDoNotFitEndTheStep()
    {
        for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            auto experiment = expertPlan("1f1b", VocabularyMethod::None, 2, 4, 4);
            experiment.parallel.expertHeadroom = 1;
            experiment.training.mode = mode;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY(!found.ok());
            QVERIFY2(found.error().text().find("raise expert_headroom") != std::string::npos, found.error().text().c_str());
        }
    }

    /// A later step exceeds the plan. The steps before it and their checkpoint are kept, and a run with more room continues
    /// from there to the bits of a run that had it from the beginning.
    void rowsThatDoNotFitLoseNothing()
    {
        auto experiment = expertPlan("1f1b", VocabularyMethod::None, 2, 4, 4);
        experiment.training.steps = 8;
        experiment.training.optimizer.learningRate = 0.02;
        const Trained whole = train(experiment, "roomy");
        const auto endsEarly = [&](double headroom) {
            auto tight = experiment;
            tight.parallel.expertHeadroom = headroom;
            const fs::path kept = place("kept-" + std::to_string(headroom));
            std::vector<double> losses;
            const auto onStep = [&](const runtime::StepReport &report) { losses.push_back(report.loss); };
            const auto ended = runtime::train(tight, scheduleOf(tight), {{}, {}, kept, 1, {}}, {onStep, {}}, {});
            if (losses.empty() || losses.size() == whole.losses.size())
                return false;
            if (ended || ended.error().text().find("raise expert_headroom") == std::string::npos)
                qFatal("a step with too many rows has no remedy");
            const auto next = whole.losses.begin() + static_cast<std::ptrdiff_t>(losses.size());
            const Trained rest = train(experiment, "continued", {{}, {}, {}, 0, kept});
            return losses == std::vector<double>(whole.losses.begin(), next) &&
                   rest.losses == std::vector<double>(next, whole.losses.end()) && rest.final == whole.final;
        };
        bool found = false;
        for (double headroom = 1.1; headroom < 3 && !found; headroom += 0.1)
            found = endsEarly(headroom);
        QVERIFY2(found, "no headroom lasts for some steps and not for all, or its run lost something");
    }

    /// Every token has k rows in each layer and step, wherever the experts are; recomputation counts none again.
    void choicesAreRecorded()
    {
        STAGELENS_NOT_UNDER_TSAN();
        std::vector<std::string> expected;
        std::vector<std::int64_t> firstRows;
        for (const int expert : {1, 2, 4}) {
            auto experiment = expertPlan("zb-v", VocabularyMethod::None, 1, 4, expert);
            experiment.training.steps = 2;
            experiment.schedule.recompute = expert == 2 ? model::Recompute::Full : model::Recompute::None;
            std::vector<std::string> texts;
            std::vector<timeline::RouterStepPtr> steps;
            const auto onStep = [&](const runtime::StepReport &report) {
                texts.clear();
                steps.push_back(report.routers);
                for (const auto &[name, text] : report.facts)
                    if (name.starts_with("experts of layer 0"))
                        texts.push_back(text);
            };
            QVERIFY(runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {}).ok());
            QCOMPARE(texts.size(), std::size_t{4});
            for (const std::string &text : texts) {
                const QStringList rows = QString::fromStdString(text).section(", rows ", 1).split(' ');
                QCOMPARE(rows.size(), 8);
                const qint64 sum = std::accumulate(rows.begin(), rows.end(), qint64{0},
                                                   [](qint64 all, const QString &each) { return all + each.toLongLong(); });
                QCOMPARE(sum, 2 * 2 * 4 * 16 * 2); // steps, microbatches, replicas, tokens, choices
            }
            QCOMPARE(steps.size(), std::size_t{2});
            for (const timeline::RouterStepPtr &step : steps) {
                QVERIFY(step != nullptr && step->layers.size() == 4);
                for (const timeline::RouterCounts &counts : step->layers) {
                    QCOMPARE(std::accumulate(counts.rows.begin(), counts.rows.end(), std::int64_t{0}), 2 * 4 * 16 * 2);
                    QCOMPARE(counts.tokens, 2 * 4 * 16);
                    QVERIFY(timeline::relativeEntropy(counts) > 0.5 && timeline::relativeEntropy(counts) <= 1);
                    const std::vector<double> loads = timeline::relativeLoads(counts, expert);
                    QVERIFY(std::abs(std::accumulate(loads.begin(), loads.end(), 0.0) - expert) < 1e-9);
                }
            }
            QCOMPARE(steps.back()->step, 1);
            if (expert == 1) {
                expected = texts;
                firstRows = steps.front()->layers.front().rows;
            }
            QCOMPARE(steps.front()->layers.front().rows, firstRows);
            QCOMPARE(texts.front(), expected.front()); // the first layer's choices of both steps are the same
        }
    }

    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        using model::DataType;
        for (const char *family : {"1f1b", "zb-h1"})
            for (const auto &[replicas, expert, zero, dtype] :
                 {std::tuple(4, 2, 0, DataType::Fp32), {4, 4, 1, DataType::Bf16}, {4, 2, 3, DataType::Fp32}}) {
                auto experiment = expertPlan(family, VocabularyMethod::None, 2, replicas, expert);
                experiment.model.dtype = dtype;
                experiment.parallel.zero = zero;
                experiment.training.steps = 2;
                test::checkMemory(experiment);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    void resumedRunsHaveTheSameBits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = expertPlan("1f1b", VocabularyMethod::None, 2, 4, 2);
        experiment.parallel.zero = 1;
        experiment.training.steps = 4;
        const Trained whole = train(experiment, "uncut");
        experiment.training.steps = 2;
        (void)train(experiment, "cut", {{}, {}, place("checkpoint"), 2, {}});
        experiment.training.steps = 4;
        const Trained rest = train(experiment, "rest", {{}, {}, {}, 0, place("checkpoint")});
        QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 2, whole.losses.end()));
        QVERIFY(rest.final == whole.final);
        for (const int expert : {1, 4}) { // other ranks continue within the tolerance of another order of sums
            auto other = experiment;
            other.parallel.expert = expert;
            const Trained continued = train(other, "continued", {{}, {}, {}, 0, place("checkpoint")});
            for (std::size_t step = 0; step < 2; ++step)
                QVERIFY(std::abs(continued.losses[step] - whole.losses[step + 2]) < 2e-5);
        }
    }

    /// The ranks of a group evaluate different microbatches, and each held-back token counts once.
    void heldBackTokensAreCountedOnce()
    {
        STAGELENS_NOT_UNDER_TSAN();
        std::vector<double> losses;
        for (const int expert : {1, 2, 4}) {
            losses.push_back(heldBackLoss(expertPlan("1f1b", VocabularyMethod::Vocab1, 2, 4, expert)));
            QVERIFY2(std::abs(losses.back() - losses.front()) < 1e-6, qPrintable(QString::number(losses.back(), 'g', 9)));
        }
    }

    void refusedPlans()
    {
        const auto fieldOf = [](const model::Experiment &experiment) {
            const auto problems = model::validate(experiment);
            return problems.empty() ? std::string() : problems.front().field + ": " + problems.front().message;
        };
        auto experiment = expertPlan("1f1b", VocabularyMethod::None, 2, 4, 2);
        QCOMPARE(fieldOf(experiment), std::string());
        experiment.parallel.expert = 3;
        QCOMPARE(fieldOf(experiment),
                 std::string("parallel.expert: is 3, which does not divide the 8 experts and the 4 replicas; "
                             "choose 2"));
        experiment = expertPlan("1f1b", VocabularyMethod::None, 2, 4, 2);
        experiment.model.experts = 0;
        QVERIFY(fieldOf(experiment).starts_with("parallel.expert: is 2, but the model has no experts"));
        experiment = expertPlan("1f1b", VocabularyMethod::None, 2, 4, 1);
        experiment.whatIf.expertSkew = 0.5;
        QVERIFY(fieldOf(experiment).starts_with("what_if.expert_skew"));
        experiment.parallel.expert = 2;
        QCOMPARE(fieldOf(experiment), std::string());
        QCOMPARE(model::unsupported(experiment, model::Use::Run).size(), std::size_t{1});
    }

private:
    /// Every synchronous family of whole sequences.
    static void addFamilies() { test::addSynchronousFamilies({"1f1b", "dualpipe"}); }
};

STAGELENS_TEST(ExpertRanks)

} // namespace integration_ranks_experts

#include "ranks/experts.moc"
