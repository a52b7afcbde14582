// What MainWindow does with stored runs: show, compare, describe, import, export, delete.
#include "engine/model/experiment_json.h"
#include "ui/controls/message_bar.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/tool_strip.h"
#include "ui/shell/compare_controller.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/file_controller.h"
#include "ui/shell/import_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notice_controller.h"
#include "ui/shell/run_controller.h"
#include "ui/shell/sweep_page.h"
#include "ui/shell/window_actions.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/words/comparison.h"
#include "ui/words/run_words.h"
#include "ui/words/words.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QUndoCommand>

#include <ranges>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr std::size_t kRunsInMenu = 10;

/// A run in the list at Measured.
QString measuredWords(const store::RunSummary &run)
{
    return u"Run %1 · %2 · %3 steps · %4"_s.arg(run.id)
        .arg(caption(run.kind))
        .arg(run.stepsDone)
        .arg(whenText(run.startedUnixMs));
}

/// A step of undo between those of the plan, so that Ctrl+Z takes back what was done last.
class DeleteRun : public QUndoCommand {
public:
    DeleteRun(RunController *runController, store::RunId run)
        : QUndoCommand(u"Delete run %1"_s.arg(run)), m_runController(runController), m_run(run),
          m_database(runController->databaseNumber())
    {}
    void undo() override { change(&RunController::restore); }
    void redo() override { change(&RunController::remove); }

private:
    void change(void (RunController::*how)(store::RunId))
    {
        if (m_runController->databaseNumber() == m_database)
            (m_runController->*how)(m_run);
        else
            setObsolete(true);
    }
    RunController *m_runController;
    store::RunId m_run;
    int m_database;
};

} // namespace

void MainWindow::connectRunsPanel()
{
    m_runs->model()->setSource(
        {[this](const std::vector<store::RunId> &runs) {
             m_runController->readRows(
                 runs, [this, runs](std::vector<store::RunSummary> rows) { m_runs->model()->takeRows(runs, std::move(rows)); });
         },
         [this](store::RunId run) {
             if (!m_forecast->baseline()) // differences are forgotten when there is one
                 return;
             m_runController->readDifference(m_runBaseline, run, [this, run, baseline = m_runBaseline](const QString &words) {
                 if (baseline == m_runBaseline)
                     m_runs->model()->takeDifference(run, words);
             });
         }});
    connect(m_forecast, &Forecast::changed, this, [this] {
        const auto &baseline = m_forecast->baseline();
        if (!baseline || m_runBaseline == baseline->experiment)
            return;
        m_runBaseline = baseline->experiment;
        m_runs->model()->forgetDifferences();
    });
    connect(m_runs, &RunsPanel::showAsked, this, &MainWindow::showRun);
    connect(m_runs, &RunsPanel::compareAsked, m_compareController.get(), &CompareController::compareRuns);
    connect(m_runs, &RunsPanel::renameAsked, m_runController, &RunController::rename);
    connect(m_runs, &RunsPanel::tagsAsked, m_runController, &RunController::setTags);
    connect(m_runs, &RunsPanel::noteAsked, m_runController, &RunController::setNote);
    connect(m_runs, &RunsPanel::filterChanged, m_runController, &RunController::setFilter);
    connect(m_runs, &RunsPanel::orderAsked, m_runController, &RunController::setOrder);
    connect(m_runs, &RunsPanel::importAsked, m_imports.get(), &ImportController::ask);
    connect(m_runs, &RunsPanel::exportAsked, this, &MainWindow::exportRun);
    connect(m_runs, &RunsPanel::deleteAsked, this, &MainWindow::deleteRun);
}

void MainWindow::showRun(qint64 run)
{
    m_actions->explore->trigger();
    m_runController->show(run, {}, [this, run] {
        const auto &plan = m_forecast->plan();
        if (!plan || m_runController->shownDifferences(plan->experiment).empty())
            return;
        showPlanOfRun();
        m_notice->offerUndo(u"This is the plan of run %1."_s.arg(run), u"Back to my plan"_s);
    });
}

void MainWindow::connectSweep()
{
    connect(m_sweep, &SweepPage::runsChanged, m_runController, &RunController::refreshRuns);
    connect(m_runController, &RunController::trainingChanged, m_sweep,
            [this] { m_sweep->setTraining(m_runController->isTraining()); });
    connect(m_sweep, &SweepPage::openAsked, this, [this](const QString &words, const model::Experiment &plan) {
        m_document->closeGesture();
        m_document->edit(u"plan"_s, u"Open "_s + words, plan);
        m_document->closeGesture();
        m_actions->explore->trigger();
    });
}

