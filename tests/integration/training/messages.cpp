// Training with messages between stages in fewer bits: what they change, the bits that depend on neither schedule nor mode,
// memory, and learning.
#include "engine/model/names.h"
#include "engine/runtime/executor/message_order.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/training/run_devices.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>

namespace integration_training_messages {

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
    experiment.parallel.messagePrecision = precision;
    experiment.training.steps = 2;
    experiment.training.optimizer.clip = 0.5;
    return experiment;
}

model::Experiment fourBlocks(PackedPrecision precision)
{
    auto experiment = test::fourBlocks(4);
    experiment.parallel.messagePrecision = precision;
    return experiment;
}

} // namespace

class TrainingMessages : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    /// Within three times what was measured in float64 with three boundaries: gradients 2.9e-3, 6.4e-2 and 1.0e-2, losses 6e-5,
    /// 2e-3 and 5e-4.
    void errorsAreThoseOfTheFormats()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const std::vector<float> exact = test::gradientsOf(fourBlocks(PackedPrecision::Same));
        const double loss = test::lossesOf(fourBlocks(PackedPrecision::Same)).front();
        for (const auto &[precision, gradientError, lossError] : {std::tuple(PackedPrecision::Bf16, 2.9e-3, 6e-5),
                                                                  {PackedPrecision::Fp8, 6.4e-2, 2e-3},
                                                                  {PackedPrecision::Int8, 1.0e-2, 5e-4}}) {
            const double found = test::relativeDifference(test::gradientsOf(fourBlocks(precision)), exact);
            const double lost = std::abs(test::lossesOf(fourBlocks(precision)).front() - loss);
            qInfo("%s: gradients %.2e, loss %.1e", model::name(precision).data(), found, lost);
            QVERIFY(found > gradientError / 10 && found < 3 * gradientError);
            QVERIFY(lost > 0 && lost < 3 * lossError);
        }
    }

    /// Families with the same boundaries; also over replicas, tensor ranks and slices of a sequence.
    void bitsDependOnNeitherModeNorSchedule()
    {
        for (const PackedPrecision precision : kPacked) {
            if (test::kIsThreadSanitized && precision != PackedPrecision::Fp8) // the threads are the same for each
                continue;
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
                const auto planLike = [&](const char *family, model::RunMode mode) {
                    auto experiment = planOf(precision, family, method, 3);
                    experiment.training.mode = mode;
                    return experiment;
                };
                const Trained first = train(planLike("1f1b", model::RunMode::VirtualClock));
                for (const auto &[family, mode] : {std::pair("1f1b", model::RunMode::Live),
                                                   {"gpipe", model::RunMode::VirtualClock},
                                                   {"zb-h1", model::RunMode::Live}}) {
                    const Trained other = train(planLike(family, mode));
                    QCOMPARE(other.losses, first.losses);
                    QVERIFY(other.gradients == first.gradients);
                    QVERIFY(other.final == first.final);
                }
            }
        }
    }

    void ranksHaveBitsOfTheirOwn()
    {
        const auto check = [this](const auto &change, const char *other) {
            auto experiment = planOf(PackedPrecision::Fp8);
            change(experiment);
            experiment.training.mode = model::RunMode::VirtualClock;
            const Trained one = train(experiment);
            auto exact = experiment;
            exact.parallel.messagePrecision = PackedPrecision::Same;
            QVERIFY(train(exact).losses != one.losses);
            experiment.schedule.family = other;
            experiment.training.mode = model::RunMode::Live;
            const Trained two = train(experiment);
            QCOMPARE(two.losses, one.losses);
            QVERIFY(two.final == one.final);
        };
        check([](auto &each) { each.parallel.tensor = 2; }, "gpipe");
        check([](auto &each) { each.parallel.replicas = 2; }, "zb-h1");
        check([](auto &each) { each.parallel.context = 2; }, "gpipe");
        check([](auto &each) { each.model.dtype = model::DataType::Fp16; }, "zb-h1");
        check([](auto &each) { each.schedule.family = "seq1f1b"; }, "seq1f1b-zb");
        check([](auto &each) { each.schedule.recompute = model::Recompute::Full; }, "gpipe");
    }

    /// Stages on one device pass on all bits: only messages to others are shorter.
    void onlyMessagesBetweenDevicesArePacked()
    {
        auto experiment = planOf(PackedPrecision::Int8, "v-half");
        const auto schedule = scheduleOf(experiment); // stages 0 and 3 on device 0, 1 and 2 on device 1
        const runtime::RunPlan plan(experiment, schedule);
        int packed = 0;
        for (int device = 0; device < 2; ++device)
            for (const schedule::Pass &pass : plan.schedule.device(device))
                for (const backend::Message &message : runtime::messagesOf(plan, device, pass)) {
                    const std::int64_t whole = 16 * 32;
                    const std::int64_t less = 16 + whole / 4; // a factor for each row
                    QCOMPARE(message.floats, message.from == message.to ? whole : less);
                    packed += message.from == message.to ? 0 : 1;
                }
        QCOMPARE(packed, 4 * 2 * 2); // between 0 and 1, and 2 and 3, each way, of four microbatches
    }

    void bothKindsOfRanksLearn()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto lossAfter = [](PackedPrecision precision) {
            auto experiment = planOf(precision, "1f1b", VocabularyMethod::Vocab1, 4);
            experiment.training.steps = 24;
            experiment.training.optimizer.learningRate = 0.003;
            return test::lossesOf(experiment);
        };
        const std::vector<double> exact = lossAfter(PackedPrecision::Same);
        QVERIFY(exact.back() < exact.front());
        for (const PackedPrecision precision : kPacked) {
            const std::vector<double> losses = lossAfter(precision);
            QVERIFY(losses != exact);
            QVERIFY(std::abs(losses.back() - exact.back()) < 0.1 * (exact.front() - exact.back()));
        }
    }

    void verificationIsRefused()
    {
        const auto experiment = planOf(PackedPrecision::Fp8);
        const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
        QVERIFY(!found.ok());
        QCOMPARE(found.error().problems.front().field, std::string("parallel.message_precision"));
        QVERIFY(found.error().text().find("choose same to verify the plan") != std::string::npos);
    }

private:
    [[nodiscard]] Trained train(const model::Experiment &experiment) const
    {
        return test::trainedWithDump(experiment, fs::path(m_folder.path().toStdString()) / "dump");
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingMessages)

} // namespace integration_training_messages

#include "training/messages.moc"
