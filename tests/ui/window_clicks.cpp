// How many clicks a person needs who has nothing but the window and does what it says.
#include "tests/ui/window_fixture.h"
#include "ui/controllers/plan_repair.h"
#include "ui/state/quick_prediction.h"
#include "ui/state/view_state.h"

#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "ui/controllers/schedule_controller.h"
#include "ui/controllers/schedule_file_controller.h"
#include "ui/controls/message_bar.h"
#include "ui/learn/card_list.h"
#include "ui/learn/lesson_picture.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/headline_bar.h"
#include "ui/sweep/sweep_page.h"
#include "ui/sweep/sweep_plot.h"
#include "ui/sweep/sweep_results_view.h"
#include "ui/words/words.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTextBrowser>
#include <QTimer>

namespace ui_window_clicks {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowClicks : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_fixture = std::make_unique<test::WindowFixture>();
        m_clicks = 0;
    }
    void cleanup() { m_fixture.reset(); }
    void whyTheLastDeviceIsSlowAndItsRemedy();
    void leastMemoryThatIsFastEnough();
    void fivePlansSideBySide();
    void fiveFiguresOfALecture();
    void fivePlansAsFiguresOfALecture();
    void aBrokenScheduleIsRepaired();
    void aBrokenOrderIsRepairedWithoutItsText();
    void aNumberOutOfRangeIsRepaired();
    void theRepairOfALargePlanIsLookedForElsewhere();
    void anInvalidFileSaysWhatIsWrongAtOnce();
    void theVerdictOnAnInvalidPlanNamesFieldCauseAndRemedy();
    void anAlternativeOfTheVerdictIsOneClick();
    void anAlternativeOfTheVerdictIsChosenByKeyboard();

private:
    [[nodiscard]] const ui::Headline &verdict() { return m_fixture->window().explorePage().headline()->headline(); }
    void type(const QString &field, const QString &text)
    {
        auto *box = m_fixture->find<QSpinBox>(field);
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, text);
        QTest::keyClick(box, Qt::Key_Return);
    }
    /// Clicks what a person sees: fails if it is hidden or disabled.
    void click(QWidget *widget, QPoint at = {})
    {
        QVERIFY(widget);
        QTRY_VERIFY2(widget->isVisible() && widget->isEnabled(), qPrintable(widget->objectName()));
        QTest::mouseClick(widget, Qt::LeftButton, {}, at);
        ++m_clicks;
    }
    void click(const QString &name) { click(m_fixture->find<QWidget>(name)); }
    void choose(const QString &combo, const QString &words)
    {
        auto *box = m_fixture->find<QComboBox>(combo);
        click(box);
        const QModelIndex item = box->model()->index(box->findText(words), 0);
        QVERIFY(item.isValid());
        box->view()->scrollTo(item);
        QTest::mouseMove(box->view()->viewport(), box->view()->visualRect(item).center());
        click(box->view()->viewport(), box->view()->visualRect(item).center());
        QCOMPARE(box->currentText(), words);
    }
    /// Gives the file dialog that the next click opens this name, and clicks its button.
    void saveAs(const QString &file)
    {
        QTimer::singleShot(0, this, [this, file] { // the dialog has an event loop of its own
            QTRY_VERIFY(qobject_cast<QFileDialog *>(QApplication::activeModalWidget()));
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            dialog->findChild<QLineEdit *>(u"fileNameEdit"_s)->setText(file);
            for (auto *button : dialog->findChildren<QPushButton *>())
                if (button->isDefault())
                    click(button);
        });
    }
    static void verifyPages(const QString &file, qsizetype least)
    {
        QTRY_VERIFY(QFile::exists(file)); // the plans are jobs
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray pdf = written.readAll();
        QVERIFY(pdf.startsWith("%PDF"));
        QVERIFY2(pdf.count("/Type /Page\n") >= least, qPrintable(QString::number(pdf.count("/Type /Page"))));
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
    int m_clicks = 0;
};

