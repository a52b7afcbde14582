// Moving passes of a timeline along their lanes, with the mouse or the keyboard.
#pragma once

#include "ui/timeline/pass_selection.h"
#include "ui/timeline/timeline_view.h"

#include <optional>

namespace stagelens::ui {

/// Asks the judge of a TimelineView about every move. The view's signals report the moves, and those that were refused.
class PassMover {
public:
    PassMover(TimelineView *view, ViewState *viewState, TimelineCanvas *canvas, PassSelection *selection)
        : m_view(view), m_viewState(viewState), m_canvas(canvas), m_selection(selection)
    {}

    /// Passes can be moved while there is a judge.
    void setJudge(TimelineView::MoveJudge judge) { m_judge = std::move(judge); }
    /// Takes hold of the pass at a point. Returns whether there is one that can be moved.
    bool hold(QPoint at);
    [[nodiscard]] bool isHolding() const { return m_held.has_value(); }
    void drag(QPoint to);
    /// Takes a late answer of the judge about the move that letting go would make now.
    void answer(const service::PassMove &move, const QString &refusal);
    /// Lets go: moves the pass to the place under the pointer.
    void drop();
    /// Lets go without moving; forget() without drawing that.
    void cancel();
    void forget();
    /// Moves the selected pass by one place. Returns whether it can be moved at all.
    bool moveSelected(bool later);

private:
    [[nodiscard]] bool isMovable(int group) const;
    void show();
    void move(int group, timeline::SliceId slice, const service::PassMove &move, const QString &refusal);

    TimelineView *m_view;
    ViewState *m_viewState;
    TimelineCanvas *m_canvas;
    PassSelection *m_selection;
    TimelineView::MoveJudge m_judge;
    std::optional<PassDrag> m_held;
};

} // namespace stagelens::ui
