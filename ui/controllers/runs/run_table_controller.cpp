#include "ui/controllers/runs/run_table_controller.h"

#include "ui/controllers/file_controller.h"
#include "ui/controllers/notice_controller.h"
#include "ui/panels/runs/run_plot_dialog.h"
#include "ui/panels/runs/runs_panel.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/state/run_database.h"
#include "ui/words/run_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QSettings>
#include <QUndoCommand>

#include <algorithm>
#include <ranges>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr std::size_t kNewestRuns = 10;

/// A step of undo between those of the plan, so that Ctrl+Z takes back what was done last. The run that was shown is shown
/// again.
class DeleteRuns : public QUndoCommand {
public:
    DeleteRuns(RunDatabase *database, RunController *controller, const std::vector<qint64> &runs)
        : QUndoCommand(runs.size() == 1 ? Words::tr("Delete run %1").arg(runs.front())
                                        : Words::tr("Delete %1 runs").arg(runs.size())),
          m_database(database), m_controller(controller), m_runs(runs), m_number(database->number())
    {}
    void undo() override
    {
        change(&RunDatabase::restore);
        if (!isObsolete() && m_shown)
            m_controller->show(*m_shown);
    }
    void redo() override
    {
        const service::RunSnapshotPtr &shown = m_controller->shown();
        const bool isOneOfThem = shown && std::ranges::count(m_runs, shown->record.summary.id) > 0;
        m_shown = isOneOfThem ? std::optional<qint64>(shown->record.summary.id) : std::nullopt;
        change(&RunDatabase::remove);
    }

private:
    void change(void (RunDatabase::*how)(store::RunId))
    {
        if (m_database->number() != m_number) {
            setObsolete(true);
            return;
        }
        for (const qint64 run : m_runs)
            (m_database->*how)(run);
    }
    RunDatabase *m_database;
    RunController *m_controller;
    std::vector<qint64> m_runs;
    std::optional<qint64> m_shown; ///< of them, when they were deleted
    int m_number;                  ///< of the database that the runs were deleted from
};

} // namespace

RunTableController::RunTableController(ExperimentDocument *document, Forecast *forecast, RunController *runController,
                                       RunDatabase *database, RunsPanel *panel, NoticeController *notice)
    : m_document(document), m_forecast(forecast), m_runController(runController), m_database(database), m_panel(panel),
      m_notice(notice)
{
    connectPanel();
    connect(m_database, &RunDatabase::runsChanged, this, &RunTableController::refresh);
    connect(m_forecast, &Forecast::changed, this, [this] {
        const auto &baseline = m_forecast->baseline();
        if (!baseline || m_baseline == baseline->experiment)
            return;
        m_baseline = baseline->experiment;
        m_panel->model()->forgetDifferences();
    });
}

void RunTableController::connectPanel()
{
    const auto readRows = [this](const std::vector<store::RunId> &runs) {
        m_database->readRows(
            runs, [this, runs](std::vector<store::RunSummary> rows) { m_panel->model()->takeRows(runs, std::move(rows)); });
    };
    const auto readDifference = [this](store::RunId run) {
        if (!m_forecast->baseline()) // differences are forgotten when there is one
            return;
        m_database->readDifference(m_baseline, run, [this, run, baseline = m_baseline](const QString &words) {
            if (baseline == m_baseline)
                m_panel->model()->takeDifference(run, words);
        });
    };
    m_panel->model()->setSource({readRows, readDifference});
    connect(m_panel, &RunsPanel::showAsked, this, &RunTableController::show);
    connect(m_panel, &RunsPanel::deleteAsked, this, &RunTableController::remove);
    connect(m_panel, &RunsPanel::renameAsked, m_database, &RunDatabase::rename);
    connect(m_panel, &RunsPanel::tagsAsked, m_database, &RunDatabase::setTags);
    connect(m_panel, &RunsPanel::noteAsked, m_database, &RunDatabase::setNote);
    connect(m_panel, &RunsPanel::filterChanged, m_database, &RunDatabase::setFilter);
    connect(m_panel, &RunsPanel::orderAsked, m_database, &RunDatabase::setOrder);
    connect(m_panel, &RunsPanel::typingEnded, this, &RunTableController::refresh);
    connect(m_panel, &RunsPanel::plotAsked, this, &RunTableController::plot);
    connect(m_panel, &RunsPanel::foldedByHand, this, [this] { m_isFoldedByHand = true; });
}

