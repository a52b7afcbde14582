// Tensor and sequence parallelism: gradients against the unpartitioned reference, the bits that do not depend on schedule,
// mode, ZeRO and recomputation, memory, and resumed runs on other meshes.
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <filesystem>

namespace integration_tensor_ranks {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::tinyExperiment;
using test::Trained;
namespace fs = std::filesystem;

namespace {

model::Experiment tensorPlan(const char *family, VocabularyMethod method, int tensor, bool isSequenceParallel)
{
    auto experiment = tinyExperiment(family, method, 2, 4);
    experiment.parallel.tensor = tensor;
    experiment.parallel.sequenceParallel = isSequenceParallel;
    return experiment;
}

} // namespace

class TensorRanks : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void gradientsMatchTheReference_data() { test::addSynchronousFamilies(); }
    /// Every synchronous family and method; the turn chooses tensor ranks, sequence parallelism, replicas, ZeRO, recomputation,
    /// the model family with 1, 2 or 4 heads of keys and values, tied weights, and the mode.
    void gradientsMatchTheReference()
    {
        QFETCH(QString, family);
        const std::string name = family.toStdString();
        int turn = static_cast<int>(schedule::findFamily(name) - schedule::families().data());
        test::Sample sample(turn);
        for (const VocabularyMethod method : test::kAllMethods) {
            if (!test::refusedField(name, method, 2).empty())
                continue;
            for (const int devices : {1, 2, 4}) {
                if (!test::refusedField(name, method, devices).empty())
                    continue;
                if (sample.leavesOut()) {
                    ++turn;
                    continue;
                }
                auto experiment = tinyExperiment(name, method, devices, 2 + turn % 4);
                test::varyByTurn(experiment, turn);
                experiment.parallel.tensor = turn / 2 % 3 == 0 ? 4 : 2;
                experiment.parallel.sequenceParallel = turn % 3 != 1;
                experiment.parallel.zero = turn % 10 == 0 ? 1 + turn / 10 % 3 : 0;
                if (turn % 7 == 5)
                    test::recomputeParts(experiment, turn);
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
                ++turn;
            }
        }
    }

    void gradientsMatchTheReferenceInEveryCut_data()
    {
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("isSequenceParallel");
        test::Sample sample;
        for (const int kvHeads : {0, 1, 2, 4}) // 0: gpt
            for (const int tensor : {2, 4})
                for (const bool isSequenceParallel : {false, true}) {
                    if (sample.leavesOut())
                        continue;
                    QTest::addRow("%s kv %d, t %d%s", kvHeads == 0 ? "gpt" : "llama", kvHeads, tensor,
                                  isSequenceParallel ? ", sp" : "")
                        << kvHeads << tensor << isSequenceParallel;
                }
    }
    void gradientsMatchTheReferenceInEveryCut()
    {
        QFETCH(int, kvHeads);
        QFETCH(int, tensor);
        QFETCH(bool, isSequenceParallel);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
            for (const char *family : {"1f1b", "zb-h1"}) {
                auto experiment = tensorPlan(family, method, tensor, isSequenceParallel);
                if (kvHeads > 0)
                    experiment = test::asLlama(experiment, kvHeads);
                test::verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    void bitsDependOnNeitherModeNorScheduleNorZero_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("isSequenceParallel");
        test::Sample sample;
        for (const auto method : {VocabularyMethod::None, VocabularyMethod::Vocab2})
            for (const int tensor : {2, 4})
                for (const bool isSequenceParallel : {false, true}) {
                    if (sample.leavesOut())
                        continue;
                    QTest::addRow("%s, t=%d%s", model::name(method).data(), tensor, isSequenceParallel ? ", sp" : "")
                        << static_cast<int>(method) << tensor << isSequenceParallel;
                }
    }
    /// Five steps of AdamW with weight decay and clipping.
    void bitsDependOnNeitherModeNorScheduleNorZero()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(int, method);
        QFETCH(int, tensor);
        QFETCH(bool, isSequenceParallel);
        const auto planOf = [&](const char *family) {
            auto experiment = tensorPlan(family, static_cast<VocabularyMethod>(method), tensor, isSequenceParallel);
            experiment.parallel.replicas = 2;
            return experiment;
        };
        using model::Recompute;
        using model::RunMode;
        haveTheSameBits(planOf, 5,
                        {{"1f1b", 1, RunMode::Live, Recompute::None},
                         {"gpipe", 3, RunMode::VirtualClock, Recompute::Full},
                         {"zb-h1", 0, RunMode::Live, Recompute::None},
                         {"zb-h1", 2, RunMode::VirtualClock, Recompute::Full}});
    }

