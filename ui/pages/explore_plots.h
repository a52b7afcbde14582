// The plots below the timeline of Explore: memory, and the tabs with bubbles, loss, load of experts and topology.
#pragma once

#include <QObject>

class QSplitter;
class QTabWidget;
class QWidget;

namespace stagelens::ui {

class BubblePlot;
class ExpertPlot;
class ExploreContent;
class Forecast;
class LossPlot;
class MemoryPlot;
class TopologyStrip;
class ViewState;

/// Places the plots in a splitter and fills them. In a low window memory is one of the tabs.
class ExplorePlots : public QObject {
    Q_OBJECT
public:
    ExplorePlots(Forecast *forecast, const ExploreContent *content, ViewState *view, QSplitter *splitter, QWidget *page);

    /// Draws memory, loss, load of experts and topology of the plan, or of the run if only that is shown.
    void refresh();
    /// Draws the bubbles with their causes, which arrive later than the plan.
    void refreshBubbles();
    void setLow(bool low);
    /// Hides all plots, or shows them.
    void setHidden(bool hidden);
    void setTopologyShown(bool on);
    [[nodiscard]] QTabWidget *tabs() { return m_tabs; }
    [[nodiscard]] TopologyStrip *topology() { return m_topology; }

private:
    void refreshMemory();
    void refreshLoss();
    /// Draws the load of experts in a tab of its own, which only plans and runs with experts have.
    void refreshExperts();

    Forecast *m_forecast;
    const ExploreContent *m_content;
    QSplitter *m_splitter;
    MemoryPlot *m_memory;
    BubblePlot *m_bubbles;
    LossPlot *m_loss;
    ExpertPlot *m_experts;
    QSplitter *m_pair = nullptr; ///< bubbles and loss side by side
    QTabWidget *m_tabs;
    TopologyStrip *m_topology;
    bool m_isLow = false;
    bool m_isHidden = false;
};

} // namespace stagelens::ui
