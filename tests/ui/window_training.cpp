// Training from the window: keys, lanes, provenance, the table of runs and comparison, also after a restart.
#include "engine/model/experiment_json.h"
#include "engine/operators/stage_layers.h"
#include "engine/store/run_store.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/plan_controller.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/compare_table.h"
#include "ui/plots/plots.h"
#include "ui/shell/closing_signals.h"
#include "ui/state/run_database.h"
#include "ui/words/words.h"

#include <QDir>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScopeGuard>
#include <QTableView>
#include <QTableWidget>

#include <csignal>
#include <sys/resource.h>

namespace ui_window_training {

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
    void aSignalStopsTheRunAndCloses();
    void whatIsSaidOfARunEndsWithIt();
    void unusableDatabaseIsSaidPermanently();
    void aMeasurementLeavesWithItsPlan();
    void aFailedRunSaysWhereAndWhatToDo();
    void aRefusedRunSaysWhyAndIsNone();
    void measuredChoosesRunAndStep();
    void emulatedRunsShowNoError();
    void devicesThatWaitForEachOtherAreNamed();
    void aStoreThatCannotGrowIsSaid();

private:
    void train();
    /// Zooms to the first pass of a group and returns what is said of its foot, where its operators are.
    QString operatorUnderPointer(int group);
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowTraining::train()
{
    auto &window = m_fixture->window();
    QTest::keyClick(&window, Qt::Key_F5);
    QVERIFY(window.runController().isTraining());
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    QVERIFY(window.runController().live());
    QVERIFY2(!window.runController().live()->error,
             window.runController().live()->error ? window.runController().live()->error->text().c_str() : "");
}

QString WindowTraining::operatorUnderPointer(int group)
{
    ui::TimelineView &view = *m_fixture->window().explorePage().timeline();
    auto *state = m_fixture->window().findChild<ui::ViewState *>();
    const timeline::Lane &lane = laneOf(m_fixture->content().groups[static_cast<std::size_t>(group)], 0);
    state->setRange(lane.begin[0], lane.end[0]);
    QCoreApplication::processEvents();
    const QRect place = view.placeOf(group, {0, 0});
    const QString words = view.describe(QPoint(place.center().x(), place.bottom() - 3));
    state->fit();
    QCoreApplication::processEvents();
    return words;
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
    QVERIFY2(operatorUnderPointer(1).contains(u" of the pass (measured, typical of such passes)"_s),
             qPrintable(operatorUnderPointer(1)));
    QCOMPARE(window.runsPanel().model()->rowCount(), 1);
    const auto *run = window.runsPanel().model()->run(window.runsPanel().model()->index(0, 0));
    QVERIFY(run->status == store::RunStatus::Finished);
    QCOMPARE(run->stepsDone, 4);
    QVERIFY(m_fixture->find<QLabel>(u"metrics.iteration.measured"_s)->text().startsWith(u"Virtual clock: "_s));
    m_fixture->click(u"shown.Predicted"_s);
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{1});
    m_fixture->click(u"shown.Measured"_s);
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{1});
    QVERIFY(m_fixture->content().groups[0].timeline->provenance == timeline::Provenance::MeasuredVirtualClock);
    // The only prediction in this picture says that it is one, and the plan's own is no longer spoken of.
    QVERIFY2(m_fixture->content().baseline->text.endsWith(u" (predicted)"_s), qPrintable(m_fixture->content().baseline->text));
    QVERIFY(!m_fixture->content().measuredBaseline);
    auto *bubbles = window.findChild<ui::BubblePlot *>();
    QCOMPARE(bubbles->accessibleDescription(),
             u"%1 of all devices' time"_s.arg(ui::shareText(window.runController().shown()->record.metrics->bubbleRatio)));
    // A measured baseline has its own flag, also beside other plans.
    QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
    const base::Nanos measured = window.runController().shown()->record.metrics->iteration;
    QCOMPARE(m_fixture->content().measuredBaseline->end, measured);
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    QVERIFY(!m_fixture->content().baseline->text.contains(u"now"_s));
    m_fixture->click(u"shown.Both"_s);
    QVERIFY(m_fixture->content().baseline->text.contains(u", now "_s));
    QCOMPARE(m_fixture->content().measuredBaseline->text, u"baseline measured %1, run 1"_s.arg(ui::durationText(measured)));
    train();
    if (QTest::currentTestFailed())
        return;
    QVERIFY2(m_fixture->content().measuredBaseline->text.contains(u", run 1, now "_s),
             qPrintable(m_fixture->content().measuredBaseline->text));
    QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!m_fixture->content().measuredBaseline);
    // Another database has another run 1, or none.
    QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
    QVERIFY(m_fixture->content().measuredBaseline);
    window.runDatabase().reset();
    QVERIFY(!m_fixture->content().measuredBaseline);
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{1});
}

