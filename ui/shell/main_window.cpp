#include "ui/shell/main_window.h"
#include "ui/words/plain_text.h"

#include "engine/model/names.h"
#include "ui/controls/message_bar.h"
#include "ui/learn/lesson_picture.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/field_editor.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/metrics_panel.h"
#include "ui/panels/play_bar.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/scaled_copy_dialog.h"
#include "ui/panels/tool_strip.h"
#include "ui/shell/compare_controller.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/file_controller.h"
#include "ui/shell/import_controller.h"
#include "ui/shell/learn_page.h"
#include "ui/shell/notice_controller.h"
#include "ui/shell/run_controller.h"
#include "ui/shell/window_actions.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/scaled_copy.h"
#include "ui/state/view_state.h"
#include "ui/words/train_words.h"
#include "ui/words/words.h"

#include <QCloseEvent>
#include <QStackedWidget>
#include <QTableView>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
/// An illegal value is pointed at after this pause, so that typing "16" does not complain about "1".
constexpr int kProblemDelayMilliseconds = 600;
} // namespace

MainWindow::MainWindow(WindowOptions options, QWidget *parent)
    : QMainWindow(parent), m_options(std::move(options)),
      m_bridge(new EngineBridge(service::ServiceOptions{m_options.database, 0}, this)),
      m_document(new ExperimentDocument(this)), m_files(new FileController(m_document, m_options.remember, this)),
      m_forecast(new Forecast(m_bridge, m_document, this)), m_runController(new RunController(m_bridge, this)),
      m_view(new ViewState(this))
{
    keepLabelsPlain();
    m_problemDelay.setSingleShot(true);
    m_problemDelay.setInterval(kProblemDelayMilliseconds);
    m_actions = new WindowActions(m_document->undoStack().createUndoAction(this, u"&Undo"_s),
                                  m_document->undoStack().createRedoAction(this, u"&Redo"_s), this);
    buildTop();
    buildCentre();
    buildDocks();
    buildMenus();
    m_notice = std::make_unique<NoticeController>(m_noticeBar, &m_document->undoStack());
    m_compareController = std::make_unique<CompareController>(m_bridge, m_document, m_forecast, m_runController, m_compare);
    m_imports = std::make_unique<ImportController>(m_bridge, m_importBar);
    connectModel();
    connectRuns();
    connectSchedule();
    connectActions();
    connectFields();
    setAcceptDrops(true);
    restoreMemory();
    connectMemory();
    m_files->start(m_options.file);
    m_runController->refreshRuns();
    m_bridge->findBackends();
    if (m_options.calibrate)
        m_bridge->calibrateOnce();
}

MainWindow::~MainWindow()
{
    // The widgets listen to the model until the end; it must not speak to half-destroyed ones.
    for (QObject *speaker : std::initializer_list<QObject *>{m_bridge, m_document, m_forecast, m_runController, m_view})
        speaker->disconnect();
    m_document->undoStack().disconnect();
    // Hiding the widgets makes them speak as well, when this is no longer a MainWindow.
    for (QObject *child : findChildren<QObject *>())
        child->disconnect(this);
}

