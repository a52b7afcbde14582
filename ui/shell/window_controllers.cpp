#include "ui/shell/window_controllers.h"

#include "ui/controllers/calibration_controller.h"
#include "ui/controllers/cluster_controller.h"
#include "ui/controllers/compare_controller.h"
#include "ui/controllers/export_controller.h"
#include "ui/controllers/field_controller.h"
#include "ui/controllers/file_controller.h"
#include "ui/controllers/levers_controller.h"
#include "ui/controllers/notice_controller.h"
#include "ui/controllers/page_controller.h"
#include "ui/controllers/pane_controller.h"
#include "ui/controllers/plan_controller.h"
#include "ui/controllers/problem_controller.h"
#include "ui/controllers/runs/import_controller.h"
#include "ui/controllers/runs/measured_controller.h"
#include "ui/controllers/runs/run_table_controller.h"
#include "ui/controllers/runs/store_controller.h"
#include "ui/controllers/runs/training_controller.h"
#include "ui/controllers/schedule_controller.h"
#include "ui/controllers/schedule_file_controller.h"
#include "ui/controllers/search_controller.h"
#include "ui/controllers/sensitivity_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/pages/explore_page.h"
#include "ui/pages/learn_page.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/runs/runs_panel.h"
#include "ui/shell/lecture_controller.h"
#include "ui/shell/status_bar.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/state/run_database.h"
#include "ui/state/view_state.h"
#include "ui/strip/plan_strip.h"
#include "ui/sweep/sweep_page.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QActionGroup>
#include <QCoreApplication>
#include <QProcess>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

WindowControllers::WindowControllers(QMainWindow *window, const WindowModel &model, const WindowWidgets &widgets, bool remember)
    : m_model(model), m_widgets(widgets)
{
    make(window, remember);
    connectModel();
    connectPlan();
    connectRuns(remember);
    connectNotices();
}

WindowControllers::~WindowControllers() = default;

void WindowControllers::make(QMainWindow *window, bool remember)
{
    notice = std::make_unique<NoticeController>(m_widgets.noticeBar, &m_model.document->undoStack());
    plan = std::make_unique<PlanController>(m_model.bridge, m_model.document, m_model.forecast, m_model.run, window);
    problems = std::make_unique<ProblemController>(m_model.bridge, m_model.document, m_model.forecast, m_widgets.problemBar,
                                                   m_widgets.fieldEditors());
    fields = std::make_unique<FieldController>(m_model.bridge, m_model.forecast, m_widgets.explore, m_widgets.fieldEditors(),
                                               m_widgets.strip);
    training = std::make_unique<TrainingController>(m_model.bridge, m_model.document, m_model.forecast, m_model.run,
                                                    m_model.actions, m_widgets.strip);
    measured = std::make_unique<MeasuredController>(m_model.forecast, m_model.run, m_model.database,
                                                    m_widgets.explore->shownSwitch(), m_widgets.explore);
    runTable = std::make_unique<RunTableController>(m_model.document, m_model.forecast, m_model.run, m_model.database,
                                                    m_widgets.runs, notice.get());
    store = std::make_unique<StoreController>(m_model.bridge, m_model.run, m_model.database, m_widgets.storeBar, notice.get());
    imports = std::make_unique<ImportController>(m_model.bridge, m_widgets.importBar);
    exports = std::make_unique<ExportController>(
        m_model.bridge, m_model.actions,
        ExportController::Pages{m_widgets.pages, m_widgets.explore, m_widgets.compare, m_widgets.sweep}, m_model.forecast,
        m_model.run, m_model.database);
    cluster = std::make_unique<ClusterController>(m_model.bridge, m_model.document, m_model.actions, window);
    calibration =
        std::make_unique<CalibrationController>(m_model.bridge, m_model.forecast, m_model.run, m_model.actions, notice.get());
    search = std::make_unique<SearchController>(
        SearchController::Parts{m_model.bridge, m_model.document, m_model.forecast, plan.get(), notice.get()}, m_model.actions);
    levers = std::make_unique<LeversController>(m_model.bridge, m_model.forecast, m_model.actions, window);
    shapes = std::make_unique<ShapeController>(m_model.bridge, m_model.forecast, m_model.actions, window);
    lecture = std::make_unique<LectureController>(m_model.bridge, m_model.actions, m_model.forecast, m_model.view,
                                                  m_widgets.explore, m_widgets.compare, m_widgets.learn, remember, window);
    compare = std::make_unique<CompareController>(m_model.bridge, m_model.document, m_model.forecast, m_model.database,
                                                  m_widgets.compare);
    schedule = std::make_unique<ScheduleController>(m_model.bridge, m_model.document, m_model.forecast, m_widgets.explore,
                                                    m_model.actions, notice.get());
    scheduleFiles = std::make_unique<ScheduleFileController>(m_model.bridge, m_model.document, m_model.forecast,
                                                             m_model.actions, notice.get(), window);
    sensitivity = std::make_unique<SensitivityController>(m_model.bridge, m_model.forecast, m_widgets.explore);
    panes = std::make_unique<PaneController>(window, PaneController::Docks{m_widgets.left, m_widgets.right, m_widgets.bottom},
                                             PaneController::Contents{m_widgets.editor, m_widgets.runs, m_widgets.explore},
                                             m_model.actions, remember);
    pages = std::make_unique<PageController>(
        window, m_model.actions,
        PageController::Pages{m_widgets.pages, m_widgets.explore, m_widgets.compare, m_widgets.sweep, m_widgets.learn},
        m_widgets.strip, m_model.view, panes.get());
}