void WindowTraining::escapeDoesNotStopButShiftF5Does()
{
    auto &window = m_fixture->window();
    m_fixture->usePlanForTraining(100000);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window.runController().live() && window.runController().live()->step > 0, test::kPatience);
    QTest::keyClick(&window, Qt::Key_Escape);
    QTest::keyClick(window.explorePage().timeline(), Qt::Key_Escape);
    QVERIFY(window.runController().isTraining());
    QVERIFY(!window.runController().isStopping());
    QVERIFY2(m_fixture->find<QLabel>(u"strip.progress"_s)->text().startsWith(u"step "_s),
             qPrintable(m_fixture->find<QLabel>(u"strip.progress"_s)->text()));
    QTest::keyClick(&window, Qt::Key_F5, Qt::ShiftModifier);
    QVERIFY(window.runController().isStopping() || !window.runController().isTraining());
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
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
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->content().groups.size() == 2, test::kPatience);
    QVERIFY(!m_fixture->content().groups[1].faded);
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    QVERIFY(window.runController().isTraining());
    QVERIFY(m_fixture->content().groups[1].faded);
    QVERIFY(!m_fixture->content().groups[1].caption.contains(u'%'));
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->text().contains(u"which differs: Vocabulary layers: not split → VOCAB-2"_s), qPrintable(bar->text()));
    window.actions().stop->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
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
    // The last experiment comes with its newest run.
    QTRY_COMPARE(m_fixture->content().groups.size(), std::size_t{2});
    QVERIFY(m_fixture->content().groups[1].schedule);
    QVERIFY2(operatorUnderPointer(1).contains(u" (measured, typical of such passes)"_s), qPrintable(operatorUnderPointer(1)));
}

void WindowTraining::twoTickedRunsAreCompared()
{
    auto &window = m_fixture->window();
    train();
    if (QTest::currentTestFailed())
        return;
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
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
    QTRY_VERIFY(window.comparePanel().isVisible());
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
    const auto id = window->runDatabase().runs().ids.front();
    emit window->runsPanel().deleteAsked({id});
    QCOMPARE(window->runsPanel().model()->rowCount(), 0);
    m_fixture->click(u"bar.notice.Undo"_s);
    QTRY_COMPARE(window->runsPanel().model()->rowCount(), 1);
    QVERIFY(!m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->isVisible());
    emit window->runsPanel().deleteAsked({id});
    window->close();
    QVERIFY(m_fixture->open().runDatabase().runs().ids.empty());
}

void WindowTraining::whatIsSaidOfARunEndsWithIt()
{
    auto &window = m_fixture->window();
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    m_fixture->usePlanForTraining(100000);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window.runController().live() && !window.runDatabase().runs().ids.empty(), test::kPatience);
    QVERIFY(!window.close());
    QVERIFY(notice->text().startsWith(u"A run is going on."_s));
    QTest::keyClick(&window, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    QVERIFY(!notice->isVisible());
    QVERIFY(window.isVisible());
    // The same of a run that cannot be deleted yet.
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window.runController().live() && window.runController().live()->record.summary.id > 0,
                             test::kPatience);
    emit window.runsPanel().deleteAsked({window.runController().live()->record.summary.id});
    QVERIFY(notice->text().startsWith(u"This run is going on."_s));
    QVERIFY(window.runDatabase().deleted().empty());
    window.runController().stop();
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    QVERIFY(!notice->isVisible());
}