void WindowClicks::whyTheLastDeviceIsSlowAndItsRemedy()
{
    ui::MainWindow &window = m_fixture->open();
    auto *why = m_fixture->find<QLabel>(u"headline.text"_s);
    QTRY_VERIFY(why->accessibleName().startsWith(u"Device 3 holds the others up"_s));
    const base::Nanos before = window.forecast().plan()->metrics.iteration;
    click(u"headline.action"_s);
    QTRY_VERIFY(window.forecast().plan()->metrics.iteration * 3 < before * 2);
    QVERIFY(m_clicks <= 2);
}

void WindowClicks::leastMemoryThatIsFastEnough()
{
    ui::MainWindow &window = m_fixture->open();
    m_fixture->walkMenus({u"File"_s, u"Examples"_s, u"4B GPT on 8 A100"_s}); // the example is given: not counted
    if (QTest::currentTestFailed())
        return;
    QTRY_COMPARE(window.document().experiment().parallel.devices, 8);
    click(u"mode.sweep"_s);
    choose(u"sweep.first"_s, u"Schedule"_s);
    click(u"sweep.goal"_s);
    const auto *plot = window.sweepPage().results()->metricPlots().front();
    const auto isDone = [&] { return !window.sweepPage().isRunning() && plot->highlighted() >= 0; };
    if (test::kIsSanitized || !QTest::qWaitFor(isDone, 20'000)) // a slow or busy machine does not follow the controls by itself
        m_fixture->find<QPushButton>(u"sweep.start"_s)->click();
    QTRY_VERIFY_WITH_TIMEOUT(isDone(), 200000);
    const int marked = plot->highlighted();
    QVERIFY(plot->placeOf(marked));
    QVERIFY2(m_clicks <= 4, qPrintable(QString::number(m_clicks)));
}

void WindowClicks::fivePlansSideBySide()
{
    ui::MainWindow &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().plan() && window.forecast().comparableBaseline());
    click(u"mode.compare"_s);
    click(u"compare.methods"_s);
    QTRY_COMPARE_WITH_TIMEOUT(window.comparePanel().items().size(), std::size_t{5}, test::kPatience);
    QVERIFY(m_clicks <= 8);
}

void WindowClicks::fiveFiguresOfALecture()
{
    ui::MainWindow &window = m_fixture->open();
    click(u"mode.learn"_s);
    auto *cards = window.learnPage().findChild<ui::CardList *>();
    const auto found = cards->findItems(u"The vocabulary bottleneck"_s, Qt::MatchContains);
    QListWidgetItem *card = found.isEmpty() ? nullptr : found.front();
    for (int row = 0; card == nullptr && row < cards->count(); ++row)
        if (cards->item(row)->data(Qt::AccessibleTextRole).toString().contains(u"The vocabulary bottleneck"_s))
            card = cards->item(row);
    QVERIFY(card);
    cards->scrollToItem(card);
    click(cards->viewport(), cards->visualItemRect(card).center());
    const QString file = m_fixture->path(u"lecture.pdf"_s);
    saveAs(file);
    click(u"learn.slides"_s);
    verifyPages(file, 5);
    QVERIFY(m_clicks <= 10);
}

void WindowClicks::fivePlansAsFiguresOfALecture()
{
    ui::MainWindow &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().plan() && window.forecast().comparableBaseline());
    click(u"mode.compare"_s);
    click(u"compare.methods"_s);
    QTRY_COMPARE_WITH_TIMEOUT(window.comparePanel().items().size(), std::size_t{5}, test::kPatience);
    click(u"compare.lecture"_s);
    auto *list = m_fixture->find<QListWidget>(u"lecture.list"_s);
    QTRY_COMPARE(list->count(), 5); // added
    const QString file = m_fixture->path(u"five.pdf"_s);
    saveAs(file);
    click(u"lecture.slides"_s);
    verifyPages(file, 5);
    QVERIFY2(m_clicks <= 10, qPrintable(QString::number(m_clicks)));
    // The lecture begins with the first plan, not with the one added last.
    m_fixture->find<QPushButton>(u"lecture.present"_s)->click();
    QTRY_VERIFY(window.actions().presentation->isChecked());
    const auto *page = m_fixture->find<QTextBrowser>(u"learn.text"_s);
    QVERIFY2(page->toPlainText().contains(u"not split"_s), qPrintable(page->toPlainText()));
    // All scenes have one time axis, and the lecture ends in Compare.
    const auto *view = window.learnPage().lesson()->picture()->findChild<ui::ViewState *>();
    base::Nanos longest = 0;
    for (const ui::CompareItem &item : window.comparePanel().items())
        longest = std::max(longest, item.metrics.iteration);
    const base::Nanos axis = view->span();
    QVERIFY(axis >= longest);
    QApplication::setActiveWindow(&window);
    QTest::keyClick(&window, Qt::Key_PageDown);
    QTRY_VERIFY(!page->toPlainText().contains(u"not split"_s));
    QCOMPARE(view->span(), axis);
    QTest::keyClick(&window, Qt::Key_Escape);
    QTRY_VERIFY(window.actions().compare->isChecked() && list->isVisible());
}