void WindowControllers::connectModel()
{
    connect(m_model.forecast, &Forecast::changed, this,
            [this] { m_model.files->setValid(m_model.forecast->problems().empty()); });
    connect(m_model.document, &ExperimentDocument::editing, m_model.view, &ViewState::hold);
    connect(m_model.document, &ExperimentDocument::edited, m_model.view, &ViewState::release);
    connect(m_model.bridge, &EngineBridge::calibrated, m_model.forecast, &Forecast::refresh);
    connect(m_model.files, &FileController::scheduleGiven, scheduleFiles.get(), &ScheduleFileController::open);
    connect(m_model.files, &FileController::traceGiven, imports.get(),
            [this](const QString &file) { imports->importFiles({file}); });
}

void WindowControllers::connectPlan()
{
    HeadlineBar *headline = m_widgets.explore->headline();
    connect(headline, &HeadlineBar::chosen, plan.get(), &PlanController::chooseAlternative);
    connect(headline, &HeadlineBar::fixApplied, plan.get(), &PlanController::applyFix);
    connect(headline, &HeadlineBar::shapesAsked, m_model.actions->shapes, &QAction::trigger);
    connect(headline, &HeadlineBar::repairAsked, problems.get(), &ProblemController::repair);
    connect(problems.get(), &ProblemController::judged, m_widgets.explore, &ExplorePage::setProblem);
    connect(problems.get(), &ProblemController::orderRepairAsked, schedule.get(), &ScheduleController::repair);
    connect(m_model.actions->explore, &QAction::toggled, problems.get(), &ProblemController::setCardShown);
    connect(levers.get(), &LeversController::applied, plan.get(), &PlanController::applyLever);
    connect(shapes.get(), &ShapeController::applied, plan.get(), &PlanController::applyLever);
    connect(shapes.get(), &ShapeController::compareAsked, compare.get(), &CompareController::comparePlans);
    connect(m_widgets.explore, &ExplorePage::showPlanAsked, plan.get(), &PlanController::showPlanOfRun);
    connect(m_widgets.explore, &ExplorePage::trainAsked, m_model.actions->train, &QAction::trigger);
    connect(m_widgets.sweep, &SweepPage::openAsked, plan.get(), &PlanController::open);
    connect(m_widgets.learn, &LearnPage::familyAsked, plan.get(), &PlanController::tryFamily);
    connect(m_widgets.learn, &LearnPage::methodAsked, plan.get(), &PlanController::chooseMethod);
    connect(m_widgets.learn, &LearnPage::planAsked, m_model.document,
            [this](const model::Experiment &experiment, const QString &title) {
                m_model.document->replace(experiment, {}, title);
            });
    connect(m_widgets.sweep, &SweepPage::openAsked, m_model.actions->explore, &QAction::trigger);
    connect(m_widgets.learn, &LearnPage::familyAsked, m_model.actions->explore, &QAction::trigger);
    connect(m_widgets.learn, &LearnPage::methodAsked, m_model.actions->explore, &QAction::trigger);
    connect(m_widgets.learn, &LearnPage::planAsked, m_model.actions->explore, &QAction::trigger);
    connect(m_model.actions->editSchedule, &QAction::toggled, problems.get(), &ProblemController::setTextShown);
    connect(problems.get(), &ProblemController::textAsked, m_model.actions->editSchedule,
            [this] { m_model.actions->editSchedule->setChecked(true); });
    connect(problems.get(), &ProblemController::marked, m_widgets.strip, &PlanStrip::setProblems);
    connect(problems.get(), &ProblemController::scheduleFileAsked, scheduleFiles.get(), &ScheduleFileController::askOpen);
    connect(schedule.get(), &ScheduleController::fileAsked, scheduleFiles.get(), &ScheduleFileController::askOpen);
    connect(fields.get(), &FieldController::customOrderChosen, schedule.get(), &ScheduleController::offerCustomOrder);
}