void WindowTraining::closingWhileTrainingAsksOnce()
{
    auto &window = m_fixture->window();
    m_fixture->usePlanForTraining(100000);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window.runController().live(), test::kPatience);
    QVERIFY(!window.close());
    QVERIFY(window.isVisible());
    m_fixture->click(u"bar.notice.Keep open"_s);
    QTRY_VERIFY(!m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->isVisible());
    QVERIFY(window.runController().isTraining());
    QVERIFY(!window.close());
    m_fixture->click(u"bar.notice.Stop and close"_s);
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), test::kPatience);
}

void WindowTraining::aSignalStopsTheRunAndCloses()
{
    m_fixture->usePlanForTraining(100'000);
    auto &window = m_fixture->window();
    ui::closeOnSignals(window);
    const auto restored = qScopeGuard([] {
        for (const int signal : {SIGTERM, SIGINT, SIGHUP})
            std::signal(signal, SIG_DFL);
    });
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window.runController().live() && window.runController().live()->step > 0, test::kPatience);
    ::raise(SIGTERM);
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), test::kPatience);
    QVERIFY(!window.runController().isTraining());
    m_fixture->close();
    auto store = store::RunStore::open(m_fixture->path(u"runs.db"_s).toStdString());
    QVERIFY(store);
    const auto runs = store->read().list();
    QVERIFY(runs && runs->size() == 1);
    QVERIFY(runs->front().status == store::RunStatus::Cancelled);
    QVERIFY2(runs->front().reason.starts_with("stopped after "), runs->front().reason.c_str());
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

void WindowTraining::aMeasurementLeavesWithItsPlan()
{
    train();
    if (QTest::currentTestFailed())
        return;
    auto &window = m_fixture->window();
    window.forecast().pinBaseline();
    const auto *iteration = m_fixture->find<QLabel>(u"metrics.iteration.measured"_s);
    auto *loss = window.explorePage().findChild<ui::LossPlot *>();
    const auto isRunShown = [&] {
        const auto &groups = m_fixture->content().groups;
        const bool inPicture = std::ranges::any_of(groups, [](const ui::LaneGroup &group) {
            return group.timeline->provenance == timeline::Provenance::MeasuredVirtualClock;
        });
        const bool inFigures = !iteration->isHidden();
        const bool inLoss = loss->accessibleDescription().contains(u"run "_s);
        [&] { QVERIFY(inPicture == inFigures && inPicture == inLoss); }();
        return inPicture;
    };
    QVERIFY(isRunShown());
    const QString examples = qEnvironmentVariable("STAGELENS_RESOURCES") + u"/examples/"_s;
    for (const QString &example : {u"textbook-1f1b"_s, u"gpt-4b-8xa100-256k"_s}) {
        const auto plan = model::loadExperiment((examples + example + u".stagelens.json"_s).toStdString());
        QVERIFY(plan.ok());
        window.document().replace(*plan, {}, example);
        for (const auto &mode : {u"Both"_s, u"Measured"_s, u"Predicted"_s}) {
            m_fixture->click(u"shown."_s + mode);
            QVERIFY2(!isRunShown(), qPrintable(example + u' ' + mode));
            // Neither is a baseline of another unit.
            QCOMPARE(m_fixture->content().baseline.has_value(), !m_fixture->content().teachingUnits);
        }
        m_fixture->click(u"shown.Both"_s);
        window.document().undoStack().undo();
        QVERIFY(isRunShown());
    }
    // What is edited in place keeps its measurement beside it, pale.
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    QVERIFY(isRunShown());
    QVERIFY(m_fixture->content().groups[1].faded);
    // The same plan in teaching units has no common axis with its run, and says so.
    model::Experiment units = window.document().experiment();
    units.schedule.vocabulary = model::VocabularyMethod::None;
    units.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}};
    window.document().edit(u"cost"_s, u"Costs"_s, units);
    QVERIFY(!isRunShown());
    const QString bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s)->text();
    QVERIFY2(bar.contains(u"teaching units have no common axis"_s), qPrintable(bar));
}

