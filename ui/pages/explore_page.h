// The page of one plan: headline, bars, timeline, memory, bubbles and loss.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/pages/explore_content.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/advice/headline.h"

#include <QWidget>

#include <optional>

class QLabel;
class QSplitter;
class QStackedWidget;

namespace stagelens::ui {

class BaselineMorph;
class ComputingSign;
class ExplorePlots;
class Forecast;
class GapExplainer;
class HeadlineBar;
class FiguresLine;
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
    /// Shows the verdict on an invalid plan instead of that on the last valid plan; an empty one shows the latter again.
    void setProblem(const Headline &headline);
    void setShown(Shown shown);
    [[nodiscard]] Shown shown() const { return m_content.shown; }
    /// Flags the end that the plan would have with another method, or in the order of another family; an empty one clears it.
    void setGhost(std::optional<model::VocabularyMethod> method);
    void setGhostFamily(const QString &family);
    /// Makes the plan, and what its shown run measured, the baseline; unpinBaseline() makes it 1F1B again.
    void pinBaseline();
    void unpinBaseline();
    /// Sets the sensitivity of the plan with that timeline; null: unknown.
    void setSensitivity(timeline::TimelinePtr timeline, SensitivityPtr sensitivity);
    void setColourBy(ColourBy colourBy);
    void setCritical(bool shown);
    /// Shows streams and ranks below the lanes.
    void setLaneDetail(LaneDetail detail);
    /// Shows the passes as a table instead of the picture.
    void setAsTable(bool table);
    /// Shows the animation from the baseline to this plan instead of the picture.
    void setMorphing(bool on);
    /// Shows the nodes with their ranks in a tab.
    void setTopologyShown(bool on);
    /// Shows only headline, timeline and playing, in larger type.
    void setPresentation(bool on);
    /// Shows the schedule's text under the picture, and lets the passes of the prediction be moved.
    void setEditing(bool on);
    /// In a narrow window the figures are a line under the verdict.
    void setFiguresLineShown(bool shown);
    /// In a low window memory is a tab beside bubbles and loss.
    void setLow(bool low);
    /// True where the shown run is not the plan's, or was measured on another machine than the plan was predicted for.
    [[nodiscard]] bool runDiffers() const { return m_content.runDiffers(); }
    /// Returns the run whose lanes and figures are shown beside the plan's; null if there is none.
    [[nodiscard]] service::RunSnapshotPtr run() const { return m_content.run(); }

    [[nodiscard]] HeadlineBar *headline() { return m_headline; }
    [[nodiscard]] FiguresLine *figuresLine() { return m_figures; }
    /// What is said of the run beside the prediction; the window gives it a place outside the page.
    [[nodiscard]] MessageBar *provenanceBar();
    [[nodiscard]] TimelineView *timeline() { return m_timeline; }
    [[nodiscard]] ShownSwitch *shownSwitch() { return m_shownSwitch; }
    /// The timeline or its table, whichever is shown.
    [[nodiscard]] QWidget *picture();
    [[nodiscard]] SchedulePanel *schedulePanel() { return m_schedule; }
    [[nodiscard]] PlayBar *playBar() { return m_play; }
    [[nodiscard]] TopologyStrip *topology();
    [[nodiscard]] MorphPanel *morph() { return m_morph; }
    [[nodiscard]] bool isMorphing() const;

signals:
    void shownChanged();
    void showPlanAsked();
    /// A part of the page should be scrolled into view.
    void partAsked(QWidget *part);
    void trainAsked();
    /// A field of the experiment should be edited.
    void fieldAsked(const QString &field);
    /// The text about a gap for the inspector.
    void gapExplained(const QString &text);

private:
    void build(ViewState *view);
    QWidget *makeTitle();
    void sizeParts();
    /// Gives the content of the moment to the timeline, the table and the morph.
    void showContent();

    Forecast *m_forecast;
    RunController *m_runController;
    HeadlineBar *m_headline;
    Headline m_problem; ///< of an invalid plan
    FiguresLine *m_figures;
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
    QSplitter *m_splitter;
    ExplorePlots *m_plots = nullptr;
    BaselineMorph *m_baselineMorph;
    GapExplainer *m_gaps;
    bool m_presentation = false;
    bool m_hasFiguresLine = false;
    bool m_low = false;
    bool m_editing = false;
};

} // namespace stagelens::ui
