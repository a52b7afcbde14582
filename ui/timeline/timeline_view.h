// The timeline: lanes of passes over one time axis, predicted and measured groups below each other.
#pragma once

#include "engine/service/plans/schedule_text.h"
#include "ui/state/timeline_content.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagelens::ui {

struct Headline;
struct NextStep;
class PassMover;
class PassPuller;
class PassSelection;
class SearchLine;
class TimelineCanvas;
class TimelineInput;
class ViewState;

/// The widget. Wheel zooms at the cursor, drag pans, click selects; see the table of inputs in resources/docs.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(ViewState *state, QWidget *parent = nullptr);
    ~TimelineView() override;

    /// Shows new content. While the view is fitted the span becomes the longest end of groups and baseline.
    void setContent(TimelineContent content);
    [[nodiscard]] const TimelineContent &content() const;
    /// Returns the text of the hover panel at a position; for tests and the accessible value.
    [[nodiscard]] QString describe(QPoint position) const;
    /// Returns the text of the selected slice for the inspector: pass, begin, duration, vocabulary part, what it waited for.
    [[nodiscard]] QString describeSelection() const;
    /// Returns the statistics of the marked range: busy, idle and vocabulary time of all devices and of each.
    [[nodiscard]] QString describeRange() const;
    /// Returns what to do about the selected pass or the explained gap (PassSelection::nextStep).
    [[nodiscard]] std::optional<NextStep> nextStep(const Headline &verdict) const;
    /// Selects a pass and brings it into view; a gap is no longer explained.
    void showPass(int group, timeline::SliceId pass);
    /// Scrolls to a device's lane in the first group.
    void showLane(int device);
    /// Gives every lane that height, 0: as many lanes as fit, and scrolls to a device's lane in the first group.
    void arrangeLanes(int pitch, int device);
    /// Opens the line that searches the passes.
    void find();
    /// Returns the rectangle of a slice in the widget, empty if it is not shown; for tests and scenes.
    [[nodiscard]] QRect placeOf(int group, timeline::SliceId slice) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Paints the picture in a size, for exports.
    void render(class QPainter *painter, QSize size);

    /// Returns why a move is not possible; empty if it is. While there is a judge, passes of movable groups are dragged along
    /// their lane, or moved with Alt+Shift+arrows.
    using MoveJudge = std::function<QString(const service::PassMove &)>;
    void setMoveJudge(MoveJudge judge);
    /// Tells later what the judge of a move did not know yet; nothing if the pass is held elsewhere by now.
    void answerMove(const service::PassMove &move, const QString &refusal);
    /// Lets the ends of passes in movable groups be pulled; see passPulled().
    void setPullable(bool on);

signals:
    /// A new picture with lanes is on the screen; for measuring how long that takes.
    void painted();
    void passMoved(const stagelens::service::PassMove &move);
    void moveRefused(const QString &why);
    /// A pass of a device is being pulled to `factor` times the duration that it had when its end was taken hold of.
    void passPulled(int device, double factor);
    /// The same for a message between two devices.
    void linkPulled(int from, int to, double factor);
    /// The end was let go: as it was pulled, or as it was before.
    void pullEnded(bool isKept);
    /// A gap was clicked: why is this bubble here?
    void gapClicked(int group, int device, qint64 time);
    /// The gap that was clicked is deselected, or is not in the new content.
    void gapForgotten();
    /// The sign beside a lane was clicked.
    void laneDetailAsked(stagelens::ui::LaneDetail detail);
    /// The keys C and Space, for commands of the window.
    void criticalPathAsked();
    void editAsked(); ///< edit mode on or off
    void playAsked();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void placeSearch();

    ViewState *m_viewState;
    std::unique_ptr<TimelineCanvas> m_canvas;
    std::unique_ptr<PassSelection> m_selection;
    std::unique_ptr<PassMover> m_mover;
    std::unique_ptr<PassPuller> m_puller;
    std::unique_ptr<TimelineInput> m_input;
    SearchLine *m_search;
};

} // namespace stagelens::ui
