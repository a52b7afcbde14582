#include "ui/controllers/pane_controller.h"

#include "ui/controllers/file_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/runs/runs_panel.h"

#include <QActionGroup>
#include <QApplication>
#include <QChildEvent>
#include <QDockWidget>
#include <QMainWindow>
#include <QScreen>
#include <QSettings>
#include <QTabBar>

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr QSize kFirstSize{1440, 900};
/// Borders and title bar that the window manager adds; their true sizes are not known before the window is shown.
constexpr QMargins kWindowFrame{4, 32, 4, 4};
constexpr int kNarrowWidth = 1200;
constexpr int kLowHeight = 760;
constexpr int kLeftWidth = 280;
constexpr int kRightWidth = 280;
constexpr const char *kWideWidth = "wideWidth"; ///< property of a dock: its width before the window became narrow
constexpr int kMemoryVersion = 1;
constexpr int kFrameMilliseconds = 300;     ///< after which a window manager has drawn the frame of a new window
constexpr int kSaveDelayMilliseconds = 500; ///< so that a crash loses no choice
constexpr int kRunsShare = 6;               ///< of the window's height, one part for the runs
} // namespace

QRect fitted(const QRect &window, const QRect &available)
{
    const QRect room = available.marginsRemoved(kWindowFrame);
    QRect place(window.topLeft(), window.size().boundedTo(room.size()));
    place.moveLeft(std::clamp(place.left(), room.left(), room.right() + 1 - place.width()));
    place.moveTop(std::clamp(place.top(), room.top(), room.bottom() + 1 - place.height()));
    return place;
}

PaneController::PaneController(QMainWindow *window, const Docks &docks, const Contents &contents, WindowActions *actions,
                               bool remember)
    : m_window(window), m_docks(docks), m_contents(contents), m_actions(actions), m_remember(remember)
{
    m_window->installEventFilter(this);
    m_docks.left->setProperty(kWideWidth, kLeftWidth);
    m_docks.right->setProperty(kWideWidth, kRightWidth);
    resizeDock(m_docks.left, kLeftWidth, Qt::Horizontal);
    resizeDock(m_docks.right, kRightWidth, Qt::Horizontal);
    connect(m_contents.runs, &RunsPanel::foldedChanged, this, [this](bool folded) { setRunsShown(!folded); });
    connect(m_docks.right, &QDockWidget::visibilityChanged, this, &PaneController::arrangeFigures);
    connect(m_docks.right->toggleViewAction(), &QAction::triggered, m_docks.right, &QDockWidget::raise);
    connect(m_contents.runs, &RunsPanel::unfolded, this, &PaneController::giveRunsRoom);
    connect(m_docks.bottom->toggleViewAction(), &QAction::triggered, m_contents.runs,
            [this](bool shown) { m_contents.runs->foldByHand(!shown); });
}

void PaneController::restore()
{
    m_window->resize(kFirstSize);
    if (!m_remember) {
        fitIntoScreen();
        connectMemory();
        return;
    }
    const auto settings = windowSettings();
    m_window->restoreGeometry(settings->value(u"geometry"_s).toByteArray());
    if (m_window->restoreState(settings->value(u"state"_s).toByteArray(), kMemoryVersion))
        m_narrow = settings->value(u"narrow"_s).toBool();
    m_areFiguresShown = settings->value(u"figures"_s, true).toBool();
    setRunsShown(!m_contents.runs->isFolded());
    fitIntoScreen(); // it may be another one, or scaled otherwise
    arrangeFigures();
    if (settings->contains(u"groups"_s))
        m_contents.editor->setOpenGroups(settings->value(u"groups"_s).toStringList());
    if (settings->contains(u"runColumns"_s))
        m_contents.runs->setColumns(settings->value(u"runColumns"_s).toStringList());
    if (settings->contains(u"runs"_s))
        m_contents.runs->foldByHand(!settings->value(u"runs"_s).toBool());
    const QString appearance = settings->value(u"appearance"_s).toString();
    if (appearance == u"dark"_s)
        m_actions->dark->trigger();
    else if (appearance == u"light"_s)
        m_actions->light->trigger();
    for (QAction *language : m_actions->languages->actions())
        if (language->data() == settings->value(u"language"_s, QString()))
            language->setChecked(true);
    connectMemory();
}