void WindowTraining::aFailedRunSaysWhereAndWhatToDo()
{
    auto *window = &m_fixture->window();
    model::Experiment plan = window->document().experiment();
    plan.training.steps = 20;
    plan.training.optimizer.learningRate = 1e30;
    window->document().start(plan, {}, u"Diverges"_s);
    QTest::keyClick(window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
    static const QRegularExpression words(
        u"^Run 1 failed\\. The loss is not finite in step 2 of 20, microbatch 0, on device 1, in pass "
        "F0@1: training diverged; lower the learning rate \\(it is 1e\\+30\\) .*\\. Steps done: 1 of 20\\. What was measured remains\\.$"_s);
    QVERIFY(bar->isVisible());
    QVERIFY2(words.match(bar->text()).hasMatch(), qPrintable(bar->text()));
    QVERIFY(!m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->isVisible()); // said once
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{2});
    QVERIFY(window->runsPanel().model()->run(window->runsPanel().model()->index(0, 0))->status == store::RunStatus::Failed);
    auto *rate = window->findChild<QWidget *>(u"training.optimizer.lr"_s);
    QVERIFY(!rate->isVisible());
    m_fixture->click(u"bar.provenance.Go to Learning rate"_s);
    QTRY_VERIFY(rate->isVisible() && rate->hasFocus());
    m_fixture->click(u"bar.provenance.Hide the run"_s);
    QTRY_COMPARE(m_fixture->content().groups.size(), std::size_t{1});
    QVERIFY(!bar->isVisible());
    // Another day it still says so.
    window->close();
    window = &m_fixture->open();
    bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
    emit window->runsPanel().showAsked(1);
    QTRY_VERIFY2(words.match(bar->text()).hasMatch(), qPrintable(bar->text()));
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{2});
}

void WindowTraining::aRefusedRunSaysWhyAndIsNone()
{
    auto &window = m_fixture->window();
    model::Experiment plan = window.document().experiment();
    plan.training.data = "/no/such/text.txt";
    window.document().start(plan, {}, u"No data"_s);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window.runController().live() && m_fixture->isSettled(), test::kPatience);
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->text().startsWith(u"The run failed. "_s) && bar->text().contains(u"/no/such/text.txt"_s),
             qPrintable(bar->text()));
    QCOMPARE(window.runsPanel().model()->rowCount(), 0);
    m_fixture->click(u"bar.provenance.Hide the run"_s);
    QTRY_VERIFY(!bar->isVisible());
}

void WindowTraining::measuredChoosesRunAndStep()
{
    for (int run = 0; run < 2; ++run) {
        train();
        if (QTest::currentTestFailed())
            return;
    }
    static const QRegularExpression median(u"^Virtual clock · run (\\d), step [34] of 4, the median$"_s);
    QCOMPARE(median.match(m_fixture->content().groups[1].caption).captured(1), u"2"_s);
    const auto choose = [this](const QString &begin) {
        auto *menu = m_fixture->find<QMenu>(u"shown.Measured.menu"_s);
        menu->popup({});
        QAction *entry = nullptr;
        const auto isThere = [&] {
            for (QAction *each : menu->actions())
                if (each->text().startsWith(begin))
                    entry = each;
            return entry != nullptr;
        };
        QTRY_VERIFY2(isThere(), qPrintable(begin));
        QVERIFY(!entry->isChecked());
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(entry).center());
    };
    const auto caption = [this](int group) { return m_fixture->content().groups[static_cast<std::size_t>(group)].caption; };
    choose(u"Run 1 · Virtual clock · 4 steps · "_s);
    QTRY_COMPARE(median.match(caption(1)).captured(1), u"1"_s);
    choose(u"Last: step 4, "_s);
    QTRY_COMPARE(caption(1), u"Virtual clock · run 1, step 4 of 4"_s);
    choose(u"Median: step "_s);
    QTRY_COMPARE(median.match(caption(1)).captured(1), u"1"_s);
    // Another day, the newest run of the plan is there by itself.
    m_fixture->window().close();
    m_fixture->open();
    QTRY_COMPARE(m_fixture->content().groups.size(), std::size_t{2});
    QCOMPARE(median.match(caption(1)).captured(1), u"2"_s);
    m_fixture->click(u"shown.Measured"_s);
    QTRY_COMPARE(median.match(caption(0)).captured(1), u"2"_s);
    // Longer runs show the typical step, and any single one on demand.
    m_fixture->usePlanForTraining(6);
    train();
    if (QTest::currentTestFailed())
        return;
    const QString typical = u"Virtual clock · run 3, typical of 4 steps"_s;
    QTRY_COMPARE(caption(0), typical);
    choose(u"Median: step "_s);
    QTRY_VERIFY(caption(0).startsWith(u"Virtual clock · run 3, step "_s));
    choose(u"Typical: each pass at its median"_s);
    QTRY_COMPARE(caption(0), typical);
    // One of another plan is not taken for it.
    m_fixture->open();
    QTRY_VERIFY(m_fixture->window().runController().shown()); // that of the restored plan
    m_fixture->usePlanForTraining(4);
    m_fixture->window().controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    m_fixture->window().runController().showNone();
    m_fixture->click(u"shown.Measured"_s);
    m_fixture->window().runDatabase().refresh(); // is answered after what was asked before
    QTRY_VERIFY(m_fixture->isSettled());
    QVERIFY(!m_fixture->window().runController().shown());
}

