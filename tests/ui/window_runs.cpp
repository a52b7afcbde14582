// The table of runs in the window: finding, describing, showing with its own plan, importing, comparing.
#include "engine/store/sqlite.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/export_controller.h"
#include "ui/controllers/plan_controller.h"
#include "ui/controllers/runs/import_controller.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/runs/run_plot_dialog.h"
#include "ui/plots/coordinates_plot.h"
#include "ui/state/run_database.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>

namespace ui_window_runs {

using namespace stagelens;
using namespace Qt::StringLiterals;
using ui::RunTableModel;

namespace {

/// A timer of the event loop, and the longest time for which it could not fire.
class Heartbeat : public QObject {
public:
    Heartbeat()
    {
        m_last.start();
        startTimer(10);
    }
    int beats() const { return m_beats; }
    qint64 longestPause() const { return m_longest; } ///< milliseconds

protected:
    void timerEvent(QTimerEvent *) override
    {
        m_longest = std::max(m_longest, m_last.restart());
        ++m_beats;
    }

private:
    QElapsedTimer m_last;
    qint64 m_longest = 0;
    int m_beats = 0;
};

} // namespace

class WindowRuns : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_fixture.reset(); }

    void dataOfWhatIsInFrontIsExported();
    void differencesFromTheBaselineAreSaid();
    void filterFindsWhatTheTableShows();
    void tagsAndNotesAreTypedIntoTheTable();
    void rowsThatArriveLeaveTheTypedTextAlone();
    void columnsAreChosenByRightClick();
    void doubleClickShowsARunWithItsOwnPlan();
    void oneRunIsComparedWithItsPrediction();
    void spaceTicksAndSixAreTheMost();
    void tracesAreImported();
    void whatIsNoTraceIsExplained();
    void runsOfAnotherProcessAppear();
    void severalRunsAreSelected();
    void runsArePlottedByTheirFigures();
    void undoTakesBackWhatWasDoneLast();
    void aLockedDatabaseDoesNotHoldTheWindow();
    void anImportShowsItsProgressAndCanBeCancelled();

private:
    QTableView *table() { return m_fixture->find<QTableView>(u"runs.table"_s); }
    RunTableModel *model() { return m_fixture->window().runsPanel().model(); }
    QString cell(int row, int column) { return model()->index(row, column).data().toString(); }
    /// Makes a row the current one, as a click does.
    void select(int row) { table()->setCurrentIndex(model()->index(row, RunTableModel::Name)); }
    /// Types into the editor that a key has opened in the table.
    void type(Qt::Key key, const QString &text);
    std::unique_ptr<test::WindowFixture> m_fixture;
};

/// Two stored runs: the older one not split, the newer one VOCAB-2; the plan is that of the newer.
void WindowRuns::init()
{
    m_fixture = std::make_unique<test::WindowFixture>();
    auto &window = m_fixture->open();
    m_fixture->usePlanForTraining(4);
    for (const bool split : {false, true}) {
        if (split)
            window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    }
    QCOMPARE(model()->rowCount(), 2);
}

void WindowRuns::type(Qt::Key key, const QString &text)
{
    table()->setFocus();
    QTest::keyClick(table(), key);
    QTRY_VERIFY(table()->findChild<QLineEdit *>());
    auto *editor = table()->findChild<QLineEdit *>();
    const QRect room = table()->viewport()->rect();
    QVERIFY(room.contains(editor->geometry()) && editor->width() >= std::min(room.width(), 240)); // wide enough to type in
    editor->setText(text);
    QTest::keyClick(editor, Qt::Key_Return);
}