void PaneController::connectMemory()
{
    m_saveDelay.setSingleShot(true);
    m_saveDelay.setInterval(kSaveDelayMilliseconds);
    connect(&m_saveDelay, &QTimer::timeout, this, &PaneController::save);
    const auto rememberAfter = [this](auto *sender, auto signal) {
        connect(sender, signal, &m_saveDelay, qOverload<>(&QTimer::start));
    };
    for (QDockWidget *dock : docks()) {
        rememberAfter(dock, &QDockWidget::visibilityChanged);
        rememberAfter(dock, &QDockWidget::dockLocationChanged);
        rememberAfter(dock, &QDockWidget::topLevelChanged);
    }
    for (QAction *appearance : {m_actions->systemAppearance, m_actions->light, m_actions->dark})
        rememberAfter(appearance, &QAction::toggled);
    rememberAfter(m_actions->languages, &QActionGroup::triggered);
    rememberAfter(m_contents.editor, &ExperimentEditor::openGroupsChanged);
    rememberAfter(m_contents.runs, &RunsPanel::columnsChanged);
    connect(m_contents.runs, &RunsPanel::foldedByHand, this, [this] {
        m_areRunsChosen = true;
        m_saveDelay.start();
    });
}

void PaneController::save()
{
    // While panes are set aside, their places are not what a person chose.
    if (!m_remember || m_asideNow != Aside::None)
        return;
    const auto settings = windowSettings();
    settings->setValue(u"geometry"_s, m_window->saveGeometry());
    settings->setValue(u"state"_s, m_window->saveState(kMemoryVersion));
    settings->setValue(u"narrow"_s, m_narrow);
    settings->setValue(u"figures"_s, m_areFiguresShown);
    if (m_areRunsChosen)
        settings->setValue(u"runs"_s, !m_contents.runs->isFolded());
    settings->setValue(u"groups"_s, m_contents.editor->openGroups());
    settings->setValue(u"runColumns"_s, m_contents.runs->columns());
    if (const QAction *language = m_actions->languages->checkedAction())
        settings->setValue(u"language"_s, language->data());
    settings->setValue(u"appearance"_s, m_actions->dark->isChecked()    ? u"dark"_s
                                        : m_actions->light->isChecked() ? u"light"_s
                                                                        : u"system"_s);
}

void PaneController::fitIntoScreen()
{
    if (m_window->windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen))
        return;
    const QScreen *under = QGuiApplication::screenAt(m_window->geometry().center());
    const QRect wanted = m_window->geometry();
    const QRect place = fitted(wanted, (under ? under : m_window->screen())->availableGeometry());
    // Before the window is shown, so that its panes are placed for the room there is, and do not widen it.
    setNarrow(place.width() < kNarrowWidth);
    m_contents.explore->setLow(place.height() < kLowHeight);
    if (m_window->testAttribute(Qt::WA_Moved)) // else the window manager places it
        m_window->setGeometry(place);          // without its frame, as `wanted`: move() would push it down at every start
    else
        m_window->resize(place.size());
}

void PaneController::keepFrameInside()
{
    if (m_window->windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen))
        return;
    const QRect frame = m_window->frameGeometry();
    const QRect room = m_window->screen()->availableGeometry();
    if (room.contains(frame) || frame.width() > room.width() || frame.height() > room.height())
        return;
    m_window->move(std::clamp(frame.left(), room.left(), room.right() + 1 - frame.width()),
                   std::clamp(frame.top(), room.top(), room.bottom() + 1 - frame.height()));
}

void PaneController::resized()
{
    if (m_asideNow == Aside::None) // else when the docks come back
        setNarrow(m_window->width() < kNarrowWidth);
    m_contents.explore->setLow(m_window->height() < kLowHeight);
    m_saveDelay.start();
}

void PaneController::setNarrow(bool narrow)
{
    if (narrow == m_narrow || m_docks.right->isFloating())
        return;
    m_narrow = narrow;
    if (narrow) {
        m_areFiguresShown = !m_docks.right->isHidden();
        for (QDockWidget *dock : {m_docks.left, m_docks.right})
            if (dock->isVisible())
                dock->setProperty(kWideWidth, dock->width());
        m_window->tabifyDockWidget(m_docks.left, m_docks.right);
        m_docks.right->hide(); // the page has them in a line
    } else {
        m_window->addDockWidget(Qt::RightDockWidgetArea, m_docks.right);
        m_docks.right->setVisible(m_areFiguresShown || !m_docks.right->isHidden());
        for (QDockWidget *dock : {m_docks.left, m_docks.right})
            resizeDock(dock, dock->property(kWideWidth).toInt(), Qt::Horizontal);
    }
    arrangeFigures();
}

void PaneController::arrangeFigures()
{
    m_contents.explore->setFiguresLineShown(m_narrow && m_docks.right->isHidden());
}

