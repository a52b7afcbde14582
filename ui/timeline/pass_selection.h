// The selected pass of a timeline, and the ways from one pass to another.
#pragma once

#include "ui/timeline/timeline_canvas.h"

#include <optional>

namespace stagelens::ui {

struct Headline;

/// The one thing to do about the selected pass or the gap that is being explained.
struct NextStep {
    /// The fix of the verdict; the requirement that was met last; the critical path.
    enum class Kind : unsigned char { Fix, Predecessor, CriticalPath };
    Kind kind = Kind::CriticalPath;
    ViewState::Selection predecessor = {}; ///< of Kind::Predecessor
    QString caption = {};                  ///< of a button
    QString tip = {};                      ///< why that helps
};

/// Moves the selection of a ViewState through the lanes of a canvas.
class PassSelection {
public:
    PassSelection(TimelineCanvas *canvas, ViewState *viewState) : m_canvas(canvas), m_viewState(viewState) {}

    /// Returns the timeline of the selected pass; null if none is selected or the content no longer has it.
    [[nodiscard]] const timeline::Timeline *timeline() const;
    /// Shows the selection that the ViewState has now, and notes its pass for keep().
    void update();
    /// Finds the selected pass in new content, or drops the selection.
    void keep();
    /// Selects a pass and brings it into view.
    void show(int group, timeline::SliceId slice);
    void stepInLane(int by);
    void stepToLane(int by);
    /// Follows a message or the order of the device: forward to what waits for the pass, else back to what it waited for.
    void stepAlong(bool forward);
    /// Returns what to do about the selected pass, or else about the gap that is being explained; nothing if there is neither.
    /// The fix of the verdict touches what is chosen if that is, or waits for, work of vocabulary layers and the fix moves
    /// them; and a gap if the fix is another order.
    [[nodiscard]] std::optional<NextStep> nextStep(const Headline &verdict) const;
    /// Zooms to the marked range, else to the selected pass.
    void fit();

private:
    TimelineCanvas *m_canvas;
    ViewState *m_viewState;
    std::optional<schedule::Pass> m_pass; ///< that is selected
};

} // namespace stagelens::ui
