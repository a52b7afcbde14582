// Pulling a pass longer at its end: by how much, and how the pull is drawn.
#pragma once

#include "ui/timeline/timeline_view.h"

#include <QPoint>

#include <optional>

namespace stagelens::ui {

class TimelineCanvas;
struct Scene;

/// The pass whose end is held, and the pointer.
struct PassPull {
    int group = 0;
    timeline::SliceId slice;
    QPoint at;
    double factor = 1; ///< that letting go would lengthen it by, in tenths
};

/// Returns the pass whose end is at a point; nothing between passes that are too narrow to be told apart.
[[nodiscard]] std::optional<PassPull> endAt(const Scene &scene, QPoint point);
/// The pass as long as it is pulled, and what letting go does.
void paintPassPull(QPainter &painter, const Scene &scene, const PassPull &pull);

/// Lets the ends of passes in movable groups be pulled with the mouse. TimelineView::passPulled() reports each pull.
class PassPuller {
public:
    PassPuller(TimelineView *view, TimelineCanvas *canvas) : m_view(view), m_canvas(canvas) {}

    void setEnabled(bool on);
    /// Shows by the pointer's shape whether there is an end to pull.
    void hover(QPoint at);
    /// Takes hold of the end at a point. Returns whether there is one.
    bool hold(QPoint at);
    [[nodiscard]] bool isHolding() const { return m_held.has_value(); }
    void drag(QPoint to);
    /// Lets go: the pass is as long as it was pulled.
    void drop();
    /// Lets go of the pass as it was.
    void cancel();
    /// Forgets what is held: the picture is another one.
    void forget();

private:
    [[nodiscard]] std::optional<PassPull> pullAt(QPoint at) const;
    void show();

    TimelineView *m_view;
    TimelineCanvas *m_canvas;
    bool m_isEnabled = false;
    bool m_isAtEnd = false; ///< the pointer has the shape for it
    std::optional<PassPull> m_held;
};

} // namespace stagelens::ui