    /// One rank, and several with or without sequence parallelism, train alike but for the order of sums.
    void ranksTrainAsOne()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1}) {
            auto one = tensorPlan("1f1b", method, 1, true);
            one.training.steps = 5;
            one.training.optimizer.clip = 0.5;
            one.training.optimizer.weightDecay = 0.1;
            const Trained alone = train(one, "one");
            for (const bool isSequenceParallel : {false, true}) {
                auto two = one;
                two.parallel.tensor = 2;
                two.parallel.sequenceParallel = isSequenceParallel;
                const Trained together = train(two, "two");
                for (std::size_t step = 0; step < alone.losses.size(); ++step)
                    QVERIFY2(std::abs(together.losses[step] - alone.losses[step]) < 2e-6 * alone.losses[step],
                             qPrintable(QString("step %1").arg(step)));
            }
        }
    }

    /// The first losses have the same bits with and without sequence parallelism: only the gradients of what all ranks hold are
    /// summed in another order.
    void sequenceParallelismKeepsTheBitsOfTheForward()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1}) {
            std::vector<double> first;
            for (const bool isSequenceParallel : {false, true}) {
                auto experiment = tensorPlan("1f1b", method, 2, isSequenceParallel);
                experiment.training.steps = 1;
                first.push_back(train(experiment, "first").losses.front());
            }
            QCOMPARE(first[1], first[0]);
        }
    }

    /// The live bytes of each category equal the plan after every pass (DeviceMemory checks it), and so do the peaks.
    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        int turn = 0;
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
            for (const int sampledWords : {0, 0, 5, 40}) { // 0: all
                const bool isSequenceParallel = ++turn % 2 == 0;
                auto experiment = tensorPlan("1f1b", method, 4, isSequenceParallel);
                experiment.training.steps = 2;
                if (sampledWords > 0)
                    experiment.model.sampledWords = sampledWords;
                test::checkMemory(experiment);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    void resumedRunsHaveTheSameBits()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = test::asLlama(tensorPlan("1f1b", VocabularyMethod::Vocab1, 2, true), 1);
        experiment.training.steps = 6;
        const Trained whole = train(experiment, "uncut");
        experiment.training.steps = 3;
        (void)train(experiment, "cut", {{}, {}, place("checkpoint"), 3, {}});
        experiment.training.steps = 6;
        const Trained rest = train(experiment, "rest", {{}, {}, {}, 0, place("checkpoint")});
        QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
        QVERIFY(rest.final == whole.final);
        // Other meshes continue within the tolerance of another order of sums.
        for (const int tensor : {1, 4}) {
            auto other = experiment;
            other.parallel.tensor = tensor;
            const Trained continued = train(other, "continued", {{}, {}, {}, 0, place("checkpoint")});
            for (std::size_t step = 0; step < 3; ++step)
                QVERIFY(std::abs(continued.losses[step] - whole.losses[step + 3]) < 2e-5);
        }
    }

    void asynchronousSchedulesAreRefused()
    {
        for (const char *family : {"pipedream", "pipedream-2bw"}) {
            const auto experiment = tensorPlan(family, VocabularyMethod::None, 2, true);
            const auto refused = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY(!refused.ok());
            QCOMPARE(refused.error().problems.front().field, std::string("parallel.tensor"));
        }
    }
};

STAGELENS_TEST(TensorRanks)

} // namespace integration_tensor_ranks

#include "tensor_ranks.moc"
