// How MainWindow's panes are placed, remembered and moved when the window is small.
#include "engine/base/file.h"
#include "engine/service/given_file.h"
#include "ui/controls/message_bar.h"
#include "ui/controls/theme.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/metrics_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/tool_strip.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/file_controller.h"
#include "ui/shell/import_controller.h"
#include "ui/shell/learn_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notice_controller.h"
#include "ui/shell/picture_export.h"
#include "ui/shell/run_controller.h"
#include "ui/shell/sweep_page.h"
#include "ui/shell/window_actions.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/view_state.h"
#include "ui/words/plain_text.h"
#include "ui/words/words.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFrame>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QScrollArea>
#include <QSettings>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr QSize kFirstSize{1440, 900};
/// Borders and title bar that the window manager adds; their true sizes are not known before the window is shown.
constexpr QMargins kWindowFrame{4, 32, 4, 4};
constexpr QSize kSmallestPage{240, 120};
constexpr int kNarrowWidth = 1200;
constexpr int kLowHeight = 760;
constexpr int kLeftWidth = 240;
constexpr int kRightWidth = 280;
constexpr const char *kWideWidth = "wideWidth"; ///< property of a dock: its width before the window became narrow
constexpr int kMemoryVersion = 1;
constexpr int kMemoryDelayMilliseconds = 500; ///< so that a crash loses no choice
constexpr int kRunsShare = 6;                 ///< of the window's height, one part for the runs

/// Menu and strip, which has more lines the narrower it is. The layout asks how high they are in the narrowest window; the
/// least height follows the width that the window has.
class TopArea : public QWidget {
public:
    using QWidget::QWidget;
    [[nodiscard]] int heightForWidth(int width) const override
    {
        return QWidget::heightForWidth(std::max(width, window()->width()));
    }
};
} // namespace

QRect fitted(const QRect &window, const QRect &available)
{
    const QRect room = available.marginsRemoved(kWindowFrame);
    QRect place(window.topLeft(), window.size().boundedTo(room.size()));
    place.moveLeft(std::clamp(place.left(), room.left(), room.right() + 1 - place.width()));
    place.moveTop(std::clamp(place.top(), room.top(), room.bottom() + 1 - place.height()));
    return place;
}

void MainWindow::buildTop()
{
    auto *top = new TopArea(this);
    auto *layout = new QVBoxLayout(top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_menuBar = new QMenuBar(top);
    m_menuBar->setCornerWidget(makeModeSwitch());
    m_strip = new ToolStrip(m_document, {m_actions->train, m_actions->trainCopy, m_actions->stop}, top);
    layout->addWidget(m_menuBar);
    layout->addWidget(m_strip);
    auto *line = new QFrame(top);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Sunken);
    layout->addWidget(line);
    setMenuWidget(top);
}

void MainWindow::buildCentre()
{
    auto *centre = new QWidget(this);
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(4);
    m_storeBar = new MessageBar(u"bar.store"_s, centre);
    m_importBar = new MessageBar(u"bar.import"_s, centre);
    m_noticeBar = new MessageBar(u"bar.notice"_s, centre);
    m_pages = new QStackedWidget(centre);
    m_explore = new ExplorePage(m_forecast, m_runController, m_view, m_pages);
    m_compare = new ComparePanel(m_pages);
    m_sweep = new SweepPage(m_bridge, m_document, m_pages);
    m_learn = new LearnPage(m_pages);
    for (QWidget *page : std::initializer_list<QWidget *>{m_explore, m_compare, m_sweep, m_learn}) // in the order of the modes
        m_pages->addWidget(page);
    layout->addWidget(m_storeBar);
    layout->addWidget(m_importBar);
    layout->addWidget(m_noticeBar);
    // A page that needs more than a small screen has is scrolled; it does not make the window larger.
    auto *scroll = new QScrollArea(centre);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumSize(kSmallestPage);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_pages);
    layout->addWidget(scroll, 1);
    setCentralWidget(centre);
}

void MainWindow::buildDocks()
{
    // Not animated: Qt 6.4 may crash in restoreState() while a dock is still on its way to its place.
    setDockOptions(AllowTabbedDocks);
    const auto makeDock = [this](const QString &name, const QString &title, QWidget *content, Qt::DockWidgetArea area) {
        auto *dock = new QDockWidget(title, this);
        dock->setObjectName(name);
        dock->setWidget(content);
        addDockWidget(area, dock);
        return dock;
    };
    m_editor = new ExperimentEditor(m_document, this);
    m_left = makeDock(u"dock.experiment"_s, u"Experiment"_s, m_editor, Qt::LeftDockWidgetArea);
    m_metrics = new MetricsPanel(this);
    m_inspector = new InspectorPanel(this);
    auto *figures = new QWidget(this);
    auto *layout = new QVBoxLayout(figures);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_metrics);
    auto *line = new QFrame(figures);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Sunken);
    layout->addWidget(line);
    layout->addWidget(m_inspector, 1);
    auto *scroll = new QScrollArea(this);
    scroll->setAccessibleName(u"Figures"_s);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(figures);
    m_right = makeDock(u"dock.figures"_s, u"Figures"_s, scroll, Qt::RightDockWidgetArea);
    m_runs = new RunsPanel(this);
    m_bottom = makeDock(u"dock.runs"_s, u"Runs"_s, m_runs, Qt::BottomDockWidgetArea);
    m_bottom->setTitleBarWidget(m_runs->header());
    m_left->setProperty(kWideWidth, kLeftWidth);
    m_right->setProperty(kWideWidth, kRightWidth);
    resizeDocks({m_left, m_right}, {kLeftWidth, kRightWidth}, Qt::Horizontal);
}