void MainWindow::connectModel()
{
    connect(m_forecast, &Forecast::changed, this, [this] {
        m_files->setSound(m_forecast->problems().empty());
        if (!m_forecast->isStale() && !m_forecast->isComputing())
            m_soundStep = m_document->undoStack().index();
        updateTrain();
        updateFigures();
        updateProblems(false);
        updateMethodDetails();
        updateExports();
    });
    connect(m_forecast, &Forecast::adviceChanged, this, &MainWindow::updateMethodDetails);
    connect(m_forecast, &Forecast::familiesChanged, this, &MainWindow::updateMethodDetails);
    connect(&m_problemDelay, &QTimer::timeout, this, &MainWindow::showProblems);
    connect(m_document, &ExperimentDocument::fileChanged, this, &MainWindow::updateTitle);
    connect(&m_document->undoStack(), &QUndoStack::indexChanged, this, &MainWindow::stepDone);
    connect(m_document, &ExperimentDocument::editing, m_view, &ViewState::hold);
    connect(m_document, &ExperimentDocument::edited, m_view, &ViewState::release);
    connect(m_files, &FileController::failed, m_notice.get(), &NoticeController::warn);
    connect(m_bridge, &EngineBridge::calibrated, m_forecast, &Forecast::refresh);
    for (const auto changedBy : {&ViewState::selectionChanged, &ViewState::markChanged})
        connect(m_view, changedBy, this, [this] { m_inspector->setText(m_explore->timeline()->describeSelection()); });
    connect(m_explore->timeline(), &TimelineView::gapForgotten, this,
            [this] { m_inspector->setText(m_explore->timeline()->describeSelection()); });
    connect(m_explore, &ExplorePage::gapExplained, m_inspector, &InspectorPanel::setText);
    connect(m_explore, &ExplorePage::showPlanAsked, this, &MainWindow::showPlanOfRun);
    connect(m_explore, &ExplorePage::trainAsked, m_actions->train, &QAction::trigger);
    connect(m_explore, &ExplorePage::fieldAsked, this, [this](const QString &field) {
        m_left->show();
        m_left->raise();
        m_editor->reveal(field);
    });
    connect(m_explore->headline(), &HeadlineBar::applied, this, &MainWindow::apply);
    connect(m_explore->headline(), &HeadlineBar::familyApplied, this, [this](const QString &family) {
        m_document->closeGesture();
        m_document->edit(u"schedule.family"_s, u"Schedule"_s, withFamily(m_document->experiment(), utf8(family)));
        m_document->closeGesture();
    });
    connect(m_explore->headline(), &HeadlineBar::fixApplied, this, &MainWindow::applyFix);
    connect(m_strip, &ToolStrip::shownChanged, this, [this] {
        if (m_strip->shown() != Shown::Predicted && !m_explore->run() && m_forecast->plan())
            m_runController->findRunsOf(m_forecast->plan()->experiment, 1, [this](const std::vector<store::RunSummary> &runs) {
                if (m_strip->shown() != Shown::Predicted && !m_explore->run() && !runs.empty())
                    m_runController->show(runs.front().id);
            });
        m_explore->setShown(m_strip->shown());
        updateExports();
    });
    connect(m_strip, &ToolStrip::measuredMenuOpens, this, &MainWindow::fillMeasured);
}

void MainWindow::connectRuns()
{
    connect(m_runController, &RunController::shownChanged, this, &MainWindow::updateFigures);
    connect(m_runController, &RunController::shownChanged, this, &MainWindow::updateExports);
    connect(m_runController, &RunController::trainingChanged, this, [this] {
        updateTrain();
        if (m_runController->isTraining())
            return;
        m_notice->clearRunWarning();
        if (m_closeWhenStopped)
            close();
    });
    connect(m_runController, &RunController::runsChanged, this, &MainWindow::updateRuns);
    connect(m_runController, &RunController::runsChanged, this, &MainWindow::tellInterrupted, Qt::SingleShotConnection);
    connect(m_runController, &RunController::storeProblemChanged, this, &MainWindow::updateStoreBar);
    connect(m_runController, &RunController::failed, m_notice.get(), &NoticeController::warn);
    connectRunsPanel();
    connect(m_compareController.get(), &CompareController::pageAsked, m_actions->compare, &QAction::trigger);
    connect(m_compareController.get(), &CompareController::failed, m_notice.get(), &NoticeController::warn);
    connect(m_imports.get(), &ImportController::failed, m_notice.get(), &NoticeController::warn);
    connect(m_imports.get(), &ImportController::imported, this, [this](qint64 run, const QString &words) {
        m_runController->refreshRuns();
        m_runs->setFolded(false);
        m_notice->say(MessageBar::Tone::Note, words, {u"Show it"_s, [this, run] { showRun(run); }});
    });
    connectSweep();
    connect(m_runs, &RunsPanel::unfolded, this, &MainWindow::giveRunsRoom);
    connect(m_runs, &RunsPanel::foldedByHand, this, [this] { m_foldedByHand = true; });
}