void WindowRuns::dataOfWhatIsInFrontIsExported()
{
    auto &window = m_fixture->window();
    const auto exported = [&](const QString &format) {
        const QString path = m_fixture->path(u"data."_s + format);
        QFile file(path);
        QSignalSpy written(window.controllers().exports.get(), &ui::ExportController::written);
        window.controllers().exports->exportData(format, path);
        const bool isDone = QTest::qWaitFor([&] { return !written.empty(); });
        return isDone && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const auto kindOf = [](const QByteArray &json) { return QJsonDocument::fromJson(json)[u"kind"].toString(); };
    QCOMPARE(kindOf(exported(u"json"_s)), u"predicted"_s); // beside a run the plan's prediction comes first
    const QJsonArray events = QJsonDocument::fromJson(exported(u"chrome-trace"_s))[u"traceEvents"].toArray();
    const auto countOf = [&](const QString &phase) {
        return std::ranges::count_if(events, [&](const QJsonValue &event) { return event[u"ph"].toString() == phase; });
    };
    QVERIFY(countOf(u"X"_s) > 0 && countOf(u"s"_s) > 0); // passes, messages
    QVERIFY(countOf(u"C"_s) > 0);                        // bytes
    m_fixture->click(u"shown.Measured"_s);
    QVERIFY(kindOf(exported(u"json"_s)).startsWith(u"measured"_s));
    QVERIFY(exported(u"csv"_s).count('\n') > 2 * 4 * 2);
    // Where nothing is to be had the action says why.
    const QString tip = window.actions().exportTrace->toolTip();
    window.actions().learn->trigger();
    QVERIFY(!window.actions().exportTrace->isEnabled());
    QCOMPARE(window.actions().exportTrace->toolTip(), u"Explore and Sweep have data to export."_s);
    window.controllers().exports->exportData(u"csv"_s, m_fixture->path(u"none.csv"_s));
    QCOMPARE(m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->text(), u"Explore and Sweep have data to export."_s);
    QVERIFY(!QFile::exists(m_fixture->path(u"none.csv"_s)));
    window.actions().explore->trigger();
    QVERIFY(window.actions().exportTrace->isEnabled());
    QCOMPARE(window.actions().exportTrace->toolTip(), tip);
}

void WindowRuns::differencesFromTheBaselineAreSaid()
{
    QTRY_COMPARE(cell(0, RunTableModel::Differs), u"VOCAB-2"_s);
    QTRY_COMPARE(cell(1, RunTableModel::Differs), u"as the baseline"_s);
    m_fixture->window().actions().pinBaseline->trigger();
    QTRY_COMPARE(cell(0, RunTableModel::Differs), u"as the baseline"_s);
    QTRY_COMPARE(cell(1, RunTableModel::Differs), u"not split"_s);
}

void WindowRuns::filterFindsWhatTheTableShows()
{
    auto *filter = m_fixture->find<QLineEdit>(u"runs.filter"_s);
    QVERIFY(filter->isVisible());
    filter->setFocus();
    QTest::keyClicks(filter, u"not 1f1b"_s); // as the table writes it: "not split"
    QTRY_COMPARE(model()->rowCount(), 1);
    QVERIFY(cell(0, RunTableModel::Name).contains(u"not split"_s));
    QVERIFY2(m_fixture->find<QToolButton>(u"runs.fold"_s)->text() == u"Runs (1 of 2)"_s,
             qPrintable(m_fixture->find<QToolButton>(u"runs.fold"_s)->text()));
    filter->clear();
    QTest::keyClicks(filter, u"nothing of the kind"_s);
    QTRY_COMPARE(model()->rowCount(), 0);
    auto *empty = m_fixture->find<QLabel>(u"runs.empty"_s);
    QVERIFY(empty->isVisible());
    QCOMPARE(empty->text(), u"No run has all these words. Clear the filter to see all 2."_s);
    filter->clear();
    QTRY_COMPARE(model()->rowCount(), 2);
}

void WindowRuns::tagsAndNotesAreTypedIntoTheTable()
{
    select(1);
    QVERIFY(table()->isColumnHidden(RunTableModel::Tags));
    type(Qt::Key_T, u"paper,  keep"_s);
    QTRY_COMPARE(cell(1, RunTableModel::Tags), u"keep, paper"_s);
    QVERIFY(!table()->isColumnHidden(RunTableModel::Tags));
    select(1);
    type(Qt::Key_N, u"fan was loud"_s);
    QTRY_COMPARE(cell(1, RunTableModel::Note), u"fan was loud"_s);
    m_fixture->find<QLineEdit>(u"runs.filter"_s)->setText(u"paper loud"_s);
    QTRY_COMPARE(model()->rowCount(), 1);
}

/// A row that is read again, and a run that another process stores, while the user types.
void WindowRuns::rowsThatArriveLeaveTheTypedTextAlone()
{
    select(1);
    table()->setFocus();
    QTest::keyClick(table(), Qt::Key_N);
    QTRY_VERIFY(table()->findChild<QLineEdit *>());
    QTest::keyClicks(table()->findChild<QLineEdit *>(), u"fan was "_s);
    const auto &database = m_fixture->window().runDatabase();
    const store::RunId row = database.table().list.ids.at(1);
    model()->takeRows({row}, {*model()->run(model()->index(1, RunTableModel::Note))});
    ui::RunTable other = database.table();
    other.list.ids.push_back(other.list.ids.front() + 1000);
    m_fixture->window().runsPanel().setRuns(other, {});
    auto *editor = table()->findChild<QLineEdit *>();
    QVERIFY(editor != nullptr);
    QCOMPARE(editor->text(), u"fan was "_s);
    QTest::keyClicks(editor, u"loud"_s);
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(cell(1, RunTableModel::Note), u"fan was loud"_s);
}

void WindowRuns::columnsAreChosenByRightClick()
{
    auto *header = table()->horizontalHeader();
    QVERIFY(!header->isSectionHidden(RunTableModel::Loss));
    QVERIFY(cell(0, RunTableModel::Loss).contains(u"→"_s));
    QVERIFY(header->isSectionHidden(RunTableModel::Steps));
    for (QAction *action : header->actions())
        if (action->text() == u"Steps"_s)
            action->trigger();
    QVERIFY(!header->isSectionHidden(RunTableModel::Steps));
    QCOMPARE(cell(0, RunTableModel::Steps), u"4/4"_s);
    m_fixture->window().close(); // remembered
    m_fixture->open();
    QVERIFY(!table()->isColumnHidden(RunTableModel::Steps));
}

void WindowRuns::doubleClickShowsARunWithItsOwnPlan()
{
    auto &window = m_fixture->window();
    const QModelIndex name = model()->index(1, RunTableModel::Name);
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(name).center());
    QTest::mouseDClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(name).center());
    QTRY_VERIFY(window.document().experiment().schedule.vocabulary == model::VocabularyMethod::None);
    QTRY_COMPARE(m_fixture->content().groups.size(), std::size_t{2});
    QVERIFY(!m_fixture->content().groups[1].faded);
    m_fixture->click(u"bar.notice.Back to my plan"_s);
    QTRY_VERIFY(window.document().experiment().schedule.vocabulary == model::VocabularyMethod::Vocab2);
}