void WindowClicks::aBrokenScheduleIsRepaired()
{
    const QString file = m_fixture->path(u"broken.txt"_s);
    QFile text(file);
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write("schedule mine devices 2 microbatches 3 vocabulary none\n0: F0 F1 B0 B1 B2\n1: F0 B0 F1 F1 B1 F2 B2\n");
    text.close();
    ui::MainWindow &window = m_fixture->open();
    window.controllers().scheduleFiles->open(file);
    auto *verdict = window.explorePage().headline();
    QTRY_VERIFY2(verdict->headline().isRepair, qPrintable(verdict->headline().text));
    click(u"headline.action"_s);
    QTRY_VERIFY(!m_fixture->find<QWidget>(u"schedule.faults"_s)->isVisible());
    QTRY_VERIFY(window.forecast().plan() && !window.forecast().isStale());
    QCOMPARE(window.forecast().plan()->schedule->passCount(), std::size_t{12});
    QVERIFY(m_clicks <= 3);
    QCOMPARE(m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->text(),
             u"The schedule was repaired: passes removed: 1, added: 1."_s);
}

void WindowClicks::aBrokenOrderIsRepairedWithoutItsText()
{
    ui::MainWindow &window = m_fixture->open();
    model::Experiment broken = window.document().experiment();
    broken.schedule.family = model::kCustomFamily;
    broken.schedule.text = "schedule mine devices 2 microbatches 3 vocabulary none\n0: F0 F1 B0 B1 B2\n1: F0 B0 F1 B1 F2 B2\n";
    broken.parallel.devices = 2;
    broken.parallel.microbatches = 3;
    broken.parallel.stageLayers.clear();
    window.document().replace(broken, {}, u"Broken"_s);
    QTRY_VERIFY2(verdict().isRepair, qPrintable(verdict().text));
    QVERIFY2(verdict().text.startsWith(u"The schedule is invalid. Line 2"_s), qPrintable(verdict().text));
    QVERIFY2(verdict().text.contains(u"F2"_s), qPrintable(verdict().text));
    QVERIFY(!m_fixture->find<QWidget>(u"schedule.panel"_s)->isVisible());
    click(u"headline.action"_s);
    QTRY_VERIFY(window.forecast().problems().empty() && window.forecast().isCurrent());
    QCOMPARE(window.forecast().plan()->schedule->passCount(), std::size_t{12});
    QCOMPARE(m_clicks, 1);
    QVERIFY(!verdict().isRepair);
    window.actions().undo->trigger();
    QTRY_COMPARE(window.document().experiment(), broken);
}