void MainWindow::buildMenus()
{
    m_actions->fill(m_menuBar, {m_left->toggleViewAction(), m_right->toggleViewAction(), m_bottom->toggleViewAction()});
    connect(m_actions->recent, &QMenu::aboutToShow, this, [this] { m_files->fillRecent(m_actions->recent); });
    connect(m_actions->examples, &QMenu::aboutToShow, this, [this] { m_files->fillExamples(m_actions->examples); });
}

void MainWindow::connectActions()
{
    const auto on = [this](QAction *action, auto run) { connect(action, &QAction::triggered, this, run); };
    on(m_actions->newExperiment, [this] { m_files->newExperiment(); });
    on(m_actions->open, [this] { m_files->openAsked(); });
    on(m_actions->save, [this] { m_files->save(); });
    on(m_actions->saveAs, [this] { m_files->saveAs(); });
    on(m_actions->importRun, [this] { m_imports->ask(); });
    on(m_actions->exportPng, [this] { exportAs(u"png"_s); });
    on(m_actions->exportSvg, [this] { exportAs(u"svg"_s); });
    on(m_actions->exportPdf, [this] { exportAs(u"pdf"_s); });
    on(m_actions->exportTrace, [this] { askAndExportData(u"chrome-trace"_s); });
    on(m_actions->exportCsv, [this] { askAndExportData(u"csv"_s); });
    on(m_actions->exportJson, [this] { askAndExportData(u"json"_s); });
    on(m_actions->quit, [this] { close(); });
    on(m_actions->copyPicture, [this] {
        if (const auto picture = pictureInFront())
            QApplication::clipboard()->setImage(imageOf(*picture));
    });
    on(m_actions->pinBaseline, [this] { m_forecast->pinBaseline(); });
    on(m_actions->unpinBaseline, [this] { m_forecast->unpinBaseline(); });
    on(m_actions->applyAdvice, [this] {
        const Headline &headline = m_explore->headline()->headline();
        if (headline.action)
            apply(*headline.action);
        else if (headline.isFix)
            applyFix();
    });
    on(m_actions->train, [this] { m_runController->train(m_document->experiment()); });
    on(m_actions->trainCopy, [this] { offerScaledCopy(); });
    on(m_actions->stop, [this] { m_runController->stop(); });
    on(m_actions->fit, [this] { m_view->fit(); });
    connectModes();
    connectPicture();
    on(m_actions->nextPane, [this] { nextPane(); });
    on(m_actions->systemAppearance, [] { applyAppearance(Appearance::System); });
    on(m_actions->light, [] { applyAppearance(Appearance::Light); });
    on(m_actions->dark, [] { applyAppearance(Appearance::Dark); });
    on(m_actions->keys, [this] { showText(u"Keys and mouse"_s, keyTable()); });
    on(m_actions->about, [this] {
        showText(u"About Stagelens"_s,
                 u"<p><b>Stagelens %1</b></p><p>Explorer and trainer of pipeline-parallel schedules with vocabulary "
                 "parallelism.</p><p>GPL-3.0-or-later. Data: %2</p>"_s.arg(
                     QApplication::applicationVersion(), qtText(m_bridge->service().databaseFile().string()).toHtmlEscaped()));
    });
}

void MainWindow::restoreMemory()
{
    resize(kFirstSize);
    if (!m_options.remember) {
        fitIntoScreen();
        return;
    }
    const auto settings = windowSettings();
    restoreGeometry(settings->value(u"geometry"_s).toByteArray());
    if (restoreState(settings->value(u"state"_s).toByteArray(), kMemoryVersion))
        m_narrow = settings->value(u"narrow"_s).toBool();
    fitIntoScreen(); // it may be another one, or scaled otherwise
    if (settings->contains(u"groups"_s))
        m_editor->setOpenGroups(settings->value(u"groups"_s).toStringList());
    if (settings->contains(u"runColumns"_s))
        m_runs->setColumns(settings->value(u"runColumns"_s).toStringList());
    const QString appearance = settings->value(u"appearance"_s).toString();
    if (appearance == u"dark"_s)
        m_actions->dark->trigger();
    else if (appearance == u"light"_s)
        m_actions->light->trigger();
}

void MainWindow::fitIntoScreen()
{
    if (windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen))
        return;
    const QScreen *under = QGuiApplication::screenAt(geometry().center());
    const QRect wanted = geometry();
    const QRect place = fitted(wanted, (under ? under : screen())->availableGeometry());
    // Before the window is shown, so that its panes are placed for the room there is, and do not widen it.
    setNarrow(place.width() < kNarrowWidth);
    m_explore->setLow(place.height() < kLowHeight);
    if (testAttribute(Qt::WA_Moved)) // else the window manager places it
        move(place.topLeft());
    resize(place.size());
}

