// A picture that lives: a plan that is simulated when it is shown, and that the reader can change.
#pragma once

#include "engine/service/plans/schedule_text.h"
#include "ui/learn/facts.h"
#include "ui/learn/live_simulation.h"
#include "ui/state/latest_job.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace stagelens::ui {

class ComputingSign;
class ExperimentDocument;
class LessonControls;
class LessonRuns;
class MessageBar;
class MorphPanel;
class PlayBar;
class ReorderBar;
class TimelineView;
class ViewState;

/// Controls above, the timeline, its figures in a line below. Small plans are simulated at once, others off the GUI thread; the
/// earlier picture stays until their answer arrives.
class LessonPicture : public QWidget {
    Q_OBJECT
public:
    explicit LessonPicture(EngineBridge *bridge, QWidget *parent = nullptr);

    /// Shows a plan as it is; the reader's changes to the one before are forgotten. `title` names it when it is opened.
    void showPlan(const LivePlan &plan, const QString &title);
    /// Returns the figures of what is drawn: of the last valid plan.
    [[nodiscard]] const Facts &facts() const { return m_facts; }
    [[nodiscard]] const model::Experiment &experiment() const;
    [[nodiscard]] bool isChanged() const;
    /// Returns whether the plan cannot be simulated; facts and picture are then of the plan before.
    [[nodiscard]] bool hasFailed() const { return m_failed; }
    [[nodiscard]] TimelineView *timeline() { return m_timeline; }
    [[nodiscard]] LessonRuns *runs() { return m_runs; }
    [[nodiscard]] MorphPanel *morph() { return m_morph; }
    /// Replaces both timelines by the animation from the comparison plan to this one. There must be a comparison plan.
    void setMorphing(bool on);
    /// Sets the note about the reader's change; empty: none.
    void setNote(const QString &note);
    /// How near the reader's order is to its goal, and where the goal is on the axis; empty: no score.
    void setScore(const QString &score, std::optional<base::Nanos> goal);
    /// Makes these changes as if the reader had made them.
    void change(const std::vector<Setting> &settings, const QString &words);
    /// Gives devices these orders, as withOrders() does, as if the reader had.
    void reorder(const QStringList &orders, const QString &words);
    /// Ends playing. Returns whether it played.
    bool stopPlaying();

signals:
    /// The plan changed, and with a valid one the facts.
    void changed();
    /// The plan is to become the document.
    void openAsked(const stagelens::model::Experiment &experiment, const QString &title);
    /// Runs that were trained here are to be compared.
    void compareAsked(const std::vector<qint64> &runs);

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void build();
    void connectMoves();
    /// Returns why a pass cannot be moved so; empty if it can.
    [[nodiscard]] QString refusal(const service::PassMove &move) const;
    void move(const service::PassMove &move);
    void edit(const QString &field, const QString &words, const model::Experiment &next);
    void simulate();
    void take(const base::Result<LiveSimulation> &simulated);
    /// Adds where the plan as it was given and the goal end.
    void showGoal(TimelineContent &content) const;
    void showWait();
    /// Keeps the picture as it is.
    void cancel();
    void say(const base::Error *error);
    void sayFigures();

    LivePlan m_plan; ///< as it was given
    QString m_title;
    QString m_note;
    Facts m_facts;
    service::PredictionPtr m_start; ///< of the plan as it was given
    service::PredictionPtr m_now;   ///< that is drawn
    std::optional<base::Nanos> m_goal;
    bool m_failed = false; ///< the picture is of a plan before
    bool m_isNew = false;  ///< the plan was given and is not drawn yet
    LatestJob m_job;
    ExperimentDocument *m_document;
    ViewState *m_view;
    TimelineView *m_timeline;
    MorphPanel *m_morph;
    QStackedWidget *m_stack; ///< timeline or morph
    ComputingSign *m_computing;
    PlayBar *m_play;
    MessageBar *m_bar;
    QLabel *m_figures;
    LessonControls *m_controls;
    ReorderBar *m_moves;
    LessonRuns *m_runs;
    QPushButton *m_playing = nullptr;
    QPushButton *m_morphing;
    QPushButton *m_reset;
    QPushButton *m_open;
};

} // namespace stagelens::ui
