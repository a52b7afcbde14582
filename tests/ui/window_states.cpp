// What the window shows while it waits, where a plan does not fit, and where it cannot be trained here.
#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "tests/ui/window_fixture.h"
#include "ui/bridge/words.h"
#include "ui/panels/computing_sign.h"
#include "ui/panels/detail_combo.h"
#include "ui/panels/headline_bar.h"

#include <QDialog>
#include <QLabel>
#include <QTableWidget>
#include <QToolButton>

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowStates : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void aScaledCopyStandsWhereThePlanCannotRun();
    void aLongPredictionSaysSoAndCanBeCancelled();
    void listsShowWhatEachChoiceWouldGive();
    void tooLittleMemoryIsSaidAtTheLaneAndInTheHeadline();

private:
    /// Far too large for any desk.
    static model::Experiment hugePlan()
    {
        model::Experiment plan;
        plan.model.preset = "custom";
        plan.model.layers = 128;
        plan.model.hidden = 16384;
        plan.model.heads = 128;
        plan.model.kvHeads = 128;
        plan.model.ffn = 65536;
        plan.model.sequence = 2048;
        plan.model.vocabularySize = 256'000;
        plan.model.dtype = model::DataType::Fp16;
        plan.cost.source = model::HardwarePreset{"a100-80gb"};
        return plan;
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowStates::aScaledCopyStandsWhereThePlanCannotRun()
{
    auto &window = m_fixture->open();
    auto *button = m_fixture->find<QToolButton>(u"strip.train"_s);
    QCOMPARE(button->defaultAction(), window.actions().train);
    window.document().start(hugePlan(), {}, u"Huge"_s);
    QVERIFY(!window.actions().train->isEnabled());
    QCOMPARE(button->defaultAction(), window.actions().trainCopy);
    QCOMPARE(button->text(), u"Train a scaled copy here…"_s);
    QVERIFY2(button->toolTip().startsWith(u"A run takes "_s), qPrintable(button->toolTip()));
    QTest::keyClick(&window, Qt::Key_F5);
    auto *dialog = m_fixture->find<QDialog>(u"scaled-copy"_s);
    QVERIFY(dialog && dialog->isVisible());
    const auto *table = dialog->findChild<QTableWidget *>(u"scaled-copy.table"_s);
    const auto hidden = table->findItems(u"Hidden"_s, Qt::MatchExactly);
    QCOMPARE(hidden.size(), 1);
    QCOMPARE(table->item(hidden[0]->row(), 1)->text(), u"16384"_s);
    QTest::mouseClick(dialog->findChild<QAbstractButton *>(u"scaled-copy.open"_s), Qt::LeftButton);
    const model::Experiment &copy = window.document().experiment();
    QCOMPARE(QString::number(copy.model.hidden), table->item(hidden[0]->row(), 2)->text());
    QVERIFY(copy.cost.source == model::CostChoice{}.source);
    QVERIFY(window.actions().train->isEnabled());
    QCOMPARE(button->defaultAction(), window.actions().train);
    window.actions().undo->trigger();
    QCOMPARE(window.document().experiment().model.hidden, 16384);
}

void WindowStates::aLongPredictionSaysSoAndCanBeCancelled()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().advice());
    auto *sign = window.findChild<ui::ComputingSign *>();
    auto *cancel = m_fixture->find<QAbstractButton>(u"computing.cancel"_s);
    auto *iteration = m_fixture->find<QLabel>(u"metrics.iteration"_s);
    const QString before = iteration->text();
    model::Experiment plan = window.document().experiment();
    plan.schedule.family = model::kAutomaticFamily; // hundreds of predictions: seconds on any machine
    plan.model.layers = 64;
    plan.parallel.devices = 32;
    plan.parallel.microbatches = 1000;
    window.document().start(plan, {}, u"Long"_s);
    QVERIFY(!sign->isVisible()); // a short wait is not worth a word
    QVERIFY(iteration->isEnabled());
    QTRY_VERIFY(sign->isVisible());
    QVERIFY(!cancel->isVisible());
    QVERIFY(!iteration->isEnabled());
    QVERIFY(m_fixture->content().stale);
    QTRY_VERIFY(cancel->isVisible());
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(!sign->isVisible());
    QCOMPARE(iteration->text(), before);
    QVERIFY(!iteration->isEnabled());
    QVERIFY2(window.explorePage().problemBar()->text().startsWith(u"The prediction was cancelled"_s),
             qPrintable(window.explorePage().problemBar()->text()));
    plan.schedule.family = "1f1b";
    plan.parallel.devices = 4;
    plan.parallel.microbatches = 8;
    window.document().start(plan, {}, u"Short"_s);
    QVERIFY(iteration->isEnabled());
    QVERIFY(!window.explorePage().problemBar()->isVisible());
}

