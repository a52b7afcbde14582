#include "ui/shell/main_window.h"

#include "engine/service/plans/given_file.h"
#include "ui/controllers/compare_controller.h"
#include "ui/controllers/export_controller.h"
#include "ui/controllers/field_controller.h"
#include "ui/controllers/file_controller.h"
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
#include "ui/controllers/sensitivity_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/controls/theme.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/figures/figures_line.h"
#include "ui/panels/figures/metrics_panel.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/runs/runs_panel.h"
#include "ui/panels/settings_panel.h"
#include "ui/shell/focus_ring.h"
#include "ui/shell/pass_kinds.h"
#include "ui/shell/status_bar.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/state/run_database.h"
#include "ui/state/view_state.h"
#include "ui/strip/plan_strip.h"
#include "ui/timeline/pass_selection.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QTableView>
#include <QVBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

WindowModel makeModel(const WindowOptions &options, QWidget *window)
{
    WindowModel model = {};
    model.bridge = new EngineBridge(service::ServiceOptions{options.database, 0}, window);
    model.document = new ExperimentDocument(model.bridge, window);
    model.files = new FileController(model.document, options.remember, window);
    model.forecast = new Forecast(model.bridge, model.document, window);
    model.database = new RunDatabase(model.bridge, window);
    model.run = new RunController(model.bridge, model.database, window);
    model.view = new ViewState(window);
    QUndoStack &undo = model.document->undoStack();
    model.actions = new WindowActions(undo.createUndoAction(window, Words::tr("&Undo")),
                                      undo.createRedoAction(window, Words::tr("&Redo")), window);
    return model;
}

} // namespace

MainWindow::MainWindow(const WindowOptions &options, QWidget *parent)
    : QMainWindow(parent), m_model(makeModel(options, this)), m_widgets(std::make_unique<WindowWidgets>(this, m_model)),
      m_controllers(std::make_unique<WindowControllers>(this, m_model, *m_widgets, options.remember))
{
    keepLabelsPlain();
    new FocusRing(this);
    connectModel();
    connectInspector();
    connectActions();
    setAcceptDrops(true);
    m_controllers->panes->restore();
    m_widgets->explore->timeline()->setFocus(); // its keys work from the start
    m_model.files->start(options.file);
    m_model.database->refresh();
    m_model.bridge->findBackends();
    if (options.calibrate)
        m_model.bridge->calibrateOnce();
}

MainWindow::~MainWindow()
{
    // Ends the edit of a field while the document exists. A floating dock takes the focus from its fields only when it is
    // destroyed, after the document.
    if (QWidget *focused = QApplication::focusWidget())
        focused->clearFocus();
    // The widgets listen to the model until the end; it must not speak to half-destroyed ones.
    for (QObject *sender : std::initializer_list<QObject *>{m_model.bridge, m_model.document, m_model.forecast,
                                                            m_model.database, m_model.run, m_model.view})
        sender->disconnect();
    m_model.document->undoStack().disconnect();
    // Hiding the widgets makes them speak as well, when this is no longer a MainWindow.
    for (QObject *child : findChildren<QObject *>())
        child->disconnect(this);
}

void MainWindow::connectModel()
{
    connect(m_model.forecast, &Forecast::changed, this, &MainWindow::updateFigures);
    connect(m_model.run, &RunController::shownChanged, this, &MainWindow::updateFigures);
    connect(m_controllers->sensitivity.get(), &SensitivityController::changed, this, &MainWindow::updateFigures);
    connect(m_widgets->metrics, &MetricsPanel::passKindsAsked, this, [this] {
        const auto &plan = m_model.forecast->plan();
        const service::RunSnapshotPtr run = m_widgets->explore->run();
        if (plan && run && run->record.timeline)
            showPassKinds(this, *plan->timeline, *run->record.timeline, run->record.metrics.value_or(simulate::Metrics()),
                          run->record.iterations);
    });
    connect(m_model.forecast, &Forecast::changed, this, &MainWindow::updateStatus);
    connect(m_model.actions->editSchedule, &QAction::toggled, this, &MainWindow::updateStatus);
    connect(m_model.actions->explore, &QAction::toggled, this, &MainWindow::updateStatus);
    connect(m_model.document, &ExperimentDocument::fileChanged, this, &MainWindow::updateTitle);
    connect(m_model.run, &RunController::trainingChanged, this, [this] {
        if (m_model.run->isTraining())
            return;
        m_controllers->notice->clearRunWarning();
        if (m_closeWhenStopped)
            close();
    });
}

