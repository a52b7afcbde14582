// What MainWindow does with stored runs: show, compare, describe, import, export, delete.
#include "engine/model/experiment_json.h"
#include "ui/controls/message_bar.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/tool_strip.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/file_controller.h"
#include "ui/shell/main_window.h"
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
    connect(m_runs, &RunsPanel::compareAsked, this, &MainWindow::compareRuns);
    connect(m_runs, &RunsPanel::renameAsked, m_runController, &RunController::rename);
    connect(m_runs, &RunsPanel::tagsAsked, m_runController, &RunController::setTags);
    connect(m_runs, &RunsPanel::noteAsked, m_runController, &RunController::setNote);
    connect(m_runs, &RunsPanel::filterChanged, m_runController, &RunController::setFilter);
    connect(m_runs, &RunsPanel::orderAsked, m_runController, &RunController::setOrder);
    connect(m_runs, &RunsPanel::importAsked, this, &MainWindow::askImport);
    connect(m_runs, &RunsPanel::exportAsked, this, &MainWindow::exportRun);
    connect(m_bridge, &EngineBridge::importProgressed, this, &MainWindow::showImportProgress);
    connect(m_bridge, &EngineBridge::importArrived, this, &MainWindow::takeImport);
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
        offerUndo(u"This is the plan of run %1."_s.arg(run), u"Back to my plan"_s);
    });
}

void MainWindow::compareRuns(const std::vector<qint64> &runs)
{
    m_runController->load({runs.begin(), runs.end()}, [this](const std::vector<service::RunSnapshotPtr> &loaded) {
        std::vector<CompareItem> items;
        for (const service::RunSnapshotPtr &run : loaded)
            items.push_back(itemOf(*run, m_bridge->cores()));
        m_compare->setItems(std::move(items));
        m_actions->compare->trigger();
    });
}

void MainWindow::connectCompare()
{
    connect(m_forecast, &Forecast::changed, this, &MainWindow::updateProposal);
    connect(m_forecast, &Forecast::adviceChanged, this, &MainWindow::updateProposal);
    connect(m_compare, &ComparePanel::proposalAsked, this, &MainWindow::compareProposal);
    connect(m_compare, &ComparePanel::predictionAsked, this, [this] {
        if (const auto &plan = m_forecast->plan())
            m_compare->add(itemOf(*plan, m_document->title() + u": "_s + planCaption(plan->experiment)));
    });
    connect(m_compare, &ComparePanel::filesAsked, this, [this] {
        addFilesToCompare(QFileDialog::getOpenFileNames(this, u"Compare experiments"_s, {},
                                                        u"Experiments (*.stagelens.json);;All files (*)"_s));
    });
    connect(m_compare, &ComparePanel::addMenuOpens, this, [this](QMenu *menu) {
        menu->addSeparator();
        for (const store::RunSummary &run : m_runController->table().firstRows | std::views::take(kRunsInMenu))
            menu->addAction(u"Run %1: %2"_s.arg(run.id).arg(runName(run)), this, [this, id = run.id] {
                m_runController->load({id}, [this](const std::vector<service::RunSnapshotPtr> &loaded) {
                    m_compare->add(itemOf(*loaded.front(), m_bridge->cores()));
                });
            });
    });
}

std::optional<model::VocabularyMethod> MainWindow::comparedMethod() const
{
    const auto &plan = m_forecast->plan();
    const auto &baseline = m_forecast->baseline();
    const bool isBaseline = plan && baseline && baseline->experiment == plan->experiment;
    return isBaseline && m_forecast->advice() ? m_forecast->advice()->better : std::nullopt;
}

void MainWindow::updateProposal()
{
    const auto &plan = m_forecast->plan();
    const auto baseline = m_explore->baseline();
    const auto method = comparedMethod();
    m_compare->setProposal(!plan || !baseline                         ? QString()
                           : method                                   ? u"Compare this plan with "_s + shortName(*method)
                           : baseline->experiment == plan->experiment ? u"Add this plan"_s
                                                                      : u"Compare this plan with the baseline"_s);
}

void MainWindow::compareProposal()
{
    const auto &plan = m_forecast->plan();
    const auto baseline = m_explore->baseline();
    if (!plan || !baseline)
        return;
    std::vector<CompareItem> items{itemOf(*plan, m_document->title() + u": "_s + planCaption(plan->experiment))};
    const auto add = [&](const model::Experiment &experiment, const QString &name, bool first) {
        if (const auto prediction = service::predict(experiment, m_bridge->cores()))
            items.insert(first ? items.begin() : items.end(), itemOf(**prediction, name));
        else
            say(sentence(prediction.error()));
    };
    if (const auto method = comparedMethod()) {
        const model::Experiment other = withMethod(m_document->experiment(), *method);
        add(other, planCaption(other), false);
    } else if (baseline->experiment != plan->experiment) {
        add(baseline->experiment, m_forecast->baselineName(), true);
    }
    m_compare->setItems(std::move(items));
}

