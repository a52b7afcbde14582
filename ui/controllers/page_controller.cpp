#include "ui/controllers/page_controller.h"

#include "ui/controllers/pane_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/controls/enlarge.h"
#include "ui/learn/lesson_picture.h"
#include "ui/morph/morph_panel.h"
#include "ui/pages/explore_page.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/pages/picture_export.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/play_bar.h"
#include "ui/plots/expert_plot.h"
#include "ui/plots/plots.h"
#include "ui/state/view_state.h"
#include "ui/strip/plan_strip.h"
#include "ui/sweep/sweep_page.h"

#include <QActionGroup>
#include <QMainWindow>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolTip>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

PageController::PageController(QMainWindow *window, WindowActions *actions, const Pages &pages, PlanStrip *strip,
                               ViewState *view, PaneController *panes)
    : m_window(window), m_actions(actions), m_pages(pages), m_strip(strip), m_view(view), m_panes(panes)
{
    connect(m_actions->modes, &QActionGroup::triggered, this, [this](QAction *mode) {
        m_pages.stack->setCurrentIndex(static_cast<int>(m_actions->modes->actions().indexOf(mode)));
        arrange();
    });
    connect(m_actions->fit, &QAction::triggered, m_view, &ViewState::fit);
    connectPicture();
    m_window->addAction(m_actions->presentation); // its key must work without the menu
    connect(m_actions->presentation, &QAction::toggled, this, &PageController::setPresentation);
}

void PageController::connectPicture()
{
    ExplorePage *explore = m_pages.explore;
    TimelineView *timeline = explore->timeline();
    connect(m_actions->colourBy, &QActionGroup::triggered, this, [this](QAction *colour) {
        m_pages.explore->setColourBy(static_cast<ColourBy>(m_actions->colourBy->actions().indexOf(colour)));
    });
    connect(m_actions->lanes, &QActionGroup::triggered, this, [this](QAction *detail) {
        m_pages.explore->setLaneDetail(static_cast<LaneDetail>(m_actions->lanes->actions().indexOf(detail)));
    });
    connect(timeline, &TimelineView::laneDetailAsked, this,
            [this](LaneDetail detail) { m_actions->lanes->actions().at(static_cast<int>(detail))->trigger(); });
    const auto complain = [this](const QString &text) { emit failed(text); };
    offerPicture(*explore->findChild<MemoryPlot *>(), u"memory"_s, complain);
    offerPicture(*explore->findChild<BubblePlot *>(), u"bubbles"_s, complain);
    offerPicture(*explore->findChild<LossPlot *>(), u"loss"_s, complain);
    offerPicture(*explore->findChild<ExpertPlot *>(), u"experts"_s, complain);
    connect(m_actions->criticalPath, &QAction::toggled, explore, &ExplorePage::setCritical);
    connect(timeline, &TimelineView::criticalPathAsked, m_actions->criticalPath, &QAction::toggle);
    connect(timeline, &TimelineView::editAsked, m_actions->editSchedule, &QAction::toggle);
    connect(m_actions->find, &QAction::triggered, this, [this] {
        if (m_pages.stack->currentWidget() == m_pages.learn) {
            m_pages.learn->startSearch();
            return;
        }
        m_actions->explore->trigger();
        m_actions->asTable->setChecked(false);
        m_actions->morph->setChecked(false);
        m_pages.explore->timeline()->find();
    });
    connect(m_actions->topology, &QAction::toggled, this, [this](bool on) { m_pages.explore->setTopologyShown(on); });
    connect(m_actions->asTable, &QAction::toggled, this, [this](bool on) {
        m_actions->explore->trigger();
        if (on)
            m_actions->morph->setChecked(false);
        m_pages.explore->setAsTable(on);
    });
    connect(m_actions->morph, &QAction::toggled, this, [this](bool on) {
        m_actions->explore->trigger();
        if (on)
            m_actions->asTable->setChecked(false);
        m_pages.explore->setMorphing(on);
    });
    connect(explore->morph(), &MorphPanel::failed, this, &PageController::failed);
    connect(explore->morph(), &MorphPanel::exported, this, &PageController::written);
    connect(m_actions->play, &QAction::triggered, this, [explore] {
        if (explore->isMorphing())
            explore->morph()->togglePlaying();
        else
            explore->playBar()->toggle();
    });
    connect(timeline, &TimelineView::playAsked, explore->playBar(), &PlayBar::toggle);
}

void PageController::arrange()
{
    QWidget *page = m_pages.stack->currentWidget();
    const bool isPresented = m_actions->presentation->isChecked();
    m_window->menuWidget()->setVisible(!isPresented);
    m_window->statusBar()->setVisible(!isPresented && page != m_pages.learn);
    m_strip->setVisible(page != m_pages.learn); // its plan says nothing about the pictures of the pages
    m_pages.explore->setPresentation(isPresented && page == m_pages.explore);
    m_pages.learn->setPresentation(isPresented && page == m_pages.learn);
    for (QWidget *other : std::initializer_list<QWidget *>{m_pages.compare, m_pages.sweep})
        enlarge(*other, isPresented && page == other);
    using Aside = PaneController::Aside;
    m_panes->setDocksAside(isPresented || page == m_pages.learn ? Aside::All
                           : page == m_pages.explore            ? Aside::None
                                                                : Aside::OfThePlan);
}

void PageController::setPresentation(bool on)
{
    QToolTip::hideText(); // one from before would stay over it
    if (on)
        m_stateBefore = m_window->windowState();
    m_window->setWindowState(on ? m_window->windowState() | Qt::WindowFullScreen : m_stateBefore);
    arrange();
}

void PageController::escape()
{
    const QWidget *page = m_pages.stack->currentWidget();
    if (m_actions->presentation->isChecked())
        m_actions->presentation->trigger();
    else if (page == m_pages.explore && m_actions->morph->isChecked())
        m_actions->morph->setChecked(false);
    else if (m_pages.explore->playBar()->isVisible())
        m_pages.explore->playBar()->stop();
    else if (page == m_pages.learn && m_pages.learn->lesson()->picture()->stopPlaying())
        return;
    else if (page != m_pages.explore)
        m_actions->explore->trigger();
    else {
        m_view->clearMark();
        m_view->select(std::nullopt);
    }
}

QList<QWidget *> PageController::panes(const QList<QWidget *> &before, const QList<QWidget *> &after) const
{
    QWidget *page = m_pages.stack->currentWidget();
    if (page == m_pages.learn)
        return m_pages.learn->panes();
    return before + QList<QWidget *>{page == m_pages.explore ? m_pages.explore->picture() : page} + after;
}

} // namespace stagelens::ui
