// Training from the window: keys, lanes, provenance, the table of runs and comparison, also after a restart.
#include "tests/ui/window_fixture.h"
#include "ui/panels/compare_panel.h"

#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowTraining : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_fixture = std::make_unique<test::WindowFixture>();
        m_fixture->open();
        m_fixture->usePlanForTraining(4);
    }
    void cleanup() { m_fixture.reset(); }

    void trainingAddsARunAndMeasuredLanes();
    void escapeDoesNotStopButShiftF5Does();
    void editingDuringTheRunMarksItAsDiffering();
    void runsAndTheirLanesSurviveARestart();
    void twoTickedRunsAreCompared();
    void deletingCanBeUndoneUntilTheWindowCloses();
    void closingWhileTrainingAsksOnce();
    void unusableDatabaseIsSaidPermanently();

private:
    void train();
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowTraining::train()
{
    auto &window = m_fixture->window();
    QTest::keyClick(&window, Qt::Key_F5);
    QVERIFY(window.desk().isTraining());
    QTRY_VERIFY_WITH_TIMEOUT(!window.desk().isTraining(), 30000);
    QVERIFY(window.desk().live());
    QVERIFY2(!window.desk().live()->error, window.desk().live()->error ? window.desk().live()->error->text().c_str() : "");
}

void WindowTraining::trainingAddsARunAndMeasuredLanes()
{
    auto &window = m_fixture->window();
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{1});
    train();
    if (QTest::currentTestFailed())
        return;
    const auto &content = m_fixture->content();
    QCOMPARE(content.groups.size(), std::size_t{2});
    QVERIFY2(content.groups[1].caption.startsWith(u"Virtual clock · run"_s), qPrintable(content.groups[1].caption));
    QVERIFY(content.groups[1].timeline->provenance == timeline::Provenance::MeasuredVirtualClock);
    QVERIFY(!content.groups[1].faded);
    QCOMPARE(window.runsPanel().model()->rowCount(), 1);
    const auto *run = window.runsPanel().model()->run(window.runsPanel().model()->index(0, 0));
    QVERIFY(run->status == store::RunStatus::Finished);
    QCOMPARE(run->stepsDone, 4);
    QVERIFY(m_fixture->find<QLabel>(u"metrics.iteration.measured"_s)->text().startsWith(u"Virtual clock: "_s));
    m_fixture->click(u"strip.shown.Predicted"_s);
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{1});
    m_fixture->click(u"strip.shown.Measured"_s);
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{1});
    QVERIFY(m_fixture->content().groups[0].timeline->provenance == timeline::Provenance::MeasuredVirtualClock);
}

void WindowTraining::escapeDoesNotStopButShiftF5Does()
{
    auto &window = m_fixture->window();
    m_fixture->usePlanForTraining(100000);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window.desk().live() && window.desk().live()->step > 0, 30000);
    QTest::keyClick(&window, Qt::Key_Escape);
    QTest::keyClick(window.explorePage().timeline(), Qt::Key_Escape);
    QVERIFY(window.desk().isTraining());
    QVERIFY(!window.desk().isStopping());
    QVERIFY2(m_fixture->find<QLabel>(u"strip.progress"_s)->text().startsWith(u"step "_s),
             qPrintable(m_fixture->find<QLabel>(u"strip.progress"_s)->text()));
    QTest::keyClick(&window, Qt::Key_F5, Qt::ShiftModifier);
    QVERIFY(window.desk().isStopping() || !window.desk().isTraining());
    QTRY_VERIFY_WITH_TIMEOUT(!window.desk().isTraining(), 30000);
    const auto *run = window.runsPanel().model()->run(window.runsPanel().model()->index(0, 0));
    QVERIFY(run && run->status == store::RunStatus::Cancelled);
    QVERIFY(run->stepsDone > 0);
    QVERIFY(window.actions().train->isEnabled());
}

void WindowTraining::editingDuringTheRunMarksItAsDiffering()
{
    auto &window = m_fixture->window();
    m_fixture->usePlanForTraining(100000);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->content().groups.size() == 2, 30000);
    QVERIFY(!m_fixture->content().groups[1].faded);
    window.apply(model::VocabularyMethod::Vocab2);
    QVERIFY(window.desk().isTraining());
    QVERIFY(m_fixture->content().groups[1].faded);
    QVERIFY(!m_fixture->content().groups[1].caption.contains(u'%'));
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->text().contains(u"which differs: Vocabulary layers: not split → VOCAB-2"_s), qPrintable(bar->text()));
    window.actions().stop->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!window.desk().isTraining(), 30000);
    m_fixture->click(u"bar.provenance.Show its plan"_s);
    QTRY_VERIFY(window.document().experiment().schedule.vocabulary == model::VocabularyMethod::None);
    QVERIFY(!m_fixture->content().groups[1].faded);
    QVERIFY(!bar->isVisible());
}

