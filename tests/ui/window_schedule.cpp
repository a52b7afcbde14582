// Editing the order of passes in the window: as text with live faults, by dragging a pass, with keys, from and to files.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/canvas/colours.h"
#include "ui/controllers/schedule_controller.h"
#include "ui/controllers/schedule_file_controller.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/schedule_panel.h"
#include "ui/panels/schedule_text_edit.h"
#include "ui/strip/method_picker.h"
#include "ui/strip/plan_chip.h"

#include <QFile>
#include <QFileDialog>
#include <QListWidget>
#include <QTextBlock>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>

namespace ui_window_schedule {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowSchedule : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void theTextStandsBesideThePicture();
    void typingMarksFaultsAndKeepsThePicture();
    void aFaultIsReachedFromItsWords();
    void aPassIsDraggedToAnotherPlace();
    void anIllegalDropIsRefusedWithItsReason();
    void escapeGivesUpADrag();
    void keysMoveTheSelectedPass();
    void theOrderIsSavedWithTheExperiment();
    void schedulesComeFromAndGoToFiles();
    void longSchedulesDoNotBlockTheWindow();
    void aBrokenFileIsMendedAsText_data();
    void aBrokenFileIsMendedAsText();
    void theListMakesTheOrderOnesOwn();

private:
    [[nodiscard]] ui::SchedulePanel &panel() { return *m_fixture->window().explorePage().schedulePanel(); }
    [[nodiscard]] ui::ScheduleTextEdit &text() { return *panel().edit(); }
    [[nodiscard]] const model::ScheduleChoice &choice() { return m_fixture->window().document().experiment().schedule; }
    /// 1F1B of 2 devices and 4 microbatches, being edited.
    void openSmall()
    {
        auto &window = m_fixture->open();
        m_fixture->usePlanForTraining(3);
        window.document().start(
            [&window] {
                model::Experiment plan = window.document().experiment();
                plan.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}}; // the same picture on every machine
                return plan;
            }(),
            {}, u"Small"_s);
        QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(panel().isVisible());
        QCoreApplication::processEvents();
    }
    [[nodiscard]] QString line(int number) { return text().document()->findBlockByNumber(number - 1).text(); }
    [[nodiscard]] QPoint centre(int device, std::size_t slice)
    {
        return m_fixture->window().explorePage().timeline()->placeOf(0, {device, slice}).center();
    }
    /// Carries a pass into the left half of another, and leaves it there.
    void drag(int device, std::size_t slice, std::size_t before, bool drop = true)
    {
        ui::TimelineView *view = m_fixture->window().explorePage().timeline();
        const QRect place = view->placeOf(0, {device, before});
        const QPoint target(place.left() + place.width() / 4, place.center().y());
        const QPoint begin = centre(device, slice);
        QTest::mousePress(view, Qt::LeftButton, {}, begin);
        QTest::mouseMove(view, begin + (target - begin) / 2);
        QTest::mouseMove(view, target);
        if (drop)
            QTest::mouseRelease(view, Qt::LeftButton, {}, target);
        QCoreApplication::processEvents();
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowSchedule::theTextStandsBesideThePicture()
{
    auto &window = m_fixture->open();
    QVERIFY(!panel().isVisible());
    ui::TimelineView *timeline = window.explorePage().timeline();
    for (const bool isShown : {true, false}) {
        QTest::keyClick(timeline, Qt::Key_E);
        QCOMPARE(panel().isVisible(), isShown);
    }
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(panel().isVisible());
    QVERIFY(window.explorePage().timeline()->isVisible());
    QCOMPARE(line(1), u"schedule custom devices 4 microbatches 16 vocabulary none"_s);
    QVERIFY(line(5).startsWith(u"3: F0 B0 F1 B1"_s));
    QVERIFY2(panel().words().startsWith(u"The order of 1F1B."_s), qPrintable(panel().words()));
    // To look changes nothing, and another family's order follows.
    QCOMPARE(choice().family, std::string("1f1b"));
    QVERIFY(!window.document().undoStack().canUndo());
    model::Experiment next = window.document().experiment();
    next.schedule.family = "gpipe";
    window.document().edit(u"schedule.family"_s, u"Schedule"_s, next);
    QVERIFY(line(5).startsWith(u"3: F0 F1 F2"_s));
    m_fixture->click(u"schedule.close"_s);
    QVERIFY(!panel().isVisible());
    // Another example is looked at before it is edited.
    window.actions().editSchedule->trigger();
    QVERIFY(panel().isVisible());
    window.document().replace(next, {}, u"Another"_s);
    QVERIFY(!panel().isVisible() && !window.actions().editSchedule->isChecked());
}

void WindowSchedule::typingMarksFaultsAndKeepsThePicture()
{
    openSmall();
    auto &window = m_fixture->window();
    QTextCursor cursor(text().document()->findBlockByNumber(1));
    cursor.movePosition(QTextCursor::EndOfBlock);
    text().setTextCursor(cursor);
    const auto before = m_fixture->content().groups[0].timeline; // that of the plan before the edit
    QTest::keyClicks(&text(), u" "_s);
    QTest::keyClicks(&text(), u"B3"_s);
    QCOMPARE(choice().family, std::string("custom"));
    QVERIFY(!choice().text.empty());
    QCOMPARE(text().markedLines(), std::vector<int>{2});
    const auto marks = text().extraSelections();
    QVERIFY(std::ranges::any_of(marks, [](const QTextEdit::ExtraSelection &mark) {
        return mark.cursor.selectedText() == u"B3"_s && mark.format.background().color() == ui::colours(false).alarm;
    }));
    auto *faults = m_fixture->find<QListWidget>(u"schedule.faults"_s);
    QVERIFY(faults->isVisible());
    QVERIFY2(faults->item(0)->text().startsWith(u"Line 2, word 10: B3"_s), qPrintable(faults->item(0)->text()));
    QCOMPARE(m_fixture->content().groups[0].timeline, before);
    QVERIFY(m_fixture->content().stale);
    QVERIFY2(panel().words().contains(u"Click a fault"_s), qPrintable(panel().words()));
    QVERIFY(!window.actions().train->isEnabled());
    // Taken out again, the text is sound: a custom order that is known.
    for (int i = 0; i < 3; ++i)
        QTest::keyClick(&text(), Qt::Key_Backspace);
    QVERIFY(text().markedLines().empty());
    QVERIFY(!faults->isVisible());
    QCOMPARE(panel().words(), u"This is 1F1B."_s);
    QVERIFY(!m_fixture->content().stale);
    // All that typing is one step.
    QTest::keyClick(&text(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(choice().family, std::string("1f1b"));
    QVERIFY(!window.document().undoStack().canUndo());
    QTest::keyClicks(&text(), u"nonsense "_s);
    QVERIFY(!text().markedLines().empty());
    QTest::keyClick(&text(), Qt::Key_Escape); // reverts what was typed
    QCOMPARE(choice().family, std::string("1f1b"));
    QVERIFY(text().markedLines().empty());
}

void WindowSchedule::aFaultIsReachedFromItsWords()
{
    openSmall();
    QTextCursor cursor(text().document()->findBlockByNumber(2));
    cursor.movePosition(QTextCursor::EndOfBlock);
    cursor.movePosition(QTextCursor::StartOfWord, QTextCursor::KeepAnchor);
    text().setTextCursor(cursor);
    QTest::keyClick(&text(), Qt::Key_Delete);
    auto *faults = m_fixture->find<QListWidget>(u"schedule.faults"_s);
    QVERIFY(faults->isVisible());
    QVERIFY2(faults->item(0)->text().contains(u"B3"_s), qPrintable(faults->item(0)->text()));
    text().moveCursor(QTextCursor::Start);
    QTest::mouseClick(faults->viewport(), Qt::LeftButton, {}, faults->visualItemRect(faults->item(0)).center());
    QCOMPARE(text().textCursor().blockNumber(), 2);
    QTest::keyClick(&text(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(choice().family, std::string("1f1b"));
}

void WindowSchedule::aPassIsDraggedToAnotherPlace()
{
    openSmall();
    QCOMPARE(line(2), u"0: F0 F1 B0 F2 B1 F3 B2 B3"_s);
    const auto before = m_fixture->content().groups[0].timeline;
    drag(0, 3, 2);
    QCOMPARE(line(2), u"0: F0 F1 F2 B0 B1 F3 B2 B3"_s);
    QCOMPARE(choice().family, std::string("custom"));
    QVERIFY(m_fixture->content().groups[0].timeline != before);
    QCOMPARE(panel().words(), u"A custom order, which no family makes."_s);
    QCOMPARE(m_fixture->window().document().undoStack().undoText(), u"Move F 2 of device 0"_s);
    drag(0, 2, 4); // behind B0, where it came from
    QCOMPARE(panel().words(), u"This is 1F1B."_s);
    m_fixture->window().actions().undo->trigger();
    m_fixture->window().actions().undo->trigger();
    QCOMPARE(choice().family, std::string("1f1b"));
    // When the panel is closed a drag pans again.
    QTest::keyClick(&m_fixture->window(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    drag(0, 3, 2);
    QCOMPARE(choice().family, std::string("1f1b"));
}

void WindowSchedule::anIllegalDropIsRefusedWithItsReason()
{
    openSmall();
    const auto before = m_fixture->content().groups[0].timeline;
    drag(0, 2, 0);
    QCOMPARE(m_fixture->content().groups[0].timeline, before);
    QCOMPARE(choice().family, std::string("1f1b"));
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    QVERIFY2(notice->text().startsWith(u"The pass stays where it is. "_s) && notice->text().contains(u"B0"_s),
             qPrintable(notice->text()));
}

void WindowSchedule::escapeGivesUpADrag()
{
    openSmall();
    ui::TimelineView *view = m_fixture->window().explorePage().timeline();
    drag(0, 3, 2, false);
    QTest::keyClick(view, Qt::Key_Escape);
    QTest::mouseRelease(view, Qt::LeftButton, {}, centre(0, 2));
    QCOMPARE(choice().family, std::string("1f1b"));
    QVERIFY(!m_fixture->window().document().undoStack().canUndo());
}

void WindowSchedule::keysMoveTheSelectedPass()
{
    openSmall();
    ui::TimelineView *view = m_fixture->window().explorePage().timeline();
    QTest::mouseClick(view, Qt::LeftButton, {}, centre(0, 3));
    QTest::keyClick(view, Qt::Key_Left, Qt::AltModifier | Qt::ShiftModifier);
    QCOMPARE(line(2), u"0: F0 F1 F2 B0 B1 F3 B2 B3"_s);
    // It stays selected, and goes on.
    QTest::keyClick(view, Qt::Key_Right, Qt::AltModifier | Qt::ShiftModifier);
    QTest::keyClick(view, Qt::Key_Right, Qt::AltModifier | Qt::ShiftModifier);
    QVERIFY2(line(2).startsWith(u"0: F0 F1 B0 B1 F2"_s), qPrintable(line(2)));
}

void WindowSchedule::theOrderIsSavedWithTheExperiment()
{
    openSmall();
    drag(0, 3, 2);
    const QString file = m_fixture->path(u"mine.stagelens.json"_s);
    auto &document = m_fixture->window().document();
    QVERIFY(document.save(file).ok());
    const model::Experiment saved = document.experiment();
    ui::ExperimentDocument again;
    QVERIFY(again.open(file).ok());
    QCOMPARE(again.experiment().schedule.text, saved.schedule.text);
    QCOMPARE(again.experiment().parallel.devices, 2);
}

void WindowSchedule::schedulesComeFromAndGoToFiles()
{
    openSmall();
    auto &controller = *m_fixture->window().controllers().scheduleFiles;
    const QString csv = m_fixture->path(u"out.csv"_s);
    controller.write(csv, service::ScheduleFormat::TorchCsv);
    QFile written(csv);
    QVERIFY(written.open(QIODevice::ReadOnly));
    QCOMPARE(written.readLine(), QByteArray("0F0,0F1,0B0,0F2,0B1,0F3,0B2,0B3\n"));
    controller.open(csv);
    QCOMPARE(choice().file, csv.toStdString());
    QTRY_COMPARE(panel().words(), u"This is 1F1B. It comes from out.csv."_s);
    // Changed, it is in the experiment, and the file is as it was.
    drag(0, 3, 2);
    QVERIFY(!choice().text.empty());
    m_fixture->window().actions().undo->trigger();
    QCOMPARE(choice().file, csv.toStdString());
    QFile bad(m_fixture->path(u"bad.csv"_s));
    QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write("0F0,zzz\n") > 0);
    bad.close();
    // A CSV keeps its idle cells, and says what it cannot.
    QFile idle(m_fixture->path(u"idle.csv"_s));
    QVERIFY(idle.open(QIODevice::WriteOnly) && idle.write("0F0,,0B0\n,1F0,1B0\n") > 0);
    idle.close();
    controller.open(idle.fileName());
    QTRY_VERIFY(m_fixture->window().forecast().plan()->experiment.schedule.file == idle.fileName().toStdString());
    controller.write(csv, service::ScheduleFormat::TorchCsv);
    QVERIFY(idle.open(QIODevice::ReadOnly));
    QFile again(csv);
    QVERIFY(again.open(QIODevice::ReadOnly));
    QCOMPARE(again.readAll(), idle.readAll());
    controller.open(csv);
    QFile large(m_fixture->path(u"large.csv"_s));
    QVERIFY(large.open(QIODevice::WriteOnly) && large.write(QByteArray(2 << 20, 'z')) > 0);
    large.close();
    controller.open(large.fileName());
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    QVERIFY(controller.isOpening()); // the window does not wait for it
    QTRY_VERIFY2(notice->text().startsWith(u"large.csv was not opened. "_s), qPrintable(notice->text()));
    QCOMPARE(choice().file, csv.toStdString());
}

/// Reading, checking, writing and changing a long order are jobs.
void WindowSchedule::longSchedulesDoNotBlockTheWindow()
{
    auto &window = m_fixture->open();
    auto &controller = *window.controllers().scheduleFiles;
    model::Experiment plan = window.document().experiment();
    plan.parallel.microbatches = 2048;
    window.document().start(plan, {}, u"Long"_s);
    QTRY_VERIFY(!window.forecast().isStale() && window.forecast().plan()->experiment.parallel.microbatches == 2048);
    const QString csv = m_fixture->path(u"long.csv"_s);
    controller.write(csv, service::ScheduleFormat::TorchCsv);
    QTRY_VERIFY(QFile::exists(csv));
    controller.open(csv);
    QVERIFY(controller.isOpening() && choice().file.empty());
    QTRY_COMPARE(choice().file, csv.toStdString());
    QTRY_VERIFY(!window.forecast().isStale());
    window.actions().editSchedule->trigger();
    QTRY_VERIFY2(panel().words().contains(u"It comes from long.csv."_s), qPrintable(panel().words()));
    QVERIFY(line(1).startsWith(u"schedule custom devices 4 microbatches 2048"_s));
    window.controllers().schedule->move({0, 5, 4});
    QVERIFY(choice().text.empty());
    QTRY_VERIFY(!choice().text.empty());
    // So is a repair.
    QTRY_VERIFY(!window.forecast().isComputing());
    const std::string valid = choice().text;
    QTextCursor all(text().document());
    all.setPosition(static_cast<int>(text().toPlainText().indexOf(u"F9 "_s)));
    all.setPosition(all.position() + 3, QTextCursor::KeepAnchor);
    text().setTextCursor(all);
    text().insertPlainText({});
    QTRY_VERIFY(!window.forecast().problems().empty() && !text().markedLines().empty());
    const std::string faulty = choice().text;
    QTRY_VERIFY(window.explorePage().headline()->headline().isRepair);
    m_fixture->click(u"headline.action"_s);
    QCOMPARE(choice().text, faulty);
    QTRY_VERIFY(choice().text != faulty);
    QTRY_VERIFY(window.forecast().problems().empty());
    window.actions().undo->trigger();
    window.actions().undo->trigger();
    QTRY_COMPARE(choice().text, valid);
    // An edit while a file is read is kept, and the file is opened over it.
    controller.open(csv);
    window.actions().undo->trigger();
    window.actions().undo->trigger();
    QTRY_VERIFY(!controller.isOpening());
    QCOMPARE(choice().file, csv.toStdString());
}

void WindowSchedule::aBrokenFileIsMendedAsText_data()
{
    QTest::addColumn<QByteArray>("broken");
    QTest::addColumn<QByteArray>("mended");
    QTest::newRow("no action") << QByteArray("0F0,zzz\n1F0,1B0\n") << QByteArray("0F0,0B0\n1F0,1B0\n");
    QTest::newRow("markup") << QByteArray("0F0,<img src=/dev/zero>\n1F0,1B0\n") << QByteArray("0F0,0B0\n1F0,1B0\n");
    QTest::newRow("deadlock") << QByteArray("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n")
                              << QByteArray("0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n");
    QTest::newRow("missing") << QByteArray("0F0,0B0\n1F0\n") << QByteArray("0F0,0B0\n1F0,1B0\n");
}

/// Whether or not the panel is open, and whether the file can be read as a schedule or not.
void WindowSchedule::aBrokenFileIsMendedAsText()
{
    QFETCH(const QByteArray, broken);
    QFETCH(const QByteArray, mended);
    auto &window = m_fixture->open();
    m_fixture->usePlanForTraining(3);
    QFile bad(m_fixture->path(u"bad.csv"_s));
    QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write(broken) > 0);
    bad.close();
    window.controllers().scheduleFiles->open(bad.fileName());
    QTRY_VERIFY(panel().isVisible());
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    QVERIFY2(notice->text().startsWith(u"bad.csv has faults"_s), qPrintable(notice->text()));
    QTRY_COMPARE(text().toPlainText() + u'\n', QString::fromUtf8(broken));
    QTRY_VERIFY(!text().markedLines().empty());
    QVERIFY(!window.forecast().problems().empty());
    text().selectAll();
    text().insertPlainText(QString::fromUtf8(mended));
    QTRY_VERIFY(window.forecast().problems().empty());
    QCOMPARE(choice().text, mended.toStdString());
    QVERIFY(choice().file.empty());
    QVERIFY(text().markedLines().empty());
    QCOMPARE(window.document().experiment().parallel.devices, 2);
    QVERIFY(bad.open(QIODevice::ReadOnly));
    QCOMPARE(bad.readAll(), broken);
}

void WindowSchedule::theListMakesTheOrderOnesOwn()
{
    auto &window = m_fixture->open();
    const base::Nanos before = window.forecast().plan()->timeline->iteration();
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    auto *chip = m_fixture->find<ui::PlanChip>(u"strip.chip.schedule"_s);
    auto *list = m_fixture->find<ui::MethodPicker>(u"picker.schedule.family"_s);
    QTest::keyClick(chip, Qt::Key_Down);
    QTRY_VERIFY(list->isVisible());
    QTest::keyClick(list->table(), Qt::Key_End);
    QCOMPARE(list->table()->currentItem(), list->row(u"custom"_s));
    QTest::keyClick(list->table(), Qt::Key_Return);
    QTRY_VERIFY(!list->isVisible());
    QCOMPARE(choice().family, std::string("custom"));
    QVERIFY(!choice().text.empty());
    QVERIFY(window.forecast().problems().empty());
    QCOMPARE(window.forecast().plan()->timeline->iteration(), before);
    QVERIFY2(notice->isVisible() && notice->text().startsWith(u"The order is now your own"_s), qPrintable(notice->text()));
    m_fixture->window().findChild<QAbstractButton *>(u"bar.notice.Edit the order"_s)->click();
    QTRY_VERIFY(panel().isVisible());
    QVERIFY(!notice->isVisible());
    QCOMPARE(panel().words(), u"This is 1F1B."_s);
    window.actions().undo->trigger();
    QCOMPARE(choice().family, std::string("1f1b"));
    // Or it comes from a file, from the same bar.
    QFile file(m_fixture->path(u"own.schedule"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("schedule own devices 2 microbatches 2 vocabulary none\n0: F0 F1 B0 B1\n1: F0 B0 F1 B1\n");
    file.close();
    QTest::keyClick(list, Qt::Key_End);
    QTimer answer;
    connect(&answer, &QTimer::timeout, this, [&answer, &file] {
        if (auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget())) {
            answer.stop();
            test::answer(*dialog, file.fileName());
        }
    });
    answer.start(10);
    window.findChild<QAbstractButton *>(u"bar.notice.Open a file…"_s)->click();
    QTRY_VERIFY2(choice().file == file.fileName().toStdString(), qPrintable(notice->text()));
    QCOMPARE(window.document().experiment().parallel.devices, 2);
}

STAGELENS_TEST(WindowSchedule)

} // namespace ui_window_schedule

#include "window_schedule.moc"
