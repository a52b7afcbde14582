// What must be reached in a window of 800x600 pixels, and the table of runs in it.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controls/line_label.h"
#include "ui/panels/levers_dialog.h"
#include "ui/strip/plan_chip.h"
#include "ui/strip/plan_strip.h"

#include <QAction>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTreeWidget>

#include <set>

namespace ui_shell_small_window {

using namespace stagelens;
using namespace Qt::StringLiterals;
using ui::RunTableModel;

class ShellSmallWindow : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }
    void figuresOfRunsSort_data();
    void figuresOfRunsSort();
    void tagsAndNotesSort();
    void aRowOfTheRunsIsInSight();
    void aLongMessageIsReadAndCopied();
    void theStripKeepsItsPlaces();
    void leversAreReadable();
    void figuresStayInOneLine();

private:
    void train(int steps)
    {
        m_fixture->usePlanForTraining(steps);
        QTest::keyClick(&m_fixture->window(), Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    }
    void clickHeader(int column)
    {
        QHeaderView *header = table()->horizontalHeader();
        table()->scrollTo(model()->index(0, column));
        const QPoint at(header->sectionViewportPosition(column) + header->sectionSize(column) / 2, header->height() / 2);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
    }
    QTableView *table() { return m_fixture->find<QTableView>(u"runs.table"_s); }
    RunTableModel *model() { return m_fixture->window().runsPanel().model(); }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void ShellSmallWindow::figuresOfRunsSort_data()
{
    QTest::addColumn<int>("column");
    QTest::newRow("number") << int(RunTableModel::Number);
    QTest::newRow("when") << int(RunTableModel::When);
    QTest::newRow("tokens a second") << int(RunTableModel::TokensPerSecond);
    QTest::newRow("bubble") << int(RunTableModel::Bubble);
    QTest::newRow("peak memory") << int(RunTableModel::PeakMemory);
    QTest::newRow("loss") << int(RunTableModel::Loss);
    QTest::newRow("iteration") << int(RunTableModel::Iteration);
    QTest::newRow("steps") << int(RunTableModel::Steps);
}

/// A click on a column's header shows the greatest first, another the least.
void ShellSmallWindow::figuresOfRunsSort()
{
    QFETCH(int, column);
    m_fixture->open();
    for (const int steps : {9, 10, 2}) // as texts they would be 10, 2, 9
        train(steps);
    QCOMPARE(model()->rowCount(), 3);
    QHeaderView *header = table()->horizontalHeader();
    if (column != RunTableModel::Iteration && column != RunTableModel::Steps)
        QVERIFY(!table()->isColumnHidden(column));
    table()->setColumnHidden(column, false);
    const auto value = [&](int row) {
        const store::RunSummary &run = *model()->run(model()->index(row, column));
        switch (column) {
        case RunTableModel::TokensPerSecond: return run.tokensPerSecond.value_or(-1);
        case RunTableModel::Bubble: return run.bubbleRatio.value_or(-1);
        case RunTableModel::PeakMemory: return static_cast<double>(run.peakMemory.value_or(-1));
        case RunTableModel::Loss: return run.lastLoss.value_or(-1);
        case RunTableModel::Iteration: return static_cast<double>(run.iteration.value_or(-1));
        case RunTableModel::Steps: return static_cast<double>(run.stepsDone);
        default: return static_cast<double>(run.id);
        }
    };
    const auto areSorted = [&](Qt::SortOrder order) {
        if (header->sortIndicatorSection() != column || header->sortIndicatorOrder() != order)
            return false;
        for (int row = 0; row < 3; ++row)
            if (model()->run(model()->index(row, column)) == nullptr)
                return false;
        const bool isDown = order == Qt::DescendingOrder;
        return isDown ? value(0) >= value(1) && value(1) >= value(2) : value(0) <= value(1) && value(1) <= value(2);
    };
    if (column != RunTableModel::When) // sorted by it already
        clickHeader(column);
    QTRY_VERIFY(areSorted(Qt::DescendingOrder));
    const store::RunId first = model()->run(model()->index(0, column))->id;
    clickHeader(column);
    QTRY_VERIFY(areSorted(Qt::AscendingOrder));
    if (column == RunTableModel::Steps || column == RunTableModel::Number)
        QVERIFY(model()->run(model()->index(0, column))->id != first);
}

/// A click shows the first in the alphabet first, and what has no tag or note last.
void ShellSmallWindow::tagsAndNotesSort()
{
    auto &window = m_fixture->open();
    for (int run = 0; run < 3; ++run)
        train(1);
    QCOMPARE(model()->rowCount(), 3);
    emit window.runsPanel().tagsAsked(1, {u"wide"_s});
    emit window.runsPanel().tagsAsked(3, {u"Lecture"_s});
    emit window.runsPanel().noteAsked(2, u"a lucky one"_s);
    const auto order = [this] {
        QList<store::RunId> ids;
        for (int row = 0; row < 3; ++row)
            if (const store::RunSummary *run = model()->run(model()->index(row, 0)))
                ids << run->id;
        return ids;
    };
    for (const int column : {RunTableModel::Tags, RunTableModel::Note})
        table()->setColumnHidden(column, false);
    clickHeader(RunTableModel::Tags);
    QTRY_COMPARE(order(), (QList<store::RunId>{3, 1, 2}));
    clickHeader(RunTableModel::Tags);
    QTRY_COMPARE(order(), (QList<store::RunId>{1, 3, 2}));
    clickHeader(RunTableModel::Note);
    QTRY_COMPARE(order(), (QList<store::RunId>{2, 3, 1}));
}

void ShellSmallWindow::aRowOfTheRunsIsInSight()
{
    ui::MainWindow &window = m_fixture->open();
    train(2);
    window.runsPanel().setFolded(false);
    window.resize(800, 600);
    QTRY_VERIFY(table()->isVisible() && table()->horizontalScrollBar()->isVisible());
    QTRY_VERIFY2(table()->viewport()->rect().contains(table()->visualRect(model()->index(0, RunTableModel::Number))),
                 qPrintable(u"%1 pixels for the row"_s.arg(table()->viewport()->height())));
    QCOMPARE(window.size(), QSize(800, 600));
}

/// A sentence that the status bar cuts is shown by a click or by Return, and copied.
void ShellSmallWindow::aLongMessageIsReadAndCopied()
{
    const QString sentence = u"Run 3 failed after 1 of 50 steps. The loss is not finite in step 2; try a smaller learning rate "
                             "such as 0.0003, or train in float32."_s;
    ui::MessageBar bar(u"bar.test"_s, nullptr, ui::MessageBar::Form::Line);
    bar.resize(200, 24);
    bar.say(ui::MessageBar::Tone::Warning, sentence);
    auto *line = bar.findChild<ui::LineLabel *>();
    const auto whole = [line]() -> QFrame * {
        for (QFrame *panel : line->findChildren<QFrame *>(u"line.whole"_s))
            if (panel->isVisible())
                return panel;
        return nullptr;
    };
    QCOMPARE(line->toolTip(), sentence);
    QTest::mouseClick(line, Qt::LeftButton);
    QTRY_VERIFY(whole());
    QCOMPARE(whole()->findChild<QLabel *>()->text(), sentence);
    QVERIFY(whole()->findChild<QLabel *>()->textInteractionFlags().testFlag(Qt::TextSelectableByMouse));
    QTest::mouseClick(whole()->findChild<QPushButton *>(u"line.copy"_s), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), sentence);
    QVERIFY(!whole());
    QApplication::clipboard()->clear();
    line->setFocus(Qt::TabFocusReason);
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_VERIFY(whole());
    QTest::keyClick(whole()->findChild<QPushButton *>(u"line.copy"_s), Qt::Key_Space);
    QCOMPARE(QApplication::clipboard()->text(), sentence);
    bar.resize(2000, 24); // nothing is cut: nothing to show
    QTest::mouseClick(line, Qt::LeftButton);
    QVERIFY(!whole());
}

