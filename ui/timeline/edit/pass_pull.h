// Pulling a pass or a message longer or shorter at its end: by how much, and what is drawn beside it.
#pragma once

#include "ui/timeline/timeline_view.h"

#include <QPoint>
#include <QRectF>

#include <optional>

namespace stagelens::ui {

class TimelineCanvas;
struct Scene;

/// The pass or the message whose end is held, and the pointer.
struct PassPull {
    int group = 0;
    timeline::SliceId slice;                        ///< unless it is a message
    std::optional<timeline::TransferSlice> message; ///< as it was before it was pulled
    QPoint at;
    QRectF place;      ///< before it was pulled
    double factor = 1; ///< that it is pulled by, in tenths
};

/// Returns what ends at a point: a pass, or on the strip under the passes a message; nothing between those that are too narrow
/// to be told apart.
[[nodiscard]] std::optional<PassPull> endAt(const Scene &scene, QPoint point);
/// Where it was, and by how much it is pulled.
void paintPassPull(QPainter &painter, const Scene &scene, const PassPull &pull);

/// Lets the ends of passes and messages in movable groups be pulled with the mouse. The picture follows:
/// TimelineView::passPulled() and linkPulled() report each change, and pullEnded() the end.
class PassPuller {
public:
    PassPuller(TimelineView *view, ViewState *state, TimelineCanvas *canvas)
        : m_view(view), m_viewState(state), m_canvas(canvas)
    {}

    void setEnabled(bool on);
    /// Shows by the pointer's shape whether there is an end to pull.
    void hover(QPoint at);
    /// Takes hold of the end at a point. Returns whether there is one.
    bool hold(QPoint at);
    [[nodiscard]] bool isHolding() const { return m_held.has_value(); }
    void drag(QPoint to);
    /// Lets go: it is as long as it was pulled.
    void drop();
    /// Lets go of it as it was.
    void cancel();
    /// The picture is another one: keeps hold of what is still there.
    void keep();

private:
    [[nodiscard]] std::optional<PassPull> pullAt(QPoint at) const;
    void show();
    void letGo(bool isKept);

    TimelineView *m_view;
    ViewState *m_viewState;
    TimelineCanvas *m_canvas;
    bool m_isEnabled = false;
    bool m_isAtEnd = false; ///< the pointer has the shape for it
    std::optional<PassPull> m_held;
};

} // namespace stagelens::ui
