// Training with compressed gradients: the bits that do not depend on schedule, mode and ZeRO-1, what stays exact, memory,
// traffic and learning.
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/training/run_devices.h"
#include "engine/runtime/training/training_run.h"
#include "engine/simulate/costs/compression_costs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>

namespace integration_training_compression {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::Trained;
namespace fs = std::filesystem;

namespace {

model::Experiment planOf(const QByteArray &word, const char *family = "1f1b", VocabularyMethod method = VocabularyMethod::None,
                         int replicas = 2)
{
    auto experiment = test::tinyExperiment(family, method, 2, 2);
    experiment.parallel.replicas = replicas;
    experiment.training.compression = operators::parseCompression(word.constData()).choice;
    experiment.training.steps = 3;
    experiment.training.optimizer.clip = 0.5;
    return experiment;
}

void addWords()
{
    QTest::addColumn<QByteArray>("word");
    for (const char *word : {"powersgd=2", "top-k=0.05", "sign"})
        if (!test::kIsThreadSanitized || word[0] == 'p') // the threads are the same for each
            QTest::newRow(word) << QByteArray(word);
}

} // namespace

class TrainingCompression : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void bitsDependOnNeitherZeroNorModeNorSchedule_data() { addWords(); }
    /// Also of tables that two devices hold, tied or in two directions.
    void bitsDependOnNeitherZeroNorModeNorSchedule()
    {
        QFETCH(QByteArray, word);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
            const auto planLike = [&](const char *family, int zero, model::RunMode mode) {
                auto experiment = planOf(word, family, method, 3);
                experiment.model.tied = method == VocabularyMethod::None;
                experiment.parallel.zero = zero;
                experiment.training.mode = mode;
                return experiment;
            };
            const Trained first = train(planLike("1f1b", 0, model::RunMode::VirtualClock));
            for (const auto &[family, zero, mode] :
                 {std::tuple("1f1b", 1, model::RunMode::Live), {"zb-h1", 0, model::RunMode::VirtualClock}}) {
                const Trained other = train(planLike(family, zero, mode));
                QCOMPARE(other.losses, first.losses);
                QVERIFY(other.gradients == first.gradients);
                QVERIFY(other.final == first.final);
            }
        }
    }

    void copiesStayEqual_data() { addWords(); }
    /// Each direction of DualPipe has a residual of its own, of the same gradients.
    void copiesStayEqual()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QByteArray, word);
        auto experiment = planOf(word, "dualpipe");
        experiment.parallel.microbatches = 4;
        experiment.training.optimizer.clip.reset();
        const Trained live = train(experiment);
        experiment.training.mode = model::RunMode::Live;
        QVERIFY(train(experiment).final == live.final);
        for (const auto &[context, tensor] : {std::pair(2, 1), {1, 2}}) {
            auto ranks = planOf(word);
            ranks.parallel.context = context;
            ranks.parallel.tensor = tensor;
            const Trained one = train(ranks);
            ranks.schedule.family = "gpipe";
            QCOMPARE(train(ranks).losses, one.losses);
        }
    }

    void vectorsStayExact_data() { addWords(); }
    void vectorsStayExact()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QByteArray, word);
        const auto exact = planOf("none");
        const auto compressed = planOf(word);
        const std::vector<float> all = test::gradientsOf(exact);
        const std::vector<float> sent = test::gradientsOf(compressed);
        QCOMPARE(sent.size(), all.size());
        std::size_t at = 0;
        double lost = 0;
        for (const runtime::ParameterInfo &info : runtime::parameterList(exact.model)) {
            const auto count = static_cast<std::size_t>(info.count());
            const bool isSame = std::memcmp(sent.data() + at, all.data() + at, count * sizeof(float)) == 0;
            QVERIFY2(isSame || info.isMatrix, info.name.c_str());
            for (std::size_t i = at; i < at + count; ++i)
                lost += std::pow(static_cast<double>(sent[i] - all[i]), 2);
            at += count;
        }
        QVERIFY(lost > 0);
    }

    void memoryAndTrafficArePlanned_data() { addWords(); }
    void memoryAndTrafficArePlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QByteArray, word);
        for (const auto &[zero, replicas] : {std::pair(0, 2), {1, 3}}) {
            auto experiment = planOf(word, "1f1b", VocabularyMethod::Vocab1, replicas);
            experiment.parallel.zero = zero;
            experiment.training.steps = 2;
            const auto schedule = scheduleOf(experiment);
            const auto onStep = [&](const runtime::StepReport &report) {
                for (int device = 0; device < 2; ++device) {
                    QVERIFY(test::peaksArePredicted(experiment, schedule, report, device));
                    const auto sizes = simulate::compressedSizes(experiment, schedule, device);
                    const double sums = static_cast<double>(sizes.sums[0] + sizes.sums[1]);
                    const double expected =
                        4 * (2.0 * (replicas - 1) / replicas * sums + (replicas - 1) * static_cast<double>(sizes.gathered));
                    const auto &lane = report.timeline->lanes[static_cast<std::size_t>(device)];
                    QCOMPARE(lane.anchored.front().kind, timeline::AnchoredKind::ReduceGradients);
                    // Parts are rounded up to cache lines.
                    QVERIFY(std::abs(static_cast<double>(lane.anchored.front().bytes) - expected) <= 2 * 2 * 64 * replicas);
                }
            };
            const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        }
    }

    void theFirstStepsMaySendAll_data() { addWords(); }
    /// Their bits are those of a run without compression, on whatever transport, and only later ones differ. Memory is as
    /// planned.
    void theFirstStepsMaySendAll()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QByteArray, word);
        for (const int replicas : {2, 3}) {
            auto experiment = planOf(word, "1f1b", VocabularyMethod::Vocab1, replicas);
            const Trained exact = train([&] {
                auto plain = experiment;
                plain.training.compression = {};
                return plain;
            }());
            experiment.training.compressionAfter = experiment.training.steps;
            for (const model::RunMode mode : {model::RunMode::VirtualClock, model::RunMode::Live}) {
                experiment.training.mode = mode;
                const Trained all = train(experiment);
                QCOMPARE(all.losses, exact.losses);
                QVERIFY(all.final == exact.final);
            }
            experiment.training.mode = model::RunMode::VirtualClock;
            experiment.training.compressionAfter = 1;
            const Trained late = train(experiment);
            QCOMPARE(late.losses[0], exact.losses[0]);
            QCOMPARE(late.losses[1], exact.losses[1]); // of the weights after the step without compression
            QVERIFY(late.losses[2] != exact.losses[2]);
            if (test::kIsThreadSanitized)
                continue;
            const auto schedule = scheduleOf(experiment);
            std::vector<base::Bytes> sent;
            const auto onStep = [&](const runtime::StepReport &report) {
                for (int device = 0; device < 2; ++device)
                    QVERIFY(test::peaksArePredicted(experiment, schedule, report, device));
                sent.push_back(report.timeline->lanes[0].anchored.front().bytes);
            };
            const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
            QVERIFY(sent.size() == 3 && sent[0] > 2 * sent[1] && sent[1] == sent[2]);
        }
    }

    void messagesOfAllLengthsHaveRoom_data() { addWords(); }
    /// Of gradients that are sent in several chunks, whole in the first step: the last chunk of each is shorter.
    void messagesOfAllLengthsHaveRoom()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QByteArray, word);
        auto experiment = planOf(word);
        experiment.model.layers = 2;
        experiment.model.hidden = 64;
        experiment.model.vocabularySize = 9001;
        experiment.parallel.stageLayers = {1, 1};
        experiment.training.compressionAfter = 1;
        const auto trained = runtime::train(experiment, scheduleOf(experiment), {}, {}, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    }

    void lossesFallAsWithoutCompression_data() { addWords(); }
    void lossesFallAsWithoutCompression()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QByteArray, word);
        const auto lossAfter = [](const QByteArray &chosen) {
            auto experiment = planOf(chosen);
            experiment.training.steps = 24;
            experiment.training.optimizer.learningRate = 0.003;
            const std::vector<double> losses = test::lossesOf(experiment);
            return std::pair(losses.front(), losses.back());
        };
        const auto [begin, whole] = lossAfter("none");
        const auto [same, compressed] = lossAfter(word);
        QCOMPARE(same, begin);
        QVERIFY(whole < begin);
        QVERIFY2(begin - compressed > 0.5 * (begin - whole),
                 qPrintable(QString("from %1 to %2, without compression %3").arg(begin).arg(compressed).arg(whole)));
    }

    void continuesWithWhatWasNotSent_data()
    {
        addWords();
        QTest::newRow("one-bit-adam") << QByteArray("one-bit-adam");
    }
    /// Two steps, a checkpoint and two more are four steps, in losses and weights.
    void continuesWithWhatWasNotSent()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QByteArray, word);
        auto experiment = planOf(word, "1f1b", VocabularyMethod::Vocab1, 3);
        if (word == "one-bit-adam") {
            experiment.training.optimizer.clip.reset();
            experiment.training.compressionAfter = 1;
        }
        experiment.training.steps = 4;
        const Trained whole = train(experiment);
        const fs::path checkpoints = begun(experiment);
        experiment.training.mode = model::RunMode::Live;
        const Trained rest = train(experiment, {{}, {}, {}, 0, checkpoints});
        QCOMPARE(rest.losses, std::vector(whole.losses.begin() + 2, whole.losses.end()));
        QVERIFY(rest.final == whole.final);
    }

    /// Residuals are of ranks: other parameters, or another method, do not suit them.
    void checkpointsOfOtherRanksAreRefused()
    {
        const auto experiment = planOf("sign", "1f1b", VocabularyMethod::Vocab1);
        const fs::path checkpoints = begun(experiment);
        const auto refusal = [&](const model::Experiment &other) {
            const auto resumed = runtime::train(other, scheduleOf(other), {{}, {}, {}, 0, checkpoints}, {}, {});
            return resumed ? std::string() : resumed.error().text();
        };
        auto other = experiment;
        other.training.compression = {};
        QVERIFY(refusal(other).find("is \"none\", but the checkpoint is of a run with \"sign\"; leave it as it was") !=
                std::string::npos);
        other = experiment;
        other.parallel.replicas = 1;
        other.parallel.microbatches *= 2;
        other.parallel.context = 2;
        QVERIFY(refusal(other).find("parallel.context: is 2") != std::string::npos);
        other = experiment;
        other.schedule.vocabulary = VocabularyMethod::None;
        QVERIFY(refusal(other).find("of another plan have not sent yet") != std::string::npos);
        QCOMPARE(refusal(experiment), std::string());
        QFile file(QString::fromStdString((checkpoints / "step-2" / "unsent-gradients.safetensors").string()));
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(file.size() - 1) && file.write("x") == 1);
        file.close();
        QVERIFY(refusal(experiment).find("unsent-gradients.safetensors: does not have the checksum") != std::string::npos);
    }

    /// Second moments that stay as they are do not warm up again; a default that follows the number of steps must be given.
    void theEndOfTheWarmUpStays()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = planOf("one-bit-adam", "1f1b", VocabularyMethod::None);
        experiment.training.optimizer.clip.reset();
        experiment.training.steps = 4;
        const fs::path checkpoints = begun(experiment);
        experiment.training.steps = 40;
        const auto resumed = runtime::train(experiment, scheduleOf(experiment), {{}, {}, {}, 0, checkpoints}, {}, {});
        QVERIFY(!resumed.ok());
        QVERIFY2(resumed.error().text().find("gradient_compression_after: is 6, but the checkpoint is of a run with 1") !=
                     std::string::npos,
                 resumed.error().text().c_str());
    }

    void verificationIsRefused()
    {
        const auto experiment = planOf("sign");
        const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
        QVERIFY(!found.ok());
        QVERIFY(found.error().text().find("choose none to verify the plan") != std::string::npos);
    }

private:
    [[nodiscard]] fs::path folder() const { return m_folder.path().toStdString(); }
    [[nodiscard]] Trained train(const model::Experiment &experiment, const runtime::RunFolders &folders = {}) const
    {
        return test::trainedWithDump(experiment, folder() / "dump", folders);
    }
    /// Trains the first two steps and returns the folder of their checkpoint.
    [[nodiscard]] fs::path begun(model::Experiment experiment) const
    {
        const fs::path checkpoints = folder() / "checkpoints";
        fs::remove_all(checkpoints);
        experiment.training.steps = 2;
        (void)train(experiment, {{}, {}, checkpoints, 2});
        return checkpoints;
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingCompression)

} // namespace integration_training_compression

#include "training/compression.moc"
