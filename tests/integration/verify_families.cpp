// The families beside gpipe and 1f1b against the reference, and their bits against 1f1b's.
#include "engine/model/names.h"
#include "engine/runtime/training_run.h"
#include "engine/schedule/text_form.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <algorithm>
#include <cstring>

using namespace stagelens;
using model::VocabularyMethod;
using test::kAllMethods;
using test::scheduleOf;
using test::tinyExperiment;

namespace {

constexpr const char *kFamilies[] = {"zb-h1", "zb-h2", "zb-auto"};

std::vector<float> gradientsOf(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    auto gradients = runtime::stepGradients(experiment, schedule);
    if (!gradients)
        qFatal("%s", gradients.error().text().c_str());
    return std::move(gradients).value();
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

} // namespace

class VerifyFamilies : public QObject {
    Q_OBJECT

private slots:
    /// A row a family and method; their places choose what else differs from row to row.
    void hold_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("turn");
        int turn = 0;
        for (const char *family : kFamilies)
            for (const VocabularyMethod method : kAllMethods)
                QTest::addRow("%s %s", family, model::name(method).data())
                    << QString(family) << static_cast<int>(method) << turn++;
    }
    void hold()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        QFETCH(int, turn);
        for (const int devices : {1, 2, 4}) {
            const int microbatches = 1 + (turn + devices) % 6;
            auto experiment =
                tinyExperiment(family.toStdString(), static_cast<VocabularyMethod>(method), devices, microbatches);
            experiment.model.tied = (turn + devices) % 3 == 0;
            experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString("p=%1, m=%2: off by %3; loss %4, reference %5")
                                                    .arg(devices)
                                                    .arg(microbatches)
                                                    .arg(found->worst())
                                                    .arg(found->loss)
                                                    .arg(found->referenceLoss)));
        }
    }

    void haveTheSameBits_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("devices");
        for (const VocabularyMethod method : kAllMethods)
            for (const int devices : {1, 2, 4})
                QTest::addRow("%s p=%d", model::name(method).data(), devices) << static_cast<int>(method) << devices;
    }
    void haveTheSameBits()
    {
        QFETCH(int, method);
        QFETCH(int, devices);
        const auto experimentOf = [&](const char *family) {
            auto experiment = tinyExperiment(family, static_cast<VocabularyMethod>(method), devices, 6);
            experiment.model.tied = devices == 4;
            return experiment;
        };
        const auto plain = experimentOf("1f1b");
        const std::vector<float> expected = gradientsOf(plain, scheduleOf(plain));
        for (const char *family : kFamilies) {
            auto experiment = experimentOf(family);
            QVERIFY2(sameBits(expected, gradientsOf(experiment, scheduleOf(experiment))), family);
            experiment.training.mode = model::RunMode::Live;
            QVERIFY2(sameBits(expected, gradientsOf(experiment, scheduleOf(experiment))), family);
        }
    }

    void onEightDevices()
    {
        for (const VocabularyMethod method : kAllMethods) {
            const auto experiment = tinyExperiment("zb-h1", method, 8, 9);
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
        }
    }

    /// Stages of no layers have nothing for W but the table of tokens, and shards may be empty.
    void emptyStagesAndShards()
    {
        for (const char *family : kFamilies) {
            for (const VocabularyMethod method : kAllMethods) {
                auto experiment = tinyExperiment(family, method, 4, 5);
                const int stages = scheduleOf(experiment).stages();
                experiment.parallel.stageLayers.assign(static_cast<std::size_t>(stages), 0);
                experiment.parallel.stageLayers[1] = 3;
                experiment.parallel.stageLayers[2] = 5;
                experiment.model.vocabularySize = 5;
                const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
                QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
                QVERIFY2(found->holds(), qPrintable(QString("%1: %2").arg(family).arg(found->worst())));
            }
        }
    }

    /// Somebody's own order: one microbatch's backward whole, the next one's split and its W last.
    void wholeAndSplitBackwardsOfOneStage()
    {
        const auto plain = tinyExperiment("1f1b", VocabularyMethod::None, 2, 3);
        auto mixed = schedule::scheduleFromText("schedule custom devices 2 microbatches 3 vocabulary none\n"
                                                "0: F0 F1 B0 F2 I1 W1 I2 W2\n"
                                                "1: F0 B0 F1 I1 F2 I2 W1 W2\n");
        QVERIFY2(mixed.ok(), mixed ? "" : mixed.error().text().c_str());
        QVERIFY(sameBits(gradientsOf(plain, scheduleOf(plain)), gradientsOf(plain, *mixed)));
    }

    void memoryStaysWithinThePlan()
    {
        for (const char *family : kFamilies) {
            for (const VocabularyMethod method : kAllMethods) {
                auto experiment = tinyExperiment(family, method, 4, 12);
                experiment.model.tied = method == VocabularyMethod::None || method == VocabularyMethod::Vocab1;
                experiment.training.steps = 1;
                base::Bytes measured = 0;
                const auto onStep = [&](const runtime::StepReport &report) {
                    for (const auto &device : report.peakMemory)
                        for (const base::Bytes bytes : device)
                            measured += bytes;
                };
                QVERIFY(runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {}).ok());
                const base::Bytes planned = runtime::requiredBytes(experiment);
                QVERIFY2(measured <= planned && planned < 2 * measured,
                         qPrintable(QString("%1: %2 planned, %3 measured").arg(family).arg(planned).arg(measured)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(VerifyFamilies)
#include "verify_families.moc"