void ShellSmallWindow::theStripKeepsItsPlaces()
{
    ui::ExperimentDocument document;
    QAction train(u"Train"_s);
    QAction copy(u"Train a copy"_s);
    QAction stop(u"Stop"_s);
    QAction settings(u"All settings"_s);
    ui::PlanStrip strip(&document, {&train, &copy, &stop, &settings});
    strip.resize(800, strip.sizeHint().height());
    strip.show();
    model::Experiment plan;
    plan.schedule.family = model::kCustomFamily;
    document.start(plan, {}, u"Own"_s);
    auto *chip = strip.findChild<ui::PlanChip *>(u"strip.chip.schedule"_s);
    QCOMPARE(chip->shownValue(), u"Custom"_s);
    auto *progress = strip.findChild<QLabel *>(u"strip.progress"_s);
    const QRect before = chip->geometry();
    strip.setProgress(u"step 12 of 50 · loss 7.31 · 18 s left"_s, u"12/50"_s);
    QVERIFY(progress->isVisible());
    const QStringList lines = progress->text().split(u'\n');
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines.front(), u"12/50"_s);
    QApplication::processEvents();
    for (const QString &line : lines)
        QVERIFY2(progress->fontMetrics().horizontalAdvance(line) <= progress->width(), qPrintable(line));
    QVERIFY(!progress->wordWrap());
    QCOMPARE(chip->geometry(), before);
    strip.resize(1440, strip.height());
    QCOMPARE(progress->text(), u"step 12 of 50\nloss 7.31 · 18 s left"_s);
    strip.setProgress({}, {});
    QVERIFY(!progress->isVisible());
}