void WindowRuns::oneRunIsComparedWithItsPrediction()
{
    select(0);
    QTest::mouseClick(m_fixture->find<QPushButton>(u"runs.compare"_s), Qt::LeftButton);
    const auto &items = m_fixture->window().comparePanel().items();
    QTRY_COMPARE(items.size(), std::size_t{2});
    QVERIFY(m_fixture->window().comparePanel().isVisible());
    QVERIFY(items[0].kind != timeline::Provenance::Predicted && items[1].kind == timeline::Provenance::Predicted);
    QCOMPARE(items[1].name, u"Its prediction"_s);
    QCOMPARE(items[0].experiment.parallel, items[1].experiment.parallel);
}

void WindowRuns::spaceTicksAndSixAreTheMost()
{
    select(0);
    table()->setFocus();
    QTest::keyClick(table(), Qt::Key_Space);
    QCOMPARE(model()->ticked().size(), std::size_t{1});
    auto *compare = m_fixture->find<QPushButton>(u"runs.compare"_s);
    QCOMPARE(compare->text(), u"Compare with its prediction"_s);
    select(1);
    QTest::keyClick(table(), Qt::Key_Space);
    QCOMPARE(compare->text(), u"Compare the 2 ticked runs"_s);
    QTest::mouseClick(compare, Qt::LeftButton);
    QTRY_COMPARE(m_fixture->window().comparePanel().items().size(), std::size_t{2});
    QTRY_VERIFY(m_fixture->find<QWidget>(u"compare.loss"_s)->isVisible()); // the losses of both in one plot
}

