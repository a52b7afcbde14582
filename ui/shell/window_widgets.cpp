#include "ui/shell/window_widgets.h"

#include "ui/controllers/window_actions.h"
#include "ui/controls/button_style.h"
#include "ui/controls/message_bar.h"
#include "ui/controls/toast_stack.h"
#include "ui/pages/explore_page.h"
#include "ui/pages/learn_page.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/figures/metrics_panel.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/runs/runs_panel.h"
#include "ui/panels/settings_panel.h"
#include "ui/shell/page_scroll.h"
#include "ui/shell/status_bar.h"
#include "ui/shell/window_model.h"
#include "ui/strip/plan_strip.h"
#include "ui/sweep/sweep_page.h"
#include "ui/words/tr.h"

#include <QActionGroup>
#include <QDockWidget>
#include <QFrame>
#include <QHBoxLayout>
#include <QMainWindow>
#include <QMenuBar>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr QSize kSmallestPage{240, 120};
constexpr int kLayoutMilliseconds = 50;

QFrame *makeLine(QWidget *parent)
{
    auto *line = new QFrame(parent);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Sunken);
    return line;
}
} // namespace

WindowWidgets::WindowWidgets(QMainWindow *window, const WindowModel &model)
{
    buildTop(window, model);
    buildCentre(window, model);
    buildDocks(window, model);
    buildStatus(window);
    model.actions->fill(menuBar, {left->toggleViewAction(), right->toggleViewAction(), bottom->toggleViewAction()});
}

QWidget *WindowWidgets::makeModeSwitch(const WindowActions &actions)
{
    auto *modes = new QWidget(menuBar);
    auto *row = new QHBoxLayout(modes);
    row->setContentsMargins(0, 4, 8, 4);
    row->setSpacing(0);
    QList<QToolButton *> buttons;
    for (QAction *mode : actions.modes->actions()) {
        auto *button = new QToolButton(modes);
        button->setObjectName(u"mode."_s + mode->objectName().section(u'.', 1));
        button->setDefaultAction(mode);
        button->setFocusPolicy(Qt::StrongFocus);
        row->addWidget(button);
        buttons << button;
    }
    makeSegments(buttons);
    return modes;
}

void WindowWidgets::buildTop(QMainWindow *window, const WindowModel &model)
{
    auto *top = new QWidget(window);
    auto *layout = new QVBoxLayout(top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    menuBar = new QMenuBar(top);
    menuBar->setCornerWidget(makeModeSwitch(*model.actions));
    strip = new PlanStrip(model.document,
                          {model.actions->train, model.actions->trainCopy, model.actions->stop, model.actions->settings}, top);
    strip->addCommands(u"model.preset"_s, {model.actions->importModel});
    strip->addCommands(u"cost.hardware"_s, {model.actions->shapes, model.actions->copyHardware, model.actions->calibrate});
    strip->addCommands(u"schedule.family"_s, {model.actions->searchSchedules});
    layout->addWidget(menuBar);
    layout->addWidget(strip);
    layout->addWidget(makeLine(top));
    window->setMenuWidget(top);
}

void WindowWidgets::buildCentre(QMainWindow *window, const WindowModel &model)
{
    auto *centre = new QWidget(window);
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(4);
    pages = new QStackedWidget(centre);
    explore = new ExplorePage(model.bridge, model.forecast, model.run, model.view, pages);
    compare = new ComparePanel(pages);
    sweep = new SweepPage(model.bridge, model.document, pages);
    learn = new LearnPage(model.bridge, pages);
    for (QWidget *page : std::initializer_list<QWidget *>{explore, compare, sweep, learn}) // in the order of the modes
        pages->addWidget(page);
    // A page that needs more than a small screen has is scrolled; it does not make the window larger.
    auto *scroll = new PageScroll(centre);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumSize(kSmallestPage);
    scroll->setWidgetResizable(true);
    scroll->setWidget(pages);
    layout->addWidget(scroll, 1);
    // Later: the part has its place only after the layouts around it.
    QObject::connect(explore, &ExplorePage::partAsked, scroll, [scroll](QWidget *part) {
        QTimer::singleShot(kLayoutMilliseconds, scroll, [scroll, part] { scroll->ensureWidgetVisible(part); });
    });
    auto *toasts = new ToastStack(centre);
    problemBar = toasts->add(u"bar.problem"_s);
    noticeBar = toasts->add(u"bar.notice"_s);
    window->setCentralWidget(centre);
}

void WindowWidgets::buildStatus(QMainWindow *window)
{
    status = new StatusBar(runs->foldButton(), window);
    storeBar = new MessageBar(u"bar.store"_s, status, MessageBar::Form::Line);
    importBar = new MessageBar(u"bar.import"_s, status, MessageBar::Form::Line);
    for (MessageBar *message : {storeBar, importBar, explore->provenanceBar()})
        status->add(message);
    window->setStatusBar(status);
}

void WindowWidgets::buildDocks(QMainWindow *window, const WindowModel &model)
{
    // Not animated: Qt 6.4 may crash in restoreState() while a dock is still on its way to its place.
    window->setDockOptions(QMainWindow::AllowTabbedDocks);
    const auto makeDock = [window](const QString &name, const QString &title, QWidget *content, Qt::DockWidgetArea area) {
        auto *dock = new QDockWidget(title, window);
        dock->setObjectName(name);
        dock->setWidget(content);
        window->addDockWidget(area, dock);
        return dock;
    };
    settings = new SettingsPanel(model.document, window);
    editor = settings->editor();
    left = makeDock(u"dock.experiment"_s, Words::tr("All settings"), settings, Qt::LeftDockWidgetArea);
    left->hide();
    right = makeDock(u"dock.figures"_s, Words::tr("Figures"), makeFigures(window), Qt::RightDockWidgetArea);
    runs = new RunsPanel(window);
    bottom = makeDock(u"dock.runs"_s, Words::tr("Runs"), runs, Qt::BottomDockWidgetArea);
    bottom->setTitleBarWidget(runs->header());
    bottom->hide(); // as the runs are folded
}

QWidget *WindowWidgets::makeFigures(QMainWindow *window)
{
    metrics = new MetricsPanel(window);
    inspector = new InspectorPanel(window);
    auto *figures = new QWidget(window);
    auto *layout = new QVBoxLayout(figures);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(metrics);
    layout->addWidget(makeLine(figures));
    layout->addWidget(inspector, 1);
    auto *scroll = new QScrollArea(window);
    scroll->setAccessibleName(Words::tr("Figures"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(figures);
    return scroll;
}

std::vector<FieldEditor *> WindowWidgets::fieldEditors() const
{
    std::vector<FieldEditor *> editors = strip->editors();
    editors.insert(editors.end(), editor->editors().begin(), editor->editors().end());
    return editors;
}

} // namespace stagelens::ui