void MainWindow::addFilesToCompare(const QStringList &files)
{
    for (const QString &file : files) {
        const auto experiment = model::loadExperiment(utf8(file));
        const auto prediction = experiment ? service::predict(*experiment, m_bridge->cores())
                                           : base::Result<service::PredictionPtr>(experiment.error());
        if (prediction)
            m_compare->add(itemOf(**prediction, QFileInfo(file).fileName()));
        else
            say(u"%1 was not added. %2"_s.arg(QFileInfo(file).fileName(), sentence(prediction.error())));
    }
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
                  {{u"Show it"_s,
                    [this, id = newest.id] {
                        m_notice->clear();
                        showRun(id);
                    }},
                   {u"Dismiss"_s, [this] { m_notice->clear(); }}});
}

void MainWindow::askImport()
{
    importRuns(QFileDialog::getOpenFileNames(this, u"Import a measured timeline: the traces of all ranks"_s, {},
                                             u"Traces (*.json);;All files (*)"_s));
}

void MainWindow::importRuns(const QStringList &files)
{
    if (files.isEmpty())
        return;
    if (m_import != 0) {
        say(u"%1 is still being imported. Wait for it or cancel it first."_s.arg(m_importName));
        return;
    }
    std::vector<std::filesystem::path> paths;
    for (const QString &file : files)
        paths.emplace_back(utf8(file));
    m_import = m_bridge->service().submitImport(std::move(paths));
    m_importName = QFileInfo(files.first()).fileName();
    m_importBar->say(MessageBar::Tone::Note, u"Reading %1…"_s.arg(m_importName),
                     {{u"Cancel"_s, [this] { m_bridge->service().cancel(m_import); }}});
}

void MainWindow::showImportProgress(quint64 job, double share)
{
    if (job == m_import)
        m_importBar->setText(share < 1 ? u"Reading %1… %2"_s.arg(m_importName, shareText(share))
                                       : u"Storing %1…"_s.arg(m_importName));
}

void MainWindow::takeImport(quint64 job, const service::ImportAnswerPtr &answer)
{
    if (job != m_import)
        return;
    m_import = 0;
    m_importBar->clear();
    if (!*answer) {
        const bool isCancelled = answer->error().kind == base::ErrorKind::Cancelled;
        say(isCancelled ? u"The import of %1 was cancelled. Nothing was stored."_s.arg(m_importName)
                        : u"Nothing was imported. "_s + sentence(answer->error()));
        return;
    }
    const service::ImportedRun &run = **answer;
    m_runController->refreshRuns();
    m_runs->setFolded(false);
    QString words = u"Imported as run %1: %2."_s.arg(run.run).arg(run.steps == 1 ? u"1 step"_s : u"%1 steps"_s.arg(run.steps));
    if (run.incompleteSteps > 0)
        words += u" %1 at the trace's ends were not whole and are left out."_s.arg(run.incompleteSteps);
    m_notice->say(MessageBar::Tone::Note, words,
                  {{u"Show it"_s,
                    [this, id = run.run] {
                        m_notice->clear();
                        showRun(id);
                    }},
                   {u"Dismiss"_s, [this] { m_notice->clear(); }}});
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
        sayUntilRunEnds(u"This run is going on. Stop it first (Shift+F5)."_s);
        return;
    }
    if (m_runController->deleted().contains(run))
        return;
    m_document->closeGesture();
    m_document->undoStack().push(new DeleteRun(m_runController, run));
    offerUndo(u"Run %1 is deleted."_s.arg(run), u"Undo"_s);
}

void MainWindow::offerUndo(const QString &words, const QString &button)
{
    m_undoNotice =
        m_notice->say(MessageBar::Tone::Note, words,
                      {{button, [this] { m_document->undoStack().undo(); }}, {u"Dismiss"_s, [this] { m_notice->clear(); }}});
}

void MainWindow::sayUntilRunEnds(const QString &sentence)
{
    m_runNotice = m_notice->say(MessageBar::Tone::Warning, sentence, {{u"Dismiss"_s, [this] { m_notice->clear(); }}});
}

} // namespace stagelens::ui