void PaneController::setDocksAside(Aside aside)
{
    if (aside == m_asideNow)
        return;
    m_asideNow = aside;
    const auto isMeant = [this, aside](const QDockWidget *dock) {
        return aside == Aside::All || (aside == Aside::OfThePlan && dock != m_docks.bottom);
    };
    const auto kept =
        std::stable_partition(m_aside.begin(), m_aside.end(), [&isMeant](const SetAside &each) { return isMeant(each.dock); });
    const std::vector<SetAside> back(kept, m_aside.end());
    m_aside.erase(kept, m_aside.end());
    std::vector<SetAside> hidden;
    for (QDockWidget *dock : docks()) {
        const bool isHidden = std::ranges::any_of(m_aside, [dock](const SetAside &each) { return each.dock == dock; });
        // Of those behind one another only the front one is seen.
        if (isMeant(dock) && !isHidden && dock->toggleViewAction()->isChecked())
            hidden.push_back({dock, dock->size(), !dock->visibleRegion().isEmpty()});
    }
    for (const SetAside &each : hidden)
        each.dock->hide();
    m_aside.insert(m_aside.end(), hidden.begin(), hidden.end());
    showAgain(back);
}

void PaneController::showAgain(const std::vector<SetAside> &shown)
{
    if (shown.empty())
        return;
    for (const SetAside &each : shown)
        each.dock->show();
    // Not restoreState(): Qt 6.4 crashes in it where the mouse has hold of a dock's border.
    const auto restoreSizes = [this, shown] {
        for (const SetAside &each : shown) {
            resizeDock(each.dock, each.size.width(), Qt::Horizontal);
            resizeDock(each.dock, each.size.height(), Qt::Vertical);
        }
    };
    restoreSizes();
    QTimer::singleShot(0, this, restoreSizes); // once the window has left a screen that was narrower
    for (const SetAside &each : shown)
        if (each.isInFront && !m_window->tabifiedDockWidgets(each.dock).isEmpty())
            each.dock->raise();
}

void PaneController::setRunsShown(bool shown)
{
    if (m_asideNow != Aside::All) {
        m_docks.bottom->setVisible(shown);
        return;
    }
    std::erase_if(m_aside, [this](const SetAside &each) { return each.dock == m_docks.bottom; });
    if (shown)
        m_aside.push_back({m_docks.bottom, m_docks.bottom->size(), true});
}

bool PaneController::eventFilter(QObject *watched, QEvent *event)
{
    // Qt 6.4 crashes where the mouse moves a tab of docks while the window gives them other places.
    if (watched == m_window && event->type() == QEvent::ChildPolished)
        if (auto *tabs = qobject_cast<QTabBar *>(static_cast<QChildEvent *>(event)->child()))
            tabs->setMovable(false);
    if (watched == m_window && event->type() == QEvent::Show && !event->spontaneous())
        QTimer::singleShot(kFrameMilliseconds, this, &PaneController::keepFrameInside);
    return QObject::eventFilter(watched, event);
}

void PaneController::resizeDock(QDockWidget *dock, int size, Qt::Orientation orientation)
{
    // One that the mouse is dragging, or that floats, has no place.
    if (m_window->dockWidgetArea(dock) != Qt::NoDockWidgetArea)
        m_window->resizeDocks({dock}, {size}, orientation);
}

void PaneController::giveRunsRoom()
{
    // The picture comes first: a low window shows a row or two and scrolls.
    const int most = m_contents.runs->header()->sizeHint().height() + m_window->height() / kRunsShare;
    const int height = std::min(m_contents.runs->header()->sizeHint().height() + m_contents.runs->sizeHint().height(), most);
    const auto resize = [this, height] { resizeDock(m_docks.bottom, height, Qt::Vertical); };
    resize();
    QTimer::singleShot(0, this, resize); // once the dock has its place
}

void PaneController::focusNext(QList<QWidget *> panes)
{
    panes.removeIf([](const QWidget *pane) { return !pane->isVisible(); });
    if (panes.isEmpty())
        return;
    qsizetype current = panes.size() - 1;
    for (qsizetype i = 0; i < panes.size(); ++i) {
        if (QWidget *focus = QApplication::focusWidget(); focus && (panes[i] == focus || panes[i]->isAncestorOf(focus)))
            current = i;
    }
    QWidget *next = panes[(current + 1) % panes.size()];
    m_window->setAttribute(Qt::WA_KeyboardFocusChange); // as Tab does: what has the keyboard shows its ring
    if (next->focusPolicy() == Qt::NoFocus || next == m_contents.editor) {
        for (QWidget *child : next->findChildren<QWidget *>()) {
            if (child->isVisible() && child->isEnabled() && child->focusPolicy() & Qt::TabFocus) {
                child->setFocus(Qt::TabFocusReason);
                return;
            }
        }
    }
    next->setFocus(Qt::TabFocusReason);
}

} // namespace stagelens::ui