void WindowStates::listsShowWhatEachChoiceWouldGive()
{
    auto &window = m_fixture->open();
    const auto detail = [this](const QString &list, const QString &choice) {
        const auto *combo = m_fixture->find<ui::DetailCombo>(list);
        return combo->itemData(combo->findData(choice), ui::DetailCombo::kDetailRole).toString();
    };
    QTRY_VERIFY(!detail(u"strip.schedule.family"_s, u"gpipe"_s).isEmpty());
    QTRY_VERIFY(!detail(u"schedule.family"_s, u"1f1b"_s).isEmpty());
    const auto &metrics = window.forecast().plan()->metrics;
    const QString now = ui::durationText(metrics.iteration) + u" · "_s +
                        ui::bytesText(*std::max_element(metrics.peakMemory.begin(), metrics.peakMemory.end()));
    QCOMPARE(detail(u"schedule.family"_s, u"1f1b"_s), now);
    QCOMPARE(detail(u"schedule.vocabulary"_s, u"none"_s), now);
    QVERIFY(detail(u"schedule.family"_s, u"gpipe"_s) != now);
    // What can train here, and what cannot.
    QTRY_VERIFY2(detail(u"training.backend"_s, u"cpu"_s).contains(u" cores, "_s),
                 qPrintable(detail(u"training.backend"_s, u"cpu"_s)));
    QVERIFY(detail(u"training.backend"_s, u"cuda"_s).startsWith(u"not available: "_s));
}

void WindowStates::tooLittleMemoryIsSaidAtTheLaneAndInTheHeadline()
{
    QCOMPARE(ui::needsText(base::Bytes{91} << 30, base::Bytes{80} << 30), u"needs 91 of 80 GiB"_s);
    QCOMPARE(ui::needsText((base::Bytes{80} << 30) + (200LL << 20), base::Bytes{80} << 30), u"needs 80.2 of 80.0 GiB"_s);
    auto &window = m_fixture->open();
    model::Experiment plan = hugePlan();
    plan.model = *model::modelPreset("gpt-21b");
    window.document().start(plan, {}, u"21B on 4 devices"_s);
    QTRY_VERIFY(window.forecast().advice());
    const QString headline = window.explorePage().headline()->headline().text;
    QVERIFY2(QRegularExpression(u"^Device \\d needs \\d+ of 80 GiB\\."_s).match(headline).hasMatch(), qPrintable(headline));
    const auto &group = m_fixture->content().groups[0];
    QVERIFY(group.metrics.peakMemory[0] > group.capacity);
    // No method makes it fit: the nearest change that does is looked for.
    QTRY_VERIFY(window.forecast().fix());
    const QString fixed = window.explorePage().headline()->headline().text;
    QVERIFY2(fixed.contains(u"With %1 it would fit: "_s.arg(window.forecast().fix()->words)), qPrintable(fixed));
    m_fixture->click(u"headline.action"_s);
    QCOMPARE(window.document().experiment().parallel.devices, 8);
    QVERIFY(window.document().experiment().parallel.stageLayers.empty());
    QTRY_VERIFY(window.forecast().advice());
    QVERIFY(!window.explorePage().headline()->headline().text.contains(u"needs"_s));
}

QTEST_MAIN(WindowStates)
#include "window_states.moc"