void WindowRuns::tracesAreImported()
{
    QFile file(m_fixture->path(u"rank-all.json"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QByteArray events;
    const auto add = [&events](const char *name, int process, int begin, int length) {
        events += (events.isEmpty() ? "" : ",") + QStringLiteral(R"({"ph":"X","name":"%1","pid":%2,"tid":1,"ts":%3,"dur":%4})")
                                                      .arg(QLatin1StringView(name))
                                                      .arg(process)
                                                      .arg(begin)
                                                      .arg(length)
                                                      .toUtf8();
    };
    add("PP:0F0", 0, 100, 1000);
    add("PP:1F0", 1, 1200, 1000);
    add("PP:1B0", 1, 2200, 2000);
    add("PP:0B0", 0, 4300, 2000);
    file.write("{\"traceEvents\":[" + events + "]}");
    file.close();
    auto &window = m_fixture->window();
    window.controllers().imports->importFiles({file.fileName()});
    QTRY_COMPARE(model()->rowCount(), 3);
    QCOMPARE(cell(0, RunTableModel::Kind), u"Imported"_s);
    QCOMPARE(cell(0, RunTableModel::Name), u"rank-all"_s);
    m_fixture->click(u"bar.notice.Show it"_s);
    QTRY_VERIFY(!window.document().experiment().hasModel);
    QTRY_COMPARE(m_fixture->content().groups.size(), std::size_t{2});
    QVERIFY2(m_fixture->content().groups[1].caption.startsWith(u"Imported"_s),
             qPrintable(m_fixture->content().groups[1].caption));
    QCOMPARE(m_fixture->content().groups[1].timeline->iteration(), base::Nanos{6'200'000});
    QVERIFY(window.forecast().problems().empty());
}

void WindowRuns::whatIsNoTraceIsExplained()
{
    QFile file(m_fixture->path(u"letter.json"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("Dear editor, this is no trace.");
    file.close();
    m_fixture->window().controllers().imports->importFiles({file.fileName()});
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    QTRY_VERIFY2(bar->text().startsWith(u"Nothing was imported."_s), qPrintable(bar->text()));
    QCOMPARE(model()->rowCount(), 2);
}

void WindowRuns::runsOfAnotherProcessAppear()
{
    model::Experiment plan = m_fixture->window().document().experiment();
    plan.training.steps = 1;
    // Another service has connections of its own to the file, as another process has.
    service::EngineService other({m_fixture->path(u"runs.db"_s).toStdString(), 1});
    (void)other.submitTraining(plan);
    other.waitIdle();
    QTRY_COMPARE(model()->rowCount(), 3);
    QTRY_VERIFY2(cell(0, RunTableModel::Status).contains(u"finished"_s), qPrintable(cell(0, RunTableModel::Status)));
    service::StoredRuns stored(other.databaseFile());
    QVERIFY(stored.rename(m_fixture->window().runDatabase().runs().ids.front(), "named elsewhere").ok());
    QTRY_COMPARE(cell(0, RunTableModel::Name), u"named elsewhere"_s);
    QVERIFY(stored.remove(m_fixture->window().runDatabase().runs().ids.front()).ok());
    QTRY_COMPARE(model()->rowCount(), 2);
}

void WindowRuns::severalRunsAreSelected()
{
    auto &window = m_fixture->window();
    window.runsPanel().setFolded(false);
    QTRY_VERIFY(table()->isVisible());
    QCOMPARE(table()->horizontalHeader()->logicalIndex(0), int(ui::RunTableModel::Number)); // seen first
    QCOMPARE(cell(0, ui::RunTableModel::Number), u"2"_s);
    const auto at = [this](int row) { return table()->visualRect(model()->index(row, ui::RunTableModel::Name)).center(); };
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, at(0));
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, Qt::ControlModifier, at(1));
    auto *compare = m_fixture->find<QPushButton>(u"runs.compare"_s);
    QCOMPARE(compare->text(), u"Compare the 2 selected runs"_s);
    QVERIFY(compare->isEnabled());
    // Tags typed into one row are given to both.
    type(Qt::Key_T, u"paper"_s);
    QTRY_COMPARE(cell(0, ui::RunTableModel::Tags), u"paper"_s);
    QTRY_COMPARE(cell(1, ui::RunTableModel::Tags), u"paper"_s);
    // Both are deleted, and come back, in one step.
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, at(0));
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, Qt::ControlModifier, at(1));
    QTest::keyClick(table(), Qt::Key_Delete);
    QCOMPARE(model()->rowCount(), 0);
    QCOMPARE(m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->text(), u"2 runs are deleted."_s);
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(model()->rowCount(), 2);
    // Compared by a key.
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, at(0));
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, Qt::ShiftModifier, at(1));
    QTest::keyClick(table(), Qt::Key_C);
    QTRY_COMPARE(window.comparePanel().items().size(), std::size_t{2});
}