void ShellSmallWindow::leversAreReadable()
{
    ui::MainWindow &window = m_fixture->open();
    window.resize(800, 600);
    QTRY_VERIFY(window.forecast().plan());
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier);
    auto *dialog = window.findChild<ui::LeversDialog *>(u"levers"_s);
    QVERIFY(dialog != nullptr);
    dialog->resize(740, 500);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->isComputing(), test::kPatience);
    auto *tree = dialog->findChild<QTreeWidget *>(u"levers.tree"_s);
    QVERIFY(tree->topLevelItemCount() > 1);
    QApplication::processEvents();
    int found = 0;
    for (int group = 0; group < tree->topLevelItemCount(); ++group)
        for (int row = 0; row < tree->topLevelItem(group)->childCount(); ++row) {
            QTreeWidgetItem *item = tree->topLevelItem(group)->child(row);
            const QRect place = tree->visualItemRect(item);
            const QRect text = tree->fontMetrics().boundingRect(
                QRect(0, 0, tree->columnWidth(0) - tree->indentation() - 16, 999), Qt::TextWordWrap, item->text(0));
            found += text.height() > tree->fontMetrics().height() ? 1 : 0;
            QVERIFY2(text.height() <= place.height() && text.width() <= tree->columnWidth(0), qPrintable(item->text(0)));
        }
    QVERIFY2(found > 0, "no lever is longer than its column; the test needs a narrower one");
    QCOMPARE(tree->horizontalScrollBar()->maximum(), 0);
}

void ShellSmallWindow::figuresStayInOneLine()
{
    auto &window = m_fixture->open();
    window.resize(1024, 700);
    train(4);
    auto *line = m_fixture->find<QWidget>(u"figures.line"_s);
    QTRY_VERIFY(line->isVisible() && m_fixture->find<QLabel>(u"figures.line.measured"_s)->isVisible());
    QCoreApplication::processEvents();
    const auto tops = [line] {
        std::set<int> found;
        for (QWidget *pair : line->findChildren<QWidget *>(Qt::FindDirectChildrenOnly))
            if (pair->isVisible())
                found.insert(pair->y());
        return found;
    };
    QTRY_COMPARE(tops().size(), std::size_t{1});
    auto *peak = m_fixture->find<QLabel>(u"figures.line.memory"_s);
    const auto *name = peak->parentWidget()->findChild<QLabel *>(); // the first of the pair
    QVERIFY2(name->text().startsWith(u"Peak"_s), qPrintable(name->text()));
    // Where there is room it says of which device.
    window.resize(1190, 700);
    m_fixture->window().runController().showNone();
    QTRY_VERIFY2(name->text().startsWith(u"Peak memory"_s), qPrintable(name->text()));
    QCOMPARE(tops().size(), std::size_t{1});
}

STAGELENS_TEST(ShellSmallWindow)

} // namespace ui_shell_small_window

#include "shell/small_window.moc"
