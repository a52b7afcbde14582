// The timeline: lanes of passes over one time axis, predicted and measured groups below each other.
#pragma once

#include "engine/schedule/schedule.h"
#include "engine/service/schedule_text.h"
#include "engine/simulate/idle_causes.h"
#include "engine/simulate/memory_profiles.h"
#include "engine/simulate/metrics.h"
#include "engine/timeline/timeline.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagelens::ui {

class ViewState;

/// One timeline as a group of lanes with its provenance at the left rail.
struct LaneGroup {
    timeline::TimelinePtr timeline;
    std::shared_ptr<const schedule::Schedule> schedule; ///< for what a pass waited for; may be null
    simulate::Metrics metrics;                          ///< for the load bars
    QString caption;                                    ///< "Predicted", "Virtual clock · run 12"
    bool faded = false;                                 ///< measured, but the plan was edited since
    base::Bytes capacity = 0;                           ///< of a device; those that need more are marked. 0: unknown
    bool recomputed = false;                            ///< its forwards run again before their backwards: a dashed edge
    bool movable = false;                               ///< its passes may be put elsewhere, see setMoveJudge()
    /// What every pass waited for; null where it is not needed (Colour by slack, the critical path) or not known.
    std::shared_ptr<const simulate::Explanation> why;
    /// Bytes held over time; may be null.
    std::shared_ptr<const simulate::MemoryProfiles> memory;
};

[[nodiscard]] inline const timeline::Lane &laneOf(const LaneGroup &group, int device)
{
    return group.timeline->lanes[static_cast<std::size_t>(device)];
}

/// An end worth comparing with, drawn as a flag on the ruler.
struct EndFlag {
    base::Nanos end = 0;
    QString text; ///< "baseline 412 ms"
};

/// What the fill of a pass means.
enum class ColourBy : unsigned char { Kind, Microbatch, Chunk, Slack };

/// What is drawn. Value type: the same content gives the same picture.
struct TimelineContent {
    std::vector<LaneGroup> groups;
    std::optional<EndFlag> baseline;
    std::optional<EndFlag> ghost;     ///< end of the plan that is being hovered
    std::optional<EndFlag> published; ///< end that a paper reports for this plan: a dotted pole, as a `Published` rail is
    bool teachingUnits = false;       ///< axis in units (1 ms = 1 unit) and not in seconds
    ColourBy colourBy = ColourBy::Kind;
    bool critical = false; ///< show the critical path of groups that say why
    bool stacked = false;  ///< two groups stand below each other and not lane by lane
    bool stale = false;    ///< draw at half opacity: an answer is being computed or the input is illegal
};

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