void MainWindow::connectInspector()
{
    const auto describe = [this] { m_widgets->inspector->setText(m_widgets->explore->timeline()->describeSelection()); };
    connect(m_model.view, &ViewState::selectionChanged, this, describe);
    connect(m_model.view, &ViewState::markChanged, this, describe);
    connect(m_widgets->explore->timeline(), &TimelineView::gapForgotten, this, describe);
    connect(m_widgets->explore, &ExplorePage::gapExplained, m_widgets->inspector, &InspectorPanel::setText);
    const auto nextStep = [this]() -> std::optional<NextStep> {
        auto step = m_widgets->explore->timeline()->nextStep(m_widgets->explore->headline()->headline());
        const bool isShown = step && step->kind == NextStep::Kind::CriticalPath && m_model.actions->criticalPath->isChecked();
        return isShown ? std::nullopt : std::move(step);
    };
    const auto offer = [this, nextStep] {
        const std::optional<NextStep> step = nextStep();
        m_widgets->inspector->setNext(step ? step->caption : QString(), step ? step->tip : QString());
    };
    connect(m_model.view, &ViewState::selectionChanged, this, offer);
    connect(m_model.view, &ViewState::markChanged, this, offer);
    connect(m_widgets->explore->timeline(), &TimelineView::gapForgotten, this, offer);
    connect(m_widgets->explore, &ExplorePage::gapExplained, this, offer);
    connect(m_model.actions->criticalPath, &QAction::toggled, this, offer);
    for (const auto verdictChanged : {&Forecast::changed, &Forecast::adviceChanged, &Forecast::familiesChanged})
        connect(m_model.forecast, verdictChanged, this, offer);
    connect(m_widgets->inspector, &InspectorPanel::nextAsked, this, [this, nextStep] {
        const std::optional<NextStep> step = nextStep();
        if (!step)
            return;
        switch (step->kind) {
        case NextStep::Kind::Fix: return m_widgets->explore->headline()->accept();
        case NextStep::Kind::Predecessor:
            return m_widgets->explore->timeline()->showPass(step->predecessor.group, step->predecessor.slice);
        case NextStep::Kind::CriticalPath: return m_model.actions->criticalPath->trigger();
        }
    });
    const auto openAt = [this](const QString &field) {
        m_widgets->left->show();
        m_widgets->left->raise();
        m_widgets->settings->reveal(field);
    };
    connect(m_widgets->explore, &ExplorePage::fieldAsked, this, openAt);
    connect(m_widgets->strip, &PlanStrip::fieldAsked, this, openAt);
}

void MainWindow::connectActions()
{
    const auto on = [this](QAction *action, auto run) { connect(action, &QAction::triggered, this, run); };
    on(m_model.actions->newExperiment, [this] { m_model.files->newExperiment(); });
    on(m_model.actions->open, [this] { m_model.files->openAsked(); });
    on(m_model.actions->save, [this] { m_model.files->save(); });
    on(m_model.actions->saveAs, [this] { m_model.files->saveAs(); });
    on(m_model.actions->importRun, [this] { m_controllers->imports->ask(); });
    on(m_model.actions->quit, [this] { close(); });
    on(m_model.actions->pinBaseline, [this] { m_widgets->explore->pinBaseline(); });
    on(m_model.actions->unpinBaseline, [this] { m_widgets->explore->unpinBaseline(); });
    on(m_model.actions->applyAdvice, [this] { m_widgets->explore->headline()->accept(); });
    on(m_model.actions->trainCopy, [this] { m_controllers->plan->offerScaledCopy(); });
    on(m_model.actions->costsFromRun, [this] { m_controllers->plan->useCostsOfRun(); });
    on(m_model.actions->importModel, [this] { m_model.files->importModelAsked(); });
    on(m_model.actions->settings, [this] {
        const bool isSeen = !m_widgets->left->visibleRegion().isEmpty();
        m_widgets->left->setVisible(!isSeen);
        if (isSeen)
            return;
        m_widgets->left->raise();
        m_widgets->settings->startSearch();
    });
    on(m_model.actions->nextPane, [this] {
        m_controllers->panes->focusNext(m_controllers->pages->panes(
            {m_widgets->strip, m_widgets->editor},
            {m_widgets->right->widget(),
             m_widgets->runs->isFolded() ? static_cast<QWidget *>(m_widgets->runs->foldButton()) : m_widgets->runs->table()}));
    });
    on(m_model.actions->systemAppearance, [] { applyAppearance(Appearance::System); });
    on(m_model.actions->light, [] { applyAppearance(Appearance::Light); });
    on(m_model.actions->dark, [] { applyAppearance(Appearance::Dark); });
    on(m_model.actions->keys, [this] { showText(Words::tr("Keys and mouse"), keyTable()); });
    on(m_model.actions->about, [this] { showAbout(); });
    connect(m_model.actions->recent, &QMenu::aboutToShow, this, [this] { m_model.files->fillRecent(m_model.actions->recent); });
    connect(m_model.actions->examples, &QMenu::aboutToShow, this,
            [this] { m_model.files->fillExamples(m_model.actions->examples); });
}

