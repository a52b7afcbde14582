// The small copy of a plan too large for this computer.
#include "ui/state/scaled_copy.h"
#include "engine/model/presets.h"
#include "engine/service/plans/training_check.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"

namespace ui_scaled_copy {

using namespace stagelens;

namespace {
constexpr base::Bytes kDesktop = base::Bytes{4} << 30;
}

class ScaledCopy : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }

    void keepsTheRatioAndFits_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<int>("devices");
        QTest::newRow("4b on 8") << QStringLiteral("gpt-4b") << 8;
        QTest::newRow("21b on 32") << QStringLiteral("gpt-21b") << 32;
        QTest::newRow("30b on 64") << QStringLiteral("gpt-30b") << 64;
        QTest::newRow("llama 8b on 8") << QStringLiteral("llama-3-8b") << 8;
    }

    void keepsTheRatioAndFits()
    {
        QFETCH(QString, preset);
        QFETCH(int, devices);
        model::Experiment plan;
        const auto model = model::modelPreset(preset.toStdString());
        QVERIFY(model.ok());
        plan.model = *model;
        plan.parallel.devices = devices;
        plan.parallel.microbatches = 128;
        plan.schedule.vocabulary = model::VocabularyMethod::Vocab2;
        plan.cost.source = model::HardwarePreset{"a100-80gb"};
        QVERIFY(service::bytesToTrain(plan) > kDesktop);
        const auto copy = ui::scaledCopy(plan, kDesktop);
        QVERIFY(copy);
        const double ratio = ui::vocabularyRatio(*copy) / ui::vocabularyRatio(plan);
        QVERIFY2(std::abs(ratio - 1) < 0.1, qPrintable(QString::number(ratio)));
        QVERIFY(model::validate(*copy).empty());
        QVERIFY(service::bytesToTrain(*copy) <= kDesktop);
        QCOMPARE(copy->parallel.devices, devices);
        QCOMPARE(copy->parallel.microbatches, 128);
        QCOMPARE(copy->model.layers, plan.model.layers);
        QVERIFY(copy->schedule == plan.schedule);
        QVERIFY(copy->model.family == model::ModelFamily::Gpt && copy->model.dtype == model::DataType::Fp32);
        QVERIFY(copy->cost.source == model::CostChoice{}.source);
        QVERIFY(copy->model.hidden < plan.model.hidden && copy->model.sequence < plan.model.sequence);
    }

    void aPlanThatIsSmallAlreadyKeepsItsSizes()
    {
        model::Experiment plan;
        plan.training.backend = "cuda";
        const auto copy = ui::scaledCopy(plan, kDesktop);
        QVERIFY(copy);
        QCOMPARE(copy->training.backend, std::string("cpu"));
        QCOMPARE(copy->model.hidden, plan.model.hidden);
        QCOMPARE(copy->model.heads, plan.model.heads);
        QCOMPARE(copy->model.vocabularySize, plan.model.vocabularySize);
    }

    void saysWhereThereIsNone()
    {
        model::Experiment plan;
        QVERIFY(!ui::scaledCopy(plan, 1000));
        plan.hasModel = false;
        QVERIFY(!ui::scaledCopy(plan, kDesktop));
        plan.hasModel = true;
        plan.parallel.devices = 0;
        QVERIFY(!ui::scaledCopy(plan, kDesktop));
    }
};

STAGELENS_TEST(ScaledCopy)

} // namespace ui_scaled_copy

#include "scaled_copy.moc"