void RunTableController::refresh()
{
    m_panel->setRuns(m_database->table(), m_database->deleted());
    refreshPlot();
    if (!m_isFoldedByHand)
        m_panel->setFolded(m_panel->model()->total() < 2);
}

void RunTableController::plot()
{
    if (!m_plot) {
        m_plot = new RunPlotDialog(m_panel->window());
        m_plot->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_plot, &RunPlotDialog::showAsked, this, &RunTableController::show);
        connect(m_plot, &RunPlotDialog::compareAsked, m_panel, &RunsPanel::compareAsked);
        refreshPlot();
    }
    m_plot->show();
    m_plot->raise();
    m_plot->activateWindow();
}

void RunTableController::refreshPlot()
{
    if (!m_plot)
        return;
    std::vector<store::RunId> runs = m_database->runs().ids;
    std::erase_if(runs, [this](store::RunId run) { return m_database->deleted().contains(run); });
    const std::size_t found = runs.size();
    runs.resize(std::min(found, RunPlotDialog::kMostRuns));
    m_database->readRows(runs, [this, found](const std::vector<store::RunSummary> &rows) {
        if (m_plot)
            m_plot->setRuns(rows, found);
    });
}

void RunTableController::show(qint64 run)
{
    emit pageAsked();
    m_runController->show(run, {}, [this, run] {
        const auto &plan = m_forecast->plan();
        if (!plan || m_runController->shownDifferences(plan->experiment).empty())
            return;
        emit planOfRunAsked();
        m_notice->offerUndo(Words::tr("This is the plan of run %1.").arg(run), Words::tr("Back to my plan"));
    });
}

void RunTableController::remove(const std::vector<qint64> &runs)
{
    if (std::ranges::any_of(runs, [this](qint64 run) { return m_runController->isLive(run); })) {
        m_notice->warnUntilRunEnds(Words::tr("This run is going on. Stop it first (Shift+F5)."));
        return;
    }
    std::vector<qint64> left = runs;
    std::erase_if(left, [this](qint64 run) { return m_database->deleted().contains(run); });
    if (left.empty())
        return;
    m_document->closeGesture();
    m_document->undoStack().push(new DeleteRuns(m_database, m_runController, left));
    m_notice->offerUndo(left.size() == 1 ? Words::tr("Run %1 is deleted.").arg(left.front())
                                         : Words::tr("%1 runs are deleted.").arg(left.size()),
                        Words::tr("Undo"));
}

void RunTableController::warnOfInterrupted(const QString &database)
{
    const auto settings = windowSettings();
    const bool isKnown = settings->value(u"told/database"_s).toString() == database; // its numbers are no other's
    const qint64 told = isKnown ? settings->value(u"told/run"_s).toLongLong() : 0;
    std::vector<store::RunSummary> found;
    for (const store::RunSummary &run : m_database->table().firstRows | std::views::take(kNewestRuns))
        if (run.status == store::RunStatus::Interrupted && run.id > told)
            found.push_back(run);
    if (found.empty())
        return;
    const store::RunSummary &newest = *std::ranges::max_element(found, {}, &store::RunSummary::id);
    settings->setValue(u"told/database"_s, database);
    settings->setValue(u"told/run"_s, qint64{newest.id});
    const QString others = found.size() > 1 ? Words::tr(" So were %1 others.").arg(found.size() - 1) : QString();
    m_notice->say(MessageBar::Tone::Warning, badEnd(newest).words + Words::tr(" What was measured remains.") + others,
                  {Words::tr("Show it"), [this, id = newest.id] { show(id); }});
}

} // namespace stagelens::ui