void MainWindow::fillMeasured(QMenu *menu)
{
    menu->clear();
    const auto add = [this, menu](const QString &words, store::RunId run, std::optional<int> step, bool isShown) {
        QAction *action = menu->addAction(words, this, [this, run, step] {
            m_runController->show(run, step, [this] {
                if (m_strip->shown() == Shown::Predicted)
                    m_strip->setShown(Shown::Both);
            });
        });
        action->setCheckable(true);
        action->setChecked(isShown);
        return action;
    };
    const service::RunSnapshotPtr shown = m_explore->run();
    menu->addSection(u"Runs of this plan"_s);
    QAction *none = menu->addAction(u"None yet: Train (F5) makes one"_s);
    none->setEnabled(false);
    if (const auto &plan = m_forecast->plan()) {
        none->setText(u"Looking for runs…"_s);
        m_runController->findRunsOf(
            plan->experiment, kRunsInMenu,
            [add, menu, shown, place = QPointer(none)](const std::vector<store::RunSummary> &runs) {
                if (!place) // the menu was filled again
                    return;
                for (const store::RunSummary &run : runs)
                    menu->insertAction(place, add(measuredWords(run), run.id, {}, shown && shown->record.summary.id == run.id));
                place->setText(u"None yet: Train (F5) makes one"_s);
                place->setVisible(runs.empty());
            });
    }
    const std::vector<base::Nanos> times = shown ? shown->record.iterations : std::vector<base::Nanos>();
    if (times.empty() || !shown->finished)
        return;
    menu->addSection(u"Step of run %1"_s.arg(shown->record.summary.id));
    const int before = shown->record.summary.resumedSteps;
    const auto entry = [&](const QString &name, std::ptrdiff_t index, bool isMedian) {
        const int step = before + static_cast<int>(index);
        add(u"%1: step %2, %3"_s.arg(name).arg(step + 1).arg(durationText(times[static_cast<std::size_t>(index)])),
            shown->record.summary.id, isMedian ? std::nullopt : std::optional(step),
            m_runController->shownStep() == (isMedian ? std::nullopt : std::optional(step)));
    };
    if (const auto median = medianStep(shown->record))
        entry(u"Median"_s, *median - 1 - before, true);
    entry(u"Fastest"_s, std::ranges::min_element(times) - times.begin(), false);
    entry(u"Slowest"_s, std::ranges::max_element(times) - times.begin(), false);
    entry(u"First"_s, 0, false);
    entry(u"Last"_s, std::ssize(times) - 1, false);
}

void MainWindow::tellInterrupted()
{
    if (!m_options.remember)
        return;
    const auto settings = windowSettings();
    const QString database = qtText(m_bridge->service().databaseFile().string()); // its numbers are no other's
    const bool isKnown = settings->value(u"told/database"_s).toString() == database;
    const qint64 told = isKnown ? settings->value(u"told/run"_s).toLongLong() : 0;
    std::vector<store::RunSummary> found;
    for (const store::RunSummary &run : m_runController->table().firstRows | std::views::take(kRunsInMenu))
        if (run.status == store::RunStatus::Interrupted && run.id > told)
            found.push_back(run);
    if (found.empty())
        return;
    const store::RunSummary &newest = *std::ranges::max_element(found, {}, &store::RunSummary::id);
    settings->setValue(u"told/database"_s, database);
    settings->setValue(u"told/run"_s, qint64{newest.id});
    const QString others = found.size() > 1 ? u" So were %1 others."_s.arg(found.size() - 1) : QString();
    m_notice->say(MessageBar::Tone::Warning, badEnd(newest).words + u" What was measured remains."_s + others,
                  {u"Show it"_s, [this, id = newest.id] { showRun(id); }});
}

void MainWindow::updateRuns()
{
    m_runs->setRuns(m_runController->table(), m_runController->deleted());
    if (!m_foldedByHand)
        m_runs->setFolded(m_runs->model()->total() < 2);
}

void MainWindow::updateStoreBar()
{
    if (m_runController->storeProblem().isEmpty()) {
        m_storeBar->clear();
        return;
    }
    m_storeBar->say(MessageBar::Tone::Warning, m_runController->storeProblem(),
                    {{u"Choose another file"_s, [this] { chooseDatabase(); }}});
}

void MainWindow::deleteRun(qint64 run)
{
    if (m_runController->isLive(run)) {
        m_notice->warnUntilRunEnds(u"This run is going on. Stop it first (Shift+F5)."_s);
        return;
    }
    if (m_runController->deleted().contains(run))
        return;
    m_document->closeGesture();
    m_document->undoStack().push(new DeleteRun(m_runController, run));
    m_notice->offerUndo(u"Run %1 is deleted."_s.arg(run), u"Undo"_s);
}

} // namespace stagelens::ui
