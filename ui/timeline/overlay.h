// What is drawn above the picture and changes without it: pointer, hover panel, selection with its neighbours.
#pragma once

#include "ui/state/view_state.h"
#include "ui/timeline/edit/pass_drag.h"
#include "ui/timeline/edit/pass_pull.h"
#include "ui/timeline/scene.h"

#include <QPoint>

#include <optional>
#include <vector>

namespace stagelens::ui {

/// What is drawn at a point of the lanes.
struct Hit {
    int group = 0;
    int device = 0;
    base::Nanos time = 0;
    std::optional<std::size_t> slice; ///< nothing: a gap
    bool onMessages = false;          ///< on the strip under the passes
    std::size_t count = 1;            ///< passes in the fold, of which `slice` is the one at that time
};
[[nodiscard]] std::optional<Hit> hitTest(const Scene &scene, QPoint point);
/// Returns the lines of the hover panel.
[[nodiscard]] QString describe(const Scene &scene, const Hit &hit);
/// The same of what is at a point; empty if nothing is.
[[nodiscard]] QString describe(const Scene &scene, QPoint point);
/// Returns the unclipped rectangle of a slice in the picture; nothing if its lane is not shown.
[[nodiscard]] std::optional<QRectF> rectOf(const Scene &scene, int group, timeline::SliceId slice);

struct OverlayState {
    std::optional<QPoint> pointer; ///< nothing while the mouse is elsewhere or drags
    std::optional<ViewState::Selection> selection;
    std::optional<Hit> gap; ///< the idle time that is being explained
    std::optional<ViewState::Mark> mark;
    std::vector<ViewState::Mark> bookmarks;
    std::optional<base::Nanos> playhead;
    int mostHeld = 0;            ///< activations on a device; known while there is a playhead
    std::optional<int> followed; ///< microbatch; the passes of all others are dimmed
    std::optional<PassDrag> passDrag;
    std::optional<PassPull> passPull;
    bool focused = false; ///< the keyboard is here: show the ring
};
/// A panel of lines beside a point, the first one bold.
void paintPanel(QPainter &painter, const Scene &scene, QPoint at, const QString &text);
void paintOverlay(QPainter &painter, const Scene &scene, const OverlayState &state);

} // namespace stagelens::ui