void MainWindow::connectFields()
{
    std::vector<FieldEditor *> editors = m_strip->editors();
    editors.insert(editors.end(), m_editor->editors().begin(), m_editor->editors().end());
    for (FieldEditor *editor : editors) {
        connect(editor, &FieldEditor::left, this, [this] { updateProblems(true); });
        if (editor->field().id == u"schedule.vocabulary"_s)
            connect(editor, &FieldEditor::choiceHovered, this, [this](const QString &value) {
                m_explore->setGhost(value.isEmpty() ? std::nullopt : model::parse<model::VocabularyMethod>(utf8(value)));
            });
        if (editor->field().id == u"training.backend"_s)
            connect(m_bridge, &EngineBridge::backendsFound, editor,
                    [editor](const std::vector<service::BackendInfo> &backends) {
                        for (const service::BackendInfo &backend : backends)
                            editor->setDetail(qtText(backend.name), backendWords(backend));
                    });
        if (editor->field().id != u"schedule.family"_s)
            continue;
        connect(editor, &FieldEditor::choiceHovered, m_explore, &ExplorePage::setGhostFamily);
        connect(editor, &FieldEditor::chosen, this, [this](const QString &family) {
            if (utf8(family) == model::kCustomFamily)
                offerCustomOrder();
        });
    }
}

void MainWindow::apply(model::VocabularyMethod method)
{
    m_document->closeGesture();
    m_document->edit(u"schedule.vocabulary"_s, u"Vocabulary layers"_s, withMethod(m_document->experiment(), method));
    m_document->closeGesture();
}

void MainWindow::updateTrain()
{
    const auto &plan = m_forecast->plan();
    const int steps = m_document->experiment().training.steps;
    const QString obstacle = trainingObstacle(plan, m_forecast->problems());
    const bool training = m_runController->isTraining();
    // Of a large plan it takes a while to find: once is enough until a run has changed what is free.
    if (!obstacle.isEmpty() || training)
        m_hindrance = {};
    else if (m_hindrance.first != plan)
        m_hindrance = {plan, machineObstacle(*plan)};
    const MachineObstacle &hindrance = m_hindrance.second;
    m_actions->train->setText(u"&Train %1 steps"_s.arg(steps));
    m_actions->train->setIconText(u"Train %1 steps"_s.arg(steps));
    m_actions->train->setEnabled(obstacle.isEmpty() && hindrance.words.isEmpty() && !training);
    m_actions->trainCopy->setEnabled(hindrance.copyHelps);
    m_actions->trainCopy->setToolTip(plainTip(hindrance.words + u" (F5)"_s));
    if (training)
        m_actions->train->setToolTip(u"A run is going on. Stop it with Shift+F5."_s);
    else if (!hindrance.words.isEmpty())
        m_actions->train->setToolTip(plainTip(hindrance.words));
    else
        m_actions->train->setToolTip(
            plainTip(obstacle.isEmpty() ? trainingWords(*plan, m_bridge->cores()) + u" (F5)"_s : obstacle));
    m_actions->stop->setEnabled(training && !m_runController->isStopping());
    m_strip->setProgress(m_runController->progressText());
}

void MainWindow::updateFigures()
{
    m_metrics->setFigures({m_forecast->plan(), m_forecast->comparableBaseline(), m_forecast->baselineName(), m_explore->run(),
                           m_explore->runDiffers(), m_forecast->isStale()});
}