void MainWindow::updateFigures()
{
    const Figures figures{m_model.forecast->plan(),
                          m_model.forecast->comparableBaseline(),
                          m_model.forecast->baselineName(),
                          m_widgets->explore->run(),
                          m_widgets->explore->runDiffers(),
                          m_model.forecast->isStale(),
                          m_controllers->sensitivity->answer(),
                          m_controllers->sensitivity->isLate()};
    m_widgets->metrics->setFigures(figures);
    m_widgets->explore->figuresLine()->setFigures(figures);
}

void MainWindow::updateStatus()
{
    const auto &plan = m_model.forecast->plan();
    const QString runs = Words::tr("runs: %1").arg(qtText(m_model.bridge->service().databaseFile().filename().string()));
    m_widgets->status->setSources(plan ? Words::tr("Costs: %1").arg(costCaption(plan->experiment)) + u" · "_s + runs : runs);
    m_widgets->status->setMode(m_model.actions->editSchedule->isChecked() && m_model.actions->explore->isChecked()
                                   ? Words::tr("Editing: drag a pass to move it, its end to slow its device; Ctrl+Shift+E ends")
                                   : QString());
}

void MainWindow::updateTitle()
{
    setWindowTitle(u"%1[*] — Stagelens"_s.arg(m_model.document->title()));
    setWindowModified(m_model.document->isChanged());
}

void MainWindow::showText(const QString &title, const QString &richText)
{
    auto *dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    auto *layout = new QVBoxLayout(dialog);
    auto *label = markupLabel(richText, dialog);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(label);
    dialog->show();
}

void MainWindow::showAbout()
{
    showText(Words::tr("About Stagelens"),
             Words::tr("<p><b>Stagelens %1</b></p><p>Explorer and trainer of pipeline-parallel schedules with vocabulary "
                       "parallelism.</p><p>GPL-3.0-or-later. Data: %2</p>")
                 .arg(QApplication::applicationVersion(),
                      qtText(m_model.bridge->service().databaseFile().string()).toHtmlEscaped()));
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_model.run->isTraining()) {
        event->ignore();
        if (m_closeWhenStopped)
            return;
        const auto stopAndClose = [this] {
            m_closeWhenStopped = true;
            m_widgets->noticeBar->clear();
            m_model.run->stop();
        };
        m_controllers->notice->warnUntilRunEnds(
            Words::tr("A run is going on. What it has measured so far is kept."),
            {{Words::tr("Stop and close"), stopAndClose}, {Words::tr("Keep open"), [this] { m_widgets->noticeBar->clear(); }}});
        return;
    }
    m_model.actions->presentation->setChecked(false);
    m_controllers->panes->setDocksAside(PaneController::Aside::None); // the next start finds the panes as they were
    m_model.database->commitDeletions();
    m_model.files->flush();
    m_controllers->panes->save();
    event->accept();
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    if (m_controllers)
        m_controllers->panes->resized();
}

void MainWindow::changeEvent(QEvent *event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange && m_controllers) // once the panels have the colours as well
        QMetaObject::invokeMethod(this, &MainWindow::updateFigures, Qt::QueuedConnection);
}

void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && m_widgets->noticeBar->isVisible())
        m_widgets->noticeBar->clear();
    else if (event->key() == Qt::Key_Escape)
        m_controllers->pages->escape();
    else
        QMainWindow::keyPressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().constFirst().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    QStringList files;
    for (const QUrl &url : event->mimeData()->urls())
        files << url.toLocalFile();
    event->acceptProposedAction();
    // The traces of all ranks are one run; of anything else the first is meant.
    if (service::kindOfFile(utf8(files.constFirst())) == service::FileKind::Trace)
        m_controllers->imports->importFiles(files);
    else
        m_model.files->openFile(files.constFirst());
}

} // namespace stagelens::ui