/// Plot… draws the runs of the table; a range of an axis keeps some, and what is kept is compared.
void WindowRuns::runsArePlottedByTheirFigures()
{
    auto &window = m_fixture->window();
    window.runsPanel().setFolded(false);
    QTest::mouseClick(m_fixture->find<QPushButton>(u"runs.plot"_s), Qt::LeftButton);
    auto *dialog = window.findChild<ui::RunPlotDialog *>();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    ui::CoordinatesPlot *plot = dialog->plot();
    QTRY_COMPARE(plot->kept().size(), std::size_t{2});
    QVERIFY(dialog->screen()->availableSize().width() >= dialog->width()); // of 800 pixels; on a larger one it has 1100
    auto *heading = dialog->findChild<QLabel *>(u"run-plot.heading"_s);
    QCOMPARE(heading->text(), u"2 runs. Drag along an axis to keep the runs in that range."_s);
    auto *compare = dialog->findChild<QPushButton *>(u"run-plot.compare"_s);
    auto *show = dialog->findChild<QPushButton *>(u"run-plot.show"_s);
    QCOMPARE(compare->text(), u"Compare the 2 runs"_s);
    QVERIFY(!show->isEnabled());
    // The runs differ first in their vocabulary layers: schedule, devices and microbatches are the same.
    const QPoint first = *plot->placeOf(1, 0);
    const QPoint second = *plot->placeOf(2, 0);
    QVERIFY(first.x() == second.x() && first.y() != second.y());
    const auto drag = [plot](QPoint from, QPoint to) {
        QTest::mousePress(plot, Qt::LeftButton, {}, from);
        QTest::mouseMove(plot, (from + to) / 2);
        QTest::mouseMove(plot, to);
        QTest::mouseRelease(plot, Qt::LeftButton, {}, to);
    };
    drag(second - QPoint(0, 8), second + QPoint(0, 8));
    QCOMPARE(plot->kept(), std::vector<qint64>{2});
    QCOMPARE(heading->text(), u"2 runs. In all ranges: 1."_s);
    QVERIFY(!compare->isEnabled());
    // The range stays when rows arrive again, and a click on it removes it.
    window.runDatabase().refresh();
    QTRY_VERIFY(!window.runDatabase().isRefreshing());
    QTest::qWait(50);
    QCOMPARE(plot->kept(), std::vector<qint64>{2});
    QTest::mouseClick(plot, Qt::LeftButton, {}, second);
    QCOMPARE(plot->kept().size(), std::size_t{2});
    // Keys: the next line, at least as high as it on the focused axis, all again, show.
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Down);
    QVERIFY(show->isEnabled());
    const qint64 chosen = *plot->selected();
    const bool isUpper = plot->placeOf(chosen, 0)->y() < plot->placeOf(3 - chosen, 0)->y();
    QTest::keyClick(plot, isUpper ? Qt::Key_Up : Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(plot->kept(), std::vector{chosen});
    QTest::keyClick(plot, Qt::Key_Escape);
    QCOMPARE(plot->kept().size(), std::size_t{2});
    QVERIFY(dialog->isVisible());
    QTest::mouseClick(plot, Qt::LeftButton, {}, (*plot->placeOf(1, 0) * 3 + *plot->placeOf(1, 1)) / 4);
    QCOMPARE(plot->selected(), std::optional<qint64>(1));
    QTest::keyClick(plot, Qt::Key_Return);
    QTRY_COMPARE(window.document().experiment().schedule.vocabulary, model::VocabularyMethod::None); // the plan of run 1
    // What is deleted is not drawn.
    window.runDatabase().remove(1);
    QTRY_COMPARE(plot->kept(), std::vector<qint64>{2});
    window.runDatabase().restore(1);
    QTRY_COMPARE(plot->kept().size(), std::size_t{2});
    QTest::mouseClick(compare, Qt::LeftButton);
    QTRY_COMPARE(window.comparePanel().items().size(), std::size_t{2});
}

