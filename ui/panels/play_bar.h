// Plays an iteration: a playhead over the lanes, and in words what happens.
#pragma once

#include "ui/controls/button_style.h"
#include "ui/timeline/timeline_view.h"

#include <QElapsedTimer>
#include <QFrame>
#include <QTimer>

#include <optional>

class QBoxLayout;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QSpinBox;
class QToolButton;

namespace stagelens::ui {

class ViewState;

/// What happens at a moment of a group: what each device does or waits for, or where a microbatch is.
[[nodiscard]] QString playCaption(const LaneGroup &group, base::Nanos time, std::optional<int> microbatch, bool teachingUnits);
/// The next moment, or the one before, at which a pass of a group begins or ends; `time` itself if there is none.
[[nodiscard]] base::Nanos nextEvent(const LaneGroup &group, base::Nanos time, bool forward);

/// Plays the first group of a picture that lives on the same view state. Hidden until it is asked for.
class PlayBar : public QFrame {
    Q_OBJECT
public:
    PlayBar(TimelineView *timeline, ViewState *state, QWidget *parent);
    /// Starts at the left edge of the visible range, or resumes; pauses if it plays.
    void toggle();
    void stop();
    /// The picture is another one: stops where it ends before the moment that is shown.
    void endWithPicture();
    /// Stays where it is while nothing is played, too.
    void setKept(bool on);
    /// Pauses at the next moment, or the one before, at which a pass begins or ends.
    void stepTo(bool forward);
    [[nodiscard]] bool isPlaying() const { return m_clock.isActive(); }

signals:
    void stopped();

protected:
    void changeEvent(QEvent *event) override;

private:
    void build();
    /// What the button says and does.
    void showPlaying(bool on);
    QToolButton *makeButton(const QString &name, std::optional<Glyph> icon, const QString &tip);
    void rest();
    void fixHeight();
    /// Gives the caption the lines that its text needs. It never takes them back while a picture plays, which would jump.
    void growCaption();
    void open();
    void pause();
    void advance();
    void follow();
    void setTime(base::Nanos time);
    [[nodiscard]] const LaneGroup *group() const;
    [[nodiscard]] base::Nanos end() const;

    TimelineView *m_timeline;
    ViewState *m_state;
    QToolButton *m_button;
    QComboBox *m_speed;
    QSpinBox *m_follow;
    QLabel *m_caption;
    QBoxLayout *m_row = nullptr; ///< the controls, and the caption beside or below them
    QHBoxLayout *m_controls = nullptr;
    int m_lines = 0; ///< of the caption
    QTimer m_clock;
    QElapsedTimer m_sinceStep;
    bool m_kept = false;
};

} // namespace stagelens::ui
