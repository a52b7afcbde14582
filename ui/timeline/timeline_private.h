// The timeline view's state, shared by its drawing and its input.
#pragma once

#include "ui/canvas/qcp.h"
#include "ui/timeline/overlay.h"
#include "ui/timeline/pass_drag.h"

#include <QImage>

#include <optional>

namespace stagelens::ui {

class SearchLine;

class TimelineView::Private {
public:
    Private(TimelineView *view, ViewState *viewState);

    /// As many lanes as fit with the chosen height, or all of them.
    enum class Extent : unsigned char { Scrolled, All };
    /// The picture of a size, complete with boxes.
    [[nodiscard]] Scene makeScene(QSize size, double ratio, Extent extent) const;
    /// Makes room in the stacks of activations for as many as a device holds.
    void countHeld();
    /// Draws everything again when the event loop comes round; many calls make one drawing.
    void redraw();
    /// Draws only what lies over the picture.
    void redrawOverlay();
    /// The minimap from its picture, which is painted again when what it shows has changed.
    void paintMinimapPicture(QPainter &painter);
    void placeSearch();
    /// Finds the selected pass in new content, or drops the selection.
    void keepSelection();
    [[nodiscard]] const timeline::Timeline *selectedTimeline() const;

    // Input.
    void setPointer(std::optional<QPoint> point);
    void scrollTo(int scroll);
    void scrollToLane(int group, int device);
    void changePitch(int by);
    void click(QPoint point);
    /// Marks the idle time that is being explained, or none.
    void setGap(const std::optional<Hit> &gap);
    void selectAndShow(int group, timeline::SliceId slice);
    void stepInLane(int by);
    void stepToLane(int by);
    void stepAlong(bool forward);
    void fitSelection();
    void drag(QPoint to);
    /// Brings the middle of the view to a place of the minimap.
    void goTo(int minimapX);
    /// Whether the passes of a group may be put elsewhere.
    [[nodiscard]] bool isMovable(int group) const;
    /// Takes the pass at a place of the picture, if it can be moved.
    bool holdPass(QPoint at);
    void dragPass(QPoint to);
    void dropPass();
    void move(int group, timeline::SliceId slice, const service::PassMove &move, const QString &refusal);
    bool moveSelected(bool later);
    [[nodiscard]] bool handleKey(int key, Qt::KeyboardModifiers modifiers);

    TimelineView *q;
    ViewState *state;
    TimelineContent content;
    std::vector<GroupSums> sums;
    std::optional<schedule::Pass> selectedPass;
    Scene scene;
    struct MinimapPicture {
        QImage image;
        QSize size;
        const Colours *colours = nullptr;
        base::Nanos span = 0;
        bool current = false; ///< of the content of the moment
    } minimap;
    QCustomPlot *plot = nullptr;
    bool drawn = false; ///< and not yet painted()
    QCPLayer *overlayLayer = nullptr;
    OverlayState overlay;
    int pitch = 0;
    int scroll = 0;
    struct Drag {
        enum class What : unsigned char { Pan, Mark, Minimap, Pass };
        What what = What::Pan;
        QPoint begin;
        base::Nanos viewBegin = 0;
        bool moved = false;
    };
    std::optional<Drag> held; ///< while the left button is down
    MoveJudge judge;
    std::optional<PassDrag> passHeld;
    SearchLine *search = nullptr;
};

} // namespace stagelens::ui