void WindowRuns::undoTakesBackWhatWasDoneLast()
{
    auto &window = m_fixture->window();
    const auto *runs = window.runsPanel().model();
    const auto microbatches = [&window] { return window.document().experiment().parallel.microbatches; };
    const auto edit = [&window](int count) {
        model::Experiment next = window.document().experiment();
        next.parallel.microbatches = count;
        window.document().edit(u"parallel.microbatches"_s, u"Microbatches"_s, next);
        window.document().closeGesture();
    };
    QVERIFY(window.document().save(m_fixture->path(u"plan.stagelens.json"_s)).ok());
    const auto id = window.runDatabase().runs().ids.front();
    edit(6);
    window.runsPanel().table()->setCurrentIndex(runs->index(0, 1));
    window.runsPanel().table()->setFocus();
    QTest::keyClick(window.runsPanel().table(), Qt::Key_Delete);
    QCOMPARE(runs->rowCount(), 1);
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(runs->rowCount(), 2);
    QCOMPARE(microbatches(), 6); // the plan is what it was
    window.actions().redo->trigger();
    QCOMPARE(runs->rowCount(), 1);
    // After another edit the message would take back that: it goes, and the steps remain in their order.
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    window.actions().undo->trigger();
    emit window.runsPanel().deleteAsked({id});
    QVERIFY(notice->isVisible());
    edit(8);
    QVERIFY(!notice->isVisible());
    window.actions().undo->trigger();
    QCOMPARE(microbatches(), 6);
    QCOMPARE(runs->rowCount(), 1);
    window.actions().undo->trigger();
    QCOMPARE(runs->rowCount(), 2);
    window.actions().undo->trigger();
    QCOMPARE(microbatches(), 4);
    // To delete a run changes no plan.
    QVERIFY(!window.isWindowModified());
    emit window.runsPanel().deleteAsked({id});
    QVERIFY(!window.isWindowModified());
    window.actions().undo->trigger();
    // The run that was shown is shown again, and Esc closes the message that offered it.
    emit window.runsPanel().showAsked(id);
    QTRY_VERIFY(window.runController().shown() && window.runController().shown()->record.summary.id == id);
    emit window.runsPanel().deleteAsked({id});
    QTRY_VERIFY(!window.runController().shown());
    QVERIFY(notice->isVisible());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!notice->isVisible());
    window.actions().undo->trigger();
    QTRY_VERIFY(window.runController().shown() && window.runController().shown()->record.summary.id == id);
}

