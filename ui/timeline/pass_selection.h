// The selected pass of a timeline, and the ways from one pass to another.
#pragma once

#include "ui/timeline/timeline_canvas.h"

#include <optional>

namespace stagelens::ui {

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
    /// Zooms to the marked range, else to the selected pass.
    void fit();

private:
    TimelineCanvas *m_canvas;
    ViewState *m_viewState;
    std::optional<schedule::Pass> m_pass; ///< that is selected
};

} // namespace stagelens::ui
