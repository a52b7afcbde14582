// Mouse and keyboard of a TimelineView.
#pragma once

#include "ui/timeline/edit/pass_mover.h"
#include "ui/timeline/edit/pass_pull.h"

#include <optional>

class QMouseEvent;
class QWheelEvent;

namespace stagelens::ui {

/// Turns events into changes of the range, the selection and the scroll position. resources/docs has the table of inputs.
class TimelineInput {
public:
    TimelineInput(TimelineView *view, ViewState *viewState, TimelineCanvas *canvas, PassSelection *selection, PassMover *mover,
                  PassPuller *puller)
        : m_view(view), m_viewState(viewState), m_canvas(canvas), m_selection(selection), m_mover(mover), m_puller(puller)
    {}

    void press(const QMouseEvent &event);
    void move(const QMouseEvent &event);
    void release(const QMouseEvent &event);
    void leave() { setPointer(std::nullopt); }
    void wheel(const QWheelEvent &event);
    /// Returns whether the key means something here.
    [[nodiscard]] bool handleKey(int key, Qt::KeyboardModifiers modifiers);
    /// Marks the idle time that is being explained, or none.
    void setGap(const std::optional<Hit> &gap);

private:
    /// What moving the mouse with the left button down does.
    struct Drag {
        enum class What : unsigned char { Pan, Mark, Minimap, Pass, End };
        What what = What::Pan;
        QPoint begin;
        base::Nanos viewBegin = 0; ///< when the button went down
        bool moved = false;
    };
    void setPointer(std::optional<QPoint> point);
    void click(QPoint point);
    void drag(QPoint to);
    /// Brings the middle of the range to a place of the minimap.
    void goTo(int minimapX);
    /// Pins the lane under the pointer, else that of the selected pass, or lets it go. Returns whether there is one.
    [[nodiscard]] bool pinLane();
    [[nodiscard]] bool escape();

    TimelineView *m_view;
    ViewState *m_viewState;
    TimelineCanvas *m_canvas;
    PassSelection *m_selection;
    PassMover *m_mover;
    PassPuller *m_puller;
    std::optional<Drag> m_held; ///< while the left button is down
};

} // namespace stagelens::ui