/// Another process holds the database: the window opens, is used, says so, and shows the runs when the lock goes.
void WindowRuns::aLockedDatabaseDoesNotHoldTheWindow()
{
    m_fixture->close();
    auto other = store::Database::open(m_fixture->path(u"runs.db"_s).toStdString());
    QVERIFY(other->execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").ok()); // not even readers may enter
    const Heartbeat heart;
    auto &window = m_fixture->openAtOnce();
    QVERIFY(!window.runDatabase().table().isRead &&
            window.runDatabase().problem().isEmpty()); // the window did not block on the answer
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.store"_s);
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), test::kPatience);
    QVERIFY2(bar->text().startsWith(u"The stored runs cannot be read now."_s) &&
                 bar->text().contains(u"runs.db is being used by another process; "_s),
             qPrintable(bar->text()));
    QCOMPARE(m_fixture->find<QLabel>(u"runs.empty"_s)->text(), u"The stored runs are not read yet."_s);
    // What a person asks for meanwhile fails with the reason, and not before the store has waited; the window goes on.
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    const auto isRefused = [&] { return notice->text().contains(u"runs.db is being used by another process; "_s); };
    emit window.runsPanel().renameAsked(1, u"another name"_s);
    emit window.runsPanel().showAsked(2);
    emit window.runsPanel().deleteAsked({1});
    window.actions().undo->trigger();
    QVERIFY(!isRefused());
    const int before = heart.beats();
    m_fixture->usePlanForTraining(3);
    QTRY_VERIFY_WITH_TIMEOUT(isRefused(), test::kPatience);
    QVERIFY(heart.beats() > before);
    QVERIFY(other->execute("ROLLBACK").ok());
    QTRY_COMPARE_WITH_TIMEOUT(model()->rowCount(), 2, test::kPatience);
    QVERIFY(!bar->isVisible());
    QVERIFY(!cell(1, RunTableModel::Name).contains(u"another name"_s));
    emit window.runsPanel().renameAsked(1, u"another name"_s);
    QTRY_COMPARE(cell(1, RunTableModel::Name), u"another name"_s);
    QVERIFY2(heart.longestPause() < store::Patience::kUsual.count(), qPrintable(QString::number(heart.longestPause())));
}

void WindowRuns::anImportShowsItsProgressAndCanBeCancelled()
{
    QFile file(m_fixture->path(u"large.json"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    constexpr int kLarge = 32 << 20;
    const QByteArray event = R"({"ph":"X","name":"another program's","pid":1,"tid":1,"ts":1,"dur":1},)";
    file.write('[' + event.repeated(kLarge / static_cast<int>(event.size())) + "{}]");
    file.close();
    auto &window = m_fixture->window();
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.import"_s);
    QString progress;
    connect(window.findChild<ui::EngineBridge *>(), &ui::EngineBridge::importProgressed, this, [&] {
        if (!progress.isEmpty())
            return;
        progress = bar->text();
        QTest::mouseClick(m_fixture->find<QAbstractButton>(u"bar.import.Cancel"_s), Qt::LeftButton);
    });
    window.controllers().imports->importFiles({file.fileName()});
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    QTRY_COMPARE_WITH_TIMEOUT(notice->text(), u"The import of large.json was cancelled. Nothing was stored."_s,
                              test::kPatience);
    QVERIFY2(progress.startsWith(u"Reading large.json… "_s) && progress.endsWith(u" %"_s), qPrintable(progress));
    QVERIFY(!bar->isVisible());
    window.runDatabase().refresh();
    QTRY_VERIFY(m_fixture->isSettled());
    QCOMPARE(model()->rowCount(), 2);
}

STAGELENS_TEST(WindowRuns)

} // namespace ui_window_runs

#include "window_runs.moc"
