// What fills MainWindow's centre: its four modes, and how the picture of Explore is shown.
#include "engine/model/family_shape.h"
#include "ui/controls/enlarge.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/play_bar.h"
#include "ui/panels/tool_strip.h"
#include "ui/plots/plots.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/learn_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notice_controller.h"
#include "ui/shell/sweep_page.h"
#include "ui/shell/window_actions.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/words/words.h"

#include <QActionGroup>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

QWidget *MainWindow::makeModeSwitch()
{
    auto *modes = new QWidget(m_menuBar);
    auto *row = new QHBoxLayout(modes);
    row->setContentsMargins(0, 2, 8, 2);
    row->setSpacing(0);
    for (QAction *mode : m_actions->modes->actions()) {
        auto *button = new QToolButton(modes);
        button->setObjectName(u"mode."_s + mode->objectName().section(u'.', 1));
        button->setDefaultAction(mode);
        button->setFocusPolicy(Qt::StrongFocus);
        row->addWidget(button);
    }
    return modes;
}

void MainWindow::connectModes()
{
    connect(m_actions->modes, &QActionGroup::triggered, this, [this](QAction *mode) {
        m_pages->setCurrentIndex(static_cast<int>(m_actions->modes->actions().indexOf(mode)));
        arrange();
    });
    connect(m_pages, &QStackedWidget::currentChanged, this, &MainWindow::updateExports);
    connect(m_sweep, &SweepPage::resultsChanged, this, &MainWindow::updateExports);
    connect(m_learn, &LearnPage::familyAsked, this, &MainWindow::showFamily);
    connect(m_learn, &LearnPage::methodAsked, this, [this](model::VocabularyMethod method) {
        apply(method);
        m_actions->explore->trigger();
    });
    connect(m_learn, &LearnPage::planAsked, this, [this](const model::Experiment &experiment, const QString &title) {
        m_document->replace(experiment, {}, title);
        m_actions->explore->trigger();
    });
}

void MainWindow::arrange()
{
    QWidget *page = m_pages->currentWidget();
    const bool isPresented = m_actions->presentation->isChecked();
    menuWidget()->setVisible(!isPresented);
    m_strip->setVisible(page != m_learn); // its plan says nothing about the pictures of the pages
    m_explore->setPresentation(isPresented && page == m_explore);
    m_learn->setPresentation(isPresented && page == m_learn);
    for (QWidget *other : std::initializer_list<QWidget *>{m_compare, m_sweep})
        enlarge(*other, isPresented && page == other);
    setDocksAside(isPresented || page == m_learn);
}

void MainWindow::setDocksAside(bool aside)
{
    if (aside == m_aside.has_value())
        return;
    if (aside) {
        m_aside.emplace();
        for (QDockWidget *dock : {m_left, m_right, m_bottom}) {
            if (!dock->toggleViewAction()->isChecked())
                continue;
            // Of those behind one another only the front one is seen.
            m_aside->push_back({dock, dock->size(), !dock->visibleRegion().isEmpty()});
        }
        for (const SetAside &each : *m_aside)
            each.dock->hide();
        return;
    }
    const std::vector<SetAside> docks = *std::exchange(m_aside, std::nullopt);
    for (const SetAside &each : docks)
        each.dock->show();
    // Not restoreState(): Qt 6.4 crashes in it where the mouse has hold of a dock's border.
    const auto restoreSizes = [this, docks] {
        for (const SetAside &each : docks) {
            resizeDocks({each.dock}, {each.size.width()}, Qt::Horizontal);
            resizeDocks({each.dock}, {each.size.height()}, Qt::Vertical);
        }
    };
    restoreSizes();
    QTimer::singleShot(0, this, restoreSizes); // once the window has left a screen that was narrower
    for (const SetAside &each : docks)
        if (each.isInFront && !tabifiedDockWidgets(each.dock).isEmpty())
            each.dock->raise();
}

void MainWindow::connectPicture()
{
    TimelineView *timeline = m_explore->timeline();
    connect(m_actions->colourBy, &QActionGroup::triggered, this, [this](QAction *colour) {
        m_explore->setColourBy(static_cast<ColourBy>(m_actions->colourBy->actions().indexOf(colour)));
    });
    const auto complain = [this](const QString &text) { m_notice->warn(text); };
    offerPicture(*m_explore->findChild<MemoryPlot *>(), u"memory"_s, complain);
    offerPicture(*m_explore->findChild<BubblePlot *>(), u"bubbles"_s, complain);
    offerPicture(*m_explore->findChild<LossPlot *>(), u"loss"_s, complain);
    connect(m_actions->criticalPath, &QAction::toggled, m_explore, &ExplorePage::setCritical);
    connect(timeline, &TimelineView::criticalPathAsked, m_actions->criticalPath, &QAction::toggle);
    connect(m_actions->find, &QAction::triggered, this, [this] {
        m_actions->explore->trigger();
        m_actions->asTable->setChecked(false);
        m_explore->timeline()->find();
    });
    connect(m_actions->asTable, &QAction::toggled, this, [this](bool on) {
        m_actions->explore->trigger();
        m_explore->setAsTable(on);
    });
    connect(m_actions->play, &QAction::triggered, m_explore->playBar(), &PlayBar::toggle);
    connect(timeline, &TimelineView::playAsked, m_explore->playBar(), &PlayBar::toggle);
    addAction(m_actions->presentation); // its key must work without the menu
    connect(m_actions->presentation, &QAction::toggled, this, &MainWindow::setPresentation);
}

void MainWindow::setPresentation(bool on)
{
    if (on)
        m_stateBefore = windowState();
    setWindowState(on ? windowState() | Qt::WindowFullScreen : m_stateBefore);
    arrange();
}

void MainWindow::showFamily(const QString &family)
{
    model::Experiment next = m_document->experiment();
    model::chooseFamily(next.schedule, utf8(family));
    next.parallel.stageLayers.clear();
    m_document->closeGesture();
    m_document->edit(u"schedule.family"_s, u"Schedule"_s, std::move(next));
    m_document->closeGesture();
    m_actions->explore->trigger();
}

} // namespace stagelens::ui