void MainWindow::connectMemory()
{
    m_memoryDelay.setSingleShot(true);
    m_memoryDelay.setInterval(kMemoryDelayMilliseconds);
    connect(&m_memoryDelay, &QTimer::timeout, this, &MainWindow::saveMemory);
    const auto rememberAfter = [this](auto *sender, auto signal) {
        connect(sender, signal, &m_memoryDelay, qOverload<>(&QTimer::start));
    };
    for (QDockWidget *dock : {m_left, m_right, m_bottom}) {
        rememberAfter(dock, &QDockWidget::visibilityChanged);
        rememberAfter(dock, &QDockWidget::dockLocationChanged);
        rememberAfter(dock, &QDockWidget::topLevelChanged);
    }
    for (QAction *appearance : {m_actions->systemAppearance, m_actions->light, m_actions->dark})
        rememberAfter(appearance, &QAction::toggled);
    rememberAfter(m_editor, &ExperimentEditor::openGroupsChanged);
    rememberAfter(m_runs, &RunsPanel::columnsChanged);
}

void MainWindow::saveMemory()
{
    // While panes are set aside, their places are not what a person chose.
    if (!m_options.remember || m_aside)
        return;
    const auto settings = windowSettings();
    settings->setValue(u"geometry"_s, saveGeometry());
    settings->setValue(u"state"_s, saveState(kMemoryVersion));
    settings->setValue(u"narrow"_s, m_narrow);
    settings->setValue(u"groups"_s, m_editor->openGroups());
    settings->setValue(u"runColumns"_s, m_runs->columns());
    settings->setValue(u"appearance"_s, m_actions->dark->isChecked()    ? u"dark"_s
                                        : m_actions->light->isChecked() ? u"light"_s
                                                                        : u"system"_s);
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    if (!m_aside) // else when the docks come back
        setNarrow(width() < kNarrowWidth);
    m_explore->setLow(height() < kLowHeight);
    m_memoryDelay.start();
}

void MainWindow::setNarrow(bool narrow)
{
    if (narrow == m_narrow || m_right->isFloating())
        return;
    m_narrow = narrow;
    if (narrow) {
        for (QDockWidget *dock : {m_left, m_right})
            if (dock->isVisible())
                dock->setProperty(kWideWidth, dock->width());
        tabifyDockWidget(m_left, m_right);
        m_left->raise();
    } else {
        addDockWidget(Qt::RightDockWidgetArea, m_right);
        resizeDocks({m_left, m_right}, {m_left->property(kWideWidth).toInt(), m_right->property(kWideWidth).toInt()},
                    Qt::Horizontal);
    }
}

void MainWindow::giveRunsRoom()
{
    // The picture comes first: a low window shows a row or two and scrolls.
    const int most = m_runs->header()->sizeHint().height() + height() / kRunsShare;
    resizeDocks({m_bottom}, {std::min(m_runs->header()->sizeHint().height() + m_runs->sizeHint().height(), most)},
                Qt::Vertical);
}

void MainWindow::nextPane()
{
    QWidget *centre = m_pages->currentWidget() == m_explore ? m_explore->picture() : m_pages->currentWidget();
    QList<QWidget *> panes = {m_strip, m_editor, centre, m_right->widget(),
                              m_runs->isFolded() ? m_runs->header() : m_runs->table()};
    if (m_pages->currentWidget() == m_learn)
        panes = m_learn->panes();
    panes.removeIf([](const QWidget *pane) { return !pane->isVisible(); });
    if (panes.isEmpty())
        return;
    qsizetype current = panes.size() - 1;
    for (qsizetype i = 0; i < panes.size(); ++i) {
        if (QWidget *focus = QApplication::focusWidget(); focus && (panes[i] == focus || panes[i]->isAncestorOf(focus)))
            current = i;
    }
    QWidget *next = panes[(current + 1) % panes.size()];
    if (next->focusPolicy() == Qt::NoFocus || next == m_editor) {
        for (QWidget *child : next->findChildren<QWidget *>()) {
            if (child->isVisible() && child->isEnabled() && child->focusPolicy() & Qt::TabFocus) {
                child->setFocus(Qt::TabFocusReason);
                return;
            }
        }
    }
    next->setFocus(Qt::TabFocusReason);
}

void MainWindow::chooseDatabase()
{
    if (m_runController->isTraining()) {
        m_notice->warnUntilRunEnds(u"A run is going on. Stop it before another database is opened."_s);
        return;
    }
    const QString file = QFileDialog::getSaveFileName(this, u"Where runs are stored"_s, {}, u"Databases (*.db)"_s, nullptr,
                                                      QFileDialog::DontConfirmOverwrite);
    if (file.isEmpty())
        return;
    m_options.database = utf8(file);
    m_bridge->openDatabase(m_options.database);
    m_runController->databaseChanged();
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
        m_imports->importFiles(files);
    else
        m_files->openFile(files.constFirst());
}

} // namespace stagelens::ui