void WindowTraining::runsAndTheirLanesSurviveARestart()
{
    train();
    if (QTest::currentTestFailed())
        return;
    m_fixture->window().close();
    auto &window = m_fixture->open();
    QCOMPARE(window.runsPanel().model()->rowCount(), 1);
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{1});
    const auto *run = window.runsPanel().model()->run(window.runsPanel().model()->index(0, 0));
    emit window.runsPanel().showAsked(run->id);
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{2});
    QVERIFY(m_fixture->content().groups[1].schedule);
}

void WindowTraining::twoTickedRunsAreCompared()
{
    auto &window = m_fixture->window();
    train();
    if (QTest::currentTestFailed())
        return;
    window.apply(model::VocabularyMethod::Vocab2);
    train();
    if (QTest::currentTestFailed())
        return;
    auto *model = window.runsPanel().model();
    QCOMPARE(model->rowCount(), 2);
    QVERIFY(!window.runsPanel().isFolded());
    auto *compare = m_fixture->find<QPushButton>(u"runs.compare"_s);
    QVERIFY(!compare->isEnabled());
    for (int row = 0; row < 2; ++row)
        QVERIFY(model->setData(model->index(row, 0), Qt::Checked, Qt::CheckStateRole));
    QVERIFY(compare->isEnabled());
    QTest::mouseClick(compare, Qt::LeftButton);
    QVERIFY(window.comparePanel().isVisible());
    const auto &groups = window.comparePanel().timeline()->content().groups;
    QCOMPARE(groups.size(), std::size_t{2});
    QVERIFY(groups[0].caption.startsWith(u"A · Virtual clock"_s));
    QVERIFY(groups[1].caption.startsWith(u"B · Virtual clock"_s));
    auto *table = window.comparePanel().table();
    const auto found = table->findItems(u"Vocabulary layers"_s, Qt::MatchExactly);
    QCOMPARE(found.size(), 1);
    QCOMPARE(table->item(found[0]->row(), 1)->text(), u"not split"_s);
    QCOMPARE(table->horizontalHeaderItem(1)->text(), u"A, the baseline"_s);
    QCOMPARE(table->item(found[0]->row(), 2)->text(), u"VOCAB-2"_s);
    QVERIFY(table->findItems(u"Microbatches"_s, Qt::MatchExactly).isEmpty());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(window.explorePage().isVisible());
}

void WindowTraining::deletingCanBeUndoneUntilTheWindowCloses()
{
    train();
    if (QTest::currentTestFailed())
        return;
    auto *window = &m_fixture->window();
    const auto id = window->desk().runs().ids.front();
    emit window->runsPanel().deleteAsked(id);
    QCOMPARE(window->runsPanel().model()->rowCount(), 0);
    m_fixture->click(u"bar.notice.Undo"_s);
    QTRY_COMPARE(window->runsPanel().model()->rowCount(), 1);
    emit window->runsPanel().deleteAsked(id);
    window->close();
    QVERIFY(m_fixture->open().desk().runs().ids.empty());
}

void WindowTraining::closingWhileTrainingAsksOnce()
{
    auto &window = m_fixture->window();
    m_fixture->usePlanForTraining(100000);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window.desk().live(), 30000);
    QVERIFY(!window.close());
    QVERIFY(window.isVisible());
    m_fixture->click(u"bar.notice.Keep open"_s);
    QTRY_VERIFY(!m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->isVisible());
    QVERIFY(window.desk().isTraining());
    QVERIFY(!window.close());
    m_fixture->click(u"bar.notice.Stop and close"_s);
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 30000);
}

void WindowTraining::unusableDatabaseIsSaidPermanently()
{
    m_fixture->close();
    QFile file(m_fixture->path(u"runs.db"_s));
    file.remove();
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is no database, but somebody's letter to the editor; it must not be touched");
    file.close();
    m_fixture->open();
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.store"_s);
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->text().startsWith(u"Results of this session are not being stored."_s), qPrintable(bar->text()));
    m_fixture->usePlanForTraining(2);
    train();
    if (QTest::currentTestFailed())
        return;
    QVERIFY(bar->isVisible());
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{2});
}

QTEST_MAIN(WindowTraining)
#include "window_training.moc"
