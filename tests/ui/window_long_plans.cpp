// Long orders do not block the window: what reads, makes or judges one is a job.
#include "engine/service/plans/schedule_text.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/schedule_controller.h"
#include "ui/learn/card_list.h"
#include "ui/learn/lectures/lecture_dialog.h"
#include "ui/learn/lesson_picture.h"
#include "ui/learn/slides.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/panels/schedule_panel.h"
#include "ui/panels/schedule_text_edit.h"
#include "ui/strip/method_picker.h"
#include "ui/strip/plan_chip.h"

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QTextBlock>
#include <QTextCursor>
#include <QTreeWidget>

namespace ui_window_long_plans {

using namespace stagelens;
using namespace Qt::StringLiterals;

namespace {

model::Experiment longPlan(int devices, int microbatches)
{
    model::Experiment plan;
    plan.hasModel = false;
    plan.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}, model::UniformPer::Device};
    plan.parallel.devices = devices;
    plan.parallel.microbatches = microbatches;
    return plan;
}

} // namespace

class WindowLongPlans : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }
    void anOrderOfOnesOwnIsMadeElsewhere();
    void anEditMeanwhileWins();
    void anOrderOfALessonIsMadeElsewhere();
    void aLessonsPlanIsCancelled();
    void aLongOrderIsOpenedElsewhere();
    void aLongTextIsReadElsewhere();
    void aLongOrderIsJudgedElsewhere();
    void slidesAreWrittenOneAfterAnother();
    void cardsAreDrawnOneAfterAnother();

