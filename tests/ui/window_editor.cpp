// The editor's richer parts in a real window: the strip of stages, models and other files dropped, training fields, costs of a
// run, and what is typed into its fields.
#include "engine/operators/stage_layers.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/stage_strip.h"

#include <QComboBox>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMimeData>
#include <QPointer>
#include <QSpinBox>
#include <QToolButton>
#include <QToolTip>

namespace ui_window_editor {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowEditor : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void aBorderIsDraggedBetweenStages();
    void keysMoveABorder();
    void aModelConfigIsDropped();
    void aHostileConfigIsRefusedWithItsReason();
    void aFileIsNamedAtTheStart();
    void aScheduleIsDropped();
    void trainingFieldsReachTheExperiment();
    void aRunGivesItsCosts();
    void sizesAreReadAlikeInEveryField();
    void theLastValidPlanIsTheOneBeforeTheEdit();
    void escapeBringsBackTheValueBeforeTheEdit();
    void aFloatingFieldLosesTheFocusBeforeTheDocumentIsGone();

private:
    [[nodiscard]] const model::Experiment &experiment() { return m_fixture->window().document().experiment(); }
    [[nodiscard]] ui::StageStrip &strip()
    {
        m_fixture->openSettings();
        auto *editor = m_fixture->window().findChild<ui::ExperimentEditor *>();
        editor->setOpenGroups({u"Devices"_s});
        QCoreApplication::processEvents();
        auto *found = m_fixture->find<ui::StageStrip>(u"stage.strip"_s);
        editor->ensureWidgetVisible(found);
        return *found;
    }
    QString write(const QString &name, const QByteArray &content)
    {
        QFile file(m_fixture->path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write");
        return file.fileName();
    }
    void drop(const QString &file)
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter(QPoint(400, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_fixture->window(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(400, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_fixture->window(), &event);
    }
    [[nodiscard]] QString notice() { return m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->text(); }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowEditor::aBorderIsDraggedBetweenStages()
{
    auto &window = m_fixture->open();
    ui::StageStrip &strip = this->strip();
    QCOMPARE(strip.cut(), (std::vector<int>{2, 2, 2, 2}));
    const auto before = m_fixture->content().groups[0].timeline->iteration();
    const QPoint from = strip.borderAt(2);
    const QPoint to = from + (strip.borderAt(1) - strip.borderAt(0)) / 2 - QPoint(1, 0);
    QTest::mousePress(&strip, Qt::LeftButton, {}, from);
    QTest::mouseMove(&strip, from + QPoint(3, 0));
    QTest::mouseMove(&strip, to);
    QTest::mouseRelease(&strip, Qt::LeftButton, {}, to);
    QCOMPARE(strip.cut(), (std::vector<int>{2, 2, 3, 1}));
    QCOMPARE(experiment().parallel.stageLayers, (std::vector<int>{2, 2, 3, 1}));
    QCOMPARE(m_fixture->find<QLineEdit>(u"parallel.stage_layers"_s)->text(), u"2/2/3/1"_s);
    QVERIFY(m_fixture->content().groups[0].timeline->iteration() < before); // the slow last device has less to do
    window.actions().undo->trigger();                                       // the whole drag is one step
    QVERIFY(experiment().parallel.stageLayers.empty());
    QVERIFY(!window.document().undoStack().canUndo());
}

void WindowEditor::keysMoveABorder()
{
    m_fixture->open();
    ui::StageStrip &strip = this->strip();
    strip.setFocus();
    QTest::keyClick(&strip, Qt::Key_Right);
    QCOMPARE(strip.cut(), (std::vector<int>{3, 1, 2, 2}));
    QTest::keyClick(&strip, Qt::Key_Down);
    QTest::keyClick(&strip, Qt::Key_Left);
    const std::vector<int> moved = strip.cut();
    QCOMPARE(moved[0], 3);
    QCOMPARE(moved[3], 2);
    QTest::mouseDClick(&strip, Qt::LeftButton, {}, strip.rect().center());
    QVERIFY(experiment().parallel.stageLayers.empty());
    QCOMPARE(strip.cut(), (std::vector<int>{2, 2, 2, 2}));
}

void WindowEditor::aModelConfigIsDropped()
{
    auto &window = m_fixture->open();
    drop(write(u"config.json"_s, R"({"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 64, "n_layer": 4,
        "n_head": 4, "n_positions": 64, "vocab_size": 5000, "activation_function": "gelu_new"})"));
    QCOMPARE(experiment().model.layers, 4);
    QCOMPARE(experiment().model.hidden, 64);
    QCOMPARE(experiment().model.vocabularySize, 5000);
    QVERIFY2(notice().startsWith(u"The model is now that of config.json: 4 layers, hidden width 64, vocabulary 5,000"_s),
             qPrintable(notice()));
    QVERIFY(window.forecast().problems().empty());
    window.actions().undo->trigger();
    QCOMPARE(experiment().model.layers, 8);
}

void WindowEditor::aHostileConfigIsRefusedWithItsReason()
{
    m_fixture->open();
    const model::Experiment before = experiment();
    const QList<QByteArray> hostile = {
        R"({"model_type": "bert", "hidden_size": 64})",
        R"({"model_type": "llama", "hidden_size": -5, "num_hidden_layers": 1e99, "vocab_size": "many"})",
        R"({"model_type": "gpt2")",
        R"({"model_type": ["gpt2"]})",
    };
    for (const QByteArray &content : hostile) {
        drop(write(u"config.json"_s, content));
        QVERIFY2(notice().startsWith(u"config.json was not opened. "_s), qPrintable(notice()));
        QVERIFY(experiment() == before);
    }
}

void WindowEditor::aFileIsNamedAtTheStart()
{
    const QString file = write(u"mine.csv"_s, "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
    m_fixture->open(file);
    QCOMPARE(experiment().schedule.file, file.toStdString());
    m_fixture->close();
    m_fixture->open(u"/no/such/plan.stagelens.json"_s);
    QCOMPARE(notice(), u"plan.stagelens.json was not opened. Cannot be read: it does not exist; check the name."_s);
}

void WindowEditor::aScheduleIsDropped()
{
    m_fixture->open();
    const QString file = write(u"mine.csv"_s, "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
    drop(file);
    QCOMPARE(experiment().schedule.file, file.toStdString());
    QCOMPARE(experiment().parallel.devices, 2);
    QCOMPARE(experiment().parallel.microbatches, 2);
    const QString bad = write(u"bad.csv"_s, "0F0,,,\x01\x02\n");
    drop(bad);
    QVERIFY2(notice().startsWith(u"bad.csv has faults, which are marked in its text. "_s), qPrintable(notice()));
    QCOMPARE(experiment().schedule.file, bad.toStdString());
}

void WindowEditor::trainingFieldsReachTheExperiment()
{
    auto &window = m_fixture->open();
    window.findChild<ui::ExperimentEditor *>()->setOpenGroups({u"Training"_s});
    auto *betas = m_fixture->find<QLineEdit>(u"training.optimizer.betas"_s);
    QCOMPARE(betas->text(), u"0.9, 0.95"_s);
    betas->selectAll();
    QTest::keyClicks(betas, u"0.8, 0.99"_s);
    QCOMPARE(experiment().training.optimizer.beta1, 0.8);
    QCOMPARE(experiment().training.optimizer.beta2, 0.99);
    betas->selectAll();
    QTest::keyClicks(betas, u"2, x"_s);
    QTest::keyClick(betas, Qt::Key_Return);
    QVERIFY(!betas->property("problem").toString().isEmpty());
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(window.forecast().problems().empty());
    auto *backend = m_fixture->find<QComboBox>(u"training.backend"_s);
    QCOMPARE(backend->currentData().toString(), u"cpu"_s);
    QVERIFY(backend->findData(u"cuda"_s) >= 0);
}

void WindowEditor::aRunGivesItsCosts()
{
    auto &window = m_fixture->open();
    QVERIFY(!window.actions().costsFromRun->isEnabled());
    m_fixture->usePlanForTraining(3);
    window.actions().train->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    QTRY_VERIFY(window.actions().costsFromRun->isEnabled());
    window.actions().costsFromRun->trigger();
    QTRY_VERIFY(std::holds_alternative<model::DurationsFile>(experiment().cost.source)); // the file is written elsewhere
    QTRY_VERIFY(window.forecast().isCurrent());                                          // and read elsewhere
    const auto *durations = std::get_if<model::DurationsFile>(&experiment().cost.source);
    QVERIFY2(window.forecast().problems().empty(), durations->file.c_str());
    // Without messages the prediction is no longer than what was measured, but for rounding.
    const auto measured = window.runController().shown()->record.timeline->makespan();
    const auto predicted = window.forecast().plan()->timeline->makespan();
    QVERIFY(predicted > measured / 4 && predicted < 2 * measured);
}

void WindowEditor::sizesAreReadAlikeInEveryField()
{
    auto &window = m_fixture->open();
    window.document().start({}, {}, u"Plain"_s);
    const auto typed = [this](const QString &field, const QString &text) {
        auto *control = m_fixture->find<QWidget>(field);
        auto *combo = qobject_cast<QComboBox *>(control);
        QWidget *keys = combo ? static_cast<QWidget *>(combo->lineEdit()) : control;
        keys->setFocus();
        QTest::keySequence(keys, QKeySequence::SelectAll);
        QTest::keyClicks(keys, text);
        QTest::keyClick(keys, Qt::Key_Return);
        return combo ? combo->currentText() : qobject_cast<QSpinBox *>(control)->text();
    };
    const model::Experiment &now = window.document().experiment();
    for (const QString &field : {u"strip.model.vocabulary_size"_s, u"model.vocabulary_size"_s, u"model.hidden"_s,
                                 u"model.ffn"_s, u"training.seed"_s, u"training.steps"_s}) {
        QCOMPARE(typed(field, u"32k"_s), u"32,000"_s);
        QCOMPARE(typed(field, u"32Ki"_s), u"32,768"_s);
        QCOMPARE(typed(field, u"262,144"_s), u"262,144"_s);
    }
    QCOMPARE(now.model.vocabularySize, 262'144);
    QCOMPARE(now.model.hidden, 262'144);
    QCOMPARE(now.training.steps, 262'144);
    QCOMPARE(typed(u"training.steps"_s, u"32,"_s), u"32"_s); // no number yet: the last one that was
    QCOMPARE(typed(u"training.steps"_s, u"7x9"_s), u"7"_s);  // not 79
    QVERIFY(QToolTip::text().contains(u"7x9"_s));
}

void WindowEditor::theLastValidPlanIsTheOneBeforeTheEdit()
{
    auto &window = m_fixture->open();
    auto *devices = m_fixture->find<QSpinBox>(u"strip.parallel.devices"_s);
    QTRY_VERIFY(window.forecast().advice());
    const auto before = window.forecast().plan();
    const auto end = window.forecast().baseline()->metrics.iteration;
    devices->setFocus();
    devices->selectAll();
    QTest::keyClicks(devices, u"100000"_s);
    QCOMPARE(window.document().experiment().parallel.devices, 100'000);
    QCOMPARE(window.forecast().plan(), before);
    QCOMPARE(window.forecast().baseline()->metrics.iteration, end);
    QVERIFY(window.forecast().advice() && window.forecast().isStale());
    QTest::keyClick(devices, Qt::Key_Return);
    QVERIFY2(window.problemBar().text().startsWith(u"Showing the last valid plan: 4 devices."_s),
             qPrintable(window.problemBar().text()));
    // Neither does the next field count from a plan between two keys.
    auto *microbatches = m_fixture->find<QSpinBox>(u"strip.parallel.microbatches"_s);
    microbatches->setFocus();
    microbatches->selectAll();
    QTest::keyClicks(microbatches, u"12"_s);
    QCOMPARE(window.forecast().plan(), before);
    // A list of which a part was typed.
    window.document().start(before->experiment, {}, u"Before"_s);
    auto *size = m_fixture->find<QComboBox>(u"model.vocabulary_size"_s);
    size->lineEdit()->setFocus();
    size->lineEdit()->selectAll();
    QTest::keyClicks(size->lineEdit(), u"32kk"_s);
    QCOMPARE(window.forecast().plan()->experiment.model.vocabularySize, before->experiment.model.vocabularySize);
}

void WindowEditor::escapeBringsBackTheValueBeforeTheEdit()
{
    auto &window = m_fixture->open();
    auto *devices = m_fixture->find<QSpinBox>(u"strip.parallel.devices"_s);
    auto *microbatches = m_fixture->find<QSpinBox>(u"strip.parallel.microbatches"_s);
    auto *size = m_fixture->find<QComboBox>(u"model.vocabulary_size"_s);
    const auto type = [](QWidget *field, const QString &text) {
        field->setFocus();
        QTest::keySequence(field, QKeySequence::SelectAll);
        QTest::keyClicks(field, text);
    };
    type(devices, u"100000"_s);
    QTest::keyClick(devices, Qt::Key_Escape);
    QCOMPARE(devices->text(), u"4"_s);
    // Also after the field was left with the bad value in it.
    type(devices, u"100000"_s);
    QTest::keyClick(devices, Qt::Key_Return);
    QVERIFY(!devices->property("problem").toString().isEmpty());
    microbatches->setFocus();
    devices->setFocus();
    QTest::keyClick(devices, Qt::Key_Escape);
    QCOMPARE(devices->text(), u"4"_s);
    QCOMPARE(window.document().experiment().parallel.devices, 4);
    QVERIFY(window.forecast().problems().empty());
    // What is no number yet.
    type(microbatches, u"3,"_s);
    QTest::keyClick(microbatches, Qt::Key_Escape);
    QCOMPARE(microbatches->text(), u"16"_s);
    type(size->lineEdit(), u"lots"_s);
    QTest::keyClick(size->lineEdit(), Qt::Key_Escape);
    QCOMPARE(size->currentText(), u"8,192"_s);
    // A value that was good and accepted stays.
    type(microbatches, u"32"_s);
    QTest::keyClick(microbatches, Qt::Key_Return);
    QTest::keyClick(microbatches, Qt::Key_Escape);
    QCOMPARE(window.document().experiment().parallel.microbatches, 32);
}

void WindowEditor::aFloatingFieldLosesTheFocusBeforeTheDocumentIsGone()
{
    auto &window = m_fixture->open();
    m_fixture->window().findChild<ui::ExperimentEditor *>()->setOpenGroups({u"Training"_s});
    auto *dock = m_fixture->find<QDockWidget>(u"dock.experiment"_s);
    dock->show();
    dock->setFloating(true);
    auto *steps = m_fixture->find<QSpinBox>(u"training.steps"_s);
    QTRY_VERIFY(steps->isVisible());
    QApplication::setActiveWindow(dock);
    steps->setFocus();
    QTRY_VERIFY(steps->hasFocus());
    QTest::keyClicks(steps, u"1"_s);
    // Watches the field until the window is destroyed.
    struct Watch : QObject {
        QPointer<ui::ExperimentDocument> document;
        int left = 0;
        int late = 0;
        bool eventFilter(QObject *, QEvent *event) override
        {
            if (event->type() == QEvent::FocusOut)
                ++(document ? left : late);
            return false;
        }
    } watch;
    watch.document = &window.document();
    steps->installEventFilter(&watch);
    m_fixture->close();
    QVERIFY(!watch.document);
    QCOMPARE(watch.left, 1);
    QCOMPARE(watch.late, 0);
}

STAGELENS_TEST(WindowEditor)

} // namespace ui_window_editor

#include "window_editor.moc"
