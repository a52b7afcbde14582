// Plays an iteration: a playhead over the lanes, and in words what happens.
#pragma once

#include "ui/timeline/timeline_view.h"

#include <QElapsedTimer>
#include <QFrame>
#include <QTimer>

class QComboBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace stagelens::ui {

class ViewState;

/// What happens at a moment of a group: what each device does, or where a microbatch is.
[[nodiscard]] QString playCaption(const LaneGroup &group, base::Nanos time, std::optional<int> microbatch, bool teachingUnits);

class PlayBar : public QFrame {
    Q_OBJECT
public:
    PlayBar(TimelineView *timeline, ViewState *state, QWidget *parent);
    /// Begins at the left of what is seen, or goes on; pauses where it plays.
    void toggle();
    void stop();
    [[nodiscard]] bool isPlaying() const { return m_clock.isActive(); }

signals:
    void stopped();

private:
    void step();
    void setTime(base::Nanos time);
    [[nodiscard]] base::Nanos end() const;

    TimelineView *m_timeline;
    ViewState *m_state;
    QToolButton *m_button;
    QComboBox *m_speed;
    QSpinBox *m_follow;
    QLabel *m_caption;
    QTimer m_clock;
    QElapsedTimer m_sinceStep;
};

} // namespace stagelens::ui