void WindowControllers::connectRuns(bool remember)
{
    connect(training.get(), &TrainingController::obstacleChanged, m_widgets.status, &StatusBar::setObstacle);
    connect(m_model.run, &RunController::trainingChanged, m_widgets.sweep,
            [this] { m_widgets.sweep->setTraining(m_model.run->isTraining()); });
    connect(m_model.run, &RunController::shownChanged, m_model.actions->costsFromRun, [this] {
        m_model.actions->costsFromRun->setEnabled(m_model.run->shown() && m_model.run->shown()->record.timeline);
    });
    if (remember)
        connect(
            m_model.database, &RunDatabase::runsChanged, runTable.get(),
            [this] { runTable->warnOfInterrupted(qtText(m_model.bridge->service().databaseFile().string())); },
            Qt::SingleShotConnection);
    connect(m_model.files, &FileController::restored, measured.get(), &MeasuredController::showNewest);
    connect(runTable.get(), &RunTableController::pageAsked, m_model.actions->explore, &QAction::trigger);
    connect(runTable.get(), &RunTableController::planOfRunAsked, plan.get(), &PlanController::showPlanOfRun);
    connect(m_widgets.runs, &RunsPanel::compareAsked, compare.get(), &CompareController::compareRuns);
    connect(m_widgets.runs, &RunsPanel::importAsked, imports.get(), &ImportController::ask);
    connect(m_widgets.runs, &RunsPanel::exportAsked, exports.get(), &ExportController::exportRun);
    connect(compare.get(), &CompareController::pageAsked, m_model.actions->compare, &QAction::trigger);
    connect(m_widgets.learn, &LearnPage::compareAsked, compare.get(), &CompareController::compareRuns);
    connect(m_widgets.sweep, &SweepPage::compareAsked, compare.get(), &CompareController::comparePlans);
    connect(m_widgets.sweep, &SweepPage::runsChanged, m_model.database, &RunDatabase::refresh);
    connect(imports.get(), &ImportController::imported, this, [this](qint64 run, const QString &words) {
        m_model.database->refresh();
        m_widgets.runs->setFolded(false);
        notice->say(MessageBar::Tone::Note, words, {Words::tr("Show it"), [this, run] { runTable->show(run); }});
    });
}

void WindowControllers::connectNotices()
{
    const auto warn = [this](auto *sender, auto failed) { connect(sender, failed, notice.get(), &NoticeController::warn); };
    warn(m_model.files, &FileController::failed);
    connect(m_model.files, &FileController::told, this,
            [this](const QString &words) { notice->say(MessageBar::Tone::Note, words); });
    connect(m_model.actions->languages, &QActionGroup::triggered, this, [this](const QAction *language) {
        notice->say(MessageBar::Tone::Note,
                    language->data().toString().isEmpty()
                        ? Words::tr("From the next start, Stagelens uses the language of the desktop.")
                        : Words::tr("From the next start, Stagelens uses this language: %1.").arg(language->text()),
                    {Words::tr("Restart now"), [window = m_widgets.noticeBar->window()] {
                         if (window->close()) // not during a run
                             QProcess::startDetached(QCoreApplication::applicationFilePath(),
                                                     QCoreApplication::arguments().mid(1));
                     }});
    });
    connect(pages.get(), &PageController::written, this, [this](const QString &file) {
        notice->say(MessageBar::Tone::Note, Words::tr("The animation is in %1.").arg(file));
    });
    warn(m_model.run, &RunController::failed);
    warn(m_model.database, &RunDatabase::failed);
    warn(plan.get(), &PlanController::failed);
    warn(imports.get(), &ImportController::failed);
    warn(exports.get(), &ExportController::failed);
    warn(cluster.get(), &ClusterController::failed);
    warn(m_widgets.learn, &LearnPage::failed);
    warn(compare.get(), &CompareController::failed);
    warn(sensitivity.get(), &SensitivityController::failed);
    warn(pages.get(), &PageController::failed);
}

} // namespace stagelens::ui