void WindowClicks::aNumberOutOfRangeIsRepaired()
{
    ui::MainWindow &window = m_fixture->open();
    type(u"strip.parallel.devices"_s, u"100000"_s);
    QVERIFY(!QApplication::activePopupWidget()); // Enter ends the number, and opens no list
    QTRY_COMPARE(verdict().text, u"Devices must be 1 to 1,024, not 100,000."_s);
    QTRY_COMPARE(verdict().second, u"8 is the nearest value with which the plan is valid."_s);
    QCOMPARE(m_fixture->find<QPushButton>(u"headline.action"_s)->text(), u"Use 8"_s);
    QCOMPARE(window.problemBar().text(), u"Showing the last valid plan: 4 devices."_s);
    // Where the card is not on the screen, the message says what it would.
    window.actions().sweep->trigger();
    QVERIFY2(window.problemBar().text().contains(u"must be 1 to 1,024"_s), qPrintable(window.problemBar().text()));
    window.actions().explore->trigger();
    QCOMPARE(window.problemBar().text(), u"Showing the last valid plan: 4 devices."_s);
    click(u"headline.action"_s);
    QCOMPARE(window.document().experiment().parallel.devices, 8);
    QVERIFY(window.forecast().problems().empty());
    QVERIFY(!window.problemBar().isVisible() && !verdict().isRepair);
    window.actions().undo->trigger();
    window.actions().undo->trigger();
    QCOMPARE(window.document().experiment().parallel.devices, 4);
    // By keyboard as well.
    type(u"strip.parallel.microbatches"_s, u"0"_s);
    QTRY_COMPARE(verdict().text, u"Microbatches must be 1 to 1,000,000, not 0."_s);
    QTest::keyClick(&window, Qt::Key_Return, Qt::ControlModifier);
    QCOMPARE(window.document().experiment().parallel.microbatches, 1);
    QTRY_VERIFY(window.forecast().isCurrent());
}

void WindowClicks::theRepairOfALargePlanIsLookedForElsewhere()
{
    ui::MainWindow &window = m_fixture->open();
    model::Experiment plan = window.document().experiment();
    plan.hasModel = false;
    plan.cost.source = model::UniformCosts{};
    plan.schedule.family = "zb-h1";
    plan.parallel.devices = 30;
    plan.parallel.microbatches = 80;
    plan.parallel.stageLayers.clear();
    plan.parallel.microbatchSize = 0;
    QElapsedTimer clock;
    clock.start();
    const auto repairs = ui::repairsOf(plan, {{"parallel.microbatch_size", "too small"}}, nullptr);
    const auto found = clock.nsecsElapsed();
    QVERIFY(!repairs.empty() && !ui::arePlannedAtOnce(repairs));
    for (const ui::PlanRepair &repair : repairs)
        QVERIFY(ui::firstPlanned({repair}, 2)); // each may be what is built before one can be
    qInfo("finding %zu numbers took %.1f ms, building their orders %.1f ms", repairs.size(), static_cast<double>(found) / 1e6,
          static_cast<double>(clock.nsecsElapsed() - found) / 1e6);
    window.document().replace(plan, {}, u"Large"_s);
    QTRY_VERIFY2(verdict().text.startsWith(u"Microbatch size must be"_s), qPrintable(verdict().text));
    QTRY_VERIFY(verdict().isRepair);
    QCOMPARE(m_fixture->find<QPushButton>(u"headline.action"_s)->text(), u"Use 1"_s);
    // A search whose plan has changed meanwhile answers nothing.
    plan.parallel.microbatchSize = -1;
    window.document().replace(plan, {}, u"Larger"_s);
    plan.parallel.devices = 4;
    plan.parallel.microbatches = 8;
    plan.parallel.microbatchSize = 1;
    window.document().replace(plan, {}, u"Small"_s);
    QTRY_VERIFY(window.forecast().isCurrent() && window.forecast().problems().empty());
    QVERIFY(!verdict().isRepair);
    QTest::qWait(50);
    QVERIFY(!verdict().isRepair);
}

void WindowClicks::anInvalidFileSaysWhatIsWrongAtOnce()
{
    ui::ExperimentDocument document;
    model::Experiment wrong = document.experiment();
    wrong.parallel.devices = 100'000;
    document.start(wrong, {}, u"Wrong"_s);
    const QString file = m_fixture->path(u"wrong.stagelens.json"_s);
    QVERIFY(document.save(file).ok());
    ui::MainWindow &window = m_fixture->openAtOnce(file);
    QVERIFY(!window.forecast().plan());
    QVERIFY2(verdict().text.startsWith(u"Devices must be"_s), qPrintable(verdict().text));
    QVERIFY(!window.problemBar().isVisible());
    QTRY_VERIFY(verdict().isRepair);
    click(u"headline.action"_s);
    QTRY_VERIFY(window.forecast().isCurrent());
    QVERIFY(m_fixture->isSettled() || QTest::qWaitFor([this] { return m_fixture->isSettled(); }));
}