void MainWindow::updateMethodDetails()
{
    const service::Advice *advice = m_forecast->advice();
    const auto detail = [](const auto &option) {
        QString text = option.iteration ? durationText(*option.iteration) : u"not possible here"_s;
        if (option.iteration && option.peakMemory)
            text += u" · "_s + bytesText(*option.peakMemory);
        return text;
    };
    std::vector<FieldEditor *> editors = m_strip->editors();
    editors.insert(editors.end(), m_editor->editors().begin(), m_editor->editors().end());
    for (FieldEditor *editor : editors) {
        if (editor->field().id == u"schedule.vocabulary"_s) {
            editor->clearDetails(); // figures of another plan would be wrong
            for (const service::Advice::Option &option : advice ? advice->options : std::vector<service::Advice::Option>())
                editor->setDetail(qtText(model::name(option.method)), detail(option));
        } else if (editor->field().id == u"schedule.family"_s) {
            editor->clearDetails();
            for (const FamilyOption &option : m_forecast->familyOptions().options)
                editor->setDetail(qtText(option.family), detail(option));
        }
    }
}

void MainWindow::updateTitle()
{
    setWindowTitle(u"%1[*] — Stagelens"_s.arg(m_document->title()));
    setWindowModified(m_document->isChanged());
}

void MainWindow::showPlanOfRun()
{
    if (m_runController->shown())
        takeOver(u"Show the plan of run %1"_s.arg(m_runController->shown()->record.summary.id),
                 m_runController->shown()->record.experiment);
}

void MainWindow::applyFix()
{
    if (const MemoryFix *fix = m_forecast->fix())
        takeOver(u"Use "_s + fix->words, fix->experiment);
}

void MainWindow::takeOver(const QString &label, const model::Experiment &resolved)
{
    model::Experiment next = loosened(resolved);
    model::Experiment automatic = next;
    automatic.training.mode.reset();
    if (model::resolved(automatic, m_bridge->cores()).training.mode == next.training.mode)
        next = automatic;
    if (next.hasModel) // else its costs are all that is known of it
        next.cost = m_document->experiment().cost;
    m_document->closeGesture();
    m_document->edit(u"plan"_s, label, std::move(next));
    m_document->closeGesture();
}

void MainWindow::offerScaledCopy()
{
    const auto copy = scaledCopy(m_document->experiment(), service::availableBytes());
    if (!copy) {
        m_notice->warn(u"No copy of this plan is small enough for this computer. Use fewer layers, devices or microbatches."_s);
        return;
    }
    auto *dialog = new ScaledCopyDialog(m_document->experiment(), *copy, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, copy = *copy] { m_document->replace(copy, {}, u"Scaled copy of "_s + m_document->title()); });
    dialog->open();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_runController->isTraining()) {
        event->ignore();
        if (m_closeWhenStopped)
            return;
        m_notice->warnUntilRunEnds(u"A run is going on. What it has measured so far is kept."_s,
                                   {{u"Stop and close"_s,
                                     [this] {
                                         m_closeWhenStopped = true;
                                         m_noticeBar->clear();
                                         m_runController->stop();
                                     }},
                                    {u"Keep open"_s, [this] { m_noticeBar->clear(); }}});
        return;
    }
    m_actions->presentation->setChecked(false);
    setDocksAside(false); // the next start finds the panes as they were
    m_runController->commitDeletions();
    m_files->flush();
    saveMemory();
    event->accept();
}

void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape) {
        QMainWindow::keyPressEvent(event);
        return;
    }
    // Escape never stops a run.
    if (m_actions->presentation->isChecked())
        m_actions->presentation->trigger();
    else if (m_explore->playBar()->isVisible())
        m_explore->playBar()->stop();
    else if (m_pages->currentWidget() == m_learn && m_learn->picture()->stopPlaying())
        return;
    else if (m_pages->currentWidget() != m_explore)
        m_actions->explore->trigger();
    else {
        m_view->clearMark();
        m_view->select(std::nullopt);
    }
}

} // namespace stagelens::ui