void WindowTraining::emulatedRunsShowNoError()
{
    model::Experiment plan = m_fixture->window().document().experiment();
    plan.model.dtype = model::DataType::Bf16;
    m_fixture->window().document().start(plan, {}, u"Tiny in bf16"_s);
    train();
    if (QTest::currentTestFailed())
        return;
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
    QTRY_VERIFY(bar->isVisible());
    QCOMPARE(bar->text(), u"From run 1, which emulates bf16 on processors: predictions do not count the conversions, so no "
                          "error is shown."_s);
    const QString measured = m_fixture->find<QLabel>(u"metrics.iteration.measured"_s)->text();
    QVERIFY2(measured.startsWith(u"Virtual clock: "_s) && !measured.contains(u'%'), qPrintable(measured));
    m_fixture->click(u"bar.provenance.Hide the run"_s);
    QTRY_VERIFY(!bar->isVisible());
}

void WindowTraining::devicesThatWaitForEachOtherAreNamed()
{
    auto &window = m_fixture->window();
    {
        auto store = store::RunStore::open(m_fixture->path(u"runs.db"_s).toStdString());
        QVERIFY(store.ok());
        const auto run = store->edit().begin(operators::resolved(window.document().experiment(), 2),
                                             timeline::Provenance::MeasuredVirtualClock, {}, {});
        QVERIFY(run.ok());
        QVERIFY(
            store->edit()
                .finish(*run, store::RunStatus::Failed,
                        "schedule: the devices wait for each other after 1 of 8 passes: device 1 waits at position 0 (F1@1) "
                        "for the output of F1@0 from device 0, which has it at position 2; validate the schedule")
                .ok());
    }
    window.runDatabase().refresh();
    emit window.runsPanel().showAsked(1);
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
    QTRY_VERIFY(bar->isVisible());
    QVERIFY2(bar->text().startsWith(u"Run 1 failed. The devices wait for each other after 1 of 8 passes: "
                                    "device 1 waits at position 0 (F1@1) for the output of F1@0 from device 0"_s),
             qPrintable(bar->text()));
    m_fixture->click(u"bar.provenance.Go to Schedule"_s);
    auto *family = window.findChild<QWidget *>(u"schedule.family"_s);
    QTRY_VERIFY(family->isVisible() && family->hasFocus());
}

void WindowTraining::aStoreThatCannotGrowIsSaid()
{
    // Beyond the limit a write fails as it does on a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    {
        const auto restore = qScopeGuard([&before] { ::setrlimit(RLIMIT_FSIZE, &before); });
        const rlimit little{16'384, before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &little), 0);
        train();
    }
    if (QTest::currentTestFailed())
        return;
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.store"_s);
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->text().startsWith(u"Results of this session are not being stored. "_s), qPrintable(bar->text()));
    QVERIFY(m_fixture->find<QAbstractButton>(u"bar.store.Choose another file"_s)->isVisible());
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{2}); // what was measured is shown all the same
}

STAGELENS_TEST(WindowTraining)

} // namespace ui_window_training

#include "window_training.moc"