void WindowClicks::theVerdictOnAnInvalidPlanNamesFieldCauseAndRemedy()
{
    ui::MainWindow &window = m_fixture->open();
    model::Experiment plan = window.document().experiment();
    plan.model.heads = plan.model.kvHeads = 7;
    plan.parallel.microbatchSize = 0;
    window.document().replace(plan, {}, u"Wrong"_s);
    QTRY_VERIFY(verdict().isRepair || !window.problemBar().text().isEmpty());
    QVERIFY2(verdict().text.contains(u"7 heads do not divide hidden 128; choose a divisor of 128."_s) ||
                 verdict().second.contains(u"7 heads do not divide"_s),
             qPrintable(verdict().text + verdict().second));
    QVERIFY2(verdict().second.startsWith(u"1 more problem: "_s), qPrintable(verdict().second));
    // One number does not repair two problems: the way back is Undo.
    QVERIFY(!m_fixture->find<QWidget>(u"headline.action"_s)->isVisible());
    click(u"bar.problem.Undo"_s);
    QTRY_VERIFY(window.forecast().isCurrent());
    plan.parallel.microbatchSize = 1;
    window.document().replace(plan, {}, u"Wrong"_s);
    QTRY_COMPARE(m_fixture->find<QPushButton>(u"headline.action"_s)->text(), u"Use 8"_s);
    click(u"headline.action"_s);
    QCOMPARE(window.document().experiment().model.heads, 8);
    QTRY_VERIFY(window.forecast().isCurrent());
}

void WindowClicks::anAlternativeOfTheVerdictIsOneClick()
{
    ui::MainWindow &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().familyOptions().state == ui::FamilyOptions::State::Tried);
    QCOMPARE(verdict().alternatives.size(), std::size_t{2});
    const ui::Alternative second = verdict().alternatives[1];
    QVERIFY(second.method && !second.family.isEmpty()); // a schedule with a method, in one step
    const model::Experiment before = window.document().experiment();
    const auto &combined = window.forecast().familyOptions().combined;
    const auto option = std::ranges::find(combined, second.family.toStdString(), &ui::FamilyOption::family);
    QVERIFY(option != combined.end() && option->iteration);
    const base::Nanos promised = *option->iteration;
    auto *line = m_fixture->find<QLabel>(u"headline.second"_s);
    const qsizetype begin = verdict().second.indexOf(second.words);
    const QPoint at(line->fontMetrics().horizontalAdvance(verdict().second.left(begin + 4)), line->height() / 2);
    QTest::mouseMove(line, at);
    QTRY_VERIFY2(line->toolTip().contains(u"Sets schedule and vocabulary layers"_s), qPrintable(line->toolTip()));
    QVERIFY(m_fixture->content().ghost && m_fixture->content().ghost->end == promised);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(line, &leave);
    QVERIFY(!m_fixture->content().ghost);
    click(line, at);
    QCOMPARE(window.document().experiment().schedule.family, second.family.toStdString());
    QVERIFY(window.document().experiment().schedule.vocabulary == second.method);
    QTRY_VERIFY(window.forecast().isCurrent());
    QCOMPARE(window.forecast().plan()->metrics.iteration, promised);
    QVERIFY(!m_fixture->content().ghost); // what was promised is the plan
    window.actions().undo->trigger();
    QCOMPARE(window.document().experiment(), before);
    QCOMPARE(m_clicks, 1);
}

void WindowClicks::anAlternativeOfTheVerdictIsChosenByKeyboard()
{
    ui::MainWindow &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().familyOptions().state == ui::FamilyOptions::State::Tried);
    auto *line = m_fixture->find<QLabel>(u"headline.second"_s);
    const ui::Alternative first = verdict().alternatives.front();
    QVERIFY(!line->text().contains(u"underline"_s));
    line->setFocus(Qt::TabFocusReason);
    QTest::keyClick(line, Qt::Key_Tab);
    QVERIFY(line->hasFocus());
    QTest::keyClick(line, Qt::Key_Return);
    QCOMPARE(window.document().experiment().schedule.family, first.family.toStdString());
    QVERIFY(window.document().experiment().schedule.vocabulary == first.method);
}

STAGELENS_TEST(WindowClicks)

} // namespace ui_window_clicks

#include "window_clicks.moc"
