// The timeline: lanes of passes over one time axis, predicted and measured groups below each other.
#pragma once

#include "engine/service/schedule_text.h"
#include "ui/state/timeline_content.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagelens::ui {

class ViewState;

/// The widget. Wheel zooms at the cursor, drag pans, click selects; see the table of inputs in resources/docs.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(ViewState *state, QWidget *parent = nullptr);
    ~TimelineView() override;

    /// Draws new content at once. While the view is fitted the span becomes the longest end of groups and baseline.
    void setContent(TimelineContent content);
    [[nodiscard]] const TimelineContent &content() const;
    /// What the hover overlay says at a widget position, or empty; for tests and the accessible value.
    [[nodiscard]] QString describe(QPoint position) const;
    /// The text of the selected slice for the inspector: pass, begin, duration, vocabulary part, what it waited for.
    [[nodiscard]] QString describeSelection() const;
    /// What was done in the marked range: busy, idle and vocabulary time of all devices and of each. Empty without a range.
    [[nodiscard]] QString describeRange() const;
    /// Scrolls to a device's lane in the first group.
    void showLane(int device);
    /// Opens the line that searches the passes.
    void find();
    /// Where a slice stands in the widget, or an empty rectangle; for tests and for what points at it.
    [[nodiscard]] QRect placeOf(int group, timeline::SliceId slice) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Paints the picture as it would look at that size (exports, headless): the window's own code.
    void render(class QPainter *painter, QSize size);

    /// While there is one, passes of movable groups are dragged along their lane, or moved with Alt+Shift+arrows. It says why
    /// a move cannot be; empty: it can.
    using MoveJudge = std::function<QString(const service::PassMove &)>;
    void setMoveJudge(MoveJudge judge);

signals:
    /// A picture with lanes, drawn anew, stands on the screen; for what measures how long that takes.
    void painted();
    void passMoved(const stagelens::service::PassMove &move);
    void moveRefused(const QString &why);
    /// A gap was clicked: why is this bubble here?
    void gapClicked(int group, int device, qint64 time);
    /// It is no longer asked about, or no longer there.
    void gapForgotten();
    /// The picture's own keys for commands of the window: C and Space.
    void criticalPathAsked();
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
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagelens::ui