private:
    [[nodiscard]] ui::ExperimentDocument &document() { return m_fixture->window().document(); }
    [[nodiscard]] const model::ScheduleChoice &choice() { return document().experiment().schedule; }
    void start(const model::Experiment &plan)
    {
        m_fixture->open();
        document().start(plan, {}, u"Long"_s);
        QTRY_VERIFY(m_fixture->window().forecast().isCurrent());
        QTRY_COMPARE(m_fixture->window().forecast().plan()->experiment.parallel.microbatches, plan.parallel.microbatches);
    }
    /// Chooses the last entry of the list of schedules with the keyboard.
    void chooseOwnOrder()
    {
        auto *list = m_fixture->find<ui::MethodPicker>(u"picker.schedule.family"_s);
        QTest::keyClick(m_fixture->find<ui::PlanChip>(u"strip.chip.schedule"_s), Qt::Key_Down);
        QTRY_VERIFY(list->isVisible());
        QTest::keyClick(list->table(), Qt::Key_End);
        QTest::keyClick(list->table(), Qt::Key_Return);
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowLongPlans::anOrderOfOnesOwnIsMadeElsewhere()
{
    start(longPlan(64, 2048));
    auto &window = m_fixture->window();
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    chooseOwnOrder();
    QVERIFY(document().isPreparing() && window.forecast().isComputing());
    QCOMPARE(choice().family, std::string("1f1b"));
    QVERIFY(!notice->isVisible());
    QTRY_COMPARE(choice().family, std::string("custom"));
    QVERIFY(!choice().text.empty() && !document().isPreparing());
    QVERIFY2(notice->isVisible() && notice->text().startsWith(u"The order is now your own"_s), qPrintable(notice->text()));
    window.actions().undo->trigger();
    QCOMPARE(choice().family, std::string("1f1b"));
    QTRY_VERIFY(window.forecast().isCurrent());
    // Cancelled, the plan is as it was, and so are the editors.
    m_fixture->openSettings();
    auto *combo = m_fixture->window().findChild<QComboBox *>(u"schedule.family"_s);
    QVERIFY(combo != nullptr);
    combo->setFocus();
    QTest::keyClick(combo, Qt::Key_End);
    QVERIFY(document().isPreparing());
    QCOMPARE(combo->currentData().toString(), u"custom"_s);
    window.forecast().cancel();
    QVERIFY(!document().isPreparing() && window.forecast().isCurrent());
    QCOMPARE(choice().family, std::string("1f1b"));
    QCOMPARE(combo->currentData().toString(), u"1f1b"_s);
}

void WindowLongPlans::anEditMeanwhileWins()
{
    start(longPlan(64, 2048));
    chooseOwnOrder();
    QVERIFY(document().isPreparing());
    model::Experiment next = document().experiment();
    next.parallel.microbatches = 8;
    document().edit(u"parallel.microbatches"_s, u"Microbatches"_s, next);
    QVERIFY(!document().isPreparing());
    QTRY_VERIFY(m_fixture->window().forecast().isCurrent());
    QTest::qWait(50); // the job that was dropped would have ended
    QCOMPARE(choice().family, std::string("1f1b"));
    QCOMPARE(document().experiment().parallel.microbatches, 8);
    QVERIFY(!m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->isVisible());
}

void WindowLongPlans::anOrderOfALessonIsMadeElsewhere()
{
    m_fixture->open().actions().learn->trigger();
    m_fixture->window().learnPage().showPage(u"schedules/1f1b.md"_s);
    ui::LessonPicture &picture = *m_fixture->window().learnPage().lesson()->picture();
    ui::LivePlan plan;
    plan.experiment = longPlan(32, 512);
    plan.controls = {u"schedule.family"_s};
    picture.showPlan(plan, u"Long"_s);
    QTRY_VERIFY(picture.facts().value("iteration"));
    auto *combo = m_fixture->find<QComboBox>(u"lesson.schedule.family"_s);
    combo->setFocus();
    QTest::keyClick(combo, Qt::Key_End);
    QCOMPARE(picture.experiment().schedule.family, std::string("1f1b"));
    QTRY_COMPARE(picture.experiment().schedule.family, std::string("custom"));
    QVERIFY(!picture.experiment().schedule.text.empty());
}

void WindowLongPlans::aLessonsPlanIsCancelled()
{
    m_fixture->open().actions().learn->trigger();
    m_fixture->window().learnPage().showPage(u"schedules/1f1b.md"_s);
    ui::LessonPicture &picture = *m_fixture->window().learnPage().lesson()->picture();
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.lesson"_s);
    ui::LivePlan plan;
    plan.experiment = longPlan(32, 512);
    picture.showPlan(plan, u"Long"_s);
    picture.findChild<QPushButton *>(u"computing.cancel"_s)->click(); // is seen after a second
    QVERIFY2(bar->text().startsWith(u"The prediction was cancelled"_s), qPrintable(bar->text()));
    QVERIFY(picture.hasFailed() && picture.timeline()->content().stale);
    QCOMPARE(picture.timeline()->content().groups[0].timeline->devices(), 4); // the picture before
    picture.findChild<QPushButton *>(u"bar.lesson.Compute"_s)->click();
    QTRY_COMPARE(picture.timeline()->content().groups[0].timeline->devices(), 32);
    QVERIFY(!picture.hasFailed() && !bar->isVisible());
}

void WindowLongPlans::aLongOrderIsOpenedElsewhere()
{
    model::Experiment plan = service::withOwnOrder(longPlan(64, 2048));
    m_fixture->open();
    // A document may leave to its order how many devices there are.
    model::Experiment open = plan;
    open.parallel.devices = open.parallel.microbatches = 0;
    document().start(open, {}, u"First"_s);
    QCOMPARE(document().experiment().parallel.devices, 0);
    QVERIFY(document().isPreparing() && !document().isChanged());
    QTRY_COMPARE(document().experiment().parallel.devices, 64);
    QVERIFY(!document().isChanged() && !document().undoStack().canUndo());
    QTRY_VERIFY(m_fixture->window().forecast().isCurrent());
    // Another one replaces it when it has been read.
    model::Experiment small = longPlan(4, 8);
    document().replace(small, {}, u"Small"_s);
    QCOMPARE(document().title(), u"Small"_s);
    document().replace(open, {}, u"Second"_s);
    QCOMPARE(document().title(), u"Small"_s);
    QTRY_COMPARE(document().title(), u"Second"_s);
    QCOMPARE(document().experiment().parallel.devices, 64);
    m_fixture->window().actions().undo->trigger();
    QCOMPARE(document().title(), u"Small"_s);
}

void WindowLongPlans::aLongTextIsReadElsewhere()
{
    start(longPlan(16, 1024));
    auto &window = m_fixture->window();
    auto *panel = window.explorePage().schedulePanel();
    window.actions().editSchedule->trigger();
    QTRY_VERIFY(panel->edit()->document()->blockCount() == 17);
    QTRY_VERIFY(panel->words().startsWith(u"The order of 1F1B."_s));
    QTextCursor end(panel->edit()->document()->findBlockByNumber(1));
    end.movePosition(QTextCursor::EndOfBlock);
    panel->edit()->setTextCursor(end);
    QTest::keyClicks(panel->edit(), u" B3"_s);
    QCOMPARE(choice().family, std::string("1f1b")); // the last letters are being read
    QTRY_COMPARE(choice().family, std::string("custom"));
    QTRY_COMPARE(panel->edit()->markedLines(), std::vector<int>{2});
    QVERIFY(panel->edit()->document()->findBlockByNumber(1).text().endsWith(u" B3"_s));
    // What is typed meanwhile elsewhere is kept, and so is the text.
    QTest::keyClicks(panel->edit(), u" B4"_s);
    model::Experiment next = document().experiment();
    next.training.seed = 7;
    document().edit(u"training.seed"_s, u"Seed"_s, next);
    QTRY_VERIFY(choice().text.find(" B3 B4\n") != std::string::npos);
    QCOMPARE(document().experiment().training.seed, 7U);
}

void WindowLongPlans::aLongOrderIsJudgedElsewhere()
{
    start(longPlan(4, 2048));
    auto &window = m_fixture->window();
    window.actions().editSchedule->trigger();
    ui::TimelineView *view = window.explorePage().timeline();
    auto *state = window.findChild<ui::ViewState *>();
    state->setRange(0, 40'000'000);
    QApplication::processEvents();
    QApplication::processEvents();
    // B 0 of the first device cannot run before F 0.
    const QRect from = view->placeOf(0, {0, 4});
    const QRect first = view->placeOf(0, {0, 0});
    QVERIFY(!from.isEmpty() && !first.isEmpty());
    const QPoint target(first.left() + first.width() / 4, first.center().y());
    QTest::mousePress(view, Qt::LeftButton, {}, from.center());
    QTest::mouseMove(view, from.center() - QPoint(10, 0));
    QTest::mouseMove(view, target);
    QCOMPARE(view->cursor().shape(), Qt::ClosedHandCursor); // not judged yet
    QTRY_COMPARE(view->cursor().shape(), Qt::ForbiddenCursor);
    QTest::mouseRelease(view, Qt::LeftButton, {}, target);
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    QTRY_VERIFY2(notice->text().startsWith(u"The pass stays where it is. "_s), qPrintable(notice->text()));
    QCOMPARE(choice().family, std::string("1f1b"));
    // Let go before the answer, the move itself says why.
    window.controllers().schedule->move({0, 4, 0});
    QTRY_VERIFY2(notice->text().startsWith(u"The pass stays where it is. "_s), qPrintable(notice->text()));
}

void WindowLongPlans::slidesAreWrittenOneAfterAnother()
{
    m_fixture->open();
    QTest::keyClick(&m_fixture->window(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    const auto open = [this](int scenes) {
        ui::Lecture lecture{u"Long"_s, {}};
        for (int scene = 0; scene < scenes; ++scene) {
            ui::LectureScene made;
            made.title = u"Scene %1"_s.arg(scene + 1);
            made.notes = u"The bubble is {bubble}."_s;
            made.plan.experiment = longPlan(32, 512);
            lecture.scenes.push_back(made);
        }
        const QString talk = m_fixture->path(u"%1.lecture.json"_s.arg(scenes));
        QVERIFY(ui::writeLecture(lecture, talk).ok());
        m_fixture->window().findChild<ui::LectureDialog *>()->openFile(talk);
    };
    open(200); // longer than half a second on any machine, else nothing offers to be cancelled
    auto *button = m_fixture->find<ui::SlidesButton>(u"lecture.slides"_s);
    auto *status = m_fixture->find<QLabel>(u"lecture.status"_s);
    const QString caption = button->text();
    const QString file = m_fixture->path(u"long.pdf"_s);
    const auto press = [&] {
        QTimer answer;
        connect(&answer, &QTimer::timeout, this, [&answer, &file] {
            if (auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget())) {
                answer.stop();
                test::answer(*dialog, file);
            }
        });
        answer.start(10);
        QTest::mouseClick(button, Qt::LeftButton);
    };
    press();
    QVERIFY(!QFile::exists(file)); // nothing was written while the button was pressed
    QTRY_VERIFY2(button->text().startsWith(u"Cancel ("_s) && button->text().endsWith(u" of 200)"_s),
                 qPrintable(button->text()));
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(button->text(), caption);
    QTest::qWait(50);
    QVERIFY(!QFile::exists(file));
    open(12);
    press();
    const auto isWritten = [&] { return status->text() == u"The slides are in %1."_s.arg(file); };
    QVERIFY2(QTest::qWaitFor(isWritten, test::kPatience), qPrintable(status->text() + u" / "_s + button->text()));
    QCOMPARE(button->text(), caption);
    QFile pdf(file);
    QVERIFY(pdf.open(QIODevice::ReadOnly));
    QCOMPARE(pdf.readAll().count("/Type /Page\n"), 12);
}

void WindowLongPlans::cardsAreDrawnOneAfterAnother()
{
    m_fixture->open().actions().learn->trigger();
    auto *cards = m_fixture->window().learnPage().findChild<ui::CardList *>();
    QVERIFY(cards->count() > 20 && !cards->isDrawn());
    const auto drawn = [cards] {
        int count = 0;
        for (int row = 0; row < cards->count(); ++row)
            count += cards->item(row)->data(Qt::DecorationRole).isNull() ? 0 : 1;
        return count;
    };
    QCOMPARE(drawn(), 0);
    QTRY_VERIFY(drawn() > 0);
    QTRY_VERIFY(cards->isDrawn());
    QCOMPARE(drawn(), cards->count());
}

STAGELENS_TEST(WindowLongPlans)

} // namespace ui_window_long_plans

#include "window_long_plans.moc"
