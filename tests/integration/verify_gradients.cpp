// Every schedule and vocabulary method against the unpartitioned float64 reference, and the determinism contract.
#include "engine/model/names.h"
#include "engine/runtime/training_run.h"
#include "engine/schedule/text_form.h"
#include "engine/schedule/validator.h"
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

std::vector<float> gradientsOf(const model::Experiment &experiment)
{
    auto gradients = runtime::stepGradients(experiment, scheduleOf(experiment));
    if (!gradients)
        qFatal("%s", gradients.error().text().c_str());
    return std::move(gradients).value();
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

QString rowName(const char *family, VocabularyMethod method, int devices)
{
    return QString("%1 %2 p=%3").arg(family).arg(QString::fromUtf8(model::name(method).data())).arg(devices);
}

} // namespace

class VerifyGradients : public QObject {
    Q_OBJECT

private slots:
    void againstReference_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("devices");
        for (const char *family : {"gpipe", "1f1b"})
            for (const VocabularyMethod method : kAllMethods)
                for (const int devices : {1, 2, 4, 8})
                    QTest::newRow(qPrintable(rowName(family, method, devices)))
                        << QString(family) << static_cast<int>(method) << devices;
    }
    void againstReference()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        QFETCH(int, devices);
        for (const bool tied : {false, true}) {
            const int microbatches = 1 + (devices + method + (tied ? 3 : 0)) % 6;
            auto experiment =
                tinyExperiment(family.toStdString(), static_cast<VocabularyMethod>(method), devices, microbatches);
            experiment.model.tied = tied;
            experiment.parallel.microbatchSize = tied ? 2 : 1;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QCOMPARE(found->gradients.size(), std::size_t(tied ? 100 : 101));
            for (const runtime::GradientError &gradient : found->gradients)
                QVERIFY2(gradient.relative <= runtime::Verification::kTolerance,
                         qPrintable(QString("%1 is off by %2").arg(gradient.parameter.c_str()).arg(gradient.relative)));
            QVERIFY(found->holds());
            QVERIFY(found->loss > 4.0 && found->loss < 5.2); // ln 97 = 4.57
        }
    }

    void everyCountOfMicrobatches()
    {
        for (int microbatches = 1; microbatches <= 6; ++microbatches) {
            for (const VocabularyMethod method : kAllMethods) {
                const auto experiment = tinyExperiment("1f1b", method, 4, microbatches);
                const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
                QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
                QVERIFY2(found->holds(), qPrintable(QString("m=%1: %2").arg(microbatches).arg(found->worst())));
            }
        }
    }

    void stagesWithoutLayersAndEmptyShards()
    {
        for (const VocabularyMethod method : kAllMethods) {
            auto experiment = tinyExperiment("1f1b", method, 4, 5);
            experiment.parallel.stageLayers = {0, 4, 4, 0};
            experiment.model.vocabularySize = 5; // two rows a shard: 2, 2, 1, 0
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
        }
    }

    void sameBitsWhateverTheOrder_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("devices");
        for (const VocabularyMethod method : kAllMethods)
            for (const int devices : {1, 2, 4, 8})
                QTest::newRow(qPrintable(rowName("both", method, devices))) << static_cast<int>(method) << devices;
    }
    void sameBitsWhateverTheOrder()
    {
        QFETCH(int, method);
        QFETCH(int, devices);
        for (const bool tied : {false, true}) {
            auto experiment = tinyExperiment("1f1b", static_cast<VocabularyMethod>(method), devices, 6);
            experiment.model.tied = tied;
            const std::vector<float> first = gradientsOf(experiment);
            QVERIFY(std::any_of(first.begin(), first.end(), [](float value) { return value != 0.0F; }));
            QVERIFY(sameBits(first, gradientsOf(experiment)));
            experiment.training.mode = model::RunMode::Live;
            QVERIFY(sameBits(first, gradientsOf(experiment)));
            experiment.schedule.family = "gpipe";
            QVERIFY(sameBits(first, gradientsOf(experiment)));
        }
    }

    void impossibleRunsAreRefused()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 2);
        const auto schedule = scheduleOf(experiment);
        auto huge = experiment;
        huge.model.hidden = 1 << 18;
        QVERIFY(runtime::requiredBytes(huge) > runtime::availableBytes());
        const auto tooLarge = runtime::train(huge, schedule, {}, {}, {});
        QVERIFY(!tooLarge.ok());
        QCOMPARE(tooLarge.error().problems.front().field, std::string("model"));

        // Sound as it stands; but each device would wait in its first S for the other's second.
        auto crossed = schedule::scheduleFromText("schedule custom devices 2 microbatches 2 vocabulary interlaced\n"
                                                  "0: EF0 EF1 F0 F1 S0 S1 B0 B1 EB0 EB1\n"
                                                  "1: EF0 EF1 F0 F1 S1 S0 B0 B1 EB0 EB1\n");
        QVERIFY2(crossed.ok(), crossed ? "" : crossed.error().text().c_str());
        QVERIFY(schedule::findViolations(*crossed).empty());
        const auto locked = runtime::verify(experiment, *crossed, {});
        QVERIFY(!locked.ok());
        QCOMPARE(locked.error().problems.front().field, std::string("schedule"));

        auto other = experiment;
        other.parallel.microbatches = 3;
        QVERIFY(!runtime::train(other, schedule, {}, {}, {}).ok());
    }
};

QTEST_GUILESS_MAIN(VerifyGradients)
#include "verify_gradients.moc"
