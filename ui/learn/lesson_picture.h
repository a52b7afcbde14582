// A picture that lives: a plan that is simulated when it is shown, and that the reader can change.
#pragma once

#include "ui/learn/tour.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace stagelens::ui {

class ExperimentDocument;
class FieldEditor;
class FlowLayout;
class MessageBar;
class MorphPanel;
class PlayBar;
class TimelineView;
class ViewState;

/// Controls above, the timeline, its figures in a line below. Simulates where the key was pressed: its plans are small.
class LessonPicture : public QWidget {
    Q_OBJECT
public:
    explicit LessonPicture(QWidget *parent = nullptr);

    /// Shows a plan as it is; the reader's changes to the one before are forgotten. `title` names it when it is opened.
    void showPlan(const LivePlan &plan, const QString &title);
    /// Of what is drawn: of the last valid plan.
    [[nodiscard]] const Facts &facts() const { return m_facts; }
    [[nodiscard]] const model::Experiment &experiment() const;
    [[nodiscard]] bool isChanged() const;
    /// Whether the plan cannot be simulated; facts and picture are then of the plan before.
    [[nodiscard]] bool hasFailed() const { return m_failed; }
    [[nodiscard]] TimelineView *timeline() { return m_timeline; }
    [[nodiscard]] MorphPanel *morph() { return m_morph; }
    /// Replaces both timelines by the animation from the comparison plan to this one. There must be a comparison plan.
    void setMorphing(bool on);
    /// What is to be said about the reader's change; empty: nothing.
    void setNote(const QString &note);
    /// Makes these changes as if the reader had made them.
    void change(const std::vector<Setting> &settings, const QString &words);
    /// Ends playing. False if it did not play.
    bool stopPlaying();

signals:
    /// The plan changed, and with a valid one the facts.
    void changed();
    /// The plan asks to become the document.
    void openAsked(const stagelens::model::Experiment &experiment, const QString &title);

protected:
    void hideEvent(QHideEvent *event) override;

private:
    void build();
    void setControls(const QStringList &ids);
    void simulate();
    /// The prediction of a plan, or what is wrong with it.
    [[nodiscard]] static base::Result<service::PredictionPtr> predictionOf(const model::Experiment &experiment);
    [[nodiscard]] TimelineContent contentOf(const service::PredictionPtr &plan, const service::PredictionPtr &beside) const;
    void say(const base::Error *error);
    void sayFigures();

    LivePlan m_plan; ///< as it was given
    QString m_title;
    QString m_note;
    Facts m_facts;
    service::PredictionPtr m_start; ///< of the plan as it was given
    bool m_failed = false;          ///< the picture is of a plan before
    ExperimentDocument *m_document;
    ViewState *m_view;
    TimelineView *m_timeline;
    MorphPanel *m_morph;
    QStackedWidget *m_stack; ///< timeline or morph
    PlayBar *m_play;
    MessageBar *m_bar;
    QLabel *m_figures;
    QWidget *m_controls;
    FlowLayout *m_row;
    std::vector<FieldEditor *> m_editors;
    QPushButton *m_playing = nullptr;
    QPushButton *m_morphing;
    QPushButton *m_reset;
    QPushButton *m_open;
};

} // namespace stagelens::ui
