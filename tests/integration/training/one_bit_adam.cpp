// Training with 1-bit Adam: warm-up, bits, memory, traffic and learning, and an oracle in float64.
#include "engine/model/capabilities.h"
#include "engine/runtime/training/run_check.h"
#include "engine/runtime/training/training_run.h"
#include "engine/simulate/costs/compression_costs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>

namespace integration_training_one_bit_adam {

using namespace stagelens;
using model::Experiment;
using model::VocabularyMethod;
using test::scheduleOf;
using test::Trained;

namespace {

Experiment planOf(const char *family = "1f1b", VocabularyMethod method = VocabularyMethod::None, int replicas = 2)
{
    auto experiment = test::tinyExperiment(family, method, 2, 2);
    experiment.parallel.replicas = replicas;
    experiment.training.compression = operators::parseCompression("one-bit-adam").choice;
    experiment.training.compressionAfter = 2;
    experiment.training.steps = 4;
    return experiment;
}

std::string refusalOf(const Experiment &experiment)
{
    if (base::Problems problems = model::validate(experiment); !problems.empty())
        return base::Error::invalid(std::move(problems)).text();
    const auto checked = runtime::checkRun(experiment, scheduleOf(experiment));
    return checked ? std::string() : checked.error().text();
}

} // namespace

class TrainingOneBitAdam : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void bitsDependOnNeitherModeNorSchedule()
    {
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
            auto experiment = planOf("1f1b", method, 3);
            experiment.model.tied = method == VocabularyMethod::None;
            const Trained first = train(experiment);
            experiment.training.mode = model::RunMode::Live;
            const Trained live = train(experiment);
            QCOMPARE(live.losses, first.losses);
            QVERIFY(live.final == first.final);
            experiment.schedule.family = "zb-h1";
            experiment.training.mode = model::RunMode::VirtualClock;
            const Trained split = train(experiment);
            QCOMPARE(split.losses, first.losses);
            QVERIFY(split.final == first.final);
        }
    }

    /// The two directions of DualPipe, context ranks and tensor ranks.
    void copiesStayEqual()
    {
        auto directions = planOf("dualpipe");
        directions.parallel.microbatches = 4;
        const Trained one = train(directions);
        directions.training.mode = model::RunMode::Live;
        QVERIFY(train(directions).final == one.final);
        for (const auto &[context, tensor] : {std::pair(2, 1), {1, 2}}) {
            auto ranks = planOf();
            ranks.parallel.context = context;
            ranks.parallel.tensor = tensor;
            const Trained first = train(ranks);
            ranks.schedule.family = "gpipe";
            QCOMPARE(train(ranks).losses, first.losses);
        }
    }

    /// The bits of the first steps are those of AdamW; without a number they are 15 % of all, and one at least.
    void theWarmUpIsAdam()
    {
        auto experiment = planOf();
        auto plain = experiment;
        plain.training.compression = {};
        const Trained exact = train(plain);
        const Trained late = train(experiment);
        for (const std::size_t step : {0U, 1U, 2U}) // of the weights after two steps
            QCOMPARE(late.losses[step], exact.losses[step]);
        QVERIFY(late.losses[3] != exact.losses[3]);
        experiment.training.compressionAfter = 0;
        const Trained early = train(experiment);
        QCOMPARE(early.losses[1], exact.losses[1]);
        QVERIFY(early.losses[2] != exact.losses[2]);
        const auto choice = experiment.training.compression;
        QCOMPARE(operators::uncompressedSteps(choice, 0, 100), 15);
        QCOMPARE(operators::uncompressedSteps(choice, 0, 4), 1);
        QCOMPARE(operators::uncompressedSteps(choice, 7, 100), 7);
        QCOMPARE(operators::uncompressedSteps({"sign", 0}, 0, 100), 0);
    }

    void memoryAndTrafficArePlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const int replicas : {2, 3, 4}) {
            auto experiment = planOf("1f1b", VocabularyMethod::Vocab1, replicas);
            experiment.training.compressionAfter = 1;
            experiment.training.steps = 2;
            const auto schedule = scheduleOf(experiment);
            std::vector<base::Bytes> sent;
            const auto onStep = [&](const runtime::StepReport &report) {
                for (int device = 0; device < 2; ++device)
                    QVERIFY(test::peaksArePredicted(experiment, schedule, report, device));
                const auto &lane = report.timeline->lanes[0];
                QCOMPARE(lane.anchored.front().kind, timeline::AnchoredKind::ReduceGradients);
                sent.push_back(lane.anchored.front().bytes);
            };
            const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
            const auto sizes = simulate::compressedSizes(experiment, schedule, 0);
            const double expected =
                4 * (replicas - 1) *
                (2.0 / replicas * static_cast<double>(sizes.sums[0]) + 2 * static_cast<double>(sizes.served));
            QVERIFY(std::abs(static_cast<double>(sent.at(1)) - expected) <= 2 * 64 * replicas);
            QVERIFY(sent[0] > 2 * sent[1]); // the rest is of tables
            // Signs take a bit, and tiny matrices a scale and a word for each part of them.
            QVERIFY(sizes.served * replicas < sizes.elements / 16);
        }
    }

    void lossesFall()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = planOf();
        experiment.training.steps = 60;
        experiment.training.compressionAfter = 15;
        experiment.training.optimizer.learningRate = 3e-3;
        const std::vector<double> compressed = test::lossesOf(experiment);
        experiment.training.compression = {};
        experiment.training.compressionAfter = 0;
        const std::vector<double> exact = test::lossesOf(experiment);
        QVERIFY2(compressed.back() < compressed[15] && compressed.back() < exact.front() - 0.6 * (exact.front() - exact.back()),
                 qPrintable(QString("%1 to %2, without %3").arg(compressed[15]).arg(compressed.back()).arg(exact.back())));
    }

    void refusals()
    {
        QCOMPARE(refusalOf(planOf()), std::string());
        auto zero = planOf();
        zero.parallel.zero = 1;
        QVERIFY(refusalOf(zero).find("of which ZeRO keeps a share; choose sign, or zero 0") != std::string::npos);
        auto other = planOf();
        other.training.optimizer.name = "lion";
        QVERIFY(refusalOf(other).find("choose sign, or the optimizer adamw") != std::string::npos);
        auto clip = planOf();
        clip.training.optimizer.clip = 1;
        QVERIFY(refusalOf(clip).find("choose sign, or no clip") != std::string::npos);
        auto host = planOf();
        host.schedule.offloadOptimizer = true;
        QVERIFY(refusalOf(host).find("which the host would keep") != std::string::npos);
        auto experts = test::asLlama(planOf(), 4);
        experts.model.experts = 4;
        QVERIFY(refusalOf(experts).find("training.gradient_compression") != std::string::npos);
        auto alone = planOf();
        alone.parallel.replicas = 1;
        QVERIFY(!model::validate(alone).empty());
    }

private:
    [[nodiscard]] Trained train(const Experiment &experiment) const
    {
        return test::trainedWithDump(experiment, std::filesystem::path(m_folder.path().toStdString()) / "dump");
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingOneBitAdam)

} // namespace integration_training_one_bit_adam

#include "training/one_bit_adam.moc"
