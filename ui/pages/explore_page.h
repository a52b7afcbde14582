// The mode in which one plan is explored: headline, bars, timeline, memory, bubbles and loss.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/pages/explore_content.h"
#include "ui/timeline/timeline_view.h"

#include <QWidget>

#include <optional>

class QLabel;
class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace stagelens::ui {

class BubblePlot;
class ComputingSign;
class Forecast;
class HeadlineBar;
class LossPlot;
class MemoryPlot;
class MessageBar;
class MorphPanel;
class PassTable;
class PlayBar;
class ProvenanceBar;
class RunController;
class SchedulePanel;
class ShownSwitch;
class TopologyStrip;
class ViewState;

class ExplorePage : public QWidget {
    Q_OBJECT
public:
    ExplorePage(EngineBridge *bridge, Forecast *forecast, RunController *runController, ViewState *view,
                QWidget *parent = nullptr);

    /// Draws the plan, the run and the baseline again.
    void refresh();
    /// Only the headline and the bubble's causes, which come later than the plan.
    void refreshAdvice();
    void setShown(Shown shown);
    [[nodiscard]] Shown shown() const { return m_content.shown; }
    /// The end that the plan would have with another method, or in the order of another family; nothing takes the flag away.
    void setGhost(std::optional<model::VocabularyMethod> method);
    void setGhostFamily(const QString &family);
    /// What the what-ifs of the plan with that timeline cost; null where nothing is known.
    void setSensitivity(timeline::TimelinePtr timeline, SensitivityPtr sensitivity);
    void setColourBy(ColourBy colourBy);
    void setCritical(bool shown);
    /// The passes as a table in the place of the picture.
    void setAsTable(bool table);
    /// The way of the passes from the baseline to this plan in the place of the picture.
    void setMorphing(bool on);
    /// The nodes with their ranks below the plots.
    void setTopologyShown(bool on);
    /// Only headline, timeline and playing, in larger type.
    void setPresentation(bool on);
    /// The schedule's text under the picture, and passes of the prediction that can be moved.
    void setEditing(bool on);
    /// In a low window memory is a tab beside bubbles and loss.
    void setLow(bool low);
    /// True where the shown run is not the plan's, or was measured on another machine than the plan was predicted for.
    [[nodiscard]] bool runDiffers() const { return m_content.runDiffers(); }
    /// The run whose lanes and figures stand beside the plan's; null where there is none.
    [[nodiscard]] service::RunSnapshotPtr run() const { return m_content.run(); }

    [[nodiscard]] HeadlineBar *headline() { return m_headline; }
    [[nodiscard]] MessageBar *problemBar() { return m_problemBar; }
    [[nodiscard]] TimelineView *timeline() { return m_timeline; }
    [[nodiscard]] ShownSwitch *shownSwitch() { return m_shownSwitch; }
    /// The timeline or its table, whichever is shown.
    [[nodiscard]] QWidget *picture();
    [[nodiscard]] SchedulePanel *schedulePanel() { return m_schedule; }
    [[nodiscard]] PlayBar *playBar() { return m_play; }
    [[nodiscard]] TopologyStrip *topology() { return m_topology; }
    [[nodiscard]] MorphPanel *morph() { return m_morph; }
    [[nodiscard]] bool isMorphing() const;

signals:
    void shownChanged();
    void showPlanAsked();
    /// A part of the page should be seen, also where the page is scrolled.
    void partAsked(QWidget *part);
    void trainAsked();
    /// A field of the experiment should be edited.
    void fieldAsked(const QString &field);
    /// What the inspector should say about a gap.
    void gapExplained(const QString &text);

private:
    void build();
    QWidget *makeTitle();
    void sizeParts();
    void setContent();
    void setMorph();
    /// True if the prediction that the morph begins with is there; else it is under way.
    bool predictMorphFrom(const model::Experiment &experiment);
    /// An explanation was computed: shows it, and answers the last click on a gap with it.
    void takeExplanation();
    void refreshPlots();
    void explain(int group, int device, qint64 time);

    EngineBridge *m_bridge;
    Forecast *m_forecast;
    RunController *m_runController;
    HeadlineBar *m_headline;
    MessageBar *m_problemBar;
    Explanations *m_explanations; ///< of the timelines that are shown
    ExploreContent m_content;
    ProvenanceBar *m_provenanceBar;
    TimelineView *m_timeline;
    QWidget *m_title = nullptr;    ///< of the timeline, with the switch
    QLabel *m_planTitle = nullptr; ///< the plan in words, while it is presented
    ShownSwitch *m_shownSwitch = nullptr;
    PassTable *m_table;
    MorphPanel *m_morph;
    PlayBar *m_play;
    QStackedWidget *m_picture;
    ComputingSign *m_computing;
    SchedulePanel *m_schedule;
    MemoryPlot *m_memory;
    BubblePlot *m_bubbles;
    LossPlot *m_loss;
    QSplitter *m_splitter;
    QTabWidget *m_tabs;
    TopologyStrip *m_topology;
    bool m_presentation = false;
    /// The gap that was clicked while its explanation is being computed.
    struct Gap {
        timeline::TimelinePtr timeline;
        int group;
        int device;
        qint64 time;
    };
    std::optional<Gap> m_gap;
    service::PredictionPtr m_morphFrom;            ///< the baseline with its timeline
    std::optional<model::Experiment> m_morphAsked; ///< is being predicted
    bool m_low = false;
    bool m_editing = false;
};

} // namespace stagelens::ui
